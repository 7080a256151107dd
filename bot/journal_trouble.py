"""What a damaged journal means: its class, what the table makes of it, and the words for whoever runs failres. Pure.

Nothing can be recorded in a chain that does not hold, so that nothing is done on the repository until it is mended. The
log says so to whoever runs failres, and `bot.damaged` to the people of the repository.
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
