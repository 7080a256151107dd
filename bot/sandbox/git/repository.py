"""
One bare repository: held in memory, merged and compared by git itself.

Nothing is on disk until `git_dir` is asked for: whoever hands that path to a git process finds everything there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from bot.sandbox.git import diff, history, merge, process
from bot.sandbox.git.objects import EMPTY_TREE, Commit, Entry, ObjectStore, Person
from bot.sandbox.git.refs import Refs

_CONFIG = """[core]
\trepositoryformatversion = 0
\tbare = true
[gc]
\tauto = 0
[receive]
\tautogc = false
\tunpackLimit = 1000000
\thideRefs = refs/pull
[http]
\treceivepack = true
[uploadpack]
\tallowAnySHA1InWant = true
\tallowFilter = true
[transfer]
\tfsckObjects = false
"""


class Git:
    """A bare repository at `path`. A fork shares its parent's `store`: either sees the other's commits."""

    def __init__(self, path: Path, store: ObjectStore | None = None, default_branch: str = "main") -> None:
        self._path = path
        self._made = False
        self._default_branch = default_branch
        self.store = store or ObjectStore(path / "objects")
        self.refs = Refs(path)
        self._diffs: dict[tuple[str, str], list[diff.FileDiff]] = {}

    @property
    def git_dir(self) -> Path:
        """The directory for a git process, with everything written that was only in memory."""
        if not self._made:
            self._make()
        self.store.flush()
        self.refs.flush()
        return self._path

    async def run(self, *arguments: str, good: tuple[int, ...] = (0,)) -> process.Answer:
        """Run git here; an exit status that is not `good` is an error with git's words."""
        return await process.git(self.git_dir, *arguments, good=good)

    def _make(self) -> None:
        (self._path / "refs" / "heads").mkdir(parents=True)
        if self.store.directory.parent != self._path:
            (self._path / "objects").symlink_to(self.store.directory.resolve(), target_is_directory=True)
        (self._path / "config").write_text(_CONFIG)
        (self._path / "HEAD").write_text(f"ref: refs/heads/{self._default_branch}\n")
        self._made = True

    def set_default_branch(self, branch: str) -> None:
        """Point HEAD at a branch, which need not exist."""
        self._default_branch = branch
        if self._made:
            (self._path / "HEAD").write_text(f"ref: refs/heads/{branch}\n")

    def branch(self, name: str) -> str | None:
        """A branch's commit."""
        return self.refs.read(f"refs/heads/{name}")

    def branches(self) -> dict[str, str]:
        """Every branch and its commit."""
        return {ref.removeprefix("refs/heads/"): sha for ref, sha in self.refs.all("refs/heads/").items()}

    def resolve(self, name: str) -> str | None:
        """Find a commit by SHA (seven digits or more), branch, tag, or full ref, in GitHub's order."""
        if re.fullmatch(r"[0-9a-f]{40}", name):
            return name if self._is_commit(name) else None
        candidates = (name, f"refs/{name}", f"refs/heads/{name}", f"refs/tags/{name}")
        for candidate in candidates:
            if found := self.refs.read(candidate):
                return found
        if re.fullmatch(r"[0-9a-f]{7,39}", name):
            found_all = [sha for sha in self.store.starting_with(name) if self._is_commit(sha)]
            return found_all[0] if len(found_all) == 1 else None
        return None

    def commit(self, sha: str) -> Commit:
        """A commit by its full SHA; `KeyError` where there is none."""
        return self.store.commit(sha)

    def commit_files(
        self,
        parent: str | None,
        changes: Mapping[str, bytes | str | Entry | None],
        message: str,
        author: Person,
    ) -> str:
        """Make a commit on a parent with files written and (`None`) deleted. Moves no ref."""
        tree = self.store.commit(parent).tree if parent else EMPTY_TREE
        tree = self.store.change_tree(tree, changes)
        return self.store.write_commit(tree, (parent,) if parent else (), message, author)

    def read(self, commit: str, path: str) -> bytes | None:
        """A file's content in a commit."""
        entry = self.store.lookup(self.store.commit(commit).tree, path)
        return None if entry is None or entry.is_tree else self.store.blob(entry.sha)

    def files(self, commit: str) -> dict[str, bytes]:
        """Every file of a commit by its path (submodules left out)."""
        entries = self.store.files(self.store.commit(commit).tree)
        return {path: self.store.blob(entry.sha) for path, entry in entries.items() if entry.mode != "160000"}

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor."""
        return history.merge_base(self.store, one, other)

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether `new` holds everything of `old`."""
        return history.is_ancestor(self.store, old, new)

    def log(self, include: str, exclude: str | None = None) -> list[Commit]:
        """Commits of `exclude..include`, newest first."""
        return history.log(self.store, include, exclude)

    def names(self, old: str | None, new: str) -> dict[str, list[str]]:
        """Paths `added`, `removed`, `modified` between two commits."""
        before = self.store.commit(old).tree if old else EMPTY_TREE
        return diff.names(self.store, before, self.store.commit(new).tree)

    def line_counts(self, old: str | None, new: str) -> tuple[int, int, int]:
        """Files changed, lines added, lines deleted between two commits, without renames."""
        before = self.store.commit(old).tree if old else EMPTY_TREE
        return diff.line_counts(self.store, before, self.store.commit(new).tree)

    async def diff(self, old: str | None, new: str) -> list[diff.FileDiff]:
        """Compare two commits, with patches."""
        before = self.store.commit(old).tree if old else EMPTY_TREE
        after = self.store.commit(new).tree
        if before == EMPTY_TREE:
            self.store.write("tree", b"")  # git wants to see it
        if before == after:
            return []
        known = self._diffs.get((before, after))
        if known is None:
            known = self._diffs[before, after] = await diff.diff(self.run, before, after)
        return known

    async def diff_text(self, old: str | None, new: str) -> str:
        """The whole difference between two commits as `git diff` writes it."""
        return await diff.text(self.run, old or EMPTY_TREE, new)

    async def merge_trees(self, ours: str, theirs: str) -> merge.Merged:
        """Merge two commits as far as their tree."""
        return await merge.merge_trees(self.run, self.store, ours, theirs)

    async def rebase(self, head: str, onto: str, committer: Person) -> tuple[str | None, str]:
        """Replay `onto..head` on `onto`: the new head, or `None` and the title of the commit that conflicts."""
        return await merge.rebase(self.run, self.store, head, onto, committer)

    def _is_commit(self, sha: str) -> bool:
        try:
            self.store.commit(sha)
        except KeyError:
            return False
        return True
