"""What a damaged journal means: its class, what the table makes of it, and the words for whoever runs failres. Pure.

Nothing can be recorded in a chain that does not hold, and nobody can be asked on GitHub without a record; so the log is
where people are told, and nothing is done on the repository until the journal is mended.
"""

from __future__ import annotations

from bot.store import JournalCorrupt
from resolver.policy import Take, rule
from resolver.taxonomy import TAXONOMY

CLASS = "journal-corrupt"


def told(damage: JournalCorrupt) -> str:
    """Say what is damaged, what follows, and what to do."""
    ruling = rule(CLASS, "run", 1, llm=False)
    action = ruling.action if isinstance(ruling, Take) else "escalate"
    return (
        f"{TAXONOMY[CLASS].title} ({CLASS}, {action}): {damage} Nothing is done on this repository until it is mended. "
        f"`failres journal --verify` shows the place; restore the store from a backup."
    )
