"""Many at once: producers, claimers and workers on one database; nothing lost, nothing twice, nobody side by side."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from store_world import delivery, order

from bot.store import Delivery, Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from store_world import World

    from bot.store import Lease, LeasedOrder, Store

DELIVERIES, PRODUCERS, CLAIMERS, ORDER_EVERY = 1_000, 20, 3, 25
KEYS = [f"repo:{n}" for n in range(8)]


@dataclass
class Crowd:
    """What all share: who is at work on what, and what was done."""

    at_work: Counter[str] = field(default_factory=Counter)
    overlaps: list[str] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    expected: int = DELIVERIES // ORDER_EVERY

    @contextmanager
    def alone(self, what: str) -> Iterator[None]:
        """Note it when two work on the same thing at once."""
        self.at_work[what] += 1
        if self.at_work[what] > 1:
            self.overlaps.append(what)
        yield
        self.at_work[what] -= 1


async def _produce(store: Store, numbers: range) -> None:
    for n in numbers:
        await store.receive(delivery(n, KEYS[n % len(KEYS)]))
        if n % 10 == 0:
            assert not await store.receive(delivery(n, KEYS[n % len(KEYS)])), "a redelivery"


async def _turn(store: Store, crowd: Crowd, lease: Lease) -> None:
    with crowd.alone(lease.key):
        async with store.unit(lease) as unit:
            rows = await unit.deliveries(lease.key, 40)
            await unit.append(lease.key, [Entry(row.event, {"guid": row.guid}) for row in rows])
            chosen = [row for row in rows if row.event != "outcome" and int(row.guid[5:]) % ORDER_EVERY == 0]
            lane = f"write:{int(lease.key[5:]) % 3}"
            await unit.enqueue(
                [order(row.guid, key=lease.key, target=row.guid, lane=lane, serial=True) for row in chosen]
            )
            await unit.handled([row.guid for row in rows])
    await store.release(lease, 0.0 if len(rows) == 40 else None)  # more may be open: due at once


async def _work(store: Store, crowd: Crowd, taken: LeasedOrder) -> None:
    with crowd.alone(taken.order.lane):
        await asyncio.sleep(0)
        crowd.done[taken.order.action_key] += 1
    outcome = Delivery(f"outcome:{taken.order.action_key}", "outcome", taken.order.key, "{}")
    await store.finish_order(taken, outcome)


async def _claim(store: Store, crowd: Crowd, produced: asyncio.Event, stores: list[Store]) -> None:
    bell = store.awake.listen()
    while True:
        bell.clear()
        leases = await store.claim(3, 60)
        orders = await store.claim_orders(3, 60)
        await asyncio.gather(*(_turn(store, crowd, lease) for lease in leases))
        await asyncio.gather(*(_work(store, crowd, taken) for taken in orders))
        if not leases and not orders:
            counts = await store.counts()
            if produced.is_set() and not any(counts[name] for name in ("deliveries_open", "due", "orders")):
                for other in stores:
                    other.awake.set()  # the end of the last turn is no wake, and rings in its own process only
                return
            # Every wake and order rings in every process: without a poll beneath it, a lost one fails here.
            await asyncio.wait_for(bell.wait(), 20)


async def test_a_thousand_deliveries_are_handled_once_each(world: World) -> None:
    """Twenty producers, three claimers (on PostgreSQL three processes' stores), eight keys, three serial lanes."""
    stores = [await world.open() for _ in range(CLAIMERS if world.postgresql else 1)]
    crowd, produced = Crowd(), asyncio.Event()

    async def produce() -> None:
        share = DELIVERIES // PRODUCERS
        await asyncio.gather(
            *(_produce(stores[p % len(stores)], range(p * share, (p + 1) * share)) for p in range(PRODUCERS))
        )
        produced.set()
        for store in stores:
            store.awake.set()

    claimers = [_claim(stores[n % len(stores)], crowd, produced, stores) for n in range(CLAIMERS)]
    await asyncio.wait_for(asyncio.gather(produce(), *claimers), 60)
    seen = [row.data["guid"] for key in KEYS async for row in stores[0].records(key) if row.kind != "outcome"]
    assert sorted(seen) == sorted(f"guid-{n}" for n in range(DELIVERIES))
    assert crowd.done == Counter(f"guid-{n}" for n in range(0, DELIVERIES, ORDER_EVERY))
    assert crowd.overlaps == []
