"""The classes of what interrupts an action through no fault of its task, and how an action's starts are told apart."""

from __future__ import annotations

from typing import Final, Literal

from resolver.actions import AnyAction
from resolver.facts import ActionStarted
from resolver.state import Effect

Interruption = Literal["base-moved", "journal-state-unknown", "journal-append-failed", "merge-conflict"]
"""A ref moved while it was written; GitHub does not show what became of it, and it cannot be looked up; the store
refused the record; a rebase conflicts (specification, section 3)."""

CONFLICT: Final = "merge-conflict"
"""The one that trying again does not end: its row does the task anew, or asks."""

PROBE: Final = "probe:"
JOURNAL: Final = "journal:"
"""How the targets of probes and of a task's own records begin."""


def ticket(target: str, number: int) -> str:
    """Name a start of an action. `number` is higher than that of any earlier start on that target: the place that its
    record takes in the journal. Counting would not do, since an action is forgotten when its head is gone.
    """
    return f"{target}#{number}"


def started(action: AnyAction, number: int, now: float) -> ActionStarted:
    """Give the record of such a start at `now` (seconds)."""
    return ActionStarted(
        ticket=ticket(action.target, number),
        key=action.key,
        target=action.target,
        type=action.type,
        number=action.number,
        at=now,
        spends=action.spends,
    )


def started_later(effect: Effect, named: str) -> bool:
    """Say whether an action's newest start came after the one of that ticket."""
    return _number(effect.ticket) > _number(named)


def _number(named: str) -> int:
    number = named.rpartition("#")[2]
    return int(number) if number.isdecimal() else 0
