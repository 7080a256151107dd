"""The pages of a repository's lists as GitHub's GraphQL gives them."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.github import NotFound
from bot.objects import Json
from bot.work.place import Place


async def nodes_of(place: Place, query: str, connection: str) -> AsyncIterator[Json]:
    """Give the nodes of all pages. `query` takes `$owner`, `$name` and `$after`, and asks for `pageInfo`.

    Raises NotFound where the repository is gone.
    """
    owner, _, name = place.repo.full_name.partition("/")
    after: str | None = None
    while True:
        data = await place.installation.graphql(query, owner=owner, name=name, after=after)
        if data.get("repository") is None:
            raise NotFound(place.path(""), "the repository is gone, or hidden from this App")
        page = data["repository"][connection]
        for node in page["nodes"]:
            yield node
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            return
