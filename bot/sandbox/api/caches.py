"""Caches of Actions: listed by ref and key, counted, deleted by id or by key."""

from __future__ import annotations

from collections.abc import Callable

from bot.sandbox import objects
from bot.sandbox.api.call import Call, Reply, Table, found, route
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.state import Cache

_ORDERS: dict[str, Callable[[Cache], float]] = {
    "created_at": lambda one: one.created_at,
    "last_accessed_at": lambda one: one.last_accessed_at,
    "size_in_bytes": lambda one: len(one.data),
}


async def list_caches(call: Call) -> Reply:
    """`GET actions/caches`: `ref` is a whole ref, `key` a key or its beginning; last used first unless asked."""
    query = call.query
    chosen = [one for one in _of_ref(call) if one.key.startswith(query.get("key", ""))]
    order = _ORDERS[query.get("sort", "last_accessed_at")]
    chosen.sort(key=lambda one: (order(one), one.id), reverse=query.get("direction", "desc") == "desc")
    return call.page(chosen, objects.cache, key="actions_caches")


async def usage(call: Call) -> Reply:
    """`GET actions/cache/usage`."""
    caches = call.repo.caches.values()
    size = sum(len(one.data) for one in caches)
    return Reply(
        200,
        {
            "full_name": call.repo.full_name,
            "active_caches_size_in_bytes": size,
            "active_caches_count": len(caches),
        },
    )


async def delete_by_key(call: Call) -> Reply:
    """`DELETE actions/caches?key=…`: all of the whole key, in every ref unless one is named; tells what is gone."""
    if "key" not in call.query:
        raise Refused(422, 'Invalid request.\n\n"key" wasn\'t supplied.')
    gone = [one for one in _of_ref(call) if one.key == call.query["key"]]
    if not gone:
        raise Refused(404, "Not Found")
    for one in gone:
        del call.repo.caches[one.id]
    return Reply(200, {"total_count": len(gone), "actions_caches": [objects.cache(one) for one in gone]})


async def delete_by_id(call: Call) -> Reply:
    """`DELETE actions/caches/{cache_id}`: 204; 404 once it is gone."""
    one = found(call.repo.caches.get(call.number("cache_id")))
    del call.repo.caches[one.id]
    return Reply(204)


def _of_ref(call: Call) -> list[Cache]:
    ref = call.query.get("ref")
    return [one for one in call.repo.caches.values() if ref is None or one.ref == ref]


ROUTES: Table = {
    "actions/get-actions-cache-list": route(list_caches, "actions:read"),
    "actions/get-actions-cache-usage": route(usage, "actions:read"),
    "actions/delete-actions-cache-by-key": route(delete_by_key, "actions:write"),
    "actions/delete-actions-cache-by-id": route(delete_by_id, "actions:write"),
}
