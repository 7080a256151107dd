"""The commit graph: ancestors, merge base, ahead and behind. Walks objects, starts no process."""

from __future__ import annotations

from bot.sandbox.git.objects import Commit, ObjectStore


def ancestors(store: ObjectStore, sha: str) -> set[str]:
    """Every commit reachable from one, itself included."""
    seen = {sha}
    todo = [sha]
    while todo:
        for parent in store.commit(todo.pop()).parents:
            if parent not in seen:
                seen.add(parent)
                todo.append(parent)
    return seen


def log(store: ObjectStore, include: str, exclude: str | None = None) -> list[Commit]:
    """Commits of `exclude..include`, newest first, a child always before its parents."""
    wanted = ancestors(store, include)
    if exclude is not None:
        wanted -= ancestors(store, exclude)
    children = dict.fromkeys(wanted, 0)
    for sha in wanted:
        for parent in store.commit(sha).parents:
            if parent in children:
                children[parent] += 1
    ready = [sha for sha, count in children.items() if count == 0]
    ordered: list[Commit] = []
    while ready:
        ready.sort(key=lambda sha: (store.commit(sha).committer.when, sha))
        commit = store.commit(ready.pop())
        ordered.append(commit)
        for parent in commit.parents:
            if parent in children:
                children[parent] -= 1
                if children[parent] == 0:
                    ready.append(parent)
    return ordered


def merge_base(store: ObjectStore, one: str, other: str) -> str | None:
    """The best common ancestor; the newest one where a criss-cross history has several."""
    common = ancestors(store, one) & ancestors(store, other)
    if not common:
        return None
    passed = {parent for sha in common for parent in store.commit(sha).parents}
    best = common - passed
    return max(best, key=lambda sha: (store.commit(sha).committer.when, sha))


def is_ancestor(store: ObjectStore, old: str, new: str) -> bool:
    """Whether `new` holds everything of `old` (a move from old to new is a fast-forward)."""
    return old in ancestors(store, new)
