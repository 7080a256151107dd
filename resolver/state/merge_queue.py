"""What is known of merge queues: a part of `resolver.state`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from resolver.facts.queue import MergeGroupSeen, MergeQueueRead, PullDequeued, PullEnqueued, RulesRead
from resolver.ids import PullNumber, Sha
from resolver.once import Follows


@dataclass(frozen=True, slots=True)
class MergeGroup:
    """A group, and what became of it: `gone` is GitHub's reason, or `left` where it was only missed.

    `parents` are its commit's, None until it was read.
    """

    seen: MergeGroupSeen
    parents: tuple[Sha, ...] | None = None
    gone: str | None = None

    @property
    def number(self) -> PullNumber:
        """The pull request that it adds."""
        return self.seen.number

    @property
    def task_head(self) -> Sha | None:
        """That pull request's head in it: the second parent of a merge, else the head at the time it was seen."""
        return self.parents[1] if self.parents is not None and len(self.parents) > 1 else self.seen.task_head


@dataclass(frozen=True, slots=True)
class MergeQueue(Follows):
    """The queue of one base branch: its rules, its groups by commit (oldest first), and its entries as last listed."""

    rules: RulesRead | None = None
    groups: Mapping[Sha, MergeGroup] = field(default_factory=lambda: MappingProxyType({}))
    read: MergeQueueRead | None = None

    def of(self, number: PullNumber) -> tuple[MergeGroup, ...]:
        """Give the groups that add a pull request, at whatever head, oldest first."""
        return self.once(_by_number).get(number, ())

    def landed(self, group: MergeGroup, line: tuple[Sha, ...]) -> bool:
        """Say whether a group has become the base; `line` are the base's newest commits. What a landed group stands on
        has landed with it.
        """
        known = {*line, *(sha for sha, each in self.groups.items() if each.gone == "merged")}
        todo = list(known)
        while todo:
            above = self.groups.get(todo.pop())
            if above is not None and above.seen.base_sha not in known:
                known.add(above.seen.base_sha)
                todo.append(above.seen.base_sha)
        return group.seen.head_sha in known


Queued = PullEnqueued | PullDequeued
"""A pull request's last step into its queue, or out of it."""


def _by_number(queue: MergeQueue) -> Mapping[PullNumber, tuple[MergeGroup, ...]]:
    found: dict[PullNumber, tuple[MergeGroup, ...]] = {}
    for group in queue.groups.values():
        found[group.number] = (*found.get(group.number, ()), group)
    return found


NO_QUEUE = MergeQueue()
"""What is known of a base branch's queue before anything is."""
