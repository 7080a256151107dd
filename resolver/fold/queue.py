"""The fold's part for merge queues. A group is known by whatever told of it first: a delivery, a run, the list."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from resolver.executions import MERGE_GROUP
from resolver.facts import JobFinished, RunObserved
from resolver.facts.queue import (
    MergeGroupGone,
    MergeGroupRead,
    MergeGroupSeen,
    MergeQueueRead,
    PullDequeued,
    PullEnqueued,
    QueueFact,
    RulesRead,
    group_of,
)
from resolver.ids import PullNumber, Sha
from resolver.limits import LIMITS
from resolver.other_ci import ThirdParty
from resolver.state import RepoState
from resolver.state.merge_queue import NO_QUEUE, MergeGroup, MergeQueue, Queued

LEFT = "left"
"""Why a group is gone where only its absence was seen."""


def fold_queue(state: RepoState, fact: QueueFact) -> RepoState:
    """Give the state after one more fact of a queue."""
    match fact:
        case MergeGroupSeen():
            return _seen(state, fact)
        case MergeGroupRead() | MergeGroupGone():
            return _told(state, fact)
        case PullEnqueued() | PullDequeued():
            return _moved(state, fact)
        case RulesRead():
            queue = state.queues.get(fact.ref, NO_QUEUE)
            return _with(state, fact.ref, replace(queue, rules=fact))
        case MergeQueueRead():
            return _listed(state, fact)
        case _:
            assert_never(fact)


def note_group(state: RepoState, fact: RunObserved | JobFinished | ThirdParty) -> RepoState:
    """A run of a group tells of the group; what failed there is remembered with the pull request that it adds."""
    if isinstance(fact, RunObserved):
        seen = group_of(fact.head_branch, fact.head_sha, fact.updated_at) if fact.event == MERGE_GROUP else None
        return state if seen is None else _seen(state, seen)
    group = find_group(state, fact.head_sha)
    return state if group is None else _note_red(state, group)


def _note_red(state: RepoState, group: MergeGroup) -> RepoState:
    """Remember that a head has failed in a group, whatever came first: the failure, or word of the group."""
    head = state.head(group.seen.head_sha)
    if not head.failed() and not head.failed_third_party():
        return state
    pull = state.pulls.get(group.number)
    if pull is None:
        return state
    red = replace(pull, queue_red=group.task_head or pull.seen.head_sha)
    return replace(state, pulls={**state.pulls, group.number: red})


def find_group(state: RepoState, sha: Sha) -> MergeGroup | None:
    """Give the group whose commit that is."""
    found = (queue.groups[sha] for queue in state.queues.values() if sha in queue.groups)
    return next(found, None)


def queue_news(state: RepoState, fact: QueueFact) -> bool:
    """Say whether a fact of a queue is worth a record: what is known already is not."""
    match fact:
        case MergeGroupSeen():
            group = find_group(state, fact.head_sha)
            return group is None or fact.at < group.seen.at
        case MergeQueueRead():
            read = state.queues.get(fact.ref, NO_QUEUE).read
            return read is None or read.entries != fact.entries or bool(missed(state, fact))
        case RulesRead():
            return state.queues.get(fact.ref, NO_QUEUE).rules != fact
        case _:
            return True


def queue_touched(state: RepoState, fact: QueueFact) -> frozenset[PullNumber]:
    """Say which pull requests a fact of a queue may have made something due for."""
    match fact:
        case MergeGroupSeen() | MergeGroupRead() | MergeGroupGone():
            return concerned(state, fact.head_sha)
        case MergeQueueRead() | RulesRead():
            return frozenset(n for n, pull in state.pulls.items() if pull.seen.base_ref == fact.ref)
        case PullEnqueued() | PullDequeued():
            return frozenset({fact.number})
        case _:
            assert_never(fact)


def concerned(state: RepoState, sha: Sha) -> frozenset[PullNumber]:
    """The pull requests whose groups stand on that commit, or are it."""
    return frozenset(
        group.number
        for queue in state.queues.values()
        for group in queue.groups.values()
        if sha in (group.seen.head_sha, group.seen.base_sha)
    )


def missed(state: RepoState, fact: MergeQueueRead) -> dict[PullNumber, PullEnqueued]:
    """Give those that were thought to be in the queue and are not in the list."""
    inside = {entry.number for entry in fact.entries}
    return {
        number: pull.queued
        for number, pull in state.pulls.items()
        if pull.seen.base_ref == fact.ref and isinstance(pull.queued, PullEnqueued) and number not in inside
    }


def _with(state: RepoState, ref: str, queue: MergeQueue) -> RepoState:
    return replace(state, queues={**state.queues, ref: queue})


def _seen(state: RepoState, fact: MergeGroupSeen) -> RepoState:
    """What is known already stays: the earliest time, and the head that was told rather than supposed."""
    queue = state.queues.get(fact.base_ref, NO_QUEUE)
    known = queue.groups.get(fact.head_sha)
    if known is not None:
        seen = known.seen.model_copy(
            update={
                "at": min(known.seen.at, fact.at),
                "task_head": fact.task_head or known.seen.task_head or _head(state, fact.number),
            }
        )
        group = replace(known, seen=seen)
    else:
        group = MergeGroup(fact.model_copy(update={"task_head": fact.task_head or _head(state, fact.number)}))
    state = _note_red(state, group)
    groups = {**queue.groups, fact.head_sha: group}
    kept = dict(list(groups.items())[-LIMITS.merge_groups :])
    return _with(state, fact.base_ref, replace(queue, groups=kept))


def _head(state: RepoState, number: PullNumber) -> Sha | None:
    pull = state.pulls.get(number)
    return pull.seen.head_sha if pull else None


def _told(state: RepoState, fact: MergeGroupRead | MergeGroupGone) -> RepoState:
    group = find_group(state, fact.head_sha)
    if group is None:
        return state
    if isinstance(fact, MergeGroupRead):
        group = replace(group, parents=fact.parents)
    else:
        group = replace(group, gone=fact.reason)
    queue = state.queues[group.seen.base_ref]
    groups = {**queue.groups, fact.head_sha: group}
    return _with(state, group.seen.base_ref, replace(queue, groups=groups))


def _moved(state: RepoState, fact: Queued) -> RepoState:
    """The newest step counts; of one second's steps the one out of the queue does: nobody enters twice a second.

    A reason that is read later is that of the step that was missed: it was before it was missed.
    """
    pull = state.pulls.get(fact.number)
    if pull is None:
        return state
    known = pull.queued
    if _tells_why(known, fact):
        return replace(state, pulls={**state.pulls, fact.number: replace(pull, queued=fact)})
    if known is not None and (known.at, isinstance(known, PullDequeued)) > (fact.at, isinstance(fact, PullDequeued)):
        return state
    return replace(state, pulls={**state.pulls, fact.number: replace(pull, queued=fact)})


def _tells_why(known: Queued | None, fact: Queued) -> bool:
    return (
        isinstance(known, PullDequeued)
        and isinstance(fact, PullDequeued)
        and not known.reason
        and bool(fact.reason)
        and known.entered_at <= fact.at
    )


def _listed(state: RepoState, fact: MergeQueueRead) -> RepoState:
    """Who is in the list is in the queue; who was thought to be and is not has left."""
    for entry in fact.entries:
        state = _moved(state, PullEnqueued(number=entry.number, head_sha=entry.head_sha, at=entry.enqueued_at))
        if entry.group is not None and entry.group_base is not None:
            group = MergeGroupSeen(
                head_sha=entry.group,
                base_ref=fact.ref,
                base_sha=entry.group_base,
                number=entry.number,
                at=fact.at,
                task_head=entry.head_sha,
            )
            state = _seen(state, group)
    for number, known in missed(state, fact).items():
        left_at = max(known.at, fact.at)
        left = PullDequeued(number=number, head_sha=known.head_sha, at=left_at, entered_at=known.at)
        state = _moved(state, left)
    queue = state.queues.get(fact.ref, NO_QUEUE)
    now = {entry.group for entry in fact.entries}
    groups = {
        sha: replace(group, gone=LEFT) if group.gone is None and sha not in now and group.seen.at < fact.at else group
        for sha, group in queue.groups.items()
    }
    return _with(state, fact.ref, replace(queue, groups=groups, read=fact))
