"""Lists with an end: the first of many things, and how many are left out. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def listed(names: Sequence[str], most: int) -> str:
    """Give the first of them in a sentence: `a, b and 3 more`."""
    told = ", ".join(names[:most])
    left_out = len(names) - most
    return f"{told} and {left_out} more" if left_out > 0 else told


def rows(told: Sequence[str], most: int, *, last: Callable[[str], str] = str, beyond: int = 0) -> list[str]:
    """Give the first of them a line each, and a last one with their number where some are left out.

    `last` makes a line of that; `beyond` are those that are not even in `told`.
    """
    left_out = max(0, len(told) - most) + beyond
    return [*told[:most], *([last(f"… and {left_out} more")] if left_out else [])]
