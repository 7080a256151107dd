"""
The files of a check: its progress records and its output.

Neither may disturb the check: what cannot be written (a full disk, a folder that may not be written to) is told once,
at the end, and the check's own result counts.
"""

from __future__ import annotations

import errno
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from failres_gate.options import LIMITS, Options, legal


class Sink:
    """An append-only file. The first failure closes it and is kept in `fault` (an errno's sentence)."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.fault = ""
        self.full = False
        self._fd = -1
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        except OSError as error:
            self._fail(error)

    def write(self, data: bytes) -> None:
        """Append all of it, or stop writing for good."""
        view = memoryview(data)
        while view and self._fd >= 0:
            try:
                view = view[os.write(self._fd, view) :]
            except OSError as error:
                self._fail(error)

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            try:
                os.close(fd)
            except OSError as error:  # some file systems tell of a full disk only here
                self._fail(error)

    def _fail(self, error: OSError) -> None:
        self.fault = self.fault or (error.strerror or str(error))
        self.full = self.full or error.errno in (errno.ENOSPC, errno.EDQUOT)
        self.close()


class OutputFile:
    """
    The command's output, both streams in the order of their arrival: the first `LIMITS.head` bytes and, beyond those,
    the last `LIMITS.tail`, with a line between them that says how much was left out.
    """

    def __init__(self, path: str, head: int = LIMITS.head, tail: int = LIMITS.tail) -> None:
        self.sink = Sink(path)
        self._room = head
        self._beyond = 0
        self._keep = tail
        self._tail = bytearray()

    def write(self, data: bytes) -> None:
        """Keep what there is room for."""
        self.sink.write(data[: self._room])
        fits = min(self._room, len(data))
        self._room -= fits
        self._beyond += len(data) - fits
        self._tail += data
        if len(self._tail) > 2 * self._keep:
            del self._tail[: -self._keep]

    def last(self, size: int) -> bytes:
        """The end of the output."""
        return bytes(self._tail[-size:])

    def close(self) -> None:
        """Write the end of an output that was too long, and close."""
        end = self.last(min(self._beyond, self._keep)) if self._beyond else b""
        if self._beyond > len(end):
            self.sink.write(b"\n[failres gate: %d bytes left out]\n" % (self._beyond - len(end)))
        self.sink.write(end)
        self._beyond = 0
        self.sink.close()


class Places(NamedTuple):
    """Where the records and the output go; known, and announced, before the command starts."""

    progress: str
    output: str


def places(options: Options) -> Places:
    """The asked-for place, or a fresh folder in the runner's own (or the system's) temporary one."""
    if options.progress is not None:
        progress = Path.cwd() / options.progress
    else:
        name = re.sub(r"[^\w.-]+", "-", options.check, flags=re.ASCII).strip("-.")[:40] or "check"
        try:
            folder = tempfile.mkdtemp(prefix=f"failres-gate-{name}-", dir=os.environ.get("RUNNER_TEMP") or None)
        except OSError:  # no temporary folder can be written to: the records will say so
            folder = str(Path(os.environ.get("RUNNER_TEMP") or os.sep, f"failres-gate-{name}"))
        progress = Path(folder, "progress.jsonl")
    return Places(str(progress), str(progress.with_name(progress.stem + ".output.log")))


class ProgressFile:
    """
    Writes `gate.progress` records, one JSON object a line: names and times, nothing that was printed, since a CI system
    masks its secrets in logs only.
    """

    def __init__(self, check: str, where: Places) -> None:
        self.sink = Sink(where.progress)
        self._check = check
        self._output = legal(where.output)

    def write(self, phase: str, elapsed: float, **more: Any) -> None:
        """Append a record; `more` are its optional keys, None is left out."""
        record: dict[str, Any] = {"type": "gate.progress", "check": self._check, "phase": phase}
        record.update({key: value for key, value in more.items() if value is not None})
        record.update(elapsedMs=round(elapsed * 1000), outputPath=self._output)
        self.sink.write(json.dumps(record).encode() + b"\n")
