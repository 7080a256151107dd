"""
What group commit gains: the same deliveries from the same clients, with one transaction for all that wait, and with one
for each. Both in the same run and on the same disk, so that their ratio means something; the figures alone move with
the machine.

    python bench/store.py [--url postgresql://…] [--deliveries N] [--clients N]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from bot.clock import SystemClock
from bot.store import Delivery, Store, open_store

Receive = Callable[[Delivery], Awaitable[bool]]
BODY = json.dumps({"action": "completed", "workflow_job": {"steps": ["x" * 100] * 85}})
"""About 9 KB, as a `workflow_job` delivery has."""
ROUNDS = 3
"""Each way is measured so often, in turn; the best of each counts, which a busy neighbour disturbs least."""


class Figures(NamedTuple):
    """Deliveries a second, and acknowledgement times in milliseconds."""

    rate: float
    p50: float
    p99: float

    def __str__(self) -> str:
        return f"{self.rate:7.0f} deliveries/s   ack p50 {self.p50:6.1f} ms   p99 {self.p99:6.1f} ms"


async def measure(
    receive: Callable[[Delivery], Awaitable[bool]], prefix: str, deliveries: int, clients: int
) -> Figures:
    """Let the clients send one delivery after the other, all of them new, over 100 repositories."""
    times: list[float] = []

    async def client(first: int) -> None:
        for n in range(first, deliveries, clients):
            began = time.perf_counter()
            new = await receive(Delivery(f"{prefix}-{n}", "workflow_job", f"repo:{n % 100}", BODY))
            times.append(time.perf_counter() - began)
            if not new:
                raise RuntimeError("a new delivery was taken for a known one")

    began = time.perf_counter()
    await asyncio.gather(*(client(first) for first in range(clients)))
    seconds = time.perf_counter() - began
    cuts = statistics.quantiles(times, n=100)
    return Figures(deliveries / seconds, cuts[49] * 1000, cuts[98] * 1000)


async def compare(url: str, deliveries: int, clients: int) -> None:
    """Measure both ways in turn and print them with their ratio."""
    store = await open_store(url, SystemClock())
    ways: dict[str, Receive] = {
        "group commit": store.receive,
        "one commit each": lambda delivery: _one_commit(store, delivery),
    }
    best: dict[str, Figures] = {}
    stamp = time.time_ns()
    for turn in range(ROUNDS):
        for name, receive in ways.items():
            found = await measure(receive, f"{stamp}-{turn}-{name}", deliveries, clients)
            best[name] = max(found, best.get(name, found))
    await store.close()
    print(f"{deliveries} deliveries of {len(BODY)} bytes from {clients} clients, best of {ROUNDS}:")
    for name, figures in best.items():
        print(f"  {name:16} {figures}")
    print(f"group commit / one commit each: {best['group commit'].rate / best['one commit each'].rate:.1f}")


async def _one_commit(store: Store, delivery: Delivery) -> bool:
    async with store.unit() as unit:
        return bool(await unit.receive([delivery]))


def main() -> None:
    """Read the arguments and run; without an address, on a SQLite file in a temporary directory."""
    parser = argparse.ArgumentParser(description="Group commit against one commit for each delivery.")
    parser.add_argument("--url", help="the store's address; its inbox grows")
    parser.add_argument("--deliveries", type=int, default=1_000)
    parser.add_argument("--clients", type=int, default=32)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(compare(args.url or f"sqlite:///{directory}/failres.db", args.deliveries, args.clients))


if __name__ == "__main__":
    main()
