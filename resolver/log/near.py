"""Lines around a hit, within the window that holds it."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.log.blocks import Window
from resolver.log.lines import CleanLine, clean

_AFTERWARDS = ("Post job cleanup.", "Cleaning up orphan processes")
"""What the runner writes once the job's own steps are over."""


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
    """
    The lines around ``data[start:end]`` as text, at most `limit` characters: of their own step, from its header to the
    line with which the runner ends it.
    """
    head: list[CleanLine] = []
    for line in lines_before(window, start, before):
        head.append(line)
        if _begins(line):
            break
    lines = [*head[::-1], clean(window.data[start:end])]
    if not _ends(lines[-1]):
        for line in lines_after(window, end, after):
            if _begins(line) or line.text.startswith(_AFTERWARDS):
                break
            lines.append(line)
            if _ends(line):
                break
    return "\n".join(line.text for line in lines)[:limit]


def step_end(window: Window, start: int, end: int, *, before: int, limit: int) -> str:
    """The last lines that a step printed up to ``data[start:end]`` as text, without its header, at most `limit`
    characters.
    """
    lines = [clean(window.data[start:end])]
    for line in lines_before(window, start, before):
        if line.mark == "endgroup" or _begins(line):
            break
        lines.append(line)
    return "\n".join(line.text for line in reversed(lines))[-limit:]


def _begins(line: CleanLine) -> bool:
    return line.mark == "group" and line.text.startswith("Run ")


def _ends(line: CleanLine) -> bool:
    return line.mark == "error" and line.text.startswith("Process completed with exit code")
