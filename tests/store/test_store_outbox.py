"""Orders: each once, the latest for a target, lanes at their pace, nobody starved, none lost with its worker."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from store_world import order

from bot.store import Delivery, LeaseLost

if TYPE_CHECKING:
    from store_world import World

    from bot.store import LeasedOrder, Order, Store


async def _enqueue(store: Store, *orders: Order) -> None:
    async with store.unit() as unit:
        await unit.enqueue(orders)


async def _claim(store: Store, limit: int = 99, lease_seconds: float = 60) -> list[str]:
    return [taken.order.action_key for taken in await store.claim_orders(limit, lease_seconds)]


async def _take(store: Store) -> LeasedOrder:
    [taken] = await store.claim_orders(1, 60)
    return taken


async def test_an_order_comes_back_as_it_was(store: Store) -> None:
    """All fields reach the worker, on the first attempt as number one."""
    sent = order("a", serial=True, priority=7, not_before=1.5, body='{"x": "ü"}')
    await _enqueue(store, sent)
    taken = await _take(store)
    assert (taken.order, taken.attempts) == (sent, 1)
    assert await store.claim_orders(9, 60) == []


async def test_an_action_waits_once(store: Store, world: World) -> None:
    """Deciding the same again changes nothing: not while it waits, not its backoff, not while it is carried out."""
    await _enqueue(store, order("a"), order("a"))
    taken = await _take(store)
    await _enqueue(store, order("a"))
    assert await _claim(store) == []
    later = world.clock.now() + 30
    await store.retry_order(taken, later, reason="GitHub said 502")
    await _enqueue(store, order("a"))
    assert await store.next_order() == later
    world.clock.advance(30)
    [again] = await store.claim_orders(9, 60)
    assert again.attempts == 2
    await store.finish_order(again, None)
    await _enqueue(store, order("a"))
    assert (await _take(store)).attempts == 1, "done and decided anew, it is another one"


async def test_the_latest_for_a_target_wins(store: Store) -> None:
    """A newer order of the repository replaces the one that waits; others' targets of the same name are others."""
    await _enqueue(store, order("old", target="comment"), order("others", target="comment", key="repo:2"))
    await _enqueue(store, order("middle", target="comment"), order("new", target="comment"))
    assert sorted(await _claim(store)) == ["new", "others"]


async def test_the_latest_wins_within_one_call(store: Store) -> None:
    """Orders of one unit follow each other as if each came alone: back to the first decision is the first decision."""
    await _enqueue(store, order("a", target="comment"))
    await _enqueue(store, order("b", target="comment"), order("a", target="comment"))
    assert await _claim(store) == ["a"]
    await _enqueue(store, *(order(name, target="label") for name in ("c", "d", "c")))
    assert await _claim(store) == ["c"]
    await _enqueue(store)


async def test_an_order_never_overtakes_the_one_in_work_for_its_target(store: Store) -> None:
    """The newer one waits until the older is done: otherwise the older might be written last."""
    await _enqueue(store, order("old", target="comment"))
    taken = await _take(store)
    await _enqueue(store, order("new", target="comment", priority=0))
    assert await _claim(store) == []
    assert await store.next_order() is None
    await store.finish_order(taken, None)
    assert await _claim(store) == ["new"]


async def test_a_replaced_attempt_is_not_forgotten(store: Store, world: World) -> None:
    """An order that replaces a tried one counts its attempts: the tried one may have reached GitHub."""
    await _enqueue(store, order("old", target="comment"))
    await store.retry_order(await _take(store), world.clock.now(), reason="timeout")
    await _enqueue(store, order("new", target="comment"))
    assert [(o.order.action_key, o.attempts) for o in await store.claim_orders(9, 60)] == [("new", 2)]


async def test_a_claim_in_which_nothing_was_tried_is_no_attempt(store: Store, world: World) -> None:
    """A kill switch kept the worker from it: the next claim is the first attempt; so it is for who replaces it."""
    await _enqueue(store, order("old", target="comment"))
    for _ in range(2):
        taken = await _take(store)
        assert taken.attempts == 1
        await store.retry_order(taken, world.clock.now(), reason="stopped", tried=False)
    taken = await _take(store)
    await _enqueue(store, order("new", target="comment"))
    await store.retry_order(taken, world.clock.now(), reason="stopped", tried=False)
    assert [(o.order.action_key, o.attempts) for o in await store.claim_orders(9, 60)] == [("new", 1)]


async def test_a_retry_gives_way_to_a_newer_order(store: Store, world: World) -> None:
    """What was decided while the older was in work replaces it when it would be tried again, without its delay."""
    await _enqueue(store, order("old", target="comment"))
    taken = await _take(store)
    await _enqueue(store, order("new", target="comment"))
    await store.retry_order(taken, world.clock.now() + 3600, reason="timeout")
    assert [(o.order.action_key, o.attempts) for o in await store.claim_orders(9, 60)] == [("new", 2)]
    assert (await store.counts())["orders"] == 1


async def test_a_dead_workers_order_gives_way_to_a_newer_one(store: Store, world: World) -> None:
    """When the lease ran out, the newer order for the target stands for both and counts the attempt."""
    await _enqueue(store, order("old", target="comment", priority=10), order("alone"))
    assert await _claim(store, lease_seconds=0.05) == ["old", "alone"]
    await _enqueue(store, order("new", target="comment", priority=50))
    await world.pass_lease(0.05)
    taken = {o.order.action_key: o.attempts for o in await store.claim_orders(9, 60)}
    assert taken == {"new": 2, "alone": 2}
    assert (await store.counts())["orders"] == 2


async def test_a_worker_that_lost_its_order_cannot_finish_it(store: Store, world: World) -> None:
    """The zombie's outcome, texts and retry are refused whole: the new worker will tell what became of it."""
    await _enqueue(store, order("a"))
    [old] = await store.claim_orders(9, 0.05)
    await world.pass_lease(0.05)
    assert await store.next_order() is not None
    new = await _take(store)
    outcome = Delivery("outcome:a:1", "outcome", "repo:1", "{}")
    with pytest.raises(LeaseLost):
        await store.finish_order(old, outcome, lane_ready_at=world.clock.now() + 99, texts={"h": "t"})
    with pytest.raises(LeaseLost):
        await store.retry_order(old, world.clock.now(), reason="late")
    assert (await store.next_due(), await store.text("h")) == (None, None)
    await store.finish_order(new, outcome, texts={"h": "t"})
    assert (await store.next_due() is not None, await store.text("h")) == (True, "t")
    with pytest.raises(LeaseLost):
        await store.finish_order(new, outcome)


async def test_finishing_is_one_transaction(store: Store, world: World) -> None:
    """Order gone, outcome stored, its key woken, its texts there, the lane held: in one commit, once per GUID."""
    await _enqueue(store, order("a"), order("b"))
    taken = await _take(store)
    commits: list[str] = []
    store.after_commit = commits.append
    outcome = Delivery("outcome:a:1", "outcome", "repo:1", '{"ok": true}')
    await store.finish_order(taken, outcome, lane_ready_at=world.clock.now() + 1, texts={"h": "log"})
    assert commits == ["finish_order"]
    assert await store.text("h") == "log"
    assert [lease.key for lease in await store.claim(9, 60)] == ["repo:1"]
    async with store.unit() as unit:
        assert [row.body for row in await unit.deliveries("repo:1", 9)] == ['{"ok": true}']
    assert await store.next_order() == world.clock.now() + 1
    assert not await store.receive(outcome)


async def test_orders_wait_for_their_time_and_their_lane(store: Store, world: World) -> None:
    """`not_before` holds one order, a rate limit the whole lane and no other; the later of two limits counts."""
    now = world.clock.now()
    await _enqueue(store, order("now"), order("later", not_before=now + 10), order("else", lane="write:2"))
    await store.lane_ready("write:1", now + 60)
    await store.lane_ready("write:1", now + 1)
    assert await _claim(store) == ["else"]
    assert await store.next_order() == now + 60
    world.clock.advance(59.9)
    assert await _claim(store) == []
    world.clock.advance(0.1)
    assert sorted(await _claim(store)) == ["later", "now"]
    assert await store.next_order() is None


async def test_next_order_is_the_time_of_the_first(store: Store, world: World) -> None:
    """A worker can sleep until then, to the second."""
    now = world.clock.now()
    assert await store.next_order() is None
    await _enqueue(store, order("a", not_before=now + 30), order("b", not_before=now + 20))
    assert await store.next_order() == now + 20
    world.clock.advance(20)
    assert await _claim(store) == ["b"]
    assert await store.next_order() == now + 30


async def test_a_serial_lane_has_one_order_in_work(store: Store) -> None:
    """Within one claim and over several, a serial lane gives one order at a time, the most urgent first."""
    await _enqueue(store, *(order(name, serial=True, priority=p) for name, p in (("c", 40), ("a", 0), ("b", 20))))
    done = []
    for _ in range(3):
        [taken] = await store.claim_orders(9, 60)
        assert await store.claim_orders(9, 60) == []
        assert await store.next_order() is None
        await store.finish_order(taken, None)
        done.append(taken.order.action_key)
    assert done == ["a", "b", "c"]


@pytest.mark.parametrize("first", ["serial", "parallel"])
async def test_a_serial_order_is_alone_in_its_lane(store: Store, first: str) -> None:
    """Where a lane holds orders of both sorts, a serial one never runs beside another."""
    await _enqueue(
        store,
        order("serial", serial=True, priority=0 if first == "serial" else 9),
        order("parallel", priority=0 if first == "parallel" else 9),
    )
    [taken] = await store.claim_orders(9, 60)
    assert taken.order.action_key == first
    assert await store.claim_orders(9, 60) == []
    assert await store.next_order() is None
    await store.finish_order(taken, None)
    assert len(await store.claim_orders(9, 60)) == 1


async def test_commands_go_before_comments(store: Store) -> None:
    """In a lane the smallest priority is first, and of equals the oldest."""
    await _enqueue(store, *(order(name, priority=p) for name, p in (("d", 40), ("b", 20), ("a", 0), ("c", 20))))
    assert await _claim(store) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("limit", [1, 2, 7])
async def test_lanes_take_turns(store: Store, limit: int) -> None:
    """A lane with many urgent orders delays another's first one by one order, also when each is done at once."""
    await _enqueue(store, *(order(f"a{n}", lane="write:1", priority=0) for n in range(20)))
    await _enqueue(store, *(order(f"b{n}", lane="write:2", priority=50) for n in range(3)))
    served: list[str] = []
    while len(served) < 14:
        for taken in await store.claim_orders(limit, 60):
            served.append(taken.order.lane)
            await store.finish_order(taken, None)
    assert Counter(served[:6]) == {"write:1": 3, "write:2": 3}


async def test_the_lane_with_the_least_in_work_is_first(store: Store) -> None:
    """Slow work of one installation does not crowd out another's."""
    await _enqueue(store, *(order(f"a{n}", lane="read:1") for n in range(9)))
    assert len(await _claim(store, 3)) == 3
    await _enqueue(store, *(order(f"b{n}", lane="read:2") for n in range(9)))
    assert Counter(name[0] for name in await _claim(store, 5)) == {"b": 4, "a": 1}


@pytest.mark.parametrize("serial", [False, True])
async def test_repositories_take_turns_within_a_lane(store: Store, *, serial: bool) -> None:
    """A repository with a long queue delays another of its installation by one order, not by its queue."""
    await _enqueue(store, *(order(f"big{n}", key="repo:1", serial=serial) for n in range(20)))
    done: list[str] = []
    for step in range(12):
        if step == 4:
            await _enqueue(store, *(order(f"small{n}", key="repo:2", serial=serial) for n in range(4)))
        taken = await _take(store)
        await store.finish_order(taken, None)
        done.append(taken.order.key)
    assert done[:4] == ["repo:1"] * 4
    assert Counter(done[4:]) == {"repo:1": 4, "repo:2": 4}
    assert Counter(done[4:8]) == {"repo:1": 2, "repo:2": 2}


async def test_a_unit_that_fails_enqueues_nothing(store: Store) -> None:
    """Orders are part of the unit's one commit."""

    async def turn() -> None:
        async with store.unit() as unit:
            await unit.enqueue([order("a")])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await turn()
    assert await store.next_order() is None


async def test_counts_tell_what_there_is(store: Store) -> None:
    """Status and metrics get one number for each sort."""
    async with store.unit() as unit:
        await unit.receive([Delivery("g", "push", "repo:1", "{}")])
        await unit.enqueue([order("a"), order("b")])
        await unit.put_texts({"h": "t"})
    await store.claim(9, 60)
    await store.claim_orders(1, 60)
    counts = await store.counts()
    assert {name: count for name, count in counts.items() if count} == {
        "deliveries": 1,
        "deliveries_open": 1,
        "due": 1,
        "due_leased": 1,
        "orders": 2,
        "orders_leased": 1,
        "texts": 1,
    }
