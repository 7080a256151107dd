"""
The REST API over HTTP: each request is checked, allowed, carried out, and its answer checked by GitHub's description.

The order is GitHub's: fault, credentials, limits, route, repository (404, 301, 307), permission (403), body (400, 422),
then the operation. What neither side may do is kept in `violations`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from bot.sandbox import etags
from bot.sandbox.access import check_access
from bot.sandbox.api.call import Call, Reply, Services, Table
from bot.sandbox.auth import Caller
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.description import Description
from bot.sandbox.faults import Faults
from bot.sandbox.graphql import GraphQL
from bot.sandbox.permissions import header
from bot.sandbox.router import Match, Router
from bot.sandbox.state import Repository
from bot.sandbox.troubles import befall

API_VERSION = "2022-11-28"
DOCUMENTATION = "https://docs.github.com/rest"
MAX_REMEMBERED = 2_000  # answers kept for `stale` faults
_GRAPHQL = ("/graphql", "/api/graphql")
_WRITES = ("POST", "PATCH", "PUT", "DELETE")


@dataclass
class Ledger:
    """What was asked and what was wrong: `violations` must stay empty in a test; `by_route` counts answers."""

    violations: list[str] = field(default_factory=list)
    by_route: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)


class Api:
    """Answers REST requests."""

    def __init__(self, services: Services, description: Description, table: Table, faults: Faults) -> None:
        self.services = services
        self.description = description
        self.table = table
        self.faults = faults
        self.ledger = Ledger()
        self.graphql = GraphQL(services, self.ledger.violations.append)
        self._router = Router(description.operations.values())
        self._last: dict[str, tuple[bytes, dict[str, str]]] = {}

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        path = request.rel_url.raw_path.removeprefix("/api/v3")
        fault = self.faults.next(request.method, path, await _mutation(request) if path in _GRAPHQL else "")
        if fault is None:
            return await self._carry_out(request, path)
        return await befall(
            fault,
            self.services.github.clock,
            request,
            lambda: self._carry_out(request, path),
            lambda: self._stale(request),
        )

    async def _carry_out(self, request: web.Request, path: str) -> web.Response:
        if path in _GRAPHQL:
            self.ledger.by_route["graphql"] += 1
            return await self.graphql.answer(request)
        return await self._answer(request, path)

    async def _answer(self, request: web.Request, path: str) -> web.Response:
        caller, match = Caller(), None
        try:
            _check_client(request)
            caller = self.services.tokens.identify(request.headers.get("Authorization"))
            path, repo = self._by_id(path)
            match = self._match(request.method, path, caller)
            call = await self._call(request, path, caller, match, repo)
            reply = await self.table[match.operation.id].handler(call)
        except _Instead as instead:
            reply = instead.reply
        except Refused as refused:
            reply = _refusal(refused)
        except Exception as error:
            self.ledger.violations.append(f"{request.method} {path} broke the sandbox: {error!r}")
            raise
        return self._finish(request, caller, match, reply)

    def _stale(self, request: web.Request) -> web.Response:
        body, headers = self._last.get(request.path_qs, (b'{"message":"Not Found"}', {}))
        headers = headers or {"Content-Type": "application/json; charset=utf-8"}
        return web.Response(status=200 if request.path_qs in self._last else 404, body=body, headers=headers)

    def _by_id(self, path: str) -> tuple[str, Repository | None]:
        """Read `/repositories/{id}/…` as that repository's path."""
        if not path.startswith("/repositories/"):
            return path, None
        number, _, rest = path.removeprefix("/repositories/").partition("/")
        repo = self.services.github.repositories.get(int(number)) if number.isdigit() else None
        if repo is None:
            raise Refused(404, "Not Found")
        return f"/repos/{repo.full_name}" + (f"/{rest}" if rest else ""), repo

    def _count(self, caller: Caller, method: str, match: Match | None) -> None:
        self.ledger.by_route[match.operation.id if match else "unknown"] += 1
        if match is not None and match.operation.id == "rate-limit/get":
            return
        limited = self.services.limits.check(caller.key, "core", write=method in _WRITES)
        if limited is not None:
            body = {"message": limited.message, "documentation_url": DOCUMENTATION, "status": str(limited.status)}
            raise _Instead(Reply(limited.status, body, limited.headers))

    def _match(self, method: str, path: str, caller: Caller) -> Match:
        match = self._router.match(method, path)
        self._count(caller, method, match)
        if match is not None and match.operation.id in self.table:
            return match
        if path.endswith("/") and path != "/":
            raise Refused(404, "Not Found")  # GitHub: a trailing slash finds nothing (5.26)
        what = match.operation.id if match else "no operation of the description kept here"
        message = f"the sandbox does not know {method} {path} ({what})"
        self.ledger.violations.append(message)
        raise Refused(501, message)

    async def _call(
        self, request: web.Request, path: str, caller: Caller, match: Match, repo: Repository | None
    ) -> Call:
        operation, parameters = match.operation, match.parameters
        rest = path
        if "owner" in parameters and "repo" in parameters:
            full_name = f"{parameters['owner']}/{parameters['repo']}"
            rest = path.removeprefix("/repos/").partition("/")[2].partition("/")[2]
            rest = f"/{rest}" if rest else ""
            repo = repo or self.services.github.repository(full_name)
            if repo is not None and repo.full_name.lower() != full_name.lower():
                raise _moved(self.services.github.api_url, repo, rest, request)
        check_access(caller, self.table[operation.id], operation, repo, in_repo="repo" in parameters)
        query = dict(request.query)
        self.ledger.violations += self.description.query_problems(operation, query)
        body = _parse(await request.read())
        if problems := self.description.request_problems(operation, body):
            self.ledger.violations += problems
            raise Refused(422, "Invalid request.", problems)
        accept = request.headers.get("Accept", "application/vnd.github+json")
        return Call(self.services, operation, caller, parameters, query, body, accept, request.headers, rest, repo)

    def _finish(self, request: web.Request, caller: Caller, match: Match | None, reply: Reply) -> web.Response:
        headers = {
            "X-GitHub-Media-Type": "github.v3; format=json",
            "X-GitHub-Api-Version-Selected": API_VERSION,
            "X-GitHub-Request-Id": f"{self.ledger.by_route.total():08X}",
            **reply.headers,
        }
        status, raw = reply.status, isinstance(reply.body, bytes)
        if match is not None and not raw and status not in {204, 302}:
            self.ledger.violations += self.description.response_problems(match.operation, status, reply.body)
        body = reply.body if raw else b"" if reply.body is None else json.dumps(reply.body).encode()
        if not raw and body:
            headers["Content-Type"] = "application/json; charset=utf-8"
        if request.method == "GET" and status == 200:
            etag = etags.tag(body, request.headers.get("Accept", ""))
            headers |= {"ETag": etag, "Cache-Control": "private, max-age=60, s-maxage=60"}
            if len(self._last) < MAX_REMEMBERED or request.path_qs in self._last:
                self._last[request.path_qs] = body, dict(headers)
            if etags.matches(request.headers.get("If-None-Match"), etag):
                self.services.limits.forgive(caller.key, "core")
                status, body = 304, b""
                headers.pop("Content-Type", None)
        if match is not None:
            headers |= _accepted(self.table, match)
        headers |= self.services.limits.headers(caller.key, "core")
        self.ledger.statuses[status] += 1
        return web.Response(status=status, body=body, headers=headers)


class _Instead(Exception):
    """An answer that comes before the operation."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


def _moved(api_url: str, repo: Repository, rest: str, request: web.Request) -> _Instead:
    """GitHub: a renamed repository is 301 for GET and 307 for the rest (GITHUB.md 5.35)."""
    status, message = (301, "Moved Permanently") if request.method == "GET" else (307, "Temporary Redirect")
    query = f"?{request.query_string}" if request.query_string else ""
    url = f"{api_url}/repositories/{repo.id}{rest}{query}"
    body = {"message": message, "url": url, "documentation_url": DOCUMENTATION}
    return _Instead(Reply(status, body, {"Location": url}))


def _accepted(table: Table, match: Match) -> dict[str, str]:
    permissions = table[match.operation.id].permissions
    return {"X-Accepted-GitHub-Permissions": header(permissions)} if permissions else {}


def _check_client(request: web.Request) -> None:
    """GitHub: no `User-Agent` is 403; an API version that does not exist is 400."""
    if not request.headers.get("User-Agent"):
        raise Refused(
            403, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header"
        )
    version = request.headers.get("X-GitHub-Api-Version", API_VERSION)
    if version != API_VERSION:
        raise Refused(400, f"the sandbox speaks version {API_VERSION} of the API, not {version}")


def _parse(raw: bytes) -> Any:
    if not raw:
        return None
    try:
        return json.loads(raw)
    except ValueError:
        raise Refused(400, "Problems parsing JSON") from None


def _refusal(refused: Refused) -> Reply:
    body: dict[str, Any] = {
        "message": refused.message,
        "documentation_url": DOCUMENTATION,
        "status": str(refused.status),
    }
    if refused.errors:
        body["errors"] = refused.errors
    return Reply(refused.status, body)


async def _mutation(request: web.Request) -> str:
    """Give the first field of a mutation, as faults name it; empty for anything else."""
    found = _MUTATION.search(await request.text())
    return found[1] if found else ""


_MUTATION = re.compile(r"\bmutation\b[^{]*\{(?:\s|\\n)*(\w+)")
