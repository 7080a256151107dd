"""The operator's switches: all of a process, or single repositories, without a restart and without a commit.

A file is looked at each time. What cannot be looked at, or not be understood, is a stop.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_REPOSITORY: Final = re.compile(r"[0-9]{1,20}|[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}")
LONGEST: Final = 1_000_000


def stopped_by_file(path: Path) -> str | None:
    """Why the stop file stops everything, or None where there is none."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        return f"the stop file {path} cannot be looked at: {problem.strerror}"
    return f"the stop file {path} exists"


def paused_by_file(path: Path, full_name: str, repo_id: int) -> str | None:
    """Why a repository is paused: the file has its OWNER/NAME or numeric id on a line of its own; `#` begins a note."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(LONGEST + 1)
    except (FileNotFoundError, NotADirectoryError) as problem:
        if not path.is_symlink():
            return None
        return f"the file {path} cannot be read ({type(problem).__name__}), so that every repository is paused"
    except (OSError, UnicodeDecodeError) as problem:
        return f"the file {path} cannot be read ({type(problem).__name__}), so that every repository is paused"
    if len(text) > LONGEST:
        return f"the file {path} is too long to be read, so that every repository is paused"
    for number, line in enumerate(text.splitlines(), 1):
        named = line.partition("#")[0].strip()
        if named and not _REPOSITORY.fullmatch(named):
            return f"line {number} of the file {path} names no repository, so that every repository is paused"
        if named.lower() in (full_name.lower(), str(repo_id)):
            return f"the repository is paused by the file {path}"
    return None
