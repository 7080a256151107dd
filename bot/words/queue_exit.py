"""Why the merge queue gave a pull request up where nothing is red, in words. None of it is the change's fault. Pure."""

from __future__ import annotations

from typing import assert_never

from bot.words.inert import code
from bot.words.lists import listed
from resolver.report import QueueTrouble

GAVE_UP = "The merge queue gave this pull request up"
NO_FAULT = "No check failed, so this says nothing against the pull request."
NAMED = 8
NO_REASON = "UNKNOWN_REMOVAL_REASON"
"""GitHub's word where it tells no reason; in the conversation it is in lower case."""


def gave_up_title(trouble: QueueTrouble, base: str) -> str:
    """Say in a line why it is not in the queue any more."""
    match trouble.exit:
        case "timeout":
            after = f" after {_minutes(trouble.limit)}" if trouble.limit else " for want of time"
            return f"{GAVE_UP}{after}{_meanwhile(trouble)}"
        case "checks":
            which = (
                f"{names(trouble.cancelled)} was cancelled" if trouble.cancelled else "a required check did not pass"
            )
            return f"{GAVE_UP}, since {which} on the merge group"
        case "conflict":
            return f"{GAVE_UP}, since it conflicts with what has landed or stands ahead of it"
        case "rules":
            return f"{GAVE_UP}, since the rules of {code(base)} do not let it merge"
        case "commit":
            return f"{GAVE_UP}, since GitHub could not make a commit of it"
        case "unknown" | "people" | None:
            known = trouble.word.upper() in ("", NO_REASON)
            why = " and does not say why" if known else f", for a reason that GitHub calls {code(trouble.word, 60)}"
            return f"{GAVE_UP}{why}{_meanwhile(trouble)}"
        case _:
            assert_never(trouble.exit)


def gave_up_remedy(trouble: QueueTrouble, base: str) -> str:
    """Say what a person must do to have it land after all."""
    match trouble.exit:
        case "timeout":
            return (
                f"Enqueue it again. {NO_FAULT} Where its checks take so long every time, give them more time: the "
                f"limit stands in the rules of {code(base)}, at its merge queue."
            )
        case "checks":
            return f"Enqueue it again. {NO_FAULT}" if trouble.cancelled else f"Look at the queue's page. {NO_FAULT}"
        case "conflict":
            return f"Update the branch to {code(base)} once what stood ahead of it has landed, and enqueue it again."
        case "rules":
            return f"Look at the merge box of this page: it names the rule of {code(base)} that is not met yet."
        case "commit" | "unknown" | "people" | None:
            return f"Enqueue it again. {NO_FAULT}"
        case _:
            assert_never(trouble.exit)


def _meanwhile(trouble: QueueTrouble) -> str:
    """What had not ended when it was let go, and what had not even begun to tell."""
    parts = [f"{names(trouble.running)} had not ended"] if trouble.running else []
    parts += [f"{names(trouble.missing)} had told nothing"] if trouble.missing else []
    return f", while {' and '.join(parts)}" if parts else ""


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min"


def names(of: tuple[str, ...]) -> str:
    """Name checks; of many the first."""
    return listed([code(name, 80) for name in of], NAMED)
