"""RE2 behind typed names. Every pattern that sees a log is compiled here: RE2 is linear in the text, `re` is not (a pull request controls its log)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

import re2

MAX_MEMORY = 1 << 20
"""Bytes that one pattern's automaton may take; beyond that RE2 falls back to its slower, equally linear engine."""


class Match(Protocol):
    """What is used of a match."""

    def groupdict(self) -> dict[str, str | None]:
        """Named groups; None where a group took no part."""
        ...

    def group(self, group: int | str = 0, /) -> str:
        """One group's text."""
        ...

    def start(self, group: int = 0, /) -> int:
        """Where a group begins."""
        ...

    def end(self, group: int = 0, /) -> int:
        """Where a group ends."""
        ...


class Pattern(Protocol):
    """What is used of a compiled pattern."""

    def match(self, text: str, /) -> Match | None:
        """Match at the start."""
        ...

    def search(self, text: str, /) -> Match | None:
        """Match anywhere."""
        ...

    def sub(self, repl: str | Callable[[Match], str], text: str, /) -> str:
        """Replace all."""
        ...


Error = re2.error
"""Raised by `compile_pattern` for a pattern that RE2 refuses (look-around, back-references, bad syntax)."""


def compile_pattern(pattern: str, *, caseless: bool = False) -> Pattern:
    """Compile for RE2. Raises `Error` where the pattern is outside RE2's linear language."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    options.case_sensitive = not caseless
    return cast("Pattern", re2.compile(pattern, options))
