"""A merge queue that does not move though nothing is red: a required check that never reports on the group, no
workflow that runs for groups at all, a green group that does not land (specification, section 12).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resolver.actions import ReadRuns
from resolver.conclusions import Meaning, meaning
from resolver.decide.rights import config_of
from resolver.limits import Limits
from resolver.merge_queue import MergeGroup, MergeQueue
from resolver.queue_case import chain, groups_of
from resolver.queue_facts import MERGE_GROUP, PullDequeued, RulesRead
from resolver.report import QueueTrouble
from resolver.state import Base, Head, Pull, RepoState
from resolver.third_party import CheckFinished

TIMEOUT = "CI_TIMEOUT"
"""GitHub's reason for an entry whose required checks did not report in time."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What is to be told, the read that must come first, and when to look again (seconds)."""

    trouble: QueueTrouble | None = None
    read: ReadRuns | None = None
    again_at: float | None = None


def watch_queue(state: RepoState, pull: Pull, now: float, limits: Limits) -> Watched:
    """Say what keeps the newest group of a pull request's head from landing, where nothing in it is red."""
    groups = groups_of(state, pull)
    queue = state.queues.get(pull.seen.base_ref, MergeQueue())
    rules = queue.rules
    if not groups or rules is None or not rules.queue:
        return Watched()
    group = groups[-1]
    timed_out = _timed_out(pull, group, rules, limits)
    if (group.gone is not None and not timed_out) or (chain(state, group) and not timed_out):
        return Watched()  # what stands ahead is tested first
    due_at = group.seen.at + limits.queue_patience
    if now < due_at and not timed_out:
        return Watched(again_at=due_at)
    head = state.head(group.seen.head_sha)
    if head.failed() or head.failed_third_party() or any(run.status != "completed" for run in head.runs.values()):
        return Watched()
    if head.listed_at is None or head.listed_at < min(due_at, now):
        return Watched(read=ReadRuns(head_sha=group.seen.head_sha, slot=int(due_at)))
    missing = tuple(name for name in rules.required if name not in set(_reported(head)))
    if missing:
        return Watched(_missing(head, group, missing, timed_out=timed_out))
    if timed_out:
        return Watched()
    return _standing(state, pull, group, now)


def _timed_out(pull: Pull, group: MergeGroup, rules: RulesRead, limits: Limits) -> bool:
    """Say whether GitHub gave the entry up; where nothing told why, its time must be over, to within one look."""
    left = pull.queued
    if not isinstance(left, PullDequeued):
        return False
    if left.reason:
        return left.reason == TIMEOUT
    return rules.timeout is not None and left.at + limits.sweep_every >= group.seen.at + rules.timeout


def _missing(head: Head, group: MergeGroup, missing: tuple[str, ...], *, timed_out: bool) -> QueueTrouble:
    ran = [run for run in head.runs.values() if run.event == MERGE_GROUP]
    return QueueTrouble(
        kind="never-reports" if ran else "no-trigger",
        missing=missing,
        group=group.seen.head_sha,
        since=group.seen.at,
        timed_out=timed_out,
        paths=tuple(sorted({run.path.partition("@")[0] for run in ran})),
    )


def _standing(state: RepoState, pull: Pull, group: MergeGroup, now: float) -> Watched:
    """All required checks are green and the base is still what it was when the group was made."""
    base = state.bases.get(pull.seen.base_ref, Base()).sha
    due_at = group.seen.at + float(config_of(state, pull).landing.queue_stall)
    if base != group.seen.base_sha:
        return Watched()
    if now < due_at:
        return Watched(again_at=due_at)
    return Watched(QueueTrouble(kind="not-moving", group=group.seen.head_sha, since=group.seen.at))


def _reported(head: Head) -> Iterator[str]:
    """The names under which something has reported, or begun to, as rules name them."""
    yield from (job.name for job in head.jobs.values() if meaning(job.conclusion) is not Meaning.CANCELLED)
    yield from (job.name for job in head.progress.values())
    for told in head.third_party():
        yield told.name if isinstance(told, CheckFinished) else told.context
