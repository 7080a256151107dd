"""Lines around a hit, within the window that holds it."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.log.blocks import Window
from resolver.log.lines import CleanLine, clean


def lines_after(window: Window, end: int, count: int) -> Iterator[CleanLine]:
    """Up to `count` clean lines that follow the line which ends at offset `end`."""
    data, size = window.data, len(window.data)
    at = data.find(b"\n", end) + 1
    for _ in range(count):
        if at <= 0 or at >= size:
            return
        stop = data.find(b"\n", at)
        stop = size if stop < 0 else stop
        yield clean(data[at:stop])
        at = stop + 1


def lines_before(window: Window, start: int, count: int) -> Iterator[CleanLine]:
    """Up to `count` clean lines before the line that begins at offset `start`, nearest first."""
    data = window.data
    stop = start - 1
    for _ in range(count):
        if stop <= 0:
            return
        begin = data.rfind(b"\n", 0, stop) + 1
        yield clean(data[begin:stop])
        stop = begin - 1


def excerpt(window: Window, start: int, end: int, *, before: int, after: int, limit: int) -> str:
    """The lines around ``data[start:end]`` as text, at most `limit` characters."""
    head = list(lines_before(window, start, before))[::-1]
    lines = [*head, clean(window.data[start:end]), *lines_after(window, end, after)]
    return "\n".join(line.text for line in lines)[:limit]
