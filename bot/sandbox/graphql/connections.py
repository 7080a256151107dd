"""Connections: `first`/`last` with cursors, as every list in GitHub's GraphQL has them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from bot.sandbox.graphql.failures import Failed

T = TypeVar("T")
MAX_ITEMS = 100


def connection(items: Sequence[T], show: Callable[[T], Any], **asked: Any) -> dict[str, Any]:
    """Give one page of a list; GitHub wants `first` or `last`, at most 100."""
    first, last = asked.get("first"), asked.get("last")
    size = first if first is not None else last
    if size is None:
        raise Failed(
            "MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value to properly paginate."
        )
    if not 0 <= size <= MAX_ITEMS:
        raise Failed("EXCESSIVE_PAGINATION", f"Requesting {size} records exceeds the limit of {MAX_ITEMS} records.")
    start = 0 if asked.get("after") is None else _read(asked["after"]) + 1
    stop = len(items) if asked.get("before") is None else _read(asked["before"])
    if first is not None:
        stop = min(stop, start + first)
    else:
        start = max(start, stop - (last or 0))
    shown = [(_cursor(at), show(items[at])) for at in range(start, max(start, stop))]
    return {
        "totalCount": len(items),
        "nodes": [node for _, node in shown],
        "edges": [{"cursor": cursor, "node": node} for cursor, node in shown],
        "pageInfo": {
            "startCursor": shown[0][0] if shown else None,
            "endCursor": shown[-1][0] if shown else None,
            "hasNextPage": stop < len(items),
            "hasPreviousPage": start > 0,
        },
    }


def _cursor(at: int) -> str:
    return base64.b64encode(f"cursor:{at}".encode()).decode()


def _read(cursor: str) -> int:
    try:
        return int(base64.b64decode(cursor).decode().removeprefix("cursor:"))
    except ValueError:
        raise Failed("INVALID_CURSOR_ARGUMENTS", f"`{cursor}` does not appear to be a valid cursor.") from None
