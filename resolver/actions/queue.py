"""What can be done about merge queues: read rules, a queue, a group's commit; enqueue a head, and dequeue it."""

from __future__ import annotations

from typing import Literal

from resolver.actions.base import Action
from resolver.ids import PullNumber, Sha

REQUEUE = "requeue:"
"""How the ledger's ids of re-enqueues begin; the commit of the group that failed follows."""


class ReadRules(Action):
    """Read the active rules of a base branch; `slot` counts the reads."""

    type: Literal["read-rules"] = "read-rules"
    ref: str
    slot: int

    @property
    def target(self) -> str:
        """The rules of that branch."""
        return f"rules:{self.ref}"


class ReadQueue(Action):
    """List a base branch's queue, and the newest runs of its groups; `slot` counts the reads."""

    type: Literal["read-queue"] = "read-queue"
    ref: str
    slot: int

    @property
    def target(self) -> str:
        """The queue of that branch."""
        return f"queue:{self.ref}"


class ReadGroup(Action):
    """Read the commit of a merge group: of which head it was made."""

    type: Literal["read-group"] = "read-group"
    number: PullNumber
    group: Sha

    @property
    def target(self) -> str:
        """That group."""
        return f"group:{self.group}"


class ReadExit(Action):
    """Read in the conversation why a pull request with that head has left its queue, where no delivery told.

    It came there at `entered_at` (seconds) where that is known, else 0; `group` is its newest one.
    """

    type: Literal["read-exit"] = "read-exit"
    number: PullNumber
    head_sha: Sha
    entered_at: float
    group: Sha | None = None

    @property
    def target(self) -> str:
        """The pull request's last way out of the queue."""
        return f"exit:{self.number}"


class EnqueuePull(Action):
    """Put a pull request's head into its queue once more, after it failed there as `run_id` on commit `group`.

    A pass lands it. `asked`: by a person who may.
    """

    type: Literal["enqueue-pull"] = "enqueue-pull"
    number: PullNumber
    head_sha: Sha
    base_ref: str
    group: Sha
    run_id: int
    asked: bool = False

    @property
    def target(self) -> str:
        """The pull request's place in the queue."""
        return f"enqueue:{self.number}"

    @property
    def spends(self) -> str:
        """The re-enqueue in the ledger."""
        return f"{REQUEUE}{self.group}"


class DequeuePull(Action):
    """Take a pull request out of its queue again, into which failres put it at `queued_at` (seconds): it was stopped.

    `commanded`: by a command whose label does not stand yet.
    """

    type: Literal["dequeue-pull"] = "dequeue-pull"
    number: PullNumber
    head_sha: Sha
    queued_at: float
    commanded: bool = False

    @property
    def target(self) -> str:
        """The pull request's way out of the queue."""
        return f"dequeue:{self.number}"

    @property
    def key(self) -> str:
        """Identity by the place in the queue: each is left once."""
        return f"{self.target}@{self.queued_at}"


QueueAction = ReadRules | ReadQueue | ReadGroup | ReadExit | EnqueuePull | DequeuePull
