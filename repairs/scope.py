"""
The path guard: every way by which files enter a branch passes it (specification, section 11).

`guard` looks at the changed paths of a fixer, builder, merge or repair and says whether all of them are fit to be
written, inside the scope and unprotected. It judges paths, never contents; the gate guard does that. A patch passes
whole or not at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal

from resolver.config.values import matches
from resolver.records import Record
from resolver.tree_paths import FAULTS, PathFault, caseless, is_protected, link_leaves, path_fault, with_parents

Cause = (
    PathFault
    | Literal["scope", "protected", "symlink", "submodule", "mode", "clash", "twice", "contradictory", "too-many"]
)

CAUSES: Final[Mapping[Cause, str]] = MappingProxyType(
    {
        **dict[Cause, str](FAULTS.items()),
        "scope": "it is outside what the task may change",
        "protected": "it is a protected file",
        "symlink": "it is a symbolic link that leads out of the repository or cannot be judged",
        "submodule": "it is a submodule",
        "mode": "its mode is neither a file's nor a link's",
        "clash": "on some file systems it is the same as another path of the repository",
        "twice": "it is listed twice",
        "contradictory": "what is said of it does not fit the repository",
        "too-many": "the change has too many files",
    }
)
"""Each cause in words for people."""


class Entry(Record):
    """
    One changed path of a manifest or diff; a rename is a removal and an addition.

    `mode` is git's, in six octal digits; of a removed path it is the old one where known. `link_target` is a symbolic
    link's content.
    """

    path: str
    status: Literal["added", "modified", "removed"]
    mode: str | None = None
    link_target: str | None = None


class Scope(Record):
    """
    What may be changed: `patterns` as declared or configured, `files` as a person answered (exact paths).

    `protected` are the patterns that may not be changed even so; `.github/**` never may.
    """

    patterns: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Whether a path is in scope; whether it is protected is another question."""
        return path in self.files or any(matches(pattern, path) for pattern in self.patterns)


class GuardLimits(Record):
    """How large a change may be to be judged."""

    entries: int = 1000


GUARD_LIMITS: Final = GuardLimits()


class Rejected(Record):
    """A path that may not be changed, and why."""

    path: str
    cause: Cause


class Within(Record):
    """Every path passed."""

    paths: tuple[str, ...]


class Violation(Record):
    """At least one path did not pass; nothing of the change may enter the branch."""

    rejected: tuple[Rejected, ...]

    @property
    def fail_class(self) -> Literal["protected-path-touched", "fixer-scope-violation"]:
        """A protected path weighs more than one that is merely outside."""
        protected = any(each.cause == "protected" for each in self.rejected)
        return "protected-path-touched" if protected else "fixer-scope-violation"


def guard(
    entries: Sequence[Entry], scope: Scope, tree: Collection[str], limits: GuardLimits = GUARD_LIMITS
) -> Within | Violation:
    """Judge a change against the files (`tree`, all of them) of the commit that it is made on."""
    if len(entries) > limits.entries:
        return Violation(rejected=(Rejected(path=entries[limits.entries].path, cause="too-many"),))
    files = frozenset(tree)
    seen: set[str] = set()
    rejected: list[Rejected] = []
    clashing = _clashing(entries, files)
    for entry in entries:
        cause = "twice" if entry.path in seen else _cause(entry, scope, files, clashing)
        seen.add(entry.path)
        if cause is not None:
            rejected.append(Rejected(path=entry.path, cause=cause))
    return Violation(rejected=tuple(rejected)) if rejected else Within(paths=tuple(entry.path for entry in entries))


def _cause(entry: Entry, scope: Scope, files: frozenset[str], clashing: frozenset[str]) -> Cause | None:
    if (fault := path_fault(entry.path)) is not None:
        return fault
    if is_protected(entry.path, scope.protected):
        return "protected"
    if not scope.holds(entry.path):
        return "scope"
    if (entry.path in files) == (entry.status == "added"):
        return "contradictory"
    if (cause := _mode_cause(entry)) is not None:
        return cause
    return "clash" if entry.path in clashing else None


def _mode_cause(entry: Entry) -> Cause | None:
    if entry.mode == "160000" or entry.path.casefold() == ".gitmodules":
        return "submodule"
    if entry.status == "removed":
        return None
    if entry.mode == "120000":
        return "symlink" if entry.link_target is None or link_leaves(entry.path, entry.link_target) else None
    return None if entry.mode in ("100644", "100755") else "mode"


def _clashing(entries: Iterable[Entry], files: frozenset[str]) -> frozenset[str]:
    """
    The added paths that, or whose folders, another path of the resulting tree equals but for case or Unicode form, or
    whose place is both a file's and a folder's.
    """
    added = {entry.path for entry in entries if entry.status == "added"}
    if not added:
        return frozenset()
    removed = {entry.path for entry in entries if entry.status == "removed"}
    wanted = {caseless(place) for path in added for place in with_parents(path)}
    spellings: dict[str, set[tuple[str, bool]]] = {key: set() for key in wanted}
    for path in (files - removed) | added:
        for place in with_parents(path):
            if (key := caseless(place)) in spellings:
                spellings[key].add((place, place == path))
    unclear = {key for key, forms in spellings.items() if len(forms) > 1}
    return frozenset(path for path in added if any(caseless(place) in unclear for place in with_parents(path)))
