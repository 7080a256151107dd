"""A monorepo's busy time: `python bench/monorepo.py [--rate 20] [--minutes 10] [--json]`.

500 open pull requests; deliveries as GitHub sends them (jobs mostly green, some red with logs, heads pushed, the base
moving every minute, one sweep every ten minutes), taken in by the real store, turns, workers and client, over a light
GitHub on loopback that runs, with the deliveries that it makes, in a process of its own. Three parts, each with its
calls by route and its turns:

(1) `meeting`: ten minutes in which failres meets 500 pull requests that it has never seen, on a clock that jumps.
(2) `hour`: so many minutes more on that clock. The goal of at most 4,000 calls is for a whole hour: it is judged with
`--minutes 60` alone.
(3) `real`: ninety seconds in real time with a GitHub that takes its time for each answer, the same store going on.

What the figures mean. `turnCpuP99Ms` is judged (goal: under 50 ms): the processor time of the thread that runs the
turn, its statements included; `turnP99Ms` is the time that passed, with whatever else the machine did.
`failresCpuSeconds` and `githubCpuSeconds` are what each of the two processes took of a core; failres's holds what the
bench does there (less the parsing below) and storing each delivery, but not the HTTP before that (`bench/intake.py`).
`turnCpuMsADelivery` is what failres's turns take of a core for each delivery, `coreShareAt200ASecond` the part of one
core that 200 of them a second would take at that price, and `ratioToJsonLoads` sets it against a peer in the same run:
CPython's `json.loads` of the very same bodies.
A command is a comment by somebody who may write, from its arrival to the reaction at GitHub (goal: 99 % within 10 s).
In (2) GitHub answers in no time and the clock stands still in a turn, so that only pacing is measured there; in (3) it
is the time that passed, on this machine, with one command each three seconds: each costs two writes, and an App may
write once a second.

The rate is a tenth of the specification's 200 a second, in all parts; what is left out are deliveries of green jobs.
`--rate 200` plays all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from monorepo_world.beside import Beside, Counted
from monorepo_world.bodies import REPO
from monorepo_world.clock import SharedClock
from monorepo_world.github import APP, FIRST_COMMAND
from monorepo_world.plan import Plan
from pydantic import SecretStr

from bot.github import GitHub, open_session
from bot.github.identity import AppSettings
from bot.installations import repository_key
from bot.known import Known
from bot.lookout import Lookout
from bot.loop import Loop
from bot.service import Rhythm
from bot.store import Delivery, Lease, Store, Work, open_store
from bot.work.workers import Workers
from resolver.ids import RepoId

KEY = repository_key(RepoId(REPO))


@dataclass(frozen=True)
class Measures:
    """What is measured and for how long, in seconds; and the goals."""

    meeting: float = 600.0
    tick: float = 1.0
    command_every: float = 20.0
    real_seconds: float = 90.0
    real_delay: float = 0.15
    real_command_every: float = 3.0
    goal_calls: int = 4_000
    goal_turn_ms: float = 50.0
    goal_command_seconds: float = 10.0


class TimedLoop(Loop):
    """The loop, with the time of each turn in milliseconds: as it passed, and of the processor."""

    def __init__(self, store: Store, clock: SharedClock) -> None:
        super().__init__(store, clock)
        self.took: list[float] = []
        self.used: list[float] = []

    async def turn(self, lease: Lease) -> None:
        """Run one turn."""
        begun = time.perf_counter()
        try:
            await super().turn(lease)
        finally:
            self.took.append((time.perf_counter() - begun) * 1_000)

    def _turn(self, unit: Work, key: str, known: Known) -> float | None:
        """The turn itself, on the thread of the database."""
        begun = time.thread_time()
        try:
            return super()._turn(unit, key, known)
        finally:
            self.used.append((time.thread_time() - begun) * 1_000)


@dataclass
class Bench:
    """Everything that runs, and what was seen."""

    clock: SharedClock
    github: Beside
    store: Store
    loop: TimedLoop
    workers: Workers
    lookout: Lookout
    asked: dict[int, float] = field(default_factory=dict)
    look_at: float = 0.0
    parsed: float = 0.0

    async def receive(self) -> None:
        """Take in what GitHub has delivered until now."""
        sent = await self.github.deliveries()
        begun = time.thread_time()
        for one in sent:
            json.loads(one.body)
        self.parsed += (time.thread_time() - begun) * 1_000
        await asyncio.gather(*(self.store.receive(Delivery(one.guid, one.event, KEY, one.body)) for one in sent))

    async def step(self) -> None:
        """Let a tick's deliveries be handled: turns until nothing is due, then what the workers may do now."""
        await self.receive()
        if self.clock.now() >= self.look_at:
            self.look_at = self.clock.now() + self.lookout.limits.every
            await self.lookout.look()
        while await self.loop.run_due():
            pass
        while await self.workers.run_ready():
            while await self.loop.run_due():
                pass

    async def command(self) -> None:
        """Deliver a comment with a command by somebody who may; its answer is the reaction to that comment."""
        ident = FIRST_COMMAND + len(self.asked)
        sent = await self.github.comment(ident, "/failres explain")
        self.asked[ident] = self.clock.now()
        await self.store.receive(Delivery(sent.guid, sent.event, KEY, sent.body))


@asynccontextmanager
async def opened(plan: Plan) -> AsyncIterator[Bench]:
    """A bench on a store in a temporary directory."""
    clock = SharedClock()
    away = Beside(plan, clock)
    url = await away.start()
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    settings = AppSettings(app_id=str(APP), private_key=SecretStr(pem), base_url=url)
    with tempfile.TemporaryDirectory() as directory:
        store = await open_store(f"sqlite:///{directory}/state/failres.db", clock)
        try:
            async with open_session() as session:
                github = GitHub(session, settings, clock)
                workers = Workers(store, github, clock, lambda *_: None, web_url=url)
                loop, lookout = TimedLoop(store, clock), Lookout(store, github, clock)
                yield Bench(clock, away, store, loop, workers, lookout)
                await loop.close()
        finally:
            await store.close()
            await away.stop()


async def virtual(bench: Bench, measures: Measures, seconds: float, *, commands: bool) -> None:
    """Play so many seconds on the jumping clock."""
    end, next_command = bench.clock.now() + seconds, bench.clock.now()
    while bench.clock.now() < end:
        if commands and bench.clock.now() >= next_command:
            await bench.command()
            next_command += measures.command_every
        await bench.step()
        bench.clock.advance(measures.tick)
        if sys.stderr.isatty():
            print(f"\r{(end - bench.clock.now()) / 60:5.1f} virtual minutes to go", end="", file=sys.stderr)


async def real(bench: Bench, measures: Measures) -> None:
    """Play in real time: deliveries, turns, workers and commands side by side, as in `failres serve`."""
    bench.clock.run()
    await bench.github.delay(measures.real_delay)

    async def again(work: Any, wait: float) -> None:
        ring = bench.store.awake.listen()
        while True:
            ring.clear()
            if not await work():
                try:
                    await asyncio.wait_for(ring.wait(), wait)
                except TimeoutError:
                    continue

    async def every(seconds: float, work: Any) -> None:
        while True:
            await work()
            await asyncio.sleep(seconds)

    tasks = [
        asyncio.create_task(again(bench.loop.run_due, 0.2)),
        *(asyncio.create_task(again(bench.workers.run_ready, 0.2)) for _ in range(Rhythm().crews)),
        asyncio.create_task(every(0.02, bench.receive)),
        asyncio.create_task(every(measures.real_command_every, bench.command)),
    ]
    done, _ = await asyncio.wait(tasks, timeout=measures.real_seconds, return_when=asyncio.FIRST_EXCEPTION)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


def quantile(values: list[float], part: float) -> float:
    """The value below which that part of them lies; 0 where there are none."""
    ordered = sorted(values)
    return round(ordered[min(int(len(ordered) * part), len(ordered) - 1)], 2) if ordered else 0.0


class Mark(NamedTuple):
    """What had been counted before a part began; `cpu` is failres's own, in seconds, without the peer's parsing."""

    begun: float
    github: Counted
    cpu: float
    turns: int
    asked: int
    parsed: float

    @classmethod
    async def of(cls, bench: Bench) -> Mark:
        """Count now."""
        github = await bench.github.counted()
        cpu = time.process_time() - bench.parsed / 1_000
        return cls(time.perf_counter(), github, cpu, len(bench.loop.used), len(bench.asked), bench.parsed)


async def part_of(bench: Bench, before: Mark) -> dict[str, Any]:
    """The figures of one part."""
    mark = await Mark.of(bench)
    spent = mark.github.calls - before.github.calls
    took, used = bench.loop.took[before.turns :], bench.loop.used[before.turns :]
    delivered = mark.github.delivered - before.github.delivered
    now, asked = bench.clock.now(), list(bench.asked.items())[before.asked :]
    waits = [mark.github.heard.get(number, now) - at for number, at in asked]
    return {
        "wallSeconds": round(mark.begun - before.begun, 1),
        "failresCpuSeconds": round(mark.cpu - before.cpu, 1),
        "githubCpuSeconds": round(mark.github.cpu - before.github.cpu, 1),
        "deliveries": delivered,
        "calls": sum(spent.values()),
        "callsByRoute": dict(spent.most_common()),
        "turns": len(used),
        "turnCpuP50Ms": quantile(used, 0.5),
        "turnCpuP99Ms": quantile(used, 0.99),
        "turnCpuMaxMs": quantile(used, 1.0),
        "turnCpuMsADelivery": round(sum(used) / max(1, delivered), 3),
        "jsonLoadsCpuMsADelivery": round((mark.parsed - before.parsed) / max(1, delivered), 3),
        "ratioToJsonLoads": round(sum(used) / max(0.001, mark.parsed - before.parsed), 2),
        "coreShareAt200ASecond": round(sum(used) / max(1, delivered) * 200 / 1_000, 3),
        "turnP50Ms": quantile(took, 0.5),
        "turnP99Ms": quantile(took, 0.99),
        "turnMaxMs": quantile(took, 1.0),
        "commands": len(asked),
        "commandP50Seconds": quantile(waits, 0.5),
        "commandP99Seconds": quantile(waits, 0.99),
    }


class Goal(NamedTuple):
    """A figure, and the most that it may be."""

    what: str
    figure: float
    most: float

    @property
    def met(self) -> bool:
        """Whether it is no more."""
        return self.figure <= self.most


def goals_of(figures: dict[str, Any], measures: Measures) -> list[Goal]:
    """The figures that are judged: the calls of a whole hour alone, turns and commands of the hour and of real time."""
    hour, now = figures["hour"], figures["real"]
    found = [Goal("calls in the virtual hour", hour["calls"], measures.goal_calls)] if figures["callsJudged"] else []
    for name, part in (("on the jumping clock", hour), ("in real time", now)):
        found.append(Goal(f"ms of a turn at p99 {name}", part["turnCpuP99Ms"], measures.goal_turn_ms))
        found.append(
            Goal(f"s to a command's answer at p99 {name}", part["commandP99Seconds"], measures.goal_command_seconds)
        )
    return found


async def measure(plan: Plan, minutes: float, measures: Measures) -> dict[str, Any]:
    """All parts."""
    figures: dict[str, Any] = {"rate": plan.rate, "virtualMinutes": minutes, "loadBefore": round(os.getloadavg()[0], 2)}
    async with opened(plan) as bench:
        figures["jobsAPush"] = plan.jobs_a_run * plan.workflows
        for name in ("meeting", "hour", "real"):
            mark = await Mark.of(bench)
            if name == "meeting":
                await virtual(bench, measures, measures.meeting, commands=False)
            elif name == "hour":
                await virtual(bench, measures, minutes * 60.0, commands=True)
            else:
                await real(bench, measures)
            figures[name] = await part_of(bench, mark)
        figures["counts"] = await bench.store.counts()
    figures["loadAfter"] = round(os.getloadavg()[0], 2)
    figures["callsJudged"] = minutes >= 60.0
    figures["ok"] = all(goal.met for goal in goals_of(figures, measures))
    return figures


def main() -> int:
    """Print the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=20.0, help="deliveries a second in the virtual hour")
    parser.add_argument("--minutes", type=float, default=10.0, help="how much of the hour is played")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    options = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    measures = Measures()
    figures = asyncio.run(measure(Plan(rate=options.rate), options.minutes, measures))
    print(json.dumps(figures) if options.json else json.dumps(figures, indent=1))
    for goal in () if options.json else goals_of(figures, measures):
        print(f"{'met   ' if goal.met else 'MISSED'} {goal.figure:,g} {goal.what}, goal {goal.most:,g}")
    return 0 if figures["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
