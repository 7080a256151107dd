"""
What the ledger counts: small records, folded from the journal. Each has an `id`: a record told twice counts once.

What a record says happened is spent from the moment it was started; how it ended is told by a record of its own.
"""

from __future__ import annotations

from typing import Literal

from resolver.ids import Fingerprint, RunId, Sha
from resolver.records import Record

Purpose = Literal["flake", "evidence", "command"]


class LedgerKey(Record):
    """The key of section 7: the same failure, of the same task, on the same two heads."""

    run_id: RunId
    task: str
    fail_class: str
    fingerprint: Fingerprint
    base: Sha
    head: Sha


class RerunStarted(Record):
    """
    Failed jobs of a workflow run were started again, or a head enqueued again. `check` (`Check.key`) is the one it was
    for. `purpose`: the flake's one rerun, evidence for attribution, or a person's `retry`. `others` are the further
    checks that it was wanted for: failed jobs of a run run again together.
    """

    id: str
    at: float
    task: str
    head: Sha
    workflow: str
    check: str
    fingerprints: tuple[Fingerprint, ...]
    purpose: Purpose
    others: tuple[str, ...] = ()

    def joined(self, other: RerunStarted) -> RerunStarted:
        """Give the record of the same rerun for whatever both were wanted for."""
        checks = dict.fromkeys((*self.others, other.check, *other.others))
        prints = dict.fromkeys((*self.fingerprints, *other.fingerprints))
        others = tuple(check for check in checks if check != self.check)
        return self.model_copy(update={"others": others, "fingerprints": tuple(sorted(prints))})


class RerunEnded(Record):
    """How a rerun ended. `useful`: a job was executed anew; `passed` are failures whose check then passed."""

    id: str
    rerun: str
    at: float
    useful: bool
    passed: tuple[Fingerprint, ...] = ()


class ProbeStarted(Record):
    """A check was executed on a base commit to learn something, whoever waits for it."""

    id: str
    at: float
    check: str
    commit: Sha


class Synced(Record):
    """A task was synchronised from `head` onto `base`; `drift` where a verdict `base-drift` was the reason."""

    id: str
    at: float
    task: str
    base: Sha
    head: Sha
    drift: bool


class RepairTried(Record):
    """An attempt to mend a base defect began on this repository's base branch."""

    id: str
    at: float
    base_ref: str
    fingerprint: Fingerprint


class FailedAfterRepair(Record):
    """The identical failure came back after a repair had landed: nothing more is tried while both heads stand."""

    id: str
    at: float
    key: LedgerKey


class GroupFailed(Record):
    """Heads that failed together in a merge queue on a base; as a set, whatever their order."""

    id: str
    at: float
    base: Sha
    heads: tuple[Sha, ...]


class Quarantined(Record):
    """A task was quarantined."""

    id: str
    at: float
    key: LedgerKey


class TriedAfresh(Record):
    """A quarantined task was taken up again because its base had moved."""

    id: str
    at: float
    task: str


LedgerEvent = (
    RerunStarted
    | RerunEnded
    | ProbeStarted
    | Synced
    | RepairTried
    | FailedAfterRepair
    | GroupFailed
    | Quarantined
    | TriedAfresh
)
