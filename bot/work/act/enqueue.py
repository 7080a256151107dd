"""Puts a pull request's head into its merge queue once more, after everything that may forbid it was read anew.

GitHub: an App enqueues by GraphQL, with `merge_queues: write` and `pull_requests: write` (GITHUB.md, trap 27); a pass
lands it. The expected head is given, so that a concurrent push wins.
"""

from __future__ import annotations

from typing import Any

from bot.github import PermissionMissing, QueryFailed
from bot.work.act.fresh import MOVED, Seen, look_to_act
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.queue import EnqueuePull
from resolver.decide.requeue import MAY_NOT_LAND
from resolver.executions import MERGE_GROUP
from resolver.facts.queue import PullEnqueued, group_of

ENQUEUE = """mutation($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: {pullRequestId: $id, expectedHeadOid: $head}) { mergeQueueEntry { position } } }"""

STANDS = "query($id: ID!) { node(id: $id) { ... on PullRequest { isInMergeQueue } } }"

PASSES = ("base branch was modified", "head branch was modified", "try again")
"""What GitHub says when the next attempt may go through: something moved at that moment (CASES, D13)."""

RUNS = 50
"""So many of the newest runs of merge groups are looked at for one that came after the failed one."""


async def enqueue_pull(place: Place, action: EnqueuePull) -> Outcome:
    """Enqueue once; done as well where it is in the queue already, or was since the group failed."""
    seen = await look_to_act(place, action.number, action.head_sha, "rerun", asked=action.asked)
    if isinstance(seen, Outcome):
        return seen
    if not seen.config.flake.may_land:
        return Outcome((seen.pull,), refused=MAY_NOT_LAND, retry_at=place.clock.now() + place.pace.refusal_rest)
    if await _was_quicker(place, action, seen):
        return Outcome((seen.pull,), result={"already": True})
    refused, passes = await _enqueue(place, action, seen)
    if refused is not None and passes:
        rest = place.clock.now() + place.pace.rerun_rest
        return Outcome((seen.pull,), refused=refused, retry_at=rest, fail_class="base-moved")
    if refused is None:
        at = place.clock.now()
        return Outcome((seen.pull, PullEnqueued(number=action.number, head_sha=action.head_sha, at=at)))
    return Outcome((seen.pull,), refused=refused, fail_class="base-moved" if refused == MOVED else None)


async def _was_quicker(place: Place, action: EnqueuePull, seen: Seen) -> bool:
    """Somebody else, or we ourselves before an answer was lost: a later group of the pull request has run."""
    stands: dict[str, Any] = await place.installation.graphql(STANDS, id=seen.node)
    if (stands.get("node") or {}).get("isInMergeQueue"):
        return True
    found = await place.installation.get(place.path("/actions/runs"), event=MERGE_GROUP, per_page=RUNS)
    for run in found["workflow_runs"]:
        group = group_of(run.get("head_branch"), run["head_sha"], 0.0)
        if group is not None and group.number == action.number and int(run["id"]) > action.run_id:
            return group.head_sha != action.group
    return False


async def _enqueue(place: Place, action: EnqueuePull, seen: Seen) -> tuple[str | None, bool]:
    """Ask GitHub; the reason where it refuses, and whether that passes. After a lost answer all is looked at again."""
    try:
        await place.installation.graphql(ENQUEUE, id=seen.node, head=action.head_sha)
    except QueryFailed as failed:
        words = failed.message.lower()
        if "already" in words and "queue" in words:
            return None, False
        if "head branch was modified" in words or "expected head" in words:
            return MOVED, False
        return f"GitHub refused it: {failed.message}", any(each in words for each in PASSES)
    except PermissionMissing:
        return "the App lacks `merge_queues: write`", False
    return None, False
