"""A task on which nothing automatic happens any more, as the journal keeps it (specification, sections 1 and 7)."""

from __future__ import annotations

from typing import Literal

from resolver.attribution.outcome import Evidence
from resolver.executions import Check
from resolver.ids import Fingerprint, PullNumber, RunId, Sha
from resolver.records import Record

Cause = Literal["breaker", "ledger", "row", "stop-loss", "sync"]
"""What quarantined a task: a breaker, a spent limit of the ledger, a row of the table, the same failure again, or what
a synchronisation left on its branch."""


class QuarantinedAt(Record):
    """The commits that a quarantine is about; `pushed` is the newest that somebody other than failres pushed."""

    head: Sha
    pushed: Sha
    base: Sha


class TaskQuarantined(Record):
    """
    `task.quarantined`: nothing automatic on the task until somebody pushes, a decision is answered, or the base moves
    within the stop-loss rule. `seq` counts the task's quarantines from 1.

    `message` is the failure's own, `reason` says in words why it was quarantined. `snapshot_bundle` is the path of its
    handoff bundle on the branch of our records, which is written once it is known what is asked. `final`: it was
    accepted, so that a moved base does not lift it either.
    `at` is in seconds.
    """

    number: PullNumber
    task_id: str
    run_id: RunId
    seq: int
    fail_class: str
    fingerprint: Fingerprint | None
    message: str
    heads: QuarantinedAt
    evidence: tuple[Evidence, ...] = ()
    snapshot_bundle: str | None = None
    check: Check | None = None
    cause: Cause
    reason: str
    at: float
    final: bool = False


class QuarantineLifted(Record):
    """A quarantined task is taken up again, because its base is `base` now; so many times a day (section 7)."""

    number: PullNumber
    task_id: str
    seq: int
    base: Sha
    at: float


QuarantineFact = TaskQuarantined | QuarantineLifted
