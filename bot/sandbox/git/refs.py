"""Refs, kept in memory and written to `packed-refs` when a git process is to see them."""

from __future__ import annotations

import re
from pathlib import Path

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|/$|\.$")


def is_valid(ref: str) -> bool:
    """Whether git would accept the full name (`git check-ref-format`)."""
    return ref.startswith("refs/") and ref.count("/") > 1 and not _FORBIDDEN.search(ref)


class Refs:
    """The refs of one repository below `git_dir`. `reload` after git itself may have moved some."""

    def __init__(self, git_dir: Path) -> None:
        self._git_dir = git_dir
        self._known: dict[str, str] = {}
        self._unwritten = False

    def read(self, ref: str) -> str | None:
        """Give the commit that a full ref name points at."""
        return self._known.get(ref)

    def write(self, ref: str, sha: str) -> bool:
        """Point a ref at a commit; false where its name collides with another's (`a` beside `a/b`)."""
        below = f"{ref}/"
        if any(one.startswith(below) or ref.startswith(f"{one}/") for one in self._known):
            return False
        self._known[ref] = sha
        self._unwritten = True
        return True

    def delete(self, ref: str) -> None:
        """Remove a ref."""
        self._unwritten = self._known.pop(ref, None) is not None or self._unwritten

    def all(self, prefix: str = "refs/") -> dict[str, str]:
        """Every ref that begins with a prefix, in order."""
        return dict(sorted((ref, sha) for ref, sha in self._known.items() if ref.startswith(prefix)))

    def flush(self) -> None:
        """Write what only memory holds, so that git sees it."""
        if not self._unwritten:
            return
        for path in self._loose():
            path.unlink()  # a loose ref would hide the packed one
        lines = "".join(f"{sha} {ref}\n" for ref, sha in self.all().items())
        (self._git_dir / "packed-refs").write_text(f"# pack-refs with: sorted \n{lines}")
        self._unwritten = False

    def reload(self) -> None:
        """Read what git has written."""
        packed = self._git_dir / "packed-refs"
        lines = packed.read_text().splitlines() if packed.exists() else []
        pairs = (line.split(" ", 1) for line in lines if line and line[0] not in "#^")
        self._known = {ref: sha for sha, ref in pairs}
        for path in self._loose():
            self._known[path.relative_to(self._git_dir).as_posix()] = path.read_text().strip()

    def _loose(self) -> list[Path]:
        found = (self._git_dir / "refs").rglob("*")
        return [path for path in found if path.is_file() and path.suffix != ".lock"]
