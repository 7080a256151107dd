"""What is to be read of merge queues: rules and queue of each base now and then, and what red groups do not tell."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.actions import AnyAction, ReadPull, ReadRuns
from resolver.actions.queue import ReadGroup, ReadQueue, ReadRules
from resolver.casework import check_of, execution_of
from resolver.casework.queue import groups_of, red_groups
from resolver.conclusions import Meaning, meaning
from resolver.decide.gate import logs_of, read_of
from resolver.decide.rights import config_of
from resolver.decide.third_party import annotation_reads
from resolver.executions import Check
from resolver.ids import Sha
from resolver.limits import Limits
from resolver.state import Base, Pull, RepoState
from resolver.state.merge_queue import NO_QUEUE, MergeGroup

LATELY = 3 * 3_600.0
"""For so long (seconds) the queue is read for a pull request that has landed after it had failed there."""


def base_reads(state: RepoState, now: float, limits: Limits) -> Iterator[AnyAction]:
    """Read each base's rules, and its queue where it has one: no delivery tells of them, or one that was lost."""
    for ref in sorted({pull.seen.base_ref for pull in state.pulls.values() if _watched(pull, now)}):
        yield from _of_base(state, ref, now, limits)


def _of_base(state: RepoState, ref: str, now: float, limits: Limits) -> Iterator[AnyAction]:
    if _due(state, f"rules:{ref}", limits.rules_every, now):
        yield ReadRules(ref=ref, slot=_slot(state, f"rules:{ref}"))
    queue = state.queues.get(ref, NO_QUEUE)
    if queue.rules is not None and queue.rules.queue and _due(state, f"queue:{ref}", limits.sweep_every, now):
        yield ReadQueue(ref=ref, slot=_slot(state, f"queue:{ref}"))
    for group in queue.groups.values():
        pull = state.pulls.get(group.number)
        if pull is not None and _watched(pull, now) and group.task_head in (None, pull.seen.head_sha):
            yield from _runs(state, group)


def _watched(pull: Pull, now: float) -> bool:
    """An open pull request, or one that landed lately after it had failed: whether it passed then is still wanted."""
    if pull.seen.state == "open":
        return True
    lately = pull.seen.merged and pull.queue_red == pull.seen.head_sha and now < pull.seen.updated_at + LATELY
    return lately and not any(v.klass == "flake" for v in pull.verdicts.values())


def _due(state: RepoState, target: str, every: float, now: float) -> bool:
    known = state.effects.get(target)
    return known is None or now >= known.started_at + every


def _slot(state: RepoState, target: str) -> int:
    known = state.effects.get(target)
    return known.count if known else 0


def _runs(state: RepoState, group: MergeGroup) -> Iterator[ReadRuns]:
    """The jobs of a group's run that ended badly, or after a failure, and of which none is known: deliveries are lost
    or late.
    """
    sha = group.seen.head_sha
    head = state.head(sha)
    ended = [run for run in head.runs.values() if run.status == "completed"]
    red = [run for run in ended if meaning(run.conclusion) is Meaning.FAILED]
    known = {job.run_id for job in head.jobs.values() if meaning(job.conclusion) is Meaning.FAILED}
    pull = state.pulls[group.number]
    again = pull.queue_red == pull.seen.head_sha and bool(ended) and not head.jobs
    if (
        any(run.run_id not in known for run in red)
        or again
        or any(job.run_id not in head.runs for job in head.failed())
    ):
        yield ReadRuns(head_sha=sha, slot=int(max((run.updated_at for run in ended), default=0.0)))


def queue_reads(state: RepoState, pull: Pull, limits: Limits) -> Iterator[AnyAction]:
    """Read the logs of a pull request's red groups, and of which head each was made."""
    config = config_of(state, pull)
    if state.bases.get(pull.seen.base_ref, Base()).config is None:  # it names the reports to read with a log
        return
    for sha in _unread(state, pull):
        yield ReadGroup(number=pull.seen.number, group=sha)
    for red in red_groups(state, pull, execution_of):
        yield from logs_of(pull, state.head(red.commit), config, limits)
        yield from annotation_reads(pull.seen.number, state.head(red.commit), limits)
    yield from green_reads(state, pull)
    mine = groups_of(state, pull)
    if mine and pull.queue_red == pull.seen.head_sha and mine[-1].gone is not None and _all_green(state, mine[-1]):
        yield ReadPull(number=pull.seen.number)  # it has landed, of which nothing has told


def _all_green(state: RepoState, group: MergeGroup) -> bool:
    runs = state.head(group.seen.head_sha).runs.values()
    return bool(runs) and all(run.conclusion == "success" for run in runs)


def _unread(state: RepoState, pull: Pull) -> Iterator[Sha]:
    for group in groups_of(state, pull):
        if group.parents is None and state.head(group.seen.head_sha).failed():
            yield group.seen.head_sha


def green_reads(state: RepoState, pull: Pull) -> Iterator[AnyAction]:
    """Read what passed in a later group of a head that had failed in one: whether the failing items ran there."""
    config = config_of(state, pull)
    items: dict[Check, set[str]] = {}
    for red in red_groups(state, pull, execution_of):
        head = state.head(red.commit)
        for job in red.jobs:
            told = head.triaged.get(job.job_id)
            found = items.setdefault(check_of(job, head.runs.get(job.run_id)), set())
            found.update(failure.item for failure in (told.failures if told else ()) if failure.item)
    for group in groups_of(state, pull):
        head = state.head(group.seen.head_sha)
        for job in head.jobs.values():
            wanted = items.get(check_of(job, head.runs.get(job.run_id)))
            if wanted and meaning(job.conclusion) is Meaning.PASSED and job.job_id not in head.triaged:
                yield read_of(pull, head, job, config, tuple(sorted(wanted)))
