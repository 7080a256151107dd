"""
RE2 behind typed names. Every pattern that sees a log is compiled here: RE2 is linear in the text, `re` is not, and a
pull request controls its log. Texts go in as UTF-8: the binding would otherwise count characters for every match.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import re2

MAX_MEMORY = 1 << 20
"""Bytes that one pattern's automaton may take; beyond that RE2 falls back to its slower, equally linear engine."""

Error = re2.error
"""Raised by `compile_pattern` for a pattern that RE2 refuses (look-around, back-references, bad syntax)."""


class Pattern:
    """A compiled pattern."""

    __slots__ = ("_compiled",)

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def groups(self, line: bytes) -> dict[str, str] | None:
        """The named groups that took part in the first match, as text; None where nothing matches."""
        found = self._compiled.search(line)
        if found is None:
            return None
        return {name: value.decode("utf-8", "replace") for name, value in found.groupdict().items() if value}

    def numbered(self, line: bytes) -> list[str] | None:
        """All groups of the first match by number, group 0 first; empty where one took no part."""
        found = self._compiled.search(line)
        if found is None:
            return None
        return [(part or b"").decode("utf-8", "replace") for part in (found.group(0), *found.groups())]

    def finds(self, line: bytes) -> bool:
        """Whether it matches anywhere."""
        return self._compiled.search(line) is not None

    def sub(self, template: str, text: str) -> str:
        r"""The text with every match replaced by the template (``\g<name>`` is a group)."""
        result: bytes = self._compiled.sub(template.encode(), text.encode("utf-8", "replace"))
        return result.decode("utf-8", "replace")

    def replace(self, word: Callable[[str, str], str], text: str) -> str:
        """The text with every match replaced by ``word(name of the group that matched, whole match)``."""

        def replaced(found: Any) -> bytes:
            name = next(key for key, value in found.groupdict().items() if value is not None)
            return word(name, found.group(0).decode("utf-8", "replace")).encode("utf-8", "replace")

        result: bytes = self._compiled.sub(replaced, text.encode("utf-8", "replace"))
        return result.decode("utf-8", "replace")


def compile_pattern(pattern: str, *, caseless: bool = False) -> Pattern:
    """Compile for RE2. Raises `Error` where the pattern is outside RE2's linear language."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    options.case_sensitive = not caseless
    return Pattern(re2.compile(pattern, options))
