"""What merge groups say of a pull request: which of their executions count for it, and against it.

Groups are cumulative: the first red one after a green one names the suspect (`resolver.attribution.groups`). A failure
that may be another task's is left out here, and so is what ran on a group that was made void: one ahead left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from resolver.attribution.groups import Group, suspect
from resolver.conclusions import Meaning, meaning
from resolver.executions import Check, Execution, Side
from resolver.facts import JobFinished
from resolver.ids import Sha
from resolver.other_ci import ThirdParty
from resolver.other_ci.case import executions as third_party
from resolver.other_ci.case import reported
from resolver.runs import task_id
from resolver.state import Base, Head, Pull, RepoState
from resolver.state.merge_queue import NO_QUEUE, MergeGroup

INVALIDATED = "invalidated"
"""GitHub's reason for a group that was rebuilt: its results are void (GITHUB.md, trap 33)."""


class Build(Protocol):
    """Makes an execution of a job."""

    def __call__(self, head: Head, job: JobFinished, *, side: Side, task: str | None = None) -> Execution:
        """Give the execution."""
        ...


@dataclass(frozen=True, slots=True)
class RedGroup:
    """A group with which a head failed: the failed jobs, and the failed checks of other CI, that count against it."""

    group: MergeGroup
    jobs: tuple[JobFinished, ...]
    others: tuple[ThirdParty, ...] = ()

    @property
    def commit(self) -> Sha:
        """The group's commit."""
        return self.group.seen.head_sha

    @property
    def names(self) -> frozenset[str]:
        """The names of what failed, as reports have them."""
        return frozenset({job.name for job in self.jobs} | {told.check.job for told in self.others})


def groups_of(state: RepoState, pull: Pull) -> list[MergeGroup]:
    """Give the groups of a pull request's current head, oldest first."""
    queue = state.queues.get(pull.seen.base_ref, NO_QUEUE)
    mine = [group for group in queue.of(pull.seen.number) if group.task_head == pull.seen.head_sha]
    return sorted(mine, key=lambda group: (group.seen.at, max(state.head(group.seen.head_sha).runs, default=0)))


def own_groups(state: RepoState, pull: Pull) -> set[Sha]:
    """Give the commits of all groups that hold a pull request, at whatever head."""
    queue = state.queues.get(pull.seen.base_ref, NO_QUEUE)
    return {group.seen.head_sha for group in queue.of(pull.seen.number)}


def queue_executions(state: RepoState, pull: Pull, build: Build) -> Iterator[Execution]:
    """
    Give the executions of a pull request's groups that say something of it, and those of the groups that they stand
    on, which are the base that was really tested.
    """
    beside: dict[Sha, MergeGroup] = {}
    for group in groups_of(state, pull):
        ahead = _ahead(state, pull, group)
        if ahead is None:
            continue
        beside.update({each.seen.head_sha: each for each in ahead})
        for execution in _ran_in(state, group, build):
            told = _counted(state, group, ahead, execution, build)
            if told is not None:
                yield told.model_copy(update={"head": pull.seen.head_sha, "tested_base": group.seen.base_sha})
    for group in beside.values():
        yield from _ran_in(state, group, build)


def _ran_in(state: RepoState, group: MergeGroup, build: Build) -> Iterator[Execution]:
    """Everything that ran on a group's commit, checks of other CI among it."""
    head, task = state.head(group.seen.head_sha), task_id(group.number)
    for job in head.jobs.values():
        if job.job_id not in head.derived():
            yield build(head, job, side="group", task=task)
    yield from third_party(head, side="group", task=task)


def red_groups(state: RepoState, pull: Pull, build: Build) -> list[RedGroup]:
    """Give the groups with which the current head failed, oldest first."""
    found: list[RedGroup] = []
    for group in groups_of(state, pull):
        ahead = _ahead(state, pull, group)
        if ahead is None:
            continue
        head, task = state.head(group.seen.head_sha), task_id(group.number)
        jobs = [(job, build(head, job, side="group", task=task)) for job in head.failed()]
        others = [(told, reported(head, told, side="group", task=task)) for told in head.failed_third_party()]
        red = RedGroup(
            group,
            tuple(job for job, ran in jobs if _counted(state, group, ahead, ran, build)),
            tuple(told for told, ran in others if _counted(state, group, ahead, ran, build)),
        )
        if red.names:
            found.append(red)
    return found


def red_jobs(state: RepoState, pull: Pull) -> set[str]:
    """Give the names of all jobs that failed in a group of the current head, to look for them on the base."""
    heads = (state.head(group.seen.head_sha) for group in groups_of(state, pull))
    return {name for head in heads for name in head.once(_red_names)}


def _red_names(head: Head) -> frozenset[str]:
    red = (job for job in head.jobs.values() if meaning(job.conclusion) is Meaning.FAILED)
    return frozenset(job.name for job in red if job.job_id not in head.derived())


def red_others(state: RepoState, pull: Pull) -> set[str]:
    """Give the names of the checks of other CI that failed in a group of the current head."""
    heads = (state.head(group.seen.head_sha) for group in groups_of(state, pull))
    return {told.check.job for head in heads for told in head.failed_third_party()}


def chain(state: RepoState, group: MergeGroup) -> list[MergeGroup]:
    """Give the groups that a group stands on and that have not become the base, the lowest first."""
    queue = state.queues.get(group.seen.base_ref, NO_QUEUE)
    line = state.bases.get(group.seen.base_ref, Base()).line
    found: list[MergeGroup] = []
    below = queue.groups.get(group.seen.base_sha)
    while below is not None and below not in found and not queue.landed(below, line):
        found.insert(0, below)
        below = queue.groups.get(below.seen.base_sha)
    return found


def _ahead(state: RepoState, pull: Pull, group: MergeGroup) -> list[MergeGroup] | None:
    """The groups ahead; None where this one is void: it was rebuilt, or one ahead is gone without having landed."""
    ahead = chain(state, group)
    void = group.gone == INVALIDATED or any(each.gone is not None for each in ahead)
    return None if void or group.seen.base_ref != pull.seen.base_ref else ahead


def _counted(
    state: RepoState, group: MergeGroup, ahead: list[MergeGroup], execution: Execution, build: Build
) -> Execution | None:
    """An execution with those failures only of which this pull request is the suspect; None where none is left."""
    if execution.result != "failed" or not ahead:
        return execution
    if not execution.items:
        return execution if _passed_ahead(state, ahead[-1], execution.check, build) else None
    task = task_id(group.number)
    places = [_place(state, at, each, execution.check, build) for at, each in enumerate(ahead)]
    places.append(Group(place=len(ahead), commit=group.seen.head_sha, adds=(task,), execution=execution))
    items = []
    for item in execution.items:
        found = suspect(places, item.fingerprint) if item.counts else None
        if not item.counts or (found is not None and found.tasks == (task,)):
            items.append(item)
    return execution.model_copy(update={"items": tuple(items)}) if items else None


def _place(state: RepoState, at: int, group: MergeGroup, check: Check, build: Build) -> Group:
    found = _newest(state, group, check, build)
    return Group(place=at, commit=group.seen.head_sha, adds=(task_id(group.number),), execution=found)


def _newest(state: RepoState, group: MergeGroup, check: Check, build: Build) -> Execution | None:
    head = state.head(group.seen.head_sha)
    task = task_id(group.number)
    if check.third_party:
        ran = [reported(head, told, side="group", task=task) for told in head.third_party()]
    else:
        ran = [build(head, job, side="group", task=task) for job in head.current()]
    return next((each for each in reversed(ran) if each.check.same_job(check)), None)


def _passed_ahead(state: RepoState, group: MergeGroup, check: Check, build: Build) -> bool:
    found = _newest(state, group, check, build)
    return found is not None and found.result == "passed"


def standing_red(state: RepoState, pull: Pull, build: Build) -> RedGroup | None:
    """Give the newest group with which the head failed, unless a later one of the same head has passed."""
    red = red_groups(state, pull, build)
    if not red:
        return None
    groups = groups_of(state, pull)
    later = groups[groups.index(red[-1].group) + 1 :]
    passed = any(red[-1].names <= _green(state.head(group.seen.head_sha)) for group in later)
    return None if passed else red[-1]


def _green(head: Head) -> set[str]:
    others = {told.check.job for told in head.third_party() if meaning(told.conclusion) is Meaning.PASSED}
    return others | {job.name for job in head.current() if meaning(job.conclusion) is Meaning.PASSED}


def heads_of(state: RepoState, pull: Pull) -> list[Head]:
    """Give what is known of a pull request's head and of its groups, the head first."""
    own = state.head(pull.seen.head_sha)
    return [own, *(state.head(group.seen.head_sha) for group in groups_of(state, pull))]
