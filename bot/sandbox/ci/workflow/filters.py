"""
Branch, tag and path filters.

GitHub's filter patterns: `*` stops at `/`, `**` does not, `?` and `+` repeat the character before, `[]` is a class,
a pattern with `!` takes away from what the ones before it admitted; order matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Filter:
    """Patterns that admit (`only`) or patterns that keep out (`ignore`); neither: everything is admitted."""

    only: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None

    @property
    def given(self) -> bool:
        """Whether the file sets this filter at all."""
        return self.only is not None or self.ignore is not None


def admits(filter_: Filter, names: Iterable[str]) -> bool:
    """
    Whether at least one name passes; with no filter, always.

    GitHub: `paths` asks for one changed file that matches, `paths-ignore` for one that is not ignored.
    """
    if not filter_.given:
        return True
    return any(_passes(filter_, name) for name in names)


def _passes(filter_: Filter, name: str) -> bool:
    if filter_.only is not None:
        return _selected(filter_.only, name)
    return not _selected(filter_.ignore or (), name)


def _selected(patterns: tuple[str, ...], name: str) -> bool:
    chosen = False
    for pattern in patterns:
        negative = pattern.startswith("!")
        if _regex(pattern[1:] if negative else pattern).fullmatch(name):
            chosen = not negative
    return chosen


@lru_cache(maxsize=512)
def _regex(pattern: str) -> re.Pattern[str]:
    parts: list[str] = []
    position = 0
    while position < len(pattern):
        piece, position = _piece(pattern, position)
        parts.append(piece)
    return re.compile("".join(parts), re.DOTALL)


def _piece(pattern: str, at: int) -> tuple[str, int]:
    """One part of the pattern as a regular expression, and where the next begins."""
    letter = pattern[at]
    if pattern.startswith("**/", at):
        return "(?:.*/)?", at + 3
    if pattern.startswith("**", at):
        return ".*", at + 2
    if letter == "*":
        return "[^/]*", at + 1
    if letter in "?+" and at > 0:
        return letter, at + 1
    if letter == "[" and (end := pattern.find("]", at + 1)) > 0:
        return "[" + pattern[at + 1 : end].replace("\\", r"\\") + "]", end + 1
    if letter == "\\" and at + 1 < len(pattern):
        return re.escape(pattern[at + 1]), at + 2
    return re.escape(letter), at + 1
