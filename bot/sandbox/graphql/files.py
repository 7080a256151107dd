"""Files of a commit: `TreeEntry` and `Blob`."""

from __future__ import annotations

from typing import Any

from bot.sandbox.objects.nodes import node_id
from bot.sandbox.state import Repository

Node = dict[str, Any]
_MOST_TEXT = 512 * 1024


def entry(repo: Repository, commit: str, path: str) -> Node | None:
    """What lies at a path; null where nothing does. `mode` is git's, as a number."""
    store = repo.git.store
    found = store.lookup(store.commit(commit).tree, path.strip("/"))
    if found is None:
        return None
    kind = "tree" if found.is_tree else "commit" if found.mode == "160000" else "blob"
    return {
        "__typename": "TreeEntry",
        "mode": int(found.mode, 8),
        "name": path.rpartition("/")[2],
        "path": path,
        "oid": found.sha,
        "type": kind,
        "object": lambda _info: _blob(repo, found.sha) if kind == "blob" else None,
    }


def _blob(repo: Repository, sha: str) -> Node:
    """A `Blob`: no text where it is binary, its beginning where it is long."""
    content = repo.git.store.blob(sha)
    binary = b"\0" in content[:8000]
    return {
        "__typename": "Blob",
        "id": node_id("Blob", repo.id, sha),
        "oid": sha,
        "byteSize": len(content),
        "isBinary": binary,
        "isTruncated": len(content) > _MOST_TEXT,
        "text": None if binary else content[:_MOST_TEXT].decode("utf-8", "replace"),
    }
