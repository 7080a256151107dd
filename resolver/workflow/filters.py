"""GitHub's filter patterns for branches, tags and paths, matched in linear time.

GitHub: `*` stops at `/`, `**` does not, `?` and `+` repeat the character before, `[]` is a class; a pattern with `!`
takes away from what the ones before it admitted, so that order matters.
"""

from __future__ import annotations

from functools import lru_cache

import re2


def selected(patterns: tuple[str, ...], name: str) -> bool | None:
    """Say whether a list of patterns picks a name; None where a pattern cannot be read."""
    chosen = False
    for pattern in patterns:
        negative = pattern.startswith("!")
        compiled = _compiled(pattern[1:] if negative else pattern)
        if compiled is None:
            return None
        if compiled.fullmatch(name):
            chosen = not negative
    return chosen


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re2._Regexp[str] | None:
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        piece, at = _piece(pattern, at)
        parts.append(piece)
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile("(?s)" + "".join(parts), options)
    except re2.error:
        return None


def _piece(pattern: str, at: int) -> tuple[str, int]:
    """Give one part of the pattern as a regular expression, and where the next begins."""
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
        return re2.escape(pattern[at + 1]), at + 2
    return re2.escape(letter), at + 1
