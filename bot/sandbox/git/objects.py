"""
Git's objects: blobs, trees and commits, kept in memory and packed into a file when a git process is to see them.

One store serves a whole network (a repository and its forks), as on GitHub: a fork's commit can be read through the
parent by its SHA. Objects that git has packed are read through git.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.sandbox.git.pack import write_pack

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
NO_SHA = "0" * 40
_PERSON = re.compile(r"(?P<name>.*?) ?<(?P<email>[^>]*)> (?P<when>\d+) [+-]\d{4}")


@dataclass(frozen=True)
class Person:
    """Who wrote or committed, and when (seconds since the epoch, UTC)."""

    name: str
    email: str
    when: int

    def line(self) -> str:
        """As it stands in a commit object."""
        return f"{self.name} <{self.email}> {self.when} +0000"


@dataclass(frozen=True)
class Commit:
    """A commit object."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    message: str


@dataclass(frozen=True)
class Entry:
    """One entry of a tree: `mode` in git's octal digits (`100644`, `100755`, `40000`, `120000`, `160000`)."""

    mode: str
    name: str
    sha: str

    @property
    def is_tree(self) -> bool:
        """A directory."""
        return self.mode == "40000"


class ObjectStore:
    """The objects below one `objects` directory. `KeyError` means that there is no such object."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._cache: dict[str, tuple[str, bytes]] = {}
        self._unwritten: dict[str, tuple[str, bytes]] = {}
        self._own_packs: set[str] = set()
        self._commits: dict[str, Commit] = {}

    def read(self, sha: str) -> tuple[str, bytes]:
        """Give an object's kind and content."""
        found = self._cache.get(sha)
        if found is None:
            found = self._cache[sha] = self._load(sha)
        return found

    def has(self, sha: str) -> bool:
        """Whether there is such an object."""
        try:
            self.read(sha)
        except KeyError:
            return False
        return True

    def write(self, kind: str, content: bytes) -> str:
        """Store an object and give its name."""
        framed = b"%s %d\0%s" % (kind.encode(), len(content), content)
        sha = hashlib.sha1(framed, usedforsecurity=False).hexdigest()
        if sha not in self._cache:
            self._cache[sha] = self._unwritten[sha] = (kind, content)
        return sha

    def flush(self) -> None:
        """Write what only memory holds, so that git sees it."""
        packs = self.directory / "pack"
        packs.mkdir(parents=True, exist_ok=True)
        if self._unwritten:
            self._own_packs.add(write_pack(packs, self._unwritten))
            self._unwritten = {}

    def starting_with(self, prefix: str) -> list[str]:
        """Every object known by name that begins so (at least two digits)."""
        loose = {prefix[:2] + path.name for path in (self.directory / prefix[:2]).glob(f"{prefix[2:]}*")}
        return sorted(loose | {sha for sha in self._cache if sha.startswith(prefix)})

    def blob(self, sha: str) -> bytes:
        """A file's content."""
        kind, content = self.read(sha)
        if kind != "blob":
            raise KeyError(sha)
        return content

    def commit(self, sha: str) -> Commit:
        """A commit, parsed."""
        found = self._commits.get(sha)
        if found is None:
            kind, content = self.read(sha)
            if kind != "commit":
                raise KeyError(sha)
            found = self._commits[sha] = _parse_commit(sha, content)
        return found

    def write_commit(
        self, tree: str, parents: tuple[str, ...], message: str, author: Person, committer: Person | None = None
    ) -> str:
        """Store a commit; equal arguments give an equal SHA."""
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        lines += [f"author {author.line()}", f"committer {(committer or author).line()}", "", message]
        return self.write("commit", "\n".join(lines).encode())

    def tree(self, sha: str) -> list[Entry]:
        """One directory's entries in git's order."""
        if sha == EMPTY_TREE:
            return []
        kind, content = self.read(sha)
        if kind != "tree":
            raise KeyError(sha)
        return _parse_tree(content)

    def write_tree(self, entries: list[Entry]) -> str:
        """Store one directory."""
        ordered = sorted(entries, key=lambda entry: entry.name + "/" if entry.is_tree else entry.name)
        return self.write("tree", b"".join(f"{e.mode} {e.name}\0".encode() + bytes.fromhex(e.sha) for e in ordered))

    def files(self, tree: str, prefix: str = "") -> dict[str, Entry]:
        """Every file below a tree by its path."""
        found: dict[str, Entry] = {}
        for entry in self.tree(tree):
            if entry.is_tree:
                found |= self.files(entry.sha, f"{prefix}{entry.name}/")
            else:
                found[prefix + entry.name] = entry
        return found

    def lookup(self, tree: str, path: str) -> Entry | None:
        """Find a file or directory below a tree; the empty path is the tree itself."""
        entry = Entry("40000", "", tree)
        for part in filter(None, path.split("/")):
            if not entry.is_tree:
                return None
            found = next((one for one in self.tree(entry.sha) if one.name == part), None)
            if found is None:
                return None
            entry = found
        return entry

    def change_tree(self, tree: str, changes: Mapping[str, bytes | str | Entry | None]) -> str:
        """
        Give the tree with files written (`None` deletes). An `Entry` places an object that is already there.

        A file keeps its mode; a new one that begins with `#!` is executable.
        """
        here: dict[str, bytes | str | Entry | None] = {}
        below: dict[str, dict[str, bytes | str | Entry | None]] = {}
        for path, content in changes.items():
            name, slash, rest = path.partition("/")
            if slash:
                below.setdefault(name, {})[rest] = content
            else:
                here[name] = content
        entries = {entry.name: entry for entry in self.tree(tree)}
        for name, content in here.items():
            self._place(entries, name, content)
        for name, inner in below.items():
            old = entries.get(name)
            sha = self.change_tree(old.sha if old and old.is_tree else EMPTY_TREE, inner)
            if sha == EMPTY_TREE:
                entries.pop(name, None)
            else:
                entries[name] = Entry("40000", name, sha)
        return self.write_tree(list(entries.values()))

    def _place(self, entries: dict[str, Entry], name: str, content: bytes | str | Entry | None) -> None:
        if content is None:
            entries.pop(name, None)
            return
        if isinstance(content, Entry):
            entries[name] = Entry(content.mode, name, content.sha)
            return
        data = content.encode() if isinstance(content, str) else content
        old = entries.get(name)
        mode = old.mode if old and not old.is_tree else "100755" if data.startswith(b"#!") else "100644"
        entries[name] = Entry(mode, name, self.write("blob", data))

    def _load(self, sha: str) -> tuple[str, bytes]:
        if not re.fullmatch(r"[0-9a-f]{40}", sha):
            raise KeyError(sha)
        try:
            framed = zlib.decompress((self.directory / sha[:2] / sha[2:]).read_bytes())
        except FileNotFoundError:
            return self._load_packed(sha)
        header, _, content = framed.partition(b"\0")
        return header.split(b" ")[0].decode(), content

    def _load_packed(self, sha: str) -> tuple[str, bytes]:
        packs = {path.stem for path in (self.directory / "pack").glob("*.pack")}
        if packs <= self._own_packs:
            raise KeyError(sha)
        # The store's own directory is that of the network's first repository.
        answer = subprocess.run(
            ["git", "--git-dir", str(self.directory.parent), "cat-file", "--batch"],
            input=sha.encode() + b"\n",
            capture_output=True,
            check=True,
            env={"PATH": os.environ.get("PATH", ""), "GIT_CONFIG_NOSYSTEM": "1"},
        ).stdout
        header, _, rest = answer.partition(b"\n")
        if header.endswith(b"missing"):
            raise KeyError(sha)
        _, kind, size = header.split(b" ")
        return kind.decode(), rest[: int(size)]


def _parse_commit(sha: str, content: bytes) -> Commit:
    head, _, message = content.decode(errors="replace").partition("\n\n")
    fields: dict[str, list[str]] = {}
    for line in head.split("\n"):
        key, _, value = line.partition(" ")
        if key:
            fields.setdefault(key, []).append(value)
    parents = tuple(fields.get("parent", []))
    author, committer = _person(fields["author"][0]), _person(fields["committer"][0])
    return Commit(sha, fields["tree"][0], parents, author, committer, message)


def _person(line: str) -> Person:
    found = _PERSON.fullmatch(line)
    if found is None:
        return Person(line, "", 0)
    return Person(found["name"], found["email"], int(found["when"]))


def _parse_tree(content: bytes) -> list[Entry]:
    entries = []
    at = 0
    while at < len(content):
        end = content.index(b"\0", at)
        mode, _, name = content[at:end].partition(b" ")
        entries.append(Entry(mode.decode(), name.decode(errors="surrogateescape"), content[end + 1 : end + 21].hex()))
        at = end + 21
    return entries
