"""A merge queue that does not move though nothing is red: a required check that never reports on the group, no
workflow that runs for groups at all, a green group that does not land (specification, section 12); and one that gave a
pull request up. None of that says anything of the change itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from resolver.actions import ReadRuns
from resolver.actions.queue import ReadExit
from resolver.casework.queue import chain, groups_of
from resolver.casework.queue_reports import Reports, is_known, of_other_ci, reports
from resolver.decide.rights import config_of
from resolver.executions import MERGE_GROUP
from resolver.facts.queue import PullDequeued, RulesRead
from resolver.fold.queue import LEFT
from resolver.limits import Limits
from resolver.queue_exit import Exit, exit_of
from resolver.report import QueueTrouble
from resolver.state import Base, Head, Pull, RepoState
from resolver.state.merge_queue import NO_QUEUE, MergeGroup


@dataclass(frozen=True, slots=True)
class Watched:
    """What is to be told, the read that must come first, and when to look again (seconds)."""

    trouble: QueueTrouble | None = None
    read: ReadRuns | ReadExit | None = None
    again_at: float | None = None


def _rules(state: RepoState, pull: Pull) -> RulesRead | None:
    rules = state.queues.get(pull.seen.base_ref, NO_QUEUE).rules
    return rules if rules is not None and rules.queue else None


def watch_queue(state: RepoState, pull: Pull, now: float, limits: Limits) -> Watched:
    """Say what keeps the newest group of a pull request's head from landing, or has taken it out of the queue, where
    nothing in it is red.
    """
    groups = groups_of(state, pull)
    rules = _rules(state, pull)
    if rules is None:
        return Watched()
    group = groups[-1] if groups else None
    left = _left(pull, group, rules, limits)
    if left is not None:
        return _gave_up(state, pull, group, rules, left)
    if group is None or group.gone is not None or chain(state, group):
        return Watched()  # what stands ahead is tested first
    return _waiting(state, pull, group, now, limits)


@dataclass(frozen=True, slots=True)
class _Left:
    """A head is out of the queue since `at` (seconds), as GitHub's `word` says; `unread`: nobody has told why yet."""

    at: float
    exit: Exit
    word: str = ""
    unread: ReadExit | None = None


def _left(pull: Pull, group: MergeGroup | None, rules: RulesRead, limits: Limits) -> _Left | None:
    """Say why GitHub let the head go; None where it is in the queue, or people took it out.

    Deliveries are lost: why one is in the list no more, or its group is not, stands in its conversation. Where that
    tells nothing either, it was for want of time if that was over, to within one look.
    """
    step = pull.queued
    if step is None and group is not None and group.gone == LEFT:
        return _Left(group.seen.at, "unknown", unread=_unread(pull, group, 0.0))
    if not isinstance(step, PullDequeued) or step.head_sha != pull.seen.head_sha:
        return None
    if step.reason:
        why = exit_of(step.reason)
        return None if why == "people" else _Left(step.at, why, step.reason)
    unread = _unread(pull, group, step.entered_at)
    if group is None:
        return _Left(step.at, "unknown", unread=unread)
    late = rules.timeout is not None and step.at + limits.sweep_every >= group.seen.at + rules.timeout
    return _Left(step.at, "timeout" if late else "unknown", unread=unread)


def _unread(pull: Pull, group: MergeGroup | None, entered_at: float) -> ReadExit | None:
    """The read of why a pull request has left, unless it has ended: then nobody knows more."""
    action = ReadExit(
        number=pull.seen.number,
        head_sha=pull.seen.head_sha,
        entered_at=entered_at,
        group=group.seen.head_sha if group is not None else None,
    )
    effect = pull.effects.get(action.target)
    ended = effect is not None and effect.key == action.key and effect.status != "started"
    return None if ended else action


def _waiting(state: RepoState, pull: Pull, group: MergeGroup, now: float, limits: Limits) -> Watched:
    """What a group that stands first in the queue waits for."""
    due_at = group.seen.at + limits.queue_patience
    if now < due_at:
        return Watched(again_at=due_at)
    head = state.head(group.seen.head_sha)
    if head.failed() or head.failed_third_party() or any(run.status != "completed" for run in head.runs.values()):
        return Watched()
    if head.listed_at is None or head.listed_at < due_at:
        return Watched(read=ReadRuns(head_sha=group.seen.head_sha, slot=int(due_at)))
    told = _reports(state, pull, head)
    if told.silent:
        return _silent(state, pull, group, told)
    return Watched() if told.open else _standing(state, pull, group, now)


def _reports(state: RepoState, pull: Pull, head: Head, left_at: float | None = None) -> Reports:
    rules = _rules(state, pull)
    required = rules.required if rules is not None else ()
    return reports(head, required, of_other_ci(state, pull, required), left_at)


def _gave_up(state: RepoState, pull: Pull, group: MergeGroup | None, rules: RulesRead, left: _Left) -> Watched:
    """Why the queue let a head go: a red check tells for itself; else GitHub's reason, with what had not ended then."""
    head = state.head(group.seen.head_sha) if group is not None else Head()
    if head.failed() or head.failed_third_party():
        return Watched()
    if group is not None and (head.listed_at is None or head.listed_at < left.at):
        return Watched(read=ReadRuns(head_sha=group.seen.head_sha, slot=int(left.at)))
    if left.unread is not None:
        return Watched(read=left.unread)
    if left.exit == "unknown" and not left.word:
        return Watched()  # nobody knows why, so nothing is said
    told = _reports(state, pull, head, left.at) if group is not None else Reports((), (), ())
    if left.exit == "timeout":  # GitHub cancels what runs for a group that it gives up
        told = replace(told, open=(*told.open, *told.cancelled), cancelled=())
    if group is not None and left.exit == "timeout" and told.silent and not told.open:
        return _silent(state, pull, group, told, timed_out=True)
    return Watched(
        QueueTrouble(
            kind="gave-up",
            group=group.seen.head_sha if group is not None else None,
            since=left.at,
            timed_out=left.exit == "timeout",
            exit=left.exit,
            word=left.word,
            missing=told.silent,
            limit=rules.timeout,
            running=told.open,
            cancelled=told.cancelled,
        )
    )


def _silent(state: RepoState, pull: Pull, group: MergeGroup, told: Reports, *, timed_out: bool = False) -> Watched:
    """Required checks that tell nothing on a group; whose they are is to be known before anybody is told what to do."""
    if not all(is_known(state, pull, name) for name in told.silent):
        return Watched(read=ReadRuns(head_sha=pull.seen.head_sha, slot=int(group.seen.at)))
    head = state.head(group.seen.head_sha)
    ran = [run for run in head.runs.values() if run.event == MERGE_GROUP]
    others = of_other_ci(state, pull, told.silent)
    lacks_trigger = not ran and set(told.silent) > set(others)
    trouble = QueueTrouble(
        kind="no-trigger" if lacks_trigger else "never-reports",
        missing=told.silent,
        others=others,
        group=group.seen.head_sha,
        since=group.seen.at,
        timed_out=timed_out,
        paths=tuple(sorted({run.path.partition("@")[0] for run in ran})),
    )
    return Watched(trouble)


def _standing(state: RepoState, pull: Pull, group: MergeGroup, now: float) -> Watched:
    """All required checks have ended well and the base is still what it was when the group was made."""
    base = state.bases.get(pull.seen.base_ref, Base()).sha
    due_at = group.seen.at + float(config_of(state, pull).landing.queue_stall)
    if base != group.seen.base_sha:
        return Watched()
    if now < due_at:
        return Watched(again_at=due_at)
    return Watched(QueueTrouble(kind="not-moving", group=group.seen.head_sha, since=group.seen.at))
