"""A probe's branch: an empty child of the base, made once, found again by its name, taken back where nothing began.

Its commit says in its message how the probe runs. One that is dispatched has `[skip ci]`, so that push workflows stay
quiet; a push or a draft pull request must not have it, or nothing would run (GitHub skips both).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.github import GitHubError, NotFound, Refused, Unavailable
from bot.work.place import Place
from resolver.ids import Sha
from resolver.probes import ProbePlan, ProbeWanted, Strategy

How = Literal["dispatch", "push", "draft-pull", "not-ours"]
"""How the probe on a branch runs. `not-ours`: the branch holds a commit that no probe of that kind has."""

_ENDINGS: dict[How, str] = {
    "dispatch": " [skip ci]",
    "push": ", by a push",
    "draft-pull": ", by a draft pull request",
}


@dataclass(frozen=True, slots=True)
class Branch:
    """A probe's branch. `ours` where this call has made it, so that certainly nothing was started on it before."""

    name: str
    commit: Sha
    how: How
    ours: bool = False


def how_of(strategy: Strategy) -> How:
    """Both ways to dispatch use the branch alike."""
    return strategy if strategy in ("push", "draft-pull") else "dispatch"


async def find_branch(place: Place, wanted: ProbeWanted, name: str) -> Branch | None:
    """Give the branch of that name with what its commit says, None where there is none.

    A commit that is not the empty child of the base that we would make is somebody else's, and proves nothing.
    """
    try:
        ref = await place.installation.get(place.path("/git/ref/heads/{+name}", name=name))
    except NotFound:
        return None
    sha = Sha(str(ref["object"]["sha"]))
    commit = await place.installation.get(place.path("/git/commits/{sha}", sha=sha))
    base = await place.installation.get(place.path("/git/commits/{sha}", sha=wanted.base_sha))
    empty = [each["sha"] for each in commit["parents"]] == [wanted.base_sha]
    empty = empty and commit["tree"]["sha"] == base["tree"]["sha"]
    how: How = next((each for each in _ENDINGS if empty and commit["message"] == _message(wanted, each)), "not-ours")
    return Branch(name, sha, how)


async def make_branch(place: Place, wanted: ProbeWanted, plan: ProbePlan) -> Branch:
    """Make the empty child and the branch. A lost answer is looked up at once: only we make branches of this name."""
    how = how_of(plan.strategy)
    base = await place.installation.get(place.path("/git/commits/{sha}", sha=wanted.base_sha))
    body = {"message": _message(wanted, how), "tree": base["tree"]["sha"], "parents": [wanted.base_sha]}
    commit = Sha(str((await place.installation.post(place.path("/git/commits"), body))["sha"]))
    try:
        ref = {"ref": f"refs/heads/{plan.ref}", "sha": commit}
        await place.installation.post(place.path("/git/refs"), ref)
    except (Unavailable, Refused) as problem:
        there = await find_branch(place, wanted, plan.ref)
        if there is None:
            raise problem from None
        return Branch(there.name, there.commit, there.how, ours=there.commit == commit)
    return Branch(plan.ref, commit, how, ours=True)


def _message(wanted: ProbeWanted, how: How) -> str:
    return f"failres: probe {wanted.nonce} of {wanted.base_sha[:12]}{_ENDINGS[how]}"


async def take_back(place: Place, branch: str) -> None:
    """Remove a branch on which nothing was started; where that fails the branch stays and is found the next time."""
    try:
        await place.installation.delete(place.path("/git/refs/heads/{+name}", name=branch))
    except GitHubError:
        return


async def run_on(place: Place, commit: Sha, event: str, workflow: str = "") -> int | None:
    """Find the run on the probe's own commit: of that event, and of that file where it matters."""
    listed = await place.installation.get(place.path("/actions/runs"), head_sha=commit, event=event)
    runs = [run for run in listed["workflow_runs"] if str(run.get("path") or "").partition("@")[0].startswith(workflow)]
    return int(runs[0]["id"]) if runs else None
