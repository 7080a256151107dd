"""The process: intake, turns, workers and the regular look, put together once and run side by side.

`run` is what `failres serve` does. `step` does all that is due at this moment and returns, for whoever drives time by
hand.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from bot.clock import Clock
from bot.github import GitHub
from bot.llm import Model
from bot.lookout import Lookout, LookoutLimits
from bot.loop import Loop
from bot.metrics import Sample
from bot.notify import Destinations
from bot.store import Store, StoreUnavailable
from bot.work.place import Pace
from bot.work.workers import Workers
from resolver.limits import LIMITS, Limits

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How long the service waits between things, in seconds; `poll` is the longest wait without a ring.

    So many `crews` of workers take orders: one that waits for a slow answer keeps nothing urgent from being taken.
    """

    poll: float = 1.0
    crews: int = 3
    heartbeat: float = 20.0
    lease: float = 60.0
    fault_rest: float = 2.0
    housekeeping: float = 3_600.0
    keep_deliveries: float = 8 * 86_400.0
    keep_texts: float = 90 * 86_400.0


class Service:
    """One failres process over a store and a GitHub."""

    def __init__(
        self,
        store: Store,
        github: GitHub,
        clock: Clock,
        *,
        stopped: Callable[[str, int], str | None],
        web_url: str,
        own_app: int | None = None,
        limits: Limits = LIMITS,
        pace: Pace | None = None,
        lookout: LookoutLimits | None = None,
        destinations: Destinations | None = None,
        model: Model | None = None,
    ) -> None:
        self.store, self._clock = store, clock
        self._loop = Loop(store, clock, limits, own_app=own_app)
        self._workers = Workers(
            store, github, clock, stopped, web_url=web_url, pace=pace, destinations=destinations, model=model
        )
        self._lookout = Lookout(store, github, clock, lookout)
        self._rhythm = Rhythm()
        self._look_at = 0.0

    def samples(self) -> Iterable[Sample]:
        """What there is to count of the work."""
        return self._loop.samples()

    async def recover(self) -> None:
        """Take up after a stop: an embedded store forgets a dead process's leases, every repository is looked at."""
        await self.store.forget_leases()
        await self.store.rebuild_due()

    async def step(self) -> bool:
        """Do what is due now: a look, turns, orders. Returns whether there was anything."""
        busy = False
        if self._clock.now() >= self._look_at:
            self._look_at = self._clock.now() + self._lookout.limits.every
            await self._lookout.look()
        while await self._loop.run_due():
            busy = True
        busy = bool(await self._workers.run_ready()) or busy
        await self._workers.settled()
        await self._loop.settled()
        return busy

    async def close(self) -> None:
        """Give up what goes on beside the work."""
        await self._workers.close()
        await self._loop.close()

    async def next_time(self) -> float:
        """Give when there is something to do without anything new (seconds)."""
        times = [self._look_at, await self.store.next_due(), await self.store.next_order()]
        return min(time for time in times if time is not None)

    async def run(self) -> None:
        """Run until cancelled. A fault of one part is told in the log and does not stop the others."""
        await self.recover()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._repeat("turns", self._loop.run_due, self.store.next_due))
            for _ in range(self._rhythm.crews):
                group.create_task(self._repeat("orders", self._workers.run_ready, self.store.next_order))
            group.create_task(self._every("look", self._lookout.limits.every, self._lookout.look))
            group.create_task(self._every("heartbeat", self._rhythm.heartbeat, self._beat))
            group.create_task(self._every("housekeeping", self._rhythm.housekeeping, self._clean))

    async def _repeat(
        self, name: str, work: Callable[[], Awaitable[int]], next_time: Callable[[], Awaitable[float | None]]
    ) -> None:
        ring = self.store.awake.listen()
        while True:
            ring.clear()
            try:
                if await work():
                    continue
                at = await next_time()
            except Exception as problem:  # noqa: BLE001 whatever it is, the other parts go on, and this one comes back
                _tell(name, problem)
                await self._clock.sleep(self._rhythm.fault_rest)
                continue
            wait = self._rhythm.poll if at is None else min(max(at - self._clock.now(), 0.0), self._rhythm.poll)
            try:
                await asyncio.wait_for(ring.wait(), wait)
            except TimeoutError:
                continue

    async def _every(self, name: str, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except Exception as problem:  # noqa: BLE001 the same
                _tell(name, problem)
            await self._clock.sleep(seconds)

    async def _beat(self) -> None:
        await self.store.extend(self._rhythm.lease)

    async def _clean(self) -> None:
        now = self._clock.now()
        await self.store.purge_inbox(before=now - self._rhythm.keep_deliveries)
        await self.store.purge_texts(before=now - self._rhythm.keep_texts)


def _tell(name: str, problem: Exception) -> None:
    """Say in the log what became of a part; what nobody foresaw, with its trace."""
    if isinstance(problem, StoreUnavailable):
        log.error("%s: %s", name, problem)
    else:
        log.error("%s failed in a way that was not foreseen", name, exc_info=problem)
