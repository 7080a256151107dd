"""Real merges and rebases: git decides what conflicts, nothing is checked out."""

from __future__ import annotations

from dataclasses import dataclass

from bot.sandbox.git import history
from bot.sandbox.git.objects import ObjectStore, Person
from bot.sandbox.git.process import Run


@dataclass(frozen=True)
class Merged:
    """The tree of a clean merge, or `None` with the files that conflict."""

    tree: str | None
    conflicts: tuple[str, ...] = ()


async def merge_trees(run: Run, store: ObjectStore, ours: str, theirs: str) -> Merged:
    """Merge two commits as far as their tree; no process where one holds the other."""
    if history.is_ancestor(store, ours, theirs):
        return Merged(store.commit(theirs).tree)
    if history.is_ancestor(store, theirs, ours):
        return Merged(store.commit(ours).tree)
    answer = await run(
        "merge-tree",
        "--write-tree",
        "--name-only",
        "--no-messages",
        "-z",
        "--allow-unrelated-histories",
        ours,
        theirs,
        good=(0, 1),
    )
    parts = [part for part in answer.out.decode(errors="replace").split("\0") if part]
    if not parts:
        raise RuntimeError(f"git merge-tree said nothing of {ours} and {theirs}: {answer.err.decode(errors='replace')}")
    return Merged(parts[0]) if answer.status == 0 else Merged(None, tuple(parts[1:]))


async def rebase(run: Run, store: ObjectStore, head: str, onto: str, committer: Person) -> tuple[str | None, str]:
    """
    Replay `onto..head` on `onto`, keeping authors and messages; merges are left out, as `git rebase` does.

    Gives the new head and an empty string, or `None` and the title of the commit that conflicts.
    """
    tip = onto
    for commit in reversed(history.log(store, head, onto)):
        if len(commit.parents) != 1:
            continue
        # A cherry-pick is a merge whose base is the commit's own parent: pretend that the tip grew from it.
        ours = store.write_commit(store.commit(tip).tree, commit.parents, "pick", committer)
        merged = await merge_trees(run, store, ours, commit.sha)
        if merged.tree is None:
            return None, commit.message.partition("\n")[0]
        if merged.tree != store.commit(tip).tree:
            tip = store.write_commit(merged.tree, (tip,), commit.message, commit.author, committer)
    return tip, ""
