"""How a quarantine stands: made, made final, or lifted. What it forbids is `resolver.decide`'s part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from resolver.executions import Check
from resolver.facts.quarantine import TaskQuarantined
from resolver.ids import Fingerprint, Sha
from resolver.ledger.events import LedgerKey


@dataclass(frozen=True, slots=True)
class Quarantine:
    """One quarantine of a task; `lifted` says what ended it, where that was not a push, and `lifted_at` (seconds) when
    a moved base did.
    """

    fact: TaskQuarantined
    final: bool = False
    lifted: Literal["", "answer", "base"] = ""
    lifted_at: float = 0.0


def standing_quarantine(quarantines: Sequence[Quarantine], pushed: Sha) -> Quarantine | None:
    """Give the quarantine under which a task is, None where it is free; `pushed` as in `QuarantinedAt`."""
    if not quarantines:
        return None
    last = quarantines[-1]
    return last if not last.lifted and last.fact.heads.pushed == pushed else None


def next_seq(quarantines: Sequence[Quarantine]) -> int:
    """Give the number of a task's next quarantine."""
    return 1 + max((each.fact.seq for each in quarantines), default=0)


def ledger_key(fact: TaskQuarantined) -> LedgerKey:
    """Give what the ledger compares: identical are quarantines of one task with the same class and fingerprint."""
    return LedgerKey(
        run_id=fact.run_id,
        task=fact.task_id,
        fail_class=fact.fail_class,
        fingerprint=print_of(fact.fingerprint, fact.check),
        base=fact.heads.base,
        head=fact.heads.head,
    )


def print_of(fingerprint: Fingerprint | None, check: Check | None) -> Fingerprint:
    """Give what tells whether a failure is the same: of one without a fingerprint the name of its check does."""
    return fingerprint or Fingerprint(f"none:{check.key if check is not None else ''}")
