"""A probe's draft pull request: found by its branch before one is opened, closed before the branch is removed.

It tests the merge with the base of the moment in which it is opened, so that the base is looked at right before, and
what GitHub says was the base is what is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.github import NotFound
from bot.words.commits import short
from bot.words.probe import body, title
from bot.work.act.probe_branch import Branch
from bot.work.place import Place
from resolver.ids import PullNumber, Sha
from resolver.probes import ProbeWanted


async def moved_base(place: Place, wanted: ProbeWanted) -> str | None:
    """Say why a pull request opened now would not test the wanted commit; None where it would."""
    try:
        ref = await place.installation.get(place.path("/git/ref/heads/{+name}", name=wanted.base_ref))
    except NotFound:
        return f"draft pull request: the base {wanted.base_ref} is gone"
    tip = str(ref["object"]["sha"])
    if tip == wanted.base_sha:
        return None
    return f"draft pull request: it would test {wanted.base_ref} at {short(tip)}, not at {short(wanted.base_sha)}"


async def find_draft(place: Place, branch: Branch) -> Mapping[str, Any] | None:
    """Give the pull request of that branch and commit, open or closed."""
    owner = place.repo.full_name.partition("/")[0]
    head = f"{owner}:{branch.name}"
    listed = [each async for each in place.installation.pages(place.path("/pulls"), head=head, state="all")]
    return next((each for each in listed if each["head"]["sha"] == branch.commit), None)


async def open_draft(place: Place, wanted: ProbeWanted, branch: Branch, a_day: int) -> Mapping[str, Any]:
    """Open it. Raises the errors of `bot.github.errors`; a lost answer is found the next time by its branch."""
    wish = {
        "title": title(wanted),
        "body": body(wanted, a_day),
        "head": branch.name,
        "base": wanted.base_ref,
        "draft": True,
    }
    opened: Mapping[str, Any] = await place.installation.post(place.path("/pulls"), wish)
    return opened


def number_of(pull: Mapping[str, Any]) -> PullNumber:
    """Give its number."""
    return PullNumber(int(pull["number"]))


def base_of(pull: Mapping[str, Any]) -> Sha:
    """Give the base commit that GitHub opened it against, with which its runs are merged."""
    return Sha(str(pull["base"]["sha"]))


async def close_draft(place: Place, number: PullNumber, commit: Sha) -> None:
    """Close it where it is open and still ours; one that is gone or closed is as it should be."""
    path = place.path("/pulls/{n}", n=number)
    try:
        pull = await place.installation.get(path)
    except NotFound:
        return
    if pull["state"] == "open" and pull["head"]["sha"] == commit:
        await place.installation.patch(path, {"state": "closed"})
