"""One git process with a clean environment: no user's configuration, no prompts, UTC."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class Run(Protocol):
    """Runs git on one repository that is written out first."""

    async def __call__(self, *arguments: str, good: tuple[int, ...] = (0,)) -> Answer:
        """An exit status that is not `good` is an error with git's words."""
        ...


@dataclass(frozen=True)
class Answer:
    """What a git process said."""

    status: int
    out: bytes
    err: bytes


def environment() -> dict[str, str]:
    """The variables that git gets: the path, and nothing of the person who runs the sandbox."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
        "TZ": "UTC",
    }


async def git(git_dir: Path, *arguments: str, good: tuple[int, ...] = (0,)) -> Answer:
    """Run git on a bare repository; an exit status that is not `good` is an error with git's words."""
    process = await asyncio.create_subprocess_exec(
        "git",
        "--git-dir",
        str(git_dir),
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(),
    )
    out, err = await process.communicate()
    status = process.returncode if process.returncode is not None else -1
    if status not in good:
        raise RuntimeError(f"git {' '.join(arguments)} ended with {status}: {err.decode(errors='replace').strip()}")
    return Answer(status, out, err)
