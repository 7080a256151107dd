"""What a conclusion means. GitHub's list is open: an unknown word is a failure to be looked at, never a pass."""

from __future__ import annotations

from enum import Enum


class Meaning(Enum):
    """What an execution's conclusion proves."""

    PASSED = "passed"
    FAILED = "failed"
    NOTHING = "nothing"
    CANCELLED = "cancelled"


_MEANINGS = {
    "success": Meaning.PASSED,
    "skipped": Meaning.NOTHING,
    "neutral": Meaning.NOTHING,
    "stale": Meaning.NOTHING,
    "cancelled": Meaning.CANCELLED,
}


def meaning(conclusion: str | None) -> Meaning:
    """Say what a conclusion proves; None (not concluded) proves nothing, every unknown word is a failure."""
    if conclusion is None:
        return Meaning.NOTHING
    return _MEANINGS.get(conclusion, Meaning.FAILED)
