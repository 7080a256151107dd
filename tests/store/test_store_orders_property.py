"""A property of the outbox over any order of steps: the newest order for each target is the last one carried out."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete
from store_world import order

from bot.clock import ManualClock
from bot.store import LeaseLost, lanes, open_store, outbox
from bot.store import tables as t

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Row

    from bot.store import LeasedOrder, Order, Store
    from bot.store.database import Transaction

LEASE_SECONDS = 50
Step = tuple[Any, ...]
TARGET = st.sampled_from(["check", "check", "comment"])
ENQUEUE = st.tuples(st.just("enqueue"), TARGET, st.sampled_from([0, 20]), st.sampled_from([0, 0, 30]))
CLAIM = st.tuples(st.just("claim"), st.integers(1, 3))
FINISH = st.tuples(st.just("finish"), st.integers(0, 2))
RETRY = st.tuples(st.just("retry"), st.integers(0, 2), st.sampled_from([0, 20]))
PASS = st.tuples(st.just("let_pass"), st.sampled_from([1, 30, LEASE_SECONDS + 1]))
STEPS = st.lists(
    st.one_of(ENQUEUE, CLAIM, FINISH, ENQUEUE, CLAIM, RETRY, PASS, st.tuples(st.just("restart"))),
    min_size=8,
    max_size=16,
)
STORIES: list[list[Step]] = [
    [("enqueue", "check", 20, 0), ("enqueue", "check", 20, 0)],
    [("enqueue", "check", 20, 0), ("claim", 1), ("enqueue", "check", 0, 0), ("claim", 1), ("finish", 0)],
    [("enqueue", "check", 20, 0), ("claim", 1), ("enqueue", "check", 20, 30), ("retry", 0, 20)],
    [("enqueue", "check", 0, 0), ("claim", 1), ("enqueue", "check", 20, 0), ("let_pass", LEASE_SECONDS + 1)],
    [("enqueue", "check", 20, 0), ("claim", 1), ("let_pass", LEASE_SECONDS + 1), ("claim", 1), ("finish", 1)],
    [("enqueue", "comment", 20, 0), ("enqueue", "check", 20, 0), ("claim", 2), ("claim", 2)],
    [("enqueue", "check", 20, 0), ("enqueue", "check", 20, 30), ("claim", 1)],
    [("enqueue", "check", 20, 0), ("claim", 1), ("retry", 0, 0), ("enqueue", "check", 20, 0), ("claim", 1)],
]


class Model:
    """The store beside what must be true of it."""

    def __init__(self, store: Store, clock: ManualClock) -> None:
        self.store, self.clock = store, clock
        self.count = 0
        self.newest: dict[str, int] = {}
        self.written: dict[str, int] = {}
        self.held: list[tuple[LeasedOrder, float]] = []
        self.attempts: Counter[str] = Counter()
        self.of_target: dict[str, str] = {}
        self.replaced: set[str] = set()

    async def enqueue(self, target: str, priority: int, delay: int) -> None:
        """Decide something new for a target; checks go through a serial lane."""
        self.count += 1
        self.newest[target] = self.count
        made = order(str(self.count), target=target, lane=target, serial=target == "check", priority=priority)
        in_work = {taken.order.action_key for taken, _ in self.held}
        self.replaced |= {name for name, where in self.of_target.items() if where == target and name not in in_work}
        self.of_target[made.action_key] = target
        async with self.store.unit() as unit:
            await unit.enqueue([made._replace(not_before=self.clock.now() + delay)])

    async def claim(self, limit: int) -> None:
        """What is taken is alone on its target, as far as leases hold, and counts every earlier attempt."""
        now = self.clock.now()
        for taken in await self.store.claim_orders(limit, LEASE_SECONDS):
            target = taken.order.target
            assert all(other.order.target != target or until < now for other, until in self.held), "side by side"
            assert taken.order.action_key not in self.replaced, "a newer one had replaced it"
            assert int(taken.order.action_key) >= self.written.get(target, 0), "older than what is written"
            self.attempts[target] += 1
            assert taken.attempts >= min(2, self.attempts[target]), "an earlier attempt was forgotten"
            self.held.append((taken, now + LEASE_SECONDS))

    async def finish(self, which: int) -> None:
        """A worker is done; one that lost its order is told."""
        if which < len(self.held):
            taken, _ = self.held.pop(-1 - which)
            try:
                await self.store.finish_order(taken, None)
            except LeaseLost:
                return
            self.written[taken.order.target] = int(taken.order.action_key)
            self.attempts[taken.order.target] = 0

    async def retry(self, which: int, delay: int) -> None:
        """A worker gives an order back."""
        if which < len(self.held):
            taken, _ = self.held.pop(-1 - which)
            try:
                await self.store.retry_order(taken, self.clock.now() + delay, reason="later")
            except LeaseLost:
                return
            if self.newest.get(taken.order.target, 0) > int(taken.order.action_key):
                self.replaced.add(taken.order.action_key)

    async def let_pass(self, seconds: int) -> None:
        """Time goes on; leases run out."""
        self.clock.advance(seconds)

    async def restart(self) -> None:
        """All workers are gone."""
        await self.store.forget_leases()
        self.held.clear()

    async def drain(self) -> None:
        """Work until nothing waits: then the newest of each target is written, and nothing is left over."""
        await self.restart()
        while (at := await self.store.next_order()) is not None:
            self.clock.advance(at - self.clock.now())
            await self.claim(3)
            assert self.held, "an order that is said to be claimable is not"
            while self.held:
                await self.finish(0)
        for target, newest in self.newest.items():
            assert self.written[target] == newest
        assert (await self.store.counts())["orders"] == 0


async def _play(store: Store, clock: ManualClock, steps: list[Step]) -> None:
    async with store.unit() as unit:
        await unit.do(lambda work: work.tx.run(delete(t.outbox)))
        await unit.do(lambda work: work.tx.run(delete(t.lanes)))
    model = Model(store, clock)
    for step in steps:
        await getattr(model, step[0])(*step[1:])
    await model.drain()


def _property(how: settings) -> None:
    clock = ManualClock()
    with asyncio.Runner() as runner:
        store = runner.run(open_store("sqlite://", clock))
        checked: Callable[..., None] = given(STEPS)(lambda steps: runner.run(_play(store, clock, steps)))
        for steps in STORIES:
            checked = example(steps)(checked)
        try:
            how(checked)()
        finally:
            runner.run(store.close())


RANDOM = settings(max_examples=30, deadline=None, database=None, derandomize=True)


def test_the_newest_for_a_target_is_written_last() -> None:
    """Whatever workers, crashes and newer decisions do: no stale write after a newer, none side by side, none stuck."""
    _property(RANDOM)


def _no_rivals(one: object, other: object) -> bool:
    return False


def _forget_attempts(tx: Transaction, fresh: Sequence[tuple[Order, int]]) -> None:
    INSERT(tx, [(order, 0) for order, _ in fresh])


def _put_back_always(
    tx: Transaction, leased: LeasedOrder, not_before: float, reason: str, *, tried: bool = True
) -> None:
    alone = leased._replace(order=leased.order._replace(target="nobody's"))
    PUT_BACK(tx, alone, not_before, reason, tried=tried)


def _supersede_nothing(tx: Transaction, row: Row[*tuple[Any, ...]]) -> None:
    pass


INSERT, PUT_BACK = outbox._insert, outbox.put_back
MUTATIONS: dict[str, tuple[Any, str, object]] = {
    "the older stays beside the newer": (outbox, "_rivals", _no_rivals),
    "what was tried before is forgotten": (outbox, "_insert", _forget_attempts),
    "a retry comes back beside the newer": (outbox, "put_back", _put_back_always),
    "a dead worker's order stays beside the newer": (lanes, "_supersede", _supersede_nothing),
}


@pytest.mark.parametrize(("module", "name", "mutation"), MUTATIONS.values(), ids=MUTATIONS)
def test_the_property_finds_each_mistake(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, mutation: object
) -> None:
    """An outbox with one of the classic mistakes fails the property."""
    monkeypatch.setattr(module, name, mutation)
    with pytest.raises(AssertionError):
        _property(settings(RANDOM, phases=[Phase.explicit]))
