"""Refs as the files that they are: `refs/heads/main` holds a SHA. Nothing packs them here."""

from __future__ import annotations

import re
from pathlib import Path

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|/$|\.$")


def is_valid(ref: str) -> bool:
    """Whether git would accept the full name (`git check-ref-format`)."""
    return ref.startswith("refs/") and ref.count("/") > 1 and not _FORBIDDEN.search(ref)


class Refs:
    """The refs of one repository, read once; `reload` after git itself has written some."""

    def __init__(self, git_dir: Path) -> None:
        self._git_dir = git_dir
        self._known: dict[str, str] | None = None

    def reload(self) -> None:
        """Forget what was read."""
        self._known = None

    def read(self, ref: str) -> str | None:
        """Give the commit that a full ref name points at."""
        return self._read_all().get(ref)

    def write(self, ref: str, sha: str) -> bool:
        """Point a ref at a commit; false where its name collides with another's (`a` beside `a/b`)."""
        known = self._read_all()
        below = f"{ref}/"
        if any(one.startswith(below) or ref.startswith(f"{one}/") for one in known):
            return False
        path = self._git_dir / ref
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(path.name + ".lock")
        unfinished.write_text(sha + "\n")
        unfinished.replace(path)
        known[ref] = sha
        return True

    def delete(self, ref: str) -> None:
        """Remove a ref and the directories that it leaves empty."""
        path = self._git_dir / ref
        path.unlink(missing_ok=True)
        self._read_all().pop(ref, None)
        parent = path.parent
        while parent.parent != self._git_dir / "refs" and parent.is_dir() and not any(parent.iterdir()):
            parent.rmdir()
            parent = parent.parent

    def all(self, prefix: str = "refs/") -> dict[str, str]:
        """Every ref that begins with a prefix, in order."""
        return dict(sorted((ref, sha) for ref, sha in self._read_all().items() if ref.startswith(prefix)))

    def _read_all(self) -> dict[str, str]:
        if self._known is None:
            self._known = {
                path.relative_to(self._git_dir).as_posix(): path.read_text().strip()
                for path in (self._git_dir / "refs").rglob("*")
                if path.is_file() and path.suffix != ".lock"
            }
        return self._known
