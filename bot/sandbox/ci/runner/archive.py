"""Artifacts as zips: made from paths of the workspace, laid out again elsewhere."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

_FIXED = (1980, 1, 1, 0, 0, 0)  # equal content gives equal bytes


def pack(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Make a zip of names and contents."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _FIXED), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def collect(workspace: Path, patterns: Iterable[str]) -> list[tuple[str, bytes]]:
    """
    Find the files that the lines of `path:` name (files, directories, globs; `!` takes away).

    GitHub: names in the zip are relative to the least common directory of what was found.
    """
    chosen: set[Path] = set()
    for pattern in patterns:
        negative = pattern.startswith("!")
        found = _matching(workspace, pattern.removeprefix("!"))
        chosen = chosen - found if negative else chosen | found
    if not chosen:
        return []
    parents = [path.parent.parts for path in chosen]
    shared = 0
    while all(len(parts) > shared for parts in parents) and len({parts[shared] for parts in parents}) == 1:
        shared += 1
    return [("/".join(path.parts[shared:]), path.read_bytes()) for path in sorted(chosen)]


def pack_paths(home: Path, workspace: Path, paths: Iterable[str]) -> bytes:
    """Make a zip of directories and files, `~/…` or of the workspace; names are relative to `home`."""
    files: dict[str, bytes] = {}
    for given in paths:
        root = home / given[2:] if given.startswith("~/") else workspace / given
        found = root.rglob("*") if root.is_dir() else [root]
        files |= {str(path.relative_to(home)): path.read_bytes() for path in found if path.is_file()}
    return pack(files.items())


def unpack(data: bytes, directory: Path) -> None:
    """Lay a zip's files out in a directory; names that leave it are refused with `ValueError`."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            name = PurePosixPath(entry.filename)
            if name.is_absolute() or ".." in name.parts:
                raise ValueError(f"{entry.filename} leaves the directory")
            target = directory.joinpath(*name.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(entry))


def _matching(workspace: Path, pattern: str) -> set[Path]:
    """A path may also be absolute, such as one below the runner's temporary folder."""
    if pattern.startswith("/") and not pattern.startswith(str(workspace)):
        return {path for path in Path("/").glob(pattern[1:]) if path.is_file() and not path.name.startswith(".")}
    relative = pattern.removeprefix(str(workspace)).lstrip("/").removeprefix("./").rstrip("/") or "."
    starts = [workspace] if relative == "." else list(workspace.glob(relative))
    found: set[Path] = set()
    for start in starts:
        found |= {path for path in start.rglob("*") if path.is_file()} if start.is_dir() else {start}
    return {path for path in found if not _hidden(path.relative_to(workspace))}


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
