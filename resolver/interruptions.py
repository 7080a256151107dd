"""The classes of what interrupts an action through no fault of its task, and how one start of an action is named."""

from __future__ import annotations

from typing import Final, Literal

from resolver.state import Effect

Interruption = Literal["base-moved", "journal-state-unknown", "journal-append-failed", "merge-conflict"]
"""A ref moved while it was written; GitHub does not show what became of it, and it cannot be looked up; the store
refused the record; a rebase conflicts (specification, section 3)."""

CONFLICT: Final = "merge-conflict"
"""The one that trying again does not end: its row does the task anew, or asks."""

PROBE: Final = "probe:"
JOURNAL: Final = "journal:"
"""How the targets of probes and of a task's own records begin."""


def ticket_of(target: str, effect: Effect) -> str:
    """Name the newest start of an action as its own record does."""
    return f"{target}#{effect.count}"
