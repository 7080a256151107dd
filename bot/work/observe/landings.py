"""Reads of landed changes: by which pull request a base commit came, what that had changed, and what a base changed
since a head left it.

`merge_commit_sha` is gone from newer versions of GitHub's API, so that a commit is asked for its pull request instead.
"""

from __future__ import annotations

import re

from bot.github import NotFound, Refused
from bot.objects import Json, pull_observed
from bot.work.observe.pulls import change
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.landings import ReadBaseChanges, ReadLandedChanges, ReadLanding
from resolver.attribution.diff import ChangedFile
from resolver.facts.landings import BaseChangesRead, LandedChangesRead, LandingRead
from resolver.ids import Sha
from resolver.state.landings import landing_of

_MERGED = re.compile(r"Merge pull request #(\d{1,9}) from ")
_SQUASHED = re.compile(r" \(#(\d{1,9})\)$")

PAGE = 100
"""So many files come with one call; a change that is known by fewer of its files is known as well."""


async def read_landing(place: Place, action: ReadLanding) -> Outcome:
    """Find the pull request by which a commit came to a base; several that hold it tell nothing.

    GitHub does not list those of forks reliably (GITHUB.md, trap 3): where none is listed, the number that GitHub
    itself writes into the message of a merge or squash is looked up.
    """
    try:
        listed = await place.installation.get(place.path("/commits/{sha}/pulls", sha=action.commit), per_page=PAGE)
        if not listed:
            listed = await _named(place, action.commit)
    except (NotFound, Refused):
        listed = []
    pulls = [pull_observed(item) for item in listed]
    merged = [pull for pull in pulls if pull.merged and pull.base_ref == action.ref]
    landed = landing_of(merged[0]) if len(merged) == 1 else None
    return Outcome((LandingRead(commit=action.commit, landed=landed),))


async def _named(place: Place, commit: Sha) -> list[Json]:
    found = await place.installation.get(place.path("/git/commits/{sha}", sha=commit))
    number = landed_by(str(found.get("message") or ""))
    return [] if number is None else [await place.installation.get(place.path("/pulls/{n}", n=number))]


def landed_by(message: str) -> int | None:
    """Give the pull request that the first line of a merge's or squash's message names; None for another commit."""
    line = message.partition("\n")[0].strip()
    told = _MERGED.match(line) or _SQUASHED.search(line)
    return int(told[1]) if told else None


async def read_landed_changes(place: Place, action: ReadLandedChanges) -> Outcome:
    """List the first files of a landed pull request."""
    try:
        path = place.path("/pulls/{n}/files", n=action.pull)
        listed: list[Json] = await place.installation.get(path, per_page=PAGE)
    except NotFound:
        listed = []
    return Outcome((LandedChangesRead(pull=action.pull, changes=tuple(change(item) for item in listed)),))


async def read_base_changes(place: Place, action: ReadBaseChanges) -> Outcome:
    """Compare the head with the base: GitHub lists what the base changed since they parted, at most 300 files."""
    pair = f"{action.head_sha}...{action.base_sha}"
    try:
        compared = await place.installation.get(place.path("/compare/{+basehead}", basehead=pair), per_page=1)
    except NotFound:
        return Outcome(refused="head and base have no commit in common")
    paths = set(action.paths)
    found = [item for item in compared.get("files") or () if str(item["filename"]) in paths]
    read = BaseChangesRead(
        number=action.number,
        head_sha=action.head_sha,
        base_sha=action.base_sha,
        at=place.clock.now(),
        files=tuple(_held(item) for item in found),
        merge_base=Sha(str(compared["merge_base_commit"]["sha"])),
    )
    return Outcome((read,))


def _held(item: Json) -> ChangedFile:
    """Keep what a file holds, without its lines."""
    return change({**item, "patch": None})
