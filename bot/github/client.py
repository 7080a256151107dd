"""GitHub for the rest of the bot: as the App itself, and as one of its installations.

    github = GitHub(session, settings.app, clock)
    installation = github.installation(delivery["installation"]["id"])
    job = await installation.get(route("/repositories/{id}/actions/jobs/{job}", id=repo, job=job_id))

Every call raises the errors of `bot.github.errors` and nothing else. Paths begin with `/`; names in them are filled in
by `route`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncGenerator, Iterator
from functools import partial
from typing import Any, Final

import aiohttp

from bot.clock import Clock
from bot.github.auth import AppSigner, InstallationSigner
from bot.github.budget import Budget, BudgetLimits, Spending
from bot.github.calls import Calls
from bot.github.download import download
from bot.github.errors import Unavailable
from bot.github.etags import Etags
from bot.github.graphql import Examine, GraphQLReply, complete, errors_of, only_reads
from bot.github.identity import AppSettings, read_private_key
from bot.github.paths import Query, address, graphql_address, origin, path_of, route
from bot.github.values import JSON, READS, Reply, Request
from bot.github.wire import Wire, WireLimits

APP: Final = 0  # no installation has this id
PER_PAGE: Final = 100  # GitHub's most
CONNECTIONS: Final = 50  # GitHub: at most 100 at once, REST and GraphQL together


def open_session() -> aiohttp.ClientSession:
    """A session as the client wants it: bounded connections, no cookies, no credentials of its own. Close it with
    `async with`.
    """
    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=True)


class GitHub:
    """One per process: the App. Installations' tokens, budgets and ETags live here."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        settings: AppSettings,
        clock: Clock,
        *,
        wire_limits: WireLimits | None = None,
        budget_limits: BudgetLimits | None = None,
        etags: Etags | None = None,
    ) -> None:
        self._settings, self._clock = settings, clock
        self._wire = Wire(session, wire_limits or WireLimits())
        self._budget_limits = budget_limits or BudgetLimits()
        self._etags = etags or Etags()
        key = read_private_key(settings.private_key.get_secret_value())
        signer = AppSigner(settings.app_id, key, clock)
        self._as_app = Calls(self._wire, signer, self._new_budget(), partial(self._etags.view, APP))
        self._endpoint = Endpoint(self._as_app, settings.base_url)
        self._installations: dict[int, Installation] = {}

    def installation(self, installation_id: int) -> Installation:
        """The installation with that id; nothing is asked of GitHub yet."""
        kept = self._installations.get(installation_id)
        if kept is None:
            kept = self._installations[installation_id] = self._open(installation_id)
        return kept

    @property
    def app_id(self) -> int:
        """The App's numeric id: `check_run.app.id` and `performed_via_github_app.id` of what it made itself."""
        return int(self._settings.app_id)

    async def app_post(self, path: str, body: Any = None) -> Any:
        """POST as the App."""
        return (await self._endpoint.reply("POST", path, body)).data

    def app_pages(self, path: str, *, key: str | None = None, **params: Query) -> AsyncGenerator[Any, None]:
        """The items of all pages as the App; hook deliveries page by cursor, which `Link` carries."""
        return self._endpoint.pages(path, key, params)

    def spending(self) -> Iterator[tuple[str, Spending]]:
        """For metrics: ("app" or the installation's id, what it spent and what is left)."""
        for spending in self._as_app.budget.spending():
            yield "app", spending
        for installation in list(self._installations.values()):
            for spending in installation.budget.spending():
                yield str(installation.id), spending

    def _open(self, installation_id: int) -> Installation:
        path = route("/app/installations/{id}/access_tokens", id=installation_id)

        urgent = dataclasses.replace(self._endpoint, reserve=True)  # a command needs a token like any other call

        async def mint() -> Any:
            return (await urgent.reply("POST", path, repeatable=True)).data

        signer = InstallationSigner(mint, self._clock)
        calls = Calls(self._wire, signer, self._new_budget(), partial(self._etags.view, installation_id))
        return Installation(installation_id, Endpoint(calls, self._settings.base_url))

    def _new_budget(self) -> Budget:
        return Budget(self._clock, self._budget_limits)


@dataclasses.dataclass(frozen=True, slots=True)
class Endpoint:
    """Calls of one identity at one base address."""

    calls: Calls
    base_url: str
    reserve: bool = False

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        accept: str = JSON,
        repeatable: bool = False,
        params: dict[str, Query],
    ) -> Request:
        """A REST request; raises ValueError for a path that is none."""
        url = address(self.base_url, path, params)
        return Request(
            method, url, path_of(url), body, accept, repeatable=repeatable or method in READS, reserve=self.reserve
        )

    async def reply(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        accept: str = JSON,
        repeatable: bool = False,
        params: dict[str, Query] | None = None,
    ) -> Reply:
        """Send it."""
        return await self.calls.send(
            self.request(method, path, body, accept=accept, repeatable=repeatable, params=params or {})
        )

    async def pages(self, path: str, key: str | None, params: dict[str, Query]) -> AsyncGenerator[Any, None]:
        """All items, page after page, as `Link` leads; GitHub's links go through `/repositories/{id}` (GITHUB.md trap
        35).
        """
        request = self.request("GET", path, params={"per_page": PER_PAGE, **params})
        seen = {request.url}
        while True:
            reply = await self.calls.send(request)
            items = _items(reply.data, key, request.path)
            if reply.from_cache and reply.next_url is None and len(items) >= int(params.get("per_page") or PER_PAGE):
                # The last page was full: what was added since is on a new one; this page and its ETag stay the same.
                request = dataclasses.replace(request, anew=True)
                continue
            for item in items:
                yield item
            if reply.next_url is None:
                return
            if origin(reply.next_url) != origin(self.base_url) or reply.next_url in seen:
                raise Unavailable(f"{request.path}: the link to the next page leads astray")
            seen.add(reply.next_url)
            request = dataclasses.replace(request, url=reply.next_url, path=path_of(reply.next_url), anew=False)


class Installation:
    """The App in one account. Cheap to get; keep none across turns."""

    def __init__(self, installation_id: int, endpoint: Endpoint) -> None:
        self.id = installation_id
        self._endpoint = endpoint

    @property
    def budget(self) -> Budget:
        """What is left in this hour."""
        return self._endpoint.calls.budget

    def with_reserve(self) -> Installation:
        """The same, allowed to use what is kept for commands, kill switches and landing."""
        return Installation(self.id, dataclasses.replace(self._endpoint, reserve=True))

    async def get(self, path: str, *, accept: str = JSON, **params: Query) -> Any:
        """The decoded answer; a value of its own each time, even where GitHub said 304."""
        return (await self.get_reply(path, accept=accept, **params)).data

    async def get_reply(self, path: str, *, accept: str = JSON, **params: Query) -> Reply:
        """The answer with status and headers."""
        return await self._endpoint.reply("GET", path, accept=accept, params=params)

    def pages(self, path: str, *, key: str | None = None, **params: Query) -> AsyncGenerator[Any, None]:
        """The items of all pages, 100 a request. `key` names the list in an answer that is an object (`workflow_runs`,
        `jobs`, `check_runs`); it may be left out where the object holds one list only.
        """
        return self._endpoint.pages(path, key, params)

    async def post(self, path: str, body: Any = None) -> Any:
        """The decoded answer, None where it is empty."""
        return (await self._endpoint.reply("POST", path, body)).data

    async def patch(self, path: str, body: Any = None) -> Any:
        """The decoded answer, None where it is empty."""
        return (await self._endpoint.reply("PATCH", path, body)).data

    async def put(self, path: str, body: Any = None) -> Any:
        """The decoded answer, None where it is empty."""
        return (await self._endpoint.reply("PUT", path, body)).data

    async def delete(self, path: str, body: Any = None) -> Any:
        """The decoded answer, None where it is empty."""
        return (await self._endpoint.reply("DELETE", path, body)).data

    async def graphql(self, query: str, **variables: Any) -> dict[str, Any]:
        """The whole data. Raises QueryFailed (with the partial data) or PermissionMissing where GitHub names errors."""
        return complete(await self.graphql_reply(query, **variables))

    async def graphql_reply(self, query: str, **variables: Any) -> GraphQLReply:
        """Data and errors side by side, for a page of which one node may fail. Only a query is sent again; a mutation
        may have been done.
        """
        reads = only_reads(query)
        url = graphql_address(self._endpoint.base_url)
        body = {"query": query, "variables": variables} if variables else {"query": query}
        examine = Examine(not reads, self._endpoint.calls.clock.now())
        request = Request(
            "POST",
            url,
            path_of(url),
            body,
            resource="graphql",
            repeatable=reads,
            reserve=self._endpoint.reserve,
            examine=examine,
        )
        answer = (await self._endpoint.calls.send(request)).data
        return GraphQLReply(answer.get("data") or {}, errors_of(answer))

    def download(self, path: str, *, cap_bytes: int) -> AsyncGenerator[bytes, None]:
        """A log or an artifact in chunks, see `bot.github.download`. Close the iterator (`aclosing`) when leaving
        early.
        """
        return download(self._endpoint.calls, self._endpoint.request("GET", path, params={}), cap_bytes=cap_bytes)


def _items(data: Any, key: str | None, path: str) -> list[Any]:
    if isinstance(data, list):
        return data
    lists = (
        [value for name, value in data.items() if isinstance(value, list) and key in {None, name}]
        if isinstance(data, dict)
        else []
    )
    if len(lists) != 1:
        raise Unavailable(f"{path} answered a page without {f'the list {key}' if key else 'one list'}")
    return lists[0]
