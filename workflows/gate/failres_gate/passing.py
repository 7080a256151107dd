"""
Passing the command's output on: byte for byte, as soon as it comes, to where it would have gone.

Where the reader has left, the command is told as it would be without the wrapper (its next write fails); where the disk
is full behind our own output, the output is dropped and the check goes on.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select


class Passage:
    """From the command's end of a stream (`source`) to one of the wrapper's own (`target`)."""

    def __init__(self, source: int, target: int) -> None:
        self.source = source
        self.target = target
        self.reader_left = False
        self._dropped = False

    def take(self, size: int) -> bytes | None:
        """What came since: at most `size` bytes, empty where nothing did, None at the end."""
        try:
            return os.read(self.source, size) or None
        except BlockingIOError:
            return b""
        except OSError:  # a terminal whose other end is closed
            return None

    def give(self, data: bytes) -> None:
        """Pass it on; waits for a slow reader."""
        if self._dropped or self.reader_left:
            return
        try:
            write_all(self.target, data)
        except BrokenPipeError:
            self.reader_left = True
        except OSError:
            self._dropped = True

    def close(self) -> None:
        """Close the command's end; it gets SIGPIPE if it writes again."""
        with contextlib.suppress(OSError):
            os.close(self.source)


def write_all(fd: int, data: bytes) -> None:
    """Write all of it, even where the descriptor was made non-blocking by somebody else. Raises OSError."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            select.select([], [fd], [], 1.0)


def fill_streams() -> None:
    """Open standard streams that are closed, or the next file would take a stream's number and get its output."""
    fd = 0
    while fd <= 2:
        fd = os.open(os.devnull, os.O_RDWR)
    os.close(fd)


def say(text: str) -> None:
    """A line of the wrapper's own on stderr; where that is gone there is nobody to tell."""
    say_bytes(text.encode("utf-8", "replace"))


def say_bytes(line: bytes) -> None:
    """The same for a line that is bytes."""
    with contextlib.suppress(OSError):
        write_all(2, line + b"\n")


def same_place(first: int, second: int) -> bool:
    """Whether two descriptors lead to one file, pipe or terminal."""
    try:
        one, two = os.fstat(first), os.fstat(second)
    except OSError as error:
        if error.errno != errno.EBADF:
            raise
        return False
    return (one.st_dev, one.st_ino, one.st_rdev) == (two.st_dev, two.st_ino, two.st_rdev)
