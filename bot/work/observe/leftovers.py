"""What stands on GitHub under names of failres's own: branches, and caches and artifacts that their runs have left."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from bot.objects import understood
from bot.work.place import Place
from repairs.environment import OWN_BRANCHES
from resolver.repair_facts import Thing

HEADS = "refs/heads/"
OURS = "failres"
CACHES = "actions_caches"


async def own_branches(place: Place) -> AsyncIterator[Thing]:
    """Give the branches whose names begin like failres's own. GitHub gives no pages of them."""
    for ref in await place.installation.get(place.path("/git/matching-refs/heads/{name}", name=OURS)):
        with understood("branch of failres's own"):
            name = str(ref["ref"]).removeprefix(HEADS)
            if name.startswith(OWN_BRANCHES):
                yield Thing(kind="ref", name=name, version=str(ref["object"]["sha"]), branch=name)


async def caches_of(place: Place, **query: str) -> AsyncIterator[Thing]:
    """Give the repository's caches, of one ref (`ref`) or of all."""
    async for item in place.installation.pages(place.path("/actions/caches"), key=CACHES, **query):
        with understood("cache"):
            yield _cache(item)


async def found_things(place: Place) -> AsyncIterator[Thing]:
    """Give everything under failres's own names: branches, then caches and artifacts of their runs."""
    async for ref in own_branches(place):
        yield ref
    async for cache in caches_of(place):
        if cache.branch.startswith(OWN_BRANCHES):
            yield cache
    async for item in place.installation.pages(place.path("/actions/artifacts"), key="artifacts"):
        with understood("artifact"):
            branch = str((item.get("workflow_run") or {}).get("head_branch") or "")
            if branch.startswith(OWN_BRANCHES) and not item["expired"]:
                number = int(item["id"])
                name = str(item["name"])
                yield Thing(kind="artifact", name=name, version=str(number), branch=branch, id=number)


def _cache(item: Mapping[str, Any]) -> Thing:
    number, ref = int(item["id"]), str(item["ref"])
    return Thing(kind="cache", name=str(item["key"]), version=str(number), branch=ref.removeprefix(HEADS), id=number)
