"""Killed after every single commit and after every effect: started again, the store goes on and nothing is lost or doubled."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from store_world import delivery, order

from bot.store import Delivery, Entry

if TYPE_CHECKING:
    from store_world import World

    from bot.store import LeasedOrder, Store, Unit

LEASE_SECONDS = 0.02
KEYS = ("repo:1", "repo:2")


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Outside:
    """What lives on when the process dies: GitHub with its deliveries and effects, and the count of steps until the kill."""

    undelivered: list[Delivery]
    kill_at: int
    effects: Counter[str] = field(default_factory=Counter)
    step: int = 0
    labels: list[str] = field(default_factory=list)

    def passed(self, label: str) -> None:
        """One step is over; at the chosen one the process dies."""
        self.step += 1
        self.labels.append(label)
        if self.step == self.kill_at:
            raise Killed(label)


async def _live(store: Store, outside: Outside) -> None:
    """A small bot: take deliveries, turn them into records and orders, carry these out, until nothing is left."""
    store.after_commit = outside.passed
    while outside.undelivered:
        await store.receive(outside.undelivered[0])
        outside.undelivered.pop(0)  # GitHub has its answer
    while await store.next_due() is not None or await store.next_order() is not None:
        for lease in await store.claim(2, LEASE_SECONDS):
            async with store.unit(lease) as unit:
                await _turn(unit, lease.key)
            await store.release(lease, None)
        for taken in await store.claim_orders(2, LEASE_SECONDS):
            await _work(store, outside, taken)


async def _turn(unit: Unit, key: str) -> None:
    for row in await unit.deliveries(key, 9):
        new = await unit.append(key, [Entry(row.event, json.loads(row.body), row.guid)])
        if row.event != "outcome" and new:
            await unit.enqueue([order(f"act on {row.guid}", key=key, target=row.guid, serial=True)])
        await unit.handled([row.guid])


async def _work(store: Store, outside: Outside, taken: LeasedOrder) -> None:
    action = taken.order.action_key
    if taken.attempts == 1 or not outside.effects[action]:  # an earlier attempt is looked up before it is repeated
        outside.effects[action] += 1
        outside.passed("effect")
    outcome = Delivery(f"outcome:{action}:1", "outcome", taken.order.key, json.dumps({"did": action}))
    await store.finish_order(taken, outcome, texts={action: "log"})


async def _play(world: World, kill_at: int) -> tuple[Outside, dict[str, list[tuple[str, str]]]]:
    count = 1 if world.postgresql else 2  # starting anew takes its time there
    outside = Outside([delivery(n, KEYS[n]) for n in range(count)], kill_at)
    store = await world.open()
    try:
        await _live(store, outside)
    except Killed:
        store = await world.reopen(store)
        await world.pass_lease(LEASE_SECONDS)
        await store.forget_leases()
        await store.rebuild_due()
        await _live(store, outside)
    journal = {key: sorted([(row.kind, str(row.once)) async for row in store.records(key)]) for key in KEYS}
    store.after_commit = None
    counts = await store.counts()
    assert {name: counts[name] for name in ("deliveries_open", "due", "orders")} == dict.fromkeys(
        ("deliveries_open", "due", "orders"), 0
    ), f"killed at {outside.labels[kill_at - 1]}"
    assert counts["texts"] == count
    return outside, journal


async def test_killed_at_any_step_it_goes_on_to_the_same_end(world: World) -> None:
    """For every k: die after the k-th commit or effect, start again, and the journal is that of an undisturbed life."""
    undisturbed, expected = await _play(world, kill_at=0)
    assert sum(map(len, expected.values())) == (2 if world.postgresql else 4)
    assert set(undisturbed.labels) == {
        "receive",
        "claim",
        "unit",
        "release",
        "claim_orders",
        "effect",
        "finish_order",
    }
    for kill_at in range(1, undisturbed.step + 1):
        await world.wipe()
        outside, journal = await _play(world, kill_at)
        assert outside.step >= undisturbed.step
        assert journal == expected, f"killed after {outside.labels[kill_at - 1]}, step {kill_at}"
        assert set(outside.effects.values()) == {1}, f"killed after {outside.labels[kill_at - 1]}, step {kill_at}"
