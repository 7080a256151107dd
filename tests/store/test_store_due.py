"""The due-list: one pending wake per key, none lost while the key runs, the earlier beats the later; fenced leases."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

import pytest
from store_world import delivery, order

from bot.store import Delivery, Entry, LeaseLost

if TYPE_CHECKING:
    from store_world import World

    from bot.store import Lease, Store


async def _wake(store: Store, *keys: str, at: float | None = None) -> None:
    async with store.unit() as unit:
        await unit.wake(keys, at)


async def _claim(store: Store) -> Lease:
    [lease] = await store.claim(9, 60)
    return lease


async def test_many_wakes_are_one_claim(store: Store) -> None:
    """A key that was woken ten times runs once, and while it runs nobody else may take it."""
    for _ in range(10):
        await _wake(store, "repo:1")
    lease = await _claim(store)
    assert (lease.key, lease.wakes, lease.attempts) == ("repo:1", 10, 1)
    assert await store.claim(9, 60) == []
    assert await store.release(lease, None)
    assert await store.claim(9, 60) == []
    assert await store.next_due() is None


class Turn(NamedTuple):
    """Seconds from now: when the turn wants to run again, wakes that came during it, when it is due; None: never."""

    again: int | None
    wakes: list[int]
    due: int | None
    failed: bool = False


TURNS = {
    "nothing": Turn(None, [], None),
    "the turn comes back": Turn(30, [], 30),
    "a wake during the turn": Turn(None, [0], 0),
    "a wake beats the turn": Turn(30, [0], 0),
    "a later wake is kept": Turn(None, [20], 20),
    "the turn beats a later wake": Turn(30, [50], 30),
    "an earlier timer beats the turn": Turn(30, [20], 20),
    "the earliest of several": Turn(30, [40, 10, 20], 10),
    "a wake in the past": Turn(30, [-5], -5),
    "a failure backs off": Turn(30, [], 30, failed=True),
    "a wake beats the backoff": Turn(30, [0], 0, failed=True),
    "the backoff beats a later wake": Turn(30, [50], 30, failed=True),
}


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
async def test_release_keeps_the_earliest(store: Store, world: World, turn: Turn) -> None:
    """What came during the turn and what the turn asked for: the earlier counts, to the second, and none is lost."""
    again, wakes, due, failed = turn
    now = world.clock.now()
    await _wake(store, "repo:1")
    lease = await _claim(store)
    for wake in wakes:
        await _wake(store, "repo:1", at=now + wake)
    assert await store.next_due() is None, "a key that runs is not due"
    assert await store.release(lease, None if again is None else now + again, failed=failed)
    assert await store.next_due() == (None if due is None else now + due)
    if due is not None and due > 0:
        world.clock.advance(due - 0.5)
        assert await store.claim(9, 60) == []
        world.clock.advance(0.5)
    if due is not None:
        assert (await _claim(store)).attempts == (2 if failed else 1)


async def test_an_earlier_wake_beats_a_later_one_in_either_order(store: Store, world: World) -> None:
    """A wake now overrides a run due in three hours, and a wake in three hours does not delay a run due now."""
    now = world.clock.now()
    await _wake(store, "repo:1", at=now + 10_800)
    await _wake(store, "repo:2", at=now)
    assert [lease.key for lease in await store.claim(9, 60)] == ["repo:2"]
    await _wake(store, "repo:1", at=now)
    await _wake(store, "repo:1", at=now + 10_800)
    assert [lease.key for lease in await store.claim(9, 60)] == ["repo:1"]


async def test_one_unit_may_wake_a_key_twice(store: Store, world: World) -> None:
    """The earliest wake of a unit counts, and keys of deliveries are woken beside them."""
    now = world.clock.now()
    async with store.unit() as unit:
        await unit.wake(["repo:1", "repo:2"], now + 20)
        await unit.wake(["repo:1"], now + 10)
        await unit.wake(["repo:1"], now + 30)
        await unit.receive([delivery(1, "repo:2"), delivery(2, "repo:3")])
    assert [lease.key for lease in await store.claim(9, 60)] == ["repo:2", "repo:3"]
    assert await store.next_due() == now + 10


async def test_the_longest_due_goes_first_and_the_limit_holds(store: Store, world: World) -> None:
    """No key waits for ever behind busier ones."""
    for n in (3, 1, 2):
        await _wake(store, f"repo:{n}", at=world.clock.now() - n)
    assert [[lease.key for lease in await store.claim(2, 60)] for _ in range(2)] == [["repo:3", "repo:2"], ["repo:1"]]
    assert await store.claim(0, 60) == []


async def test_attempts_count_failures_and_crashes(store: Store, world: World) -> None:
    """The count lives in the row: a failed turn and one that died both raise it, a good one sets it back."""
    await _wake(store, "repo:1")
    assert await store.release(await _claim(store), world.clock.now(), failed=True)
    lease = (await store.claim(9, 0.05))[0]
    assert lease.attempts == 2
    await world.pass_lease(0.05)
    lease = await _claim(store)
    assert lease.attempts == 3, "the last holder died"
    await store.release(lease, world.clock.now())
    assert (await _claim(store)).attempts == 1
    with pytest.raises(ValueError, match="must say when"):
        await store.release(lease, None, failed=True)


async def test_a_lease_that_ran_out_is_taken_over_and_the_zombie_cannot_write(store: Store, world: World) -> None:
    """After a takeover every write of the old holder is refused whole, and its release changes nothing."""
    await store.receive(delivery(1))
    [old] = await store.claim(9, 0.05)
    async with store.unit(old) as unit:
        await unit.append("repo:1", [Entry("in time", {})])
    await world.pass_lease(0.05)
    assert await store.next_due() is not None
    new = await _claim(store)
    assert (new.key, new.owner != old.owner) == ("repo:1", True)

    async def write_late() -> None:
        async with store.unit(old) as unit:
            await unit.append("repo:1", [Entry("too late", {})])

    with pytest.raises(LeaseLost, match="repo:1"):
        await write_late()
    assert not await store.release(old, None)
    assert not await store.release(old, world.clock.now() + 5)
    async with store.unit(new) as unit:
        await unit.handled([row.guid for row in await unit.deliveries("repo:1", 9)])
        await unit.append("repo:1", [Entry("by the new holder", {})])
    assert await store.release(new, None)
    assert [row.kind async for row in store.records("repo:1")] == ["in time", "by the new holder"]
    with pytest.raises(LeaseLost):
        await write_late()


async def test_a_lease_that_ran_out_still_writes_until_it_is_taken(store: Store, world: World) -> None:
    """A slow turn is not thrown away while nobody else wants its key."""
    await _wake(store, "repo:1")
    [lease] = await store.claim(9, 0.05)
    await world.pass_lease(0.05)
    async with store.unit(lease) as unit:
        await unit.append("repo:1", [Entry("fact", {})])
    assert await store.release(lease, None)


async def test_the_heartbeat_keeps_leases(store: Store, world: World) -> None:
    """Extended leases, of keys and of orders, are not taken over when their first end has passed."""
    async with store.unit() as unit:
        await unit.wake(["repo:1"])
        await unit.enqueue([order("a")])
    await store.claim(9, 0.05)
    await store.claim_orders(9, 0.05)
    await store.extend(60)
    await world.pass_lease(0.05)
    assert await store.claim(9, 60) == []
    assert await store.claim_orders(9, 60) == []


async def test_a_takeover_waits_for_an_open_unit(postgres: World) -> None:
    """A unit that began under a good lease ends before anybody takes its key, however long it takes."""
    old, new = await postgres.open(), await postgres.open()
    await _wake(old, "repo:1")
    [lease] = await old.claim(9, 0.05)
    async with old.unit(lease) as unit:
        await postgres.pass_lease(0.05)
        assert await new.claim(9, 60) == []
        await unit.append("repo:1", [Entry("in time", {})])
    assert [lease.key for lease in await new.claim(9, 60)] == ["repo:1"]
    assert not await old.release(lease, None)


async def test_two_units_that_wake_each_other_do_not_deadlock(postgres: World) -> None:
    """Fenced units of two keys, each waking the other's, both commit: wakes pass the fence."""
    stores = [await postgres.open(), await postgres.open()]
    await _wake(stores[0], "repo:1", "repo:2")
    leases = await stores[0].claim(9, 60)
    both_open = asyncio.Barrier(2)

    async def turn(store: Store, mine: Lease, other: Lease) -> None:
        async with store.unit(mine) as unit:
            await both_open.wait()
            await unit.wake([other.key, mine.key])

    await asyncio.wait_for(
        asyncio.gather(turn(stores[0], leases[0], leases[1]), turn(stores[1], leases[1], leases[0])), 10
    )
    for lease in leases:
        await stores[0].release(lease, None)
    assert {lease.key for lease in await stores[0].claim(9, 60)} == {"repo:1", "repo:2"}


async def test_the_list_is_rebuilt_from_inbox_and_journal(world: World) -> None:
    """With all of `due` gone, every key with an open delivery or a journal is due again, and no other."""
    store = await world.open()
    await store.receive(delivery(1, "repo:open"))
    await store.receive(delivery(2, "repo:handled"))
    async with store.unit() as unit:
        await unit.handled(["guid-2"])
        await unit.append("repo:journal", [Entry("fact", {})])
        await unit.append("repo:open", [Entry("fact", {})])
    await store.close()
    await world.sql("DELETE FROM due")
    store = await world.open()
    assert await store.next_due() is None
    await store.rebuild_due()
    assert {lease.key for lease in await store.claim(9, 60)} == {"repo:open", "repo:journal"}


async def test_leases_of_a_dead_process_are_forgotten_at_the_start(world: World) -> None:
    """The only process of a state directory need not wait for leases to end; where there are others it must."""
    store = await world.open()
    async with store.unit() as unit:
        await unit.wake(["repo:1"])
        await unit.enqueue([order("a")])
    await store.claim(9, 600)
    await store.claim_orders(9, 600)
    store = await world.reopen(store)
    assert (await store.claim(9, 60), await store.claim_orders(9, 60)) == ([], [])
    await store.forget_leases()
    found = [lease.key for lease in await store.claim(9, 60)], [o.attempts for o in await store.claim_orders(9, 60)]
    assert found == (([], []) if world.postgresql else (["repo:1"], [2]))


async def test_the_bell_rings_for_every_listener(store: Store, world: World) -> None:
    """Each loop has its own event: one that clears it takes the ring from no other."""
    events = [store.awake.listen(), store.awake.listen()]

    async def rings(work: object) -> bool:
        await asyncio.sleep(0)
        for event in (*events, store.awake):
            event.clear()
        await work  # type: ignore[misc]
        rung = {event.is_set() for event in (*events, store.awake)}
        assert len(rung) == 1
        return rung.pop()

    if store.listener is not None:
        await asyncio.wait_for(store.listener.listening.wait(), 5)
    assert await rings(store.receive(delivery(1)))
    lease = await _claim(store)
    assert await rings(store.release(lease, world.clock.now()))
    assert await rings(store.rebuild_due())

    async def enqueue() -> None:
        async with store.unit() as unit:
            await unit.enqueue([order("a")])

    assert await rings(enqueue())
    [taken] = await store.claim_orders(9, 60)
    assert await rings(store.finish_order(taken, Delivery("o", "outcome", "repo:1", "{}")))


async def test_another_process_is_woken_by_the_database(postgres: World) -> None:
    """On PostgreSQL a delivery that one process receives rings in the other, and it listens again after a cut."""
    here, there = await postgres.open(), await postgres.open()
    assert there.listener is not None
    there.listener.pause = 0.05
    await asyncio.wait_for(there.listener.listening.wait(), 5)
    event = there.awake.listen()
    event.clear()
    await here.receive(delivery(1))
    await asyncio.wait_for(event.wait(), 5)
    await postgres.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
    event.clear()
    await asyncio.wait_for(event.wait(), 10)
    assert there.listener.listening.is_set()
    event.clear()
    await here.receive(delivery(2))
    await asyncio.wait_for(event.wait(), 5)
