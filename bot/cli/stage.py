"""The stage: the real failres over the embedded GitHub, both over HTTP on loopback, driven step by step on one clock.

Nothing happens by itself. `settle` lets CI run, deliveries leave, turns and workers work, and time jump to the next
thing that is due, until nothing changes any more; so a scenario takes no longer than its work.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from aiohttp import web
from pydantic import SecretStr

from bot.clock import ManualClock
from bot.process import Process, open_process
from bot.sandbox.changes.accounts import install, installations_on
from bot.sandbox.people import People
from bot.sandbox.state import Happening, Repository
from bot.sandbox.world import Sandbox
from bot.server import make_runner
from bot.settings import Settings
from bot.store import JournalRow
from resolver.limits import LIMITS, Limits

MANIFESTS = (Path(__file__).parents[2] / "app.yml", Path(__file__).parents[1] / "app.yml")
"""The App as it is installed on GitHub, in a checkout or in a wheel; the embedded one allows no more than it says."""

PATIENCE = 120.0
"""How far (seconds) time jumps without anything changing on GitHub before things count as settled."""

STEPS = 5_000


class Unsettled(Exception):
    """Something goes round in circles; the message says what was still moving."""


@dataclass
class Stage:
    """One failres, one GitHub, one clock. `given` are more settings of failres, `limits` its own, as of its next start.

    A stage on which deliveries get lost or failres dies is not `calm`.
    """

    root: Path
    sandbox: Sandbox
    clock: ManualClock
    process: Process | None = None
    changes: int = 0
    port: int = 0
    store_url: str = ""
    ready_at: int = 0
    calm: bool = True
    given: dict[str, Any] = field(default_factory=dict)
    limits: Limits = LIMITS
    _life: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def people(self) -> People:
        """Who does things on GitHub."""
        return self.sandbox.people

    @property
    def failres(self) -> Process:
        """The running process."""
        if self.process is None:
            raise LookupError("failres is not running on this stage")
        return self.process

    async def start(self) -> None:
        """Start failres; its memory is what its state directory holds."""
        self.process = await self._life.enter_async_context(
            open_process(self.settings(), self.clock, limits=self.limits)
        )
        runner = make_runner(self.process.app)
        await runner.setup()
        self._life.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, "127.0.0.1", self.port, reuse_address=True).start()
        self.port = runner.addresses[0][1]
        self.sandbox.app.webhook_url = f"http://127.0.0.1:{self.port}/webhook"
        await self.process.service.recover()

    async def stop(self) -> None:
        """Stop failres wherever it is; only what was committed stays."""
        self.process = None
        await self._life.aclose()
        self._life = AsyncExitStack()

    def settings(self) -> Settings:
        """Give the settings of an App that lives on the embedded GitHub."""
        return Settings(
            app_id=str(self.sandbox.app.id),
            private_key=SecretStr(self.sandbox.private_key),
            webhook_secrets=(SecretStr(self.sandbox.webhook_secret),),
            base_url=self.sandbox.api_url,
            web_url=self.sandbox.web_url,
            state_dir=self.root / "state",
            mode="act",
            store_url=self.store_url,
            **self.given,
        )

    async def step(self) -> bool:
        """Let everything that is due now happen once; returns whether anything did, or is still on its way."""
        moved = await self.sandbox.advance()
        moved = bool(await self.sandbox.hooks.deliver() or self.sandbox.hooks.waiting) or moved
        return await self.failres.service.step() or moved

    async def settle(self, patience: float = PATIENCE) -> None:
        """Go on until nothing changes on GitHub for `patience` seconds of the clock."""
        quiet_since, seen = self.clock.now(), self.changes
        for _ in range(STEPS):
            if await self.step():
                continue
            if self.changes != seen:
                quiet_since, seen = self.clock.now(), self.changes
            at = await self.failres.service.next_time()
            if at > quiet_since + patience:
                return
            self.clock.advance(max(at - self.clock.now(), 0.001))
        raise Unsettled(f"after {STEPS} steps there is still something to do; {self.changes} changes so far")

    async def later(self, seconds: float, patience: float = PATIENCE) -> None:
        """Let that much time pass, doing what falls due on the way."""
        end = self.clock.now() + seconds
        while self.clock.now() < end:
            await self.settle(0.0)
            self.clock.advance(
                min(max(await self.failres.service.next_time() - self.clock.now(), 1.0), end - self.clock.now())
            )
        await self.settle(patience)

    def repo(self, *args: Any, **how: Any) -> Repository:
        """Make a repository and install failres on it."""
        made = self.people.repo(*args, **how)
        if not installations_on(self.sandbox.github, made):
            install(self.sandbox.github, self.sandbox.app, self.sandbox.owner)
        return made

    @property
    def requests(self) -> int:
        """How many requests GitHub has been asked so far."""
        return sum(self.sandbox.api.ledger.by_route.values())

    def ready(self) -> None:
        """Say that the scene is set: what is asked of GitHub from now on belongs to what is played."""
        self.ready_at = self.requests

    async def journal(self) -> list[JournalRow]:
        """Give all records of all repositories, in the order in which they were written."""
        store = self.failres.store
        rows = [row for key in await store.keys() async for row in store.records(key)]
        return sorted(rows, key=lambda row: row.seq)

    def changed(self, _: Happening) -> None:
        """Note that something changed on GitHub."""
        self.changes += 1


@asynccontextmanager
async def open_stage(root: Path, *, kind: type[Stage] | None = None) -> AsyncIterator[Stage]:
    """Open the embedded GitHub with failres installed nowhere yet; failres itself is started by `start`."""
    clock = ManualClock()
    manifest = yaml.safe_load(next(path for path in MANIFESTS if path.exists()).read_text(encoding="utf-8"))
    sandbox = Sandbox(root / "github", clock, manifest)
    await sandbox.start()
    stage = (kind or Stage)(root, sandbox, clock)
    sandbox.github.listeners.append(stage.changed)
    try:
        yield stage
    finally:
        await stage.stop()
        await sandbox.stop()
