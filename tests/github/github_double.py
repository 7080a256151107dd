"""Two ways to be GitHub for the client's tests, and what they answer.

aioresponses gives replies that no server would give; `Hub` is a real aiohttp server, for redirects, streams and ETags.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
from aioresponses import aioresponses
from yarl import URL

from bot.clock import ManualClock

API = "https://api.github.com"
MINT = f"{API}/app/installations/7/access_tokens"
# GitHub's installation tokens since April 2026: about 520 characters, with dots, dashes and underscores.
LONG_TOKEN = "ghs_123456_eyJhbGciOiJSUzI1NiJ9." + "aB3-_x" * 70 + "." + "Zz9_-Q" * 11 + "ab"


class CannedResponse(aiohttp.ClientResponse):
    """aiohttp 3.14 wants one argument more than aioresponses 0.7.9 gives."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("stream_writer", SimpleNamespace(output_size=0))
        super().__init__(*args, **kwargs)


def token_reply(clock: ManualClock, text: str = LONG_TOKEN, lasts: float = 3600.0) -> dict[str, Any]:
    """GitHub's answer with an installation token."""
    expires = datetime.fromtimestamp(clock.now() + lasts, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"token": text, "expires_at": expires, "permissions": {}, "repository_selection": "all"}


def sent(canned: aioresponses, method: str, url: str) -> list[dict[str, Any]]:
    """The keyword arguments of the requests that were made to an address, in order."""
    return [call.kwargs for call in canned.requests.get((method, URL(url)), [])]


class Hub:
    """A server that answers as a test tells it, and remembers what it was asked.

    `answer(method, path, *handlers)`: each request takes the next handler, the last one stays. A handler is a function of the request.
    """

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.requests: list[web.Request] = []
        self.bodies: list[bytes] = []
        self._handlers: dict[tuple[str, str], list[Any]] = {}
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/{rest:.*}", self._handle)
        self.server = TestServer(app)

    @property
    def url(self) -> str:
        """Its base address, without a slash."""
        return str(self.server.make_url("")).rstrip("/")

    def answer(self, method: str, path: str, *handlers: Any) -> None:
        """Set what requests to a path get."""
        self._handlers[method, path] = list(handlers)

    def asked(self, path: str) -> list[web.Request]:
        """The requests that were made to a path."""
        return [request for request in self.requests if request.path == path]

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        self.bodies.append(await request.read())
        if request.path.endswith("/access_tokens"):
            return web.json_response(token_reply(self.clock), status=201)
        handlers = self._handlers.get((request.method, request.path))
        if not handlers:
            return web.json_response({"message": "Not Found"}, status=404)
        handler = handlers.pop(0) if len(handlers) > 1 else handlers[0]
        reply = handler(request)
        return await reply if hasattr(reply, "__await__") else reply


def reply(payload: Any = None, status: int = 200, **headers: str) -> Any:
    """A handler that answers JSON; underscores in header names stand for dashes."""

    def handler(_: web.Request) -> web.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(text=json.dumps(payload), status=status, headers=named, content_type="application/json")

    return handler
