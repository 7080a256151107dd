"""Deliveries: stored once, durable when told so, one transaction for many."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sqlalchemy import select
from store_world import delivery

from bot.store import Delivery, StoreUnavailable
from bot.store.group import BatchLimits, GroupCommit
from bot.store.tables import inbox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from store_world import World

    from bot.store import Store


async def test_each_guid_is_new_once(store: Store) -> None:
    """A redelivery keeps its GUID: it is known, alone, beside its twin in one batch, and after it was handled."""
    assert await store.receive(delivery(1))
    assert not await store.receive(delivery(1))
    assert await asyncio.gather(*(store.receive(delivery(2)) for _ in range(3))) == [True, False, False]
    async with store.unit() as unit:
        assert await unit.receive([delivery(1), delivery(3), delivery(3)]) == {"guid-3"}
        await unit.handled(["guid-1", "guid-2", "guid-3"])
    assert not await store.receive(delivery(1))
    async with store.unit() as unit:
        assert await unit.deliveries("repo:1", 10) == []
    kept = await store._database.look(lambda tx: tx.run(select(inbox.c.guid, inbox.c.body)).all())
    assert sorted(tuple(row) for row in kept) == [("guid-1", ""), ("guid-2", ""), ("guid-3", "")]


async def test_of_two_bodies_for_one_guid_the_first_counts(store: Store) -> None:
    """What was acknowledged first is what is handled, also when both come in one batch."""
    first, second = Delivery("g", "push", "repo:1", "first"), Delivery("g", "push", "repo:2", "second")
    assert await asyncio.gather(store.receive(first), store.receive(second)) == [True, False]
    async with store.unit() as unit:
        assert [row.body for row in await unit.deliveries("repo:1", 10)] == ["first"]
        assert await unit.deliveries("repo:2", 10) == []


async def test_open_deliveries_come_oldest_first_and_limited(store: Store, world: World) -> None:
    """A turn reads its key's deliveries in the order of arrival, with the time of storing, a page at a time."""
    for n in range(5):
        await store.receive(delivery(n))
        await store.receive(delivery(n + 100, "repo:2"))
        world.clock.advance(1)
    async with store.unit() as unit:
        page = await unit.deliveries("repo:1", 3)
        assert [row.guid for row in page] == ["guid-0", "guid-1", "guid-2"]
        assert [row.received_at - page[0].received_at for row in page] == [0.0, 1.0, 2.0]
        await unit.handled([row.guid for row in page])
        assert [row.guid for row in await unit.deliveries("repo:1", 3)] == ["guid-3", "guid-4"]


async def test_some_events_come_before_all_others(store: Store) -> None:
    """What people wait for is not behind a backlog, and takes its share of the page; a group comes before the next."""
    for n in range(4):
        await store.receive(delivery(n))
    for n, event in ((9, "outcome"), (10, "issue_comment"), (11, "label")):
        await store.receive(delivery(n)._replace(event=event))
    async with store.unit() as unit:
        page = await unit.deliveries("repo:1", 4, ("issue_comment", "label"), ("outcome",))
        assert [row.guid for row in page] == ["guid-10", "guid-11", "guid-9", "guid-0"]
        page = await unit.deliveries("repo:1", 9, ("outcome",), ("label", "nothing"))
        assert [row.guid for row in page][:2] == ["guid-9", "guid-11"]
        assert len(page) == 7
        assert [row.guid for row in await unit.deliveries("repo:1", 1, ("issue_comment",), ("outcome",))] == ["guid-10"]


async def test_one_transaction_takes_what_arrives_meanwhile(store: Store) -> None:
    """Forty deliveries at once cost one commit, not forty."""
    commits: list[str] = []
    store.after_commit = commits.append
    assert all(await asyncio.gather(*(store.receive(delivery(n)) for n in range(40))))
    assert commits == ["receive"]


async def test_received_is_durable_and_wakes(store: Store, world: World) -> None:
    """When `receive` has returned, a new process finds the delivery and its key due."""
    await store.receive(delivery(1))
    again = await world.reopen(store)
    assert [lease.key for lease in await again.claim(5, 60)] == ["repo:1"]
    async with again.unit() as unit:
        assert len(await unit.deliveries("repo:1", 5)) == 1


async def test_a_failing_commit_fails_every_caller_and_no_later_one(store: Store) -> None:
    """All callers of a batch learn of its failure; the next batch is stored."""

    def full(label: str) -> None:
        raise StoreUnavailable("The store", "the disk is full", "free some space")

    store.after_commit = full
    failed = await asyncio.gather(*(store.receive(delivery(n)) for n in range(3)), return_exceptions=True)
    assert [type(error) for error in failed] == [StoreUnavailable] * 3
    assert len({id(error) for error in failed}) == 3, "each caller has an error of its own"
    store.after_commit = None
    assert await asyncio.gather(*(store.receive(delivery(n)) for n in range(10, 13))) == [True] * 3


async def test_a_cancelled_caller_leaves_the_batch_whole(store: Store) -> None:
    """A client that hangs up takes nobody's delivery with it, wherever in the commit it does so."""
    for steps in range(12):
        callers = [asyncio.create_task(store.receive(delivery(100 * steps + n))) for n in range(3)]
        for _ in range(steps):
            await asyncio.sleep(0)
        callers[1].cancel()
        first, middle, last = await asyncio.gather(*callers, return_exceptions=True)
        assert (first, last) == (True, True)
        assert isinstance(middle, asyncio.CancelledError) or middle is True
    assert (await store.counts())["deliveries"] >= 24


async def test_a_cancelled_unit_leaves_nothing_and_the_store_works(store: Store) -> None:
    """A cancellation at any point of a unit undoes it, or comes after its commit; the connection survives."""

    async def write(n: int) -> None:
        async with store.unit() as unit:
            await unit.receive([delivery(2 * n, f"repo:{n}"), delivery(2 * n + 1, f"repo:{n}")])

    for n in range(25):
        task = asyncio.create_task(write(n))
        for _ in range(n):
            await asyncio.sleep(0.0002)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        async with store.unit() as unit:
            found = len(await unit.deliveries(f"repo:{n}", 5))
        leases = frozenset(lease.key for lease in await store.claim(9, 60))
        assert (found, leases) in {(0, frozenset()), (2, frozenset({f"repo:{n}"}))}
    assert await store.receive(delivery(1000))


async def test_a_batch_has_limits() -> None:
    """More deliveries or characters than one transaction takes follow in the next one, in order; a big one goes alone."""
    batches: list[list[str]] = []

    async def commit(deliveries: Sequence[Delivery]) -> set[str]:
        batches.append([found.guid for found in deliveries])
        return {found.guid for found in deliveries}

    group = GroupCommit(commit, BatchLimits(deliveries=3, characters=10))
    sizes = [1, 1, 1, 1, 6, 6, 11, 1]
    puts = [group.put(Delivery(str(n), "push", "app", "x" * size)) for n, size in enumerate(sizes)]
    assert all(await asyncio.gather(*puts))
    assert batches == [["0", "1", "2"], ["3", "4"], ["5"], ["6"], ["7"]]


async def test_a_dying_commit_fails_those_who_wait_behind_it() -> None:
    """When the batch is killed and not merely failed, nobody waits for ever."""

    class Killed(BaseException):
        pass

    async def commit(deliveries: Sequence[Delivery]) -> set[str]:
        raise Killed

    group = GroupCommit(commit, BatchLimits(deliveries=1))
    puts = [asyncio.ensure_future(group.put(delivery(n))) for n in range(3)]
    await asyncio.wait(puts)
    assert [type(put.exception()) for put in puts] == [Killed] * 3
    assert group._worker is not None
    await group._worker  # it has ended, and says nothing that its callers have not heard


async def test_handled_deliveries_are_purged_by_age(store: Store, world: World) -> None:
    """An old handled delivery is forgotten; one that is open stays, however old."""
    for n in range(3):
        await store.receive(delivery(n))
    async with store.unit() as unit:
        await unit.handled(["guid-0", "guid-1"])
    world.clock.advance(10)
    assert await store.purge_inbox(before=world.clock.now() - 11) == 0
    assert await store.purge_inbox(before=world.clock.now()) == 2
    assert (await store.counts())["deliveries"] == 1
