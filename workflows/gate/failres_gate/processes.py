"""
Processes: starting the command in a group of its own, finding what came of it, ending all of it.

On Linux the wrapper adopts orphans (a "child subreaper", prctl(2)), so that a process which left the group and lost its
parent still descends from the wrapper and is found in /proc. Elsewhere only the group is ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import termios
from pathlib import Path
from typing import NamedTuple

_PR_SET_CHILD_SUBREAPER = 36
LINUX = sys.platform.startswith("linux")


class CannotStartError(Exception):
    """The command did not start. `status` is a shell's: 127 not found, 126 not executable."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Streams(NamedTuple):
    """The descriptors that the command gets; `terminal` is the one that is to control it, if any."""

    stdin: int | None
    stdout: int
    stderr: int
    terminal: int | None = None


def adopt_orphans() -> None:
    """Make this process the parent of every descendant that loses its own. Does nothing where the system cannot."""
    if LINUX:
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def start(command: tuple[str, ...], environment: dict[str, str], streams: Streams) -> subprocess.Popen[bytes]:
    """Start the command as leader of a new session and group. Raises CannotStartError with a sentence."""

    def take_terminal() -> None:
        if streams.terminal is not None:
            fcntl.ioctl(streams.terminal, termios.TIOCSCTTY, 0)

    try:
        return subprocess.Popen(
            command,
            stdin=streams.stdin,
            stdout=streams.stdout,
            stderr=streams.stderr,
            env=environment,
            start_new_session=True,
            preexec_fn=take_terminal if streams.terminal is not None else None,  # noqa: PLW1509 - one thread only
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise _cannot(command, error) from error


def _cannot(command: tuple[str, ...], error: Exception) -> CannotStartError:
    name = command[0]
    if isinstance(error, FileNotFoundError):
        why = "there is no such command, or the interpreter that its first line names is missing"
        if len(command) == 1 and " " in name.strip():
            why = "there is no such command; give its arguments as words of their own, or use: sh -c"
        return CannotStartError(f"cannot start {name!r}: {why}", 127)
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return CannotStartError(f"cannot start {name!r}: {reason}", 126)


def descendants() -> list[int]:
    """Every living process that came of this one, whatever its group; on Linux only, elsewhere none."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir() if LINUX else ():
        parent = _living_parent(folder) if folder.name.isdigit() else None
        if parent is not None:
            parents.setdefault(parent, []).append(int(folder.name))
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        children = parents.pop(waiting.pop(), [])
        found += children
        waiting += children
    return found


def _living_parent(folder: Path) -> int | None:
    """The parent of a process that still runs; a zombie's children have been adopted, so it needs no end."""
    try:
        state, parent = (folder / "stat").read_bytes().rpartition(b")")[2].split()[:2]
    except (OSError, ValueError):
        return None
    return None if state in (b"Z", b"X") else int(parent)


def group_lives(group: int) -> bool:
    """Whether the group still has a member that we may signal."""
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True


def signal_all(group: int, number: int) -> None:
    """Send a signal to the group and to every descendant outside it."""
    with contextlib.suppress(OSError):
        os.killpg(group, number)
    for pid in descendants():
        with contextlib.suppress(OSError):
            if os.getpgid(pid) != group:
                os.kill(pid, number)


def ask_to_end(group: int) -> None:
    """TERM to all; whoever is stopped is woken, so that it can hear it."""
    signal_all(group, signal.SIGTERM)
    signal_all(group, signal.SIGCONT)


def exit_status(status: int) -> int:
    """A shell's status for what `waitpid` gave: the command's own, or 128 and the signal's number."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def memory_kills() -> int:
    """How many processes the kernel ended for want of memory since it started; 0 where it does not tell."""
    try:
        lines = Path("/proc/vmstat").read_bytes().splitlines()
        return next((int(line.split()[1]) for line in lines if line.startswith(b"oom_kill ")), 0)
    except (OSError, ValueError):
        return 0
