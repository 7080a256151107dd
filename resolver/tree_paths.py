"""
Paths of a repository's tree: which are fit to be written, which are protected, and which two clash.

Nothing here reads a file. What git, Windows or macOS would treat as another path than the one that is written counts as
that other path, or is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, Literal

from resolver.config.values import matches
from resolver.records import Record

PathFault = Literal["empty", "absolute", "outside", "backslash", "hidden", "uneven", "git", "ending", "long"]

FAULTS: Final[Mapping[PathFault, str]] = MappingProxyType(
    {
        "empty": "it is empty",
        "absolute": "it is not relative to the repository's root",
        "outside": "it has a . or .. part",
        "backslash": "it has a backslash",
        "hidden": "it has a character that cannot be seen",
        "uneven": "it has a doubled or trailing slash",
        "git": "it leads into git's own files",
        "ending": "a part of it begins or ends with a blank, or ends with a dot",
        "long": "it is too long",
    }
)
"""Each fault in words for people."""


class PathLimits(Record):
    """In bytes of UTF-8, as the usual file systems have them."""

    path: int = 4096
    part: int = 255


PATH_LIMITS: Final = PathLimits()
ALWAYS_PROTECTED: Final = (".github/**",)
"""What no task and no repair may change, whatever the configuration says (specification, sections 8 and 11)."""

_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_DRIVE = re.compile(r"[A-Za-z]:")
_GIT_SHORT = re.compile(r"git~[0-9]+\Z")
_GLOB = re.compile(r"[*?]")
_GLOB_BRACKETS = re.compile(r"[\[\]{}]")


def path_fault(path: str, limits: PathLimits = PATH_LIMITS) -> PathFault | None:
    """What makes a path unfit to be written, or None. A fit path is relative and means the same everywhere."""
    if not path.strip():
        return "empty"
    if any(unicodedata.category(char) in _HIDDEN for char in path):
        return "hidden"
    if "\\" in path:
        return "backslash"
    if path.startswith(("/", "~")) or _DRIVE.match(path):
        return "absolute"
    parts = path.split("/")
    if "" in parts:
        return "uneven"
    if "." in parts or ".." in parts:
        return "outside"
    if any(_leads_into_git(part) for part in parts):
        return "git"
    if any(part != part.strip() or part.endswith(".") for part in parts):
        return "ending"
    if len(path.encode()) > limits.path or any(len(part.encode()) > limits.part for part in parts):
        return "long"
    return None


def _leads_into_git(part: str) -> bool:
    """Also under the names that NTFS and HFS+ take for `.git`."""
    plain = _plain(part)
    return plain == ".git" or _GIT_SHORT.match(plain) is not None


def _plain(part: str) -> str:
    """A part as the most forgiving file system reads it: without case, stream, or blanks and dots at the end."""
    seen = "".join(char for char in part if unicodedata.category(char) not in _HIDDEN)
    return unicodedata.normalize("NFKC", seen).casefold().partition(":")[0].rstrip(" .")


def is_glob(path: str, files: Iterable[str] = ()) -> bool:
    """Whether a path is a pattern. Brackets and braces belong to a name where a file is called so (`[id].tsx`)."""
    if _GLOB.search(path):
        return True
    return _GLOB_BRACKETS.search(path) is not None and path not in files


def is_protected(path: str, patterns: Iterable[str]) -> bool:
    """
    Whether a pattern, or what is always protected, covers the path or something beneath it.

    Letter case and Unicode forms do not matter, and a path that would take the place of a protected folder counts.
    """
    plain = "/".join(_plain(part) for part in path.split("/"))
    return any(
        matches(pattern.casefold(), form)
        for pattern in (*ALWAYS_PROTECTED, *(unicodedata.normalize("NFKC", each) for each in patterns))
        for form in (plain, f"{plain}/x")
    )


def caseless(path: str) -> str:
    """The key under which two paths are one file where case or Unicode form is not told apart."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def with_parents(path: str) -> Iterator[str]:
    """The path's folders from the root, then the path."""
    at = path.find("/")
    while at != -1:
        yield path[:at]
        at = path.find("/", at + 1)
    yield path


def link_leaves(path: str, target: str) -> bool:
    """
    Whether a symbolic link at `path` leads out of the tree, to its root, into git's files, or cannot be judged.

    `..` is understood only at the target's beginning: after a name it depends on what that name is.
    """
    if target.startswith(("/", "~")) or _DRIVE.match(target):
        return True
    here = path.split("/")[:-1]
    parts = target.split("/")
    while parts and parts[0] in (".", ".."):
        if parts.pop(0) == "..":
            if not here:
                return True
            here.pop()
    return path_fault("/".join((*here, *parts))) is not None
