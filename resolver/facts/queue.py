"""What was observed of merge queues, as the journal keeps it.

GitHub tests an entry on a branch `gh-readonly-queue/{base}/pr-{n}-{base sha}`, whose commit holds the base, all entries
ahead and this one (GITHUB.md 3.3). The delivery names no pull request: it is read from the branch.
"""

from __future__ import annotations

import re

from resolver.ids import PullNumber, Sha
from resolver.records import Record

_BRANCH = re.compile(r"gh-readonly-queue/(?P<base>.+)/pr-(?P<number>\d{1,18})-(?P<sha>[0-9a-f]{40}(?:[0-9a-f]{24})?)")


class MergeGroupSeen(Record):
    """A group of a queue: commit `head_sha`, made of `base_sha` (the base or the group ahead) and one pull request.

    `at` (seconds) is when it was made or first seen, `task_head` the pull request's head in it where that was told.
    """

    head_sha: Sha
    base_ref: str
    base_sha: Sha
    number: PullNumber
    at: float
    task_head: Sha | None = None


class MergeGroupRead(Record):
    """A group's commit was read: GitHub merges the base (first parent) with the head, unless it squashes or rebases."""

    head_sha: Sha
    number: PullNumber
    parents: tuple[Sha, ...]


class MergeGroupGone(Record):
    """A group is no more: `merged`, `dequeued`, or `invalidated` because one ahead left or the base moved."""

    head_sha: Sha
    number: PullNumber
    reason: str


class PullEnqueued(Record):
    """A pull request was put into its base's queue at `at` (seconds)."""

    number: PullNumber
    head_sha: Sha
    at: float


class PullDequeued(Record):
    """A pull request left the queue at `at` (seconds); `reason` is GitHub's word, empty where nobody told.

    Where its absence from the list alone was seen, `at` is when, and `entered_at` when it had been put there.
    """

    number: PullNumber
    head_sha: Sha
    at: float
    reason: str = ""
    entered_at: float = 0.0


class QueueEntry(Record):
    """One entry as the queue itself lists it; without a group where none has been made yet."""

    number: PullNumber
    head_sha: Sha
    enqueued_at: float
    group: Sha | None = None
    group_base: Sha | None = None


class MergeQueueRead(Record):
    """The queue of a base branch was read at `at` (seconds): its entries in their order."""

    ref: str
    at: float
    entries: tuple[QueueEntry, ...] = ()


class RulesRead(Record):
    """The active rules of a base branch: whether it has a merge queue, and which checks must be green.

    `timeout` (seconds) is how long the queue waits for a check.
    """

    ref: str
    queue: bool
    timeout: float | None = None
    required: tuple[str, ...] = ()


QueueFact = MergeGroupSeen | MergeGroupRead | MergeGroupGone | PullEnqueued | PullDequeued | MergeQueueRead | RulesRead


def group_of(branch: str | None, head_sha: Sha, at: float) -> MergeGroupSeen | None:
    """Read a group from its branch's name (with or without `refs/heads/`); None for any other branch."""
    found = _BRANCH.fullmatch((branch or "").removeprefix("refs/heads/"))
    if found is None:
        return None
    return MergeGroupSeen(
        head_sha=head_sha,
        base_ref=found["base"],
        base_sha=Sha(found["sha"]),
        number=PullNumber(int(found["number"])),
        at=at,
    )
