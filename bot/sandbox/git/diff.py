"""What changed between two trees, with patches as git writes them (renames found, binaries without a patch)."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass

from bot.sandbox.git.objects import Entry, ObjectStore
from bot.sandbox.git.process import Run

_MOST_LINES = 2_000  # beyond it lines are counted, not compared in order
_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}


@dataclass(frozen=True)
class FileDiff:
    """One changed file. `status` in GitHub's words; `patch` from the first `@@` on, absent for a binary."""

    path: str
    previous: str | None
    status: str
    sha: str
    additions: int
    deletions: int
    patch: str | None


async def diff(run: Run, old: str, new: str) -> list[FileDiff]:
    """Compare two commits or trees."""
    answer = await run("diff-tree", "-r", "-M", "--full-index", "--raw", "--numstat", "-p", "-z", old, new)
    text = answer.out.decode(errors="replace")
    at = 0 if text.startswith("diff --git ") else text.find("\0diff --git ") + 1
    head, patches = (text[:at], text[at:]) if at else (text, "")
    parts = [part for part in head.split("\0") if part]
    raw, counts = _raw(parts), _counts(parts)
    bodies = re.split(r"(?m)^diff --git ", patches)[1:]
    found = []
    for (path, previous, letter, sha), body in zip(raw, bodies, strict=True):
        added, deleted = counts.get(path, (0, 0))
        hunk = re.search(r"(?m)^@@ ", body)
        patch = body[hunk.start() :].removesuffix("\n") if hunk else None
        found.append(FileDiff(path, previous, _STATUS[letter], sha, added, deleted, patch))
    return found


async def text(run: Run, old: str, new: str) -> str:
    """The difference between two commits or trees as `git diff` writes it."""
    return (await run("diff-tree", "-r", "-M", "-p", old, new)).out.decode(errors="replace")


def _raw(parts: list[str]) -> list[tuple[str, str | None, str, str]]:
    rows: list[tuple[str, str | None, str, str]] = []
    at = 0
    while at < len(parts) and parts[at].startswith(":"):
        _, _, old_sha, new_sha, status = parts[at].split(" ")
        letter = status[0]
        sha = old_sha if letter == "D" else new_sha
        if letter in "RC":
            rows.append((parts[at + 2], parts[at + 1], letter, sha))
            at += 3
        else:
            rows.append((parts[at + 1], None, letter, sha))
            at += 2
    return rows


def _counts(parts: list[str]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for at, part in enumerate(parts):
        numbers = re.match(r"(\d+|-)\t(\d+|-)\t", part)
        if numbers is None:
            continue
        path = part[numbers.end() :] or parts[at + 2]
        found[path] = tuple(0 if n == "-" else int(n) for n in numbers.groups())  # type: ignore[assignment]
    return found


def names(store: ObjectStore, old_tree: str, new_tree: str) -> dict[str, list[str]]:
    """Paths `added`, `removed` and `modified` between two trees, without renames (as push events list them)."""
    before, after = store.files(old_tree), store.files(new_tree)
    return {
        "added": sorted(path for path in after if path not in before),
        "removed": sorted(path for path in before if path not in after),
        "modified": sorted(path for path, entry in after.items() if path in before and before[path] != entry),
    }


def line_counts(store: ObjectStore, old_tree: str, new_tree: str) -> tuple[int, int, int]:
    """Files changed, lines added, lines deleted, without a process and without renames."""
    before, after = store.files(old_tree), store.files(new_tree)
    changed = [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
    added = deleted = 0
    for path in changed:
        old, new = (_lines(store, side.get(path)) for side in (before, after))
        more, fewer = _compare(old, new)
        added, deleted = added + more, deleted + fewer
    return len(changed), added, deleted


def _lines(store: ObjectStore, entry: Entry | None) -> list[bytes]:
    if entry is None or entry.mode == "160000":
        return []
    content = store.blob(entry.sha)
    return [] if b"\0" in content else content.splitlines()


def _compare(old: list[bytes], new: list[bytes]) -> tuple[int, int]:
    if len(old) + len(new) > _MOST_LINES or not old or not new:
        more, fewer = Counter(new), Counter(old)
        return (more - fewer).total(), (fewer - more).total()
    same = sum(block.size for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks())
    return len(new) - same, len(old) - same
