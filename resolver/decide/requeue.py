"""The rerun of a failure in a merge queue: its head is enqueued once more, where a pass may land it.

GitHub: a rerun of the group's own run would test a commit that is void already; enqueuing makes a new group on the
base as it is then (GITHUB.md, trap 33).
"""

from __future__ import annotations

from collections.abc import Iterator

from resolver.actions.queue import REQUEUE, EnqueuePull
from resolver.attribution import Refusal
from resolver.casework import execution_of
from resolver.casework.queue import groups_of, red_groups
from resolver.conclusions import Meaning, meaning
from resolver.decide.interrupted import waits
from resolver.decide.rerunning import Met
from resolver.decide.rights import config_of
from resolver.executions import MERGE_GROUP
from resolver.facts.queue import PullEnqueued
from resolver.ids import Sha
from resolver.ledger import Allowed, RerunAsked
from resolver.ledger.events import RerunEnded, RerunStarted
from resolver.other_ci import in_group
from resolver.runs import task_id
from resolver.state import Base, Head, Pull, RepoState
from resolver.state.merge_queue import MergeGroup

MAY_NOT_LAND = "a pass in the queue would land it; `flake.mayLand` does not allow that"


def requeue(state: RepoState, pull: Pull, asked: RerunAsked, now: float, *, kind: str = "rerun") -> Met | Refusal:
    """Enqueue the head once more, with the ledger's record of it; nothing to do while it is in the queue already.

    `kind` is that of the want that a refusal answers. The ledger itself is asked before.
    """
    against = hindrance(state, pull)
    if against is not None:
        return Refusal(kind=kind, reason=against, commit=asked.head)
    if isinstance(pull.queued, PullEnqueued):
        return Met()
    action = enqueue_action(state, pull, asked=asked.purpose == "command")
    if action is None:
        return Refusal(kind=kind, reason="its group is not known", commit=asked.head)
    effect = pull.effects.get(action.target)
    kept = waits(pull, effect, now) if asked.purpose != "command" else None
    if kept is not None:
        return Refusal(kind=kind, reason=kept, commit=asked.head) if isinstance(kept, str) else kept
    refused = effect is not None and effect.key == action.key and effect.status == "refused"
    if effect is not None and refused and (effect.retry_at is None or effect.retry_at > now):
        return Refusal(kind=kind, reason=effect.reason or "refused", commit=asked.head, until=effect.retry_at)
    started = asked.started(action.spends, now)
    return Met((action,), (started,) if started.id not in state.ledger.events else ())


def hindrance(state: RepoState, pull: Pull) -> str | None:
    """Say why a head may not be enqueued once more: a pass would land it, or the same set has failed."""
    if not config_of(state, pull).flake.may_land:
        return MAY_NOT_LAND
    base = state.bases.get(pull.seen.base_ref, Base()).sha
    answer = state.ledger.group(base or Sha(""), frozenset({*_waiting(state, pull), pull.seen.head_sha}))
    return None if isinstance(answer, Allowed) else answer.reason


def _waiting(state: RepoState, pull: Pull) -> Iterator[Sha]:
    """The heads that are in the queue now."""
    for other in state.pulls.values():
        if other.seen.base_ref == pull.seen.base_ref and isinstance(other.queued, PullEnqueued):
            yield other.queued.head_sha


def enqueue_action(state: RepoState, pull: Pull, *, asked: bool = False) -> EnqueuePull | None:
    """Give the action for the newest group with which the head failed; None where there is none."""
    red = red_groups(state, pull, execution_of)
    if not red:
        return None
    known = (run for group in groups_of(state, pull) for run in state.head(group.seen.head_sha).runs)
    return EnqueuePull(
        number=pull.seen.number,
        head_sha=pull.seen.head_sha,
        base_ref=pull.seen.base_ref,
        group=red[-1].commit,
        # Where another CI failed alone, any later run of a group of this head tells that it was enqueued again.
        run_id=max((job.run_id for job in red[-1].jobs), default=max(known, default=0)),
        asked=asked,
    )


def ended_requeues(state: RepoState, pull: Pull, now: float) -> Iterator[RerunEnded]:
    """Give the ends of re-enqueues of this head that the journal does not know yet: a later group's run has ended."""
    events = state.ledger.events
    groups = groups_of(state, pull)
    for event in list(events.values()):
        if not isinstance(event, RerunStarted) or not event.id.startswith(REQUEUE) or not state.ledger.counts(event.id):
            continue
        if event.task != task_id(pull.seen.number) or event.head != pull.seen.head_sha or f"{event.id}:ended" in events:
            continue
        before = event.id.removeprefix(REQUEUE)
        places = [at for at, group in enumerate(groups) if group.seen.head_sha == before]
        for group in groups[places[0] + 1 :] if places else ():
            ended = _end(state, group, event, now)
            if ended is not None:
                yield ended
                break


def _end(state: RepoState, group: MergeGroup, event: RerunStarted, now: float) -> RerunEnded | None:
    ended = _conclusions(state.head(group.seen.head_sha), event)
    conclusive = [each for each in map(meaning, ended) if each in (Meaning.PASSED, Meaning.FAILED)]
    if not conclusive:
        return None
    green = all(each is Meaning.PASSED for each in conclusive)
    passed = event.fingerprints if green else ()
    return RerunEnded(id=f"{event.id}:ended", rerun=event.id, at=now, useful=True, passed=passed)


def _conclusions(head: Head, event: RerunStarted) -> list[str | None]:
    """How the check that a head was enqueued for has ended in a group: its workflow's jobs, or itself in other CI."""
    if not event.workflow:
        return [told.conclusion for told in head.third_party() if in_group(told.check).key == event.check]
    runs = [
        run
        for run in head.runs.values()
        if run.event == MERGE_GROUP and run.path.startswith(event.workflow) and run.status == "completed"
    ]
    ended = {run.run_id for run in runs}
    return [job.conclusion for job in head.current() if job.run_id in ended]


def in_queue(pull: Pull) -> bool:
    """Say whether the head is in the queue now, or being put there by us."""
    effect = pull.effects.get(f"enqueue:{pull.seen.number}")
    return isinstance(pull.queued, PullEnqueued) or (effect is not None and effect.status == "started")
