"""Runs one script of a step in its own process group: output line by line, a time limit, cancellation."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_MOST_LINE = 1 << 20
_GRACE_SECONDS = 2.0

SHELLS: Mapping[str | None, tuple[str, ...]] = {
    None: ("bash", "-e"),
    "bash": ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail"),
    "sh": ("sh", "-e"),
    "python": ("python",),
}
"""GitHub: without `shell` it is `bash -e`, without pipefail."""


@dataclass(frozen=True)
class Ended:
    """How a script ended: by itself with an exit status, by its time limit, or cancelled."""

    reason: Literal["exit", "timeout", "cancelled"]
    status: int


def command_line(shell: str | None, script: str) -> tuple[str, ...]:
    """The command for a script file, as the log shows it with `{0}`."""
    return (*SHELLS[shell], script)


async def run_script(
    command: Sequence[str],
    *,
    directory: Path,
    environment: Mapping[str, str],
    line: Callable[[bytes], None],
    timeout_seconds: float,
    cancelled: asyncio.Event,
) -> Ended:
    """
    Run a command, passing each line of output (both streams) to `line`. `FileNotFoundError` when there is none such.

    What is left of its process group is killed when it ends, as the runner cleans up orphans.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=directory,
        env=dict(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    reading = asyncio.ensure_future(_read(process, line))
    stopping = asyncio.ensure_future(cancelled.wait())
    try:
        done, _ = await asyncio.wait({reading, stopping}, timeout=timeout_seconds, return_when="FIRST_COMPLETED")
        if reading in done:
            return Ended("exit", reading.result())
        _end_group(process.pid, signal.SIGTERM)
        await asyncio.wait({reading}, timeout=_GRACE_SECONDS)
        return Ended("cancelled" if stopping in done else "timeout", 1)
    finally:
        stopping.cancel()
        _end_group(process.pid, signal.SIGKILL)
        with contextlib.suppress(asyncio.CancelledError):
            await reading
        await process.wait()


async def _read(process: asyncio.subprocess.Process, line: Callable[[bytes], None]) -> int:
    """Read to the end of the process; a background child that holds the pipe does not keep the step waiting."""
    waiting = asyncio.ensure_future(process.wait())
    rest = b""
    stream = process.stdout
    while stream is not None:
        chunk = asyncio.ensure_future(stream.read(65536))
        await asyncio.wait({chunk, waiting}, return_when="FIRST_COMPLETED")
        if not chunk.done():
            _end_group(process.pid, signal.SIGKILL)
        data = await chunk
        if not data:
            break
        *lines, rest = (rest + data).split(b"\n")
        for one in lines:
            line(one)
        if len(rest) > _MOST_LINE:
            line(rest)
            rest = b""
    if rest:
        line(rest)
    return await waiting


def _end_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
