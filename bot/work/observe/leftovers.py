"""What stands on GitHub under names of failres's own: branches, and caches and artifacts that their runs have left."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from bot.objects import understood
from bot.work.observe.connections import nodes_of
from bot.work.place import Place
from repairs.environment import is_own
from resolver.facts.repairs import Thing

HEADS = "refs/heads/"
OURS = "failres"
CACHES = "actions_caches"


BRANCHES = f"""
query($owner: String!, $name: String!, $after: String) {{
  repository(owner: $owner, name: $name) {{ refs(refPrefix: "{HEADS}", query: "{OURS}", first: 100, after: $after) {{
    pageInfo {{ hasNextPage endCursor }} nodes {{ name target {{ oid }} }} }} }} }}
"""
"""Branches whose names hold the word, wherever: a probe's may stand in a folder that a workflow's filters want."""


async def own_branches(place: Place) -> AsyncIterator[Thing]:
    """Give the branches with names of failres's own."""
    async for ref in nodes_of(place, BRANCHES, "refs"):
        with understood("branch of failres's own"):
            branch = str(ref["name"])
            if is_own(branch):
                yield Thing(kind="ref", name=branch, version=str(ref["target"]["oid"]), branch=branch)


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
        if is_own(cache.branch):
            yield cache
    async for item in place.installation.pages(place.path("/actions/artifacts"), key="artifacts"):
        with understood("artifact"):
            run = item.get("workflow_run") or {}
            branch, ours = str(run.get("head_branch") or ""), run.get("head_repository_id") == place.repo.repo_id
            if ours and is_own(branch) and not item["expired"]:  # a fork's branch may be called like ours
                sha, number = str(run["head_sha"]), int(item["id"])
                yield Thing(kind="artifact", name=str(item["name"]), version=sha, branch=branch, id=number)


def _cache(item: Mapping[str, Any]) -> Thing:
    number, ref = int(item["id"]), str(item["ref"])
    return Thing(kind="cache", name=str(item["key"]), version=str(number), branch=ref.removeprefix(HEADS), id=number)
