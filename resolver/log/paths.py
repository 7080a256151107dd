r"""
Map a path as a log writes it to a file of the repository.

Logs name files by where CI put them: `/home/runner/work/app/app/src/a.py`, `D:\a\app\app\src\a.py`,
`/github/workspace/…`, a container's `/app/…`, a diff's `a/…`. A file is only ever one of the given set; a path that
fits several is none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from resolver.failure import Place

_FILE_URL = re.compile(r"^(?:file://(?:localhost)?|webpack(?:-internal)?://[\w.-]*)/?(?=/|[A-Za-z]:|\.)")
_MIN_PARTS = 1
_MOST_MESSAGE = 1_000


class PathMap:
    """The files of one commit, looked up by the ends of paths. Without a set of files, paths are only tidied."""

    def __init__(self, files: Iterable[str] | None) -> None:
        self._files = None if files is None else frozenset(files)
        self._by_name: dict[str, list[str]] = {}
        for file in self._files or ():
            self._by_name.setdefault(file.rsplit("/", 1)[-1].lower(), []).append(file)

    def find(self, path: str | None) -> str | None:
        """The repository's file, or None where there is none such; without a set of files, the path as it was."""
        if path is None or self._files is None:
            return path
        tidy = tidy_path(path)
        if tidy in self._files:
            return tidy
        parts = tidy.strip("/").split("/")
        return self._exact_tail(parts) or self._only_longer(
            parts, absolute=path.startswith(("/", "\\")) or path[1:2] == ":"
        )

    def place(self, path: str | None, line: int | None, col: int | None, message: str) -> Place:
        """A place with the repository's file where the path is one of them, else with the path as the log wrote it."""
        found = self.find(path) if self._files is not None else None
        return Place(path=found or path, line=line, col=col, message=message[:_MOST_MESSAGE], mapped=found is not None)

    def _exact_tail(self, parts: list[str]) -> str | None:
        """The longest end of the path that is a file: what stands before it is the workspace."""
        for cut in range(1, len(parts) - _MIN_PARTS + 1):
            tail = "/".join(parts[cut:])
            if self._files is not None and tail in self._files and (len(parts) - cut > 1 or self._unique(parts[-1])):
                return tail
        return None

    def _only_longer(self, parts: list[str], *, absolute: bool) -> str | None:
        """The one file that ends with the whole path: a tool that ran in a sub-directory."""
        if absolute:
            return None
        end = "/" + "/".join(parts)
        fits = [file for file in self._by_name.get(parts[-1].lower(), ()) if ("/" + file).endswith(end)]
        return fits[0] if len(fits) == 1 else None

    def _unique(self, name: str) -> bool:
        return len(self._by_name.get(name.lower(), ())) == 1


def tidy_path(path: str) -> str:
    """Forward slashes, no `./`, no `a/`-`b/` of a diff kept apart, no `..` steps that stay inside."""
    text = _FILE_URL.sub("", path.strip()).replace("\\", "/")
    parts: list[str] = []
    for part in text.split("/"):
        if part == ".." and parts and parts[-1] not in ("", ".."):
            parts.pop()
        elif part != ".":
            parts.append(part)
    return re.sub(r"/{2,}", "/", "/".join(parts))
