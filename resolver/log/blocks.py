"""
Cut a pushed byte stream into windows of whole, colourless lines with their neighbourhood, in bounded memory.

A window overlaps the last one: each line is "new" in exactly one window and has, there, some lines before and after
it to look at. A line longer than `BlockLimits.line` keeps its head; of a progress bar that rewrites its line, the
last state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resolver.log.lines import strip_colours


@dataclass(frozen=True, slots=True)
class BlockLimits:
    """Sizes in bytes."""

    piece: int = 131_072
    block: int = 196_608
    line: int = 65_536
    before: int = 4_096
    after: int = 8_192


@dataclass(slots=True)
class Window:
    """
    Lines ``data[start:limit]`` are new; `line` is the 1-based number of the line that begins at `start`; `final`:
    nothing follows.
    """

    data: bytes
    start: int
    limit: int
    line: int
    final: bool = False


class BlockReader:
    """Push bytes in, take windows out."""

    def __init__(self, limits: BlockLimits | None = None) -> None:
        self.limits = limits or BlockLimits()
        self.bytes = 0
        self.lines = 0
        self._ready = b""
        self._seen = 0
        self._line = 1
        self._partial = b""
        self._skipping = False
        self._ended = True

    def feed(self, chunk: bytes) -> Iterator[Window]:
        """Windows that have become complete."""
        size = self.limits.piece
        if len(chunk) <= size:
            yield from self._take(chunk)
            return
        for at in range(0, len(chunk), size):
            yield from self._take(chunk[at : at + size])

    def finish(self) -> Iterator[Window]:
        """The rest, once the stream has ended."""
        if self._partial:
            self._ready += strip_colours(self._partial)
            self._partial = b""
        if len(self._ready) > self._seen:
            yield from self._emit(len(self._ready), final=True)
        if not self._ended:
            self.lines += 1

    def _take(self, piece: bytes) -> Iterator[Window]:
        if not piece:
            return
        self.bytes += len(piece)
        self._ended = piece.endswith(b"\n")
        if self._skipping:
            at = piece.find(b"\n")
            if at < 0:
                return
            self._skipping = False
            piece = piece[at:]
        raw = self._partial + piece if self._partial else piece
        cut = raw.rfind(b"\n") + 1
        self._partial = raw[cut:]
        if len(self._partial) > self.limits.line:
            self._shorten()
        if cut:
            self._ready += strip_colours(raw[:cut])
            if len(self._ready) - self._seen >= self.limits.block - self.limits.after:
                yield from self._emit(self._line_start(len(self._ready) - self.limits.after))

    def _shorten(self) -> None:
        tail = self._partial[self._partial.rfind(b"\r", 0, -1) + 1 :]
        if len(tail) > self.limits.line:
            tail = tail[: self.limits.line]
            self._skipping = True
        self._partial = tail

    def _line_start(self, at: int) -> int:
        return max(self._ready.rfind(b"\n", 0, at) + 1, self._seen)

    def _emit(self, limit: int, *, final: bool = False) -> Iterator[Window]:
        if limit <= self._seen:
            return
        count = self._ready.count(b"\n", self._seen, limit)
        yield Window(self._ready, self._seen, limit, self._line, final)
        self._line += count
        self.lines += count
        keep = max(0, limit - self.limits.before)
        keep = self._ready.rfind(b"\n", 0, keep) + 1 if keep else 0
        self._ready = self._ready[keep:]
        self._seen = limit - keep
