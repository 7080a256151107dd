"""Refs as the files that they are: `refs/heads/main` holds a SHA. Nothing packs them here."""

from __future__ import annotations

import re
from pathlib import Path

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|/$|\.$")


def is_valid(ref: str) -> bool:
    """Whether git would accept the full name (`git check-ref-format`)."""
    return ref.startswith("refs/") and ref.count("/") > 1 and not _FORBIDDEN.search(ref)


class Refs:
    """The refs of one repository."""

    def __init__(self, git_dir: Path) -> None:
        self._git_dir = git_dir

    def read(self, ref: str) -> str | None:
        """Give the commit that a full ref name points at."""
        if not is_valid(ref):
            return None
        try:
            return (self._git_dir / ref).read_text().strip()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None

    def write(self, ref: str, sha: str) -> bool:
        """Point a ref at a commit; false where its name collides with another's (`a` beside `a/b`)."""
        path = self._git_dir / ref
        above = path.parents[: ref.count("/")]
        if path.is_dir() or any(one.is_file() for one in above):
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(path.name + ".lock")
        unfinished.write_text(sha + "\n")
        unfinished.replace(path)
        return True

    def delete(self, ref: str) -> None:
        """Remove a ref and the directories that it leaves empty."""
        path = self._git_dir / ref
        path.unlink(missing_ok=True)
        parent = path.parent
        while parent.parent.name != "" and parent.parent != self._git_dir / "refs" and not any(parent.iterdir()):
            parent.rmdir()
            parent = parent.parent

    def all(self, prefix: str = "refs/") -> dict[str, str]:
        """Every ref that begins with a prefix, in order."""
        found = {}
        for path in (self._git_dir / "refs").rglob("*"):
            name = path.relative_to(self._git_dir).as_posix()
            if name.startswith(prefix) and path.is_file() and not name.endswith(".lock"):
                found[name] = path.read_text().strip()
        return dict(sorted(found.items()))
