"""The light GitHub and its deliveries in a process of their own, so that what failres takes of a core is its own."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections import Counter
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from monorepo_world.clock import SharedClock
from monorepo_world.github import Double
from monorepo_world.plan import Plan
from monorepo_world.repository import Sent, World


class Counted(NamedTuple):
    """What GitHub has seen until now: calls by route, when each command was answered (by the comment's id), how much it
    delivered, and the processor time of its process in seconds.
    """

    calls: Counter[str]
    heard: dict[int, float]
    delivered: int
    cpu: float


class Beside:
    """GitHub, as it is asked from here. One question at a time goes through the pipe."""

    def __init__(self, plan: Plan, clock: SharedClock) -> None:
        away = multiprocessing.get_context("spawn")
        self._pipe, theirs = away.Pipe()
        self._process = away.Process(target=serve, args=(theirs, clock.cell, plan), daemon=True)
        self._one = asyncio.Lock()

    async def start(self) -> str:
        """Begin to listen on loopback; gives the base address."""
        self._process.start()
        url: str = await asyncio.to_thread(self._pipe.recv)
        return url

    async def stop(self) -> None:
        """Listen no more."""
        await self._ask("stop")
        await asyncio.to_thread(self._process.join)

    async def deliveries(self) -> list[Sent]:
        """Give what is delivered until now."""
        found: list[Sent] = await self._ask("deliveries")
        return found

    async def comment(self, ident: int, body: str) -> Sent:
        """Give what is delivered of a new comment by somebody who may write."""
        sent: Sent = await self._ask("comment", ident, body)
        return sent

    async def delay(self, seconds: float) -> None:
        """Take so long for each answer from now on."""
        await self._ask("delay", seconds)

    async def counted(self) -> Counted:
        """Count."""
        counted: Counted = await self._ask("counted")
        return counted

    async def _ask(self, *question: Any) -> Any:
        # Whoever asks may be cancelled; the answer is taken out of the pipe all the same.
        return await asyncio.shield(self._exchange(question))

    async def _exchange(self, question: tuple[Any, ...]) -> Any:
        async with self._one:
            self._pipe.send(question)
            return await asyncio.to_thread(self._pipe.recv)


def serve(pipe: Connection, cell: Any, plan: Plan) -> None:
    """Be GitHub until told to stop."""
    asyncio.run(_serve(pipe, SharedClock(cell), plan))


async def _serve(pipe: Connection, clock: SharedClock, plan: Plan) -> None:
    world = World(plan, clock.now())
    double = Double(world, clock.now)
    pipe.send(await double.start())
    ended = asyncio.Event()

    def answer() -> None:
        try:
            what, *given = pipe.recv()
        except EOFError:  # whoever asked is gone
            asyncio.get_running_loop().remove_reader(pipe.fileno())
            ended.set()
            return
        if what == "stop":
            ended.set()
        pipe.send(_answer(world, double, clock, what, given))

    asyncio.get_running_loop().add_reader(pipe.fileno(), answer)
    await ended.wait()
    await double.stop()


def _answer(world: World, double: Double, clock: SharedClock, what: str, given: list[Any]) -> Any:
    match what:
        case "deliveries":
            return list(world.deliveries(clock.now()))
        case "comment":
            return world.comment(*given)
        case "delay":
            (double.delay,) = given
        case "counted":
            return Counted(double.calls, double.heard, world.delivered, time.process_time())
    return None
