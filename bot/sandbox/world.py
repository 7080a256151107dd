"""
The embedded GitHub put together: state, CI, webhooks, REST, GraphQL, git and pages on loopback ports.

`Sandbox(root, clock, manifest)` is usable at once for changes of state; `await start()` opens three origins, as GitHub
has them: the API, the web (pages and git), and where logs and artifacts are downloaded.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.clock import Clock
from bot.sandbox import smart_http
from bot.sandbox.api.call import Services
from bot.sandbox.api.tables import ROUTES
from bot.sandbox.auth import Tokens
from bot.sandbox.changes import accounts
from bot.sandbox.ci.engine import Ci
from bot.sandbox.ci.origin import LogOrigin
from bot.sandbox.description import load
from bot.sandbox.faults import Faults
from bot.sandbox.http import Api
from bot.sandbox.keys import KeyPair, key_pair
from bot.sandbox.limits import Limits
from bot.sandbox.pages import Pages
from bot.sandbox.people import People
from bot.sandbox.queues import MergeQueues
from bot.sandbox.state import GitHub
from bot.sandbox.troubles import befall
from bot.sandbox.webhooks.hooks import Hooks
from bot.sandbox.webhooks.payloads import payload
from bot.sandbox.webhooks.routes import hook_routes

WEBHOOK_SECRET = "a secret of the sandbox"  # noqa: S105 - not a credential of anything outside this process
MAX_PUSH_BYTES = 256 * 1024 * 1024


class Sandbox:
    """One embedded GitHub with one App made from a manifest (the content of `app.yml`)."""

    def __init__(
        self,
        root: Path,
        clock: Clock,
        manifest: dict[str, Any],
        *,
        owner: str = "octo",
        keys: KeyPair | None = None,
        webhook_secret: str = WEBHOOK_SECRET,
    ) -> None:
        pair = keys or key_pair()
        self.github = GitHub(root, clock)
        self.private_key = pair.private
        self.webhook_secret = webhook_secret
        accounts.add_actions_app(self.github)
        self.owner = accounts.add_account(self.github, owner, "Organization")
        self.app = accounts.add_app(
            self.github, manifest, owner=self.owner, public_key=pair.public, webhook_secret=webhook_secret
        )
        self.tokens = Tokens(self.github)
        self.limits = Limits(clock)
        self.faults = Faults()
        description = load()
        self.ci = Ci(self.github, root / "jobs", payload)
        self.queues = MergeQueues(self.github)
        self.hooks = Hooks(self.github, description.webhook_problems)
        self.people = People(self.github, self.owner, self.ci, self.hooks)
        self.logs = LogOrigin(self.github)
        services = Services(self.github, self.tokens, self.limits, self.ci, self.logs)
        self.api = Api(services, description, {**ROUTES, **hook_routes(self.hooks)}, self.faults)
        self._runners: list[web.AppRunner] = []

    async def start(self, *, api_port: int = 0, web_port: int = 0) -> None:
        """Open the ports (0: any free one) and let all links name them."""
        api = web.Application(client_max_size=MAX_PUSH_BYTES)
        api.router.add_route("*", "/{path:.*}", self.api.handle)
        self.github.api_url = await self._open(api, api_port)
        pages = web.Application(client_max_size=MAX_PUSH_BYTES)
        Pages(self.github, self.people).add_to(pages)
        pages.router.add_route("*", "/{path:.*}", self._web)
        self.github.web_url = await self._open(pages, web_port)
        downloads = self.logs.application()
        downloads.middlewares.append(self._trouble)
        self.logs.url = await self._open(downloads, 0)

    async def advance(self) -> bool:
        """Let GitHub do what it does by itself, merge queues first; whether anything moved."""
        queued = await self.queues.advance()
        return await self.ci.advance() or queued

    async def stop(self) -> None:
        """Close all ports and connections."""
        await self.hooks.close()
        for runner in self._runners:
            await runner.cleanup()
        self._runners.clear()

    @property
    def api_url(self) -> str:
        """The API's origin, known once started."""
        return self.github.api_url

    @property
    def web_url(self) -> str:
        """The origin of pages and git, known once started."""
        return self.github.web_url

    @property
    def violations(self) -> list[str]:
        """What the bot asked or the sandbox answered against GitHub's description; must be empty after a test."""
        return [*self.api.ledger.violations, *self.hooks.problems]

    def user_token(self, login: str) -> str:
        """Give a person's token, for the API and as git's password."""
        return self.tokens.for_user(self.github.accounts[login])

    @web.middleware
    async def _trouble(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Faults strike downloads too; their paths begin with `/logs/`, `/run-logs/`, `/artifacts/`."""
        fault = self.faults.next(request.method, request.path)
        if fault is None:
            return await handler(request)
        return await befall(fault, self.github.clock, request, lambda: handler(request), _gone)

    async def _web(self, request: web.Request) -> web.StreamResponse:
        if not smart_http.is_git(request.path):
            raise web.HTTPNotFound
        return await smart_http.serve(self.github, self.tokens, request)

    async def _open(self, application: web.Application, port: int) -> str:
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        self._runners.append(runner)
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}"


def _gone() -> web.Response:
    """Downloads have no replicas: what lags is not there."""
    return web.Response(status=404)
