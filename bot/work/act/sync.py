"""Rebases a task's branch onto its base by GitHub's own update, and checks afterwards what the task then holds.

What a push would spoil is refused, so that it can be offered to a person instead: signed commits, approvals, workflow
files, forks. The expected head is given, so that a concurrent push wins (specification, section 9).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bot.github import QueryFailed, Unavailable
from bot.objects import pull_observed
from bot.work.act.fresh import MOVED, Seen, look_to_act
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import SyncBranch
from resolver.facts import PullObserved
from resolver.ids import Sha
from resolver.interruptions import CONFLICT
from resolver.ledger.events import Synced
from resolver.runs import task_id
from resolver.task_scope import TaskScope

REBASE = """mutation($id: ID!, $head: GitObjectID!) {
  updatePullRequestBranch(input: {pullRequestId: $id, expectedHeadOid: $head, updateMethod: REBASE}) {
    pullRequest { headRefOid } } }"""

WORKFLOWS = ".github/workflows/"

COMPARED_COMMITS, COMPARED_FILES = 250, 300
"""GitHub lists no more of a comparison. A branch with more is not rebased, since nobody could check it afterwards."""


async def sync_branch(place: Place, action: SyncBranch) -> Outcome:
    """Rebase once; done as well where the head is that rebase already, because an answer was lost."""
    seen = await look_to_act(place, action.number, action.head_sha, "sync", asked=action.asked)
    if isinstance(seen, Outcome):
        return await _moved(place, action, seen)
    before = await _compare(place, seen.pull.base_ref, action.head_sha)
    if before["behind_by"] == 0:
        return Outcome((seen.pull,), refused="the branch holds the whole base already")
    reason = await _spoils(place, action, before)
    if reason:
        return Outcome((seen.pull,), refused=reason)
    refused = await _rebase(place, action, seen)
    if refused and refused != MOVED:
        return Outcome((seen.pull,), refused=refused, fail_class=CONFLICT if refused == CONFLICT else None)
    pull = pull_observed(await place.installation.get(place.path("/pulls/{n}", n=action.number)))
    if refused:
        return Outcome((pull,), refused=MOVED, retry_at=place.clock.now(), fail_class="base-moved")
    if pull.head_sha == action.head_sha:
        # GitHub updates in the background: asking again with the same expected head does nothing twice.
        raise Unavailable("the branch was not seen to move yet", maybe_done=True)
    return _judged(place, action, pull, before, await _compare(place, pull.base_ref, pull.head_sha))


async def _compare(place: Place, base: str, head: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = await place.installation.get(
        place.path("/compare/{+basehead}", basehead=f"{base}...{head}")
    )
    return found


async def _moved(place: Place, action: SyncBranch, seen: Outcome) -> Outcome:
    """The head is another one: the same work on the base is our own rebase, whose answer was lost; else a push."""
    pulls = [fact for fact in seen.facts if isinstance(fact, PullObserved)]
    if seen.refused != MOVED or not pulls:
        return seen
    before = await _compare(place, pulls[0].base_ref, action.head_sha)
    after = await _compare(place, pulls[0].base_ref, pulls[0].head_sha)
    rebased = after["behind_by"] == 0 and _work(after) and _kept(before, after)
    return _judged(place, action, pulls[0], before, after) if rebased else seen


async def _spoils(place: Place, action: SyncBranch, before: Mapping[str, Any]) -> str | None:
    """Say what a rebase would spoil."""
    if before["total_commits"] > COMPARED_COMMITS or len(before["files"]) >= COMPARED_FILES:
        return "the branch is too large to be checked after a rebase"
    if any(len(commit["parents"]) > 1 for commit in before["commits"]):
        return "the branch holds merge commits, which a rebase would flatten"
    if any((commit["commit"].get("verification") or {}).get("verified") for commit in before["commits"]):
        return "commits are signed, and a rebase would strip the signatures"
    touched = sorted(name for name in _files(before) if name.startswith(WORKFLOWS))
    if touched:
        return f"the branch changes {touched[0]}, and moving it needs `workflows: write`"
    reviews = place.installation.pages(place.path("/pulls/{n}/reviews", n=action.number))
    if any([review["state"] == "APPROVED" async for review in reviews]):
        return "the pull request is approved, and a push may dismiss that"
    return None


async def _rebase(place: Place, action: SyncBranch, seen: Seen) -> str | None:
    """Ask GitHub; the reason where it refuses. A mutation whose answer is lost may have been carried out."""
    try:
        await place.installation.graphql(REBASE, id=seen.node, head=action.head_sha)
    except QueryFailed as failed:
        words = failed.message.lower()
        if "conflict" in words:
            return CONFLICT
        return MOVED if "expected head" in words else f"GitHub refused it: {failed.message}"
    except Unavailable as problem:
        if not problem.maybe_done:
            raise
    return None


def _judged(
    place: Place, action: SyncBranch, pull: PullObserved, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Outcome:
    """Say what the task holds now: `outside` are files beyond its scope, `lost` that commits are not as they were."""
    base = Sha(str(after["merge_base_commit"]["sha"]))
    scope = action.scope or TaskScope(source="files", files=tuple(_files(before)))
    outside = sorted(name for name in _files(after) if not scope.holds(name))
    synced = Synced(
        id=action.sync_id,
        at=place.clock.now(),
        task=task_id(action.number),
        base=base,
        head=action.head_sha,
        drift=action.drift,
    )
    result = {"head": pull.head_sha, "base": base, "outside": outside, "lost": not _kept(before, after)}
    return Outcome((pull, synced), result=result)


def _files(compared: Mapping[str, Any]) -> Iterable[str]:
    for entry in compared["files"]:
        yield str(entry["filename"])
        if entry.get("previous_filename"):
            yield str(entry["previous_filename"])


def _work(compared: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What a rebase keeps of each commit: message, author and the author's time."""
    commits = [each["commit"] for each in compared["commits"]]
    return [(str(c["message"]), str(c["author"]["email"]), str(c["author"]["date"])) for c in commits]


def _kept(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Say whether all commits afterwards are those from before, in order; what the base has already may be gone."""
    old = iter(_work(before))
    return all(each in old for each in _work(after))
