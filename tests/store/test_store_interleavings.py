"""Properties over any order of steps; and mutations of the code that these properties must find, or they prove nothing."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, update

from bot.clock import ManualClock
from bot.store import due, open_store
from bot.store import tables as t

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bot.store import Lease, Store
    from bot.store.database import Transaction

LEASE_SECONDS = 50
KEYS = ("repo:1", "repo:2")
QUIET = settings(max_examples=40, deadline=None, database=None, derandomize=True)


# the due-list

DueStep = tuple[Any, ...]
KEY = st.sampled_from(["repo:1", "repo:1", "repo:2"])
CLAIM_STEP = st.tuples(st.just("claim"), st.integers(1, 2))
WAKE_STEP = st.tuples(st.just("wake"), KEY, st.sampled_from([0, 10, 20, -5]))
RELEASE_STEP = st.tuples(st.just("release"), st.sampled_from([0, 0, 1]), st.sampled_from([None, None, 5, 15]))
PASS_STEP = st.tuples(st.just("let_pass"), st.sampled_from([1, 10, LEASE_SECONDS + 1]))
# Claims, wakes and releases more often than the rest, and never few: most mistakes need five steps in a row.
DUE_STEPS = st.lists(
    st.one_of(
        WAKE_STEP,
        CLAIM_STEP,
        RELEASE_STEP,
        WAKE_STEP,
        CLAIM_STEP,
        RELEASE_STEP,
        PASS_STEP,
        st.tuples(st.just("restart")),
    ),
    min_size=10,
    max_size=16,
)


@dataclass
class Row:
    """What the due-list says of one key, in the plainest words: when it is due, who has it, until when."""

    due_at: float = inf
    owner: str | None = None
    until: float = 0.0

    def ready(self, now: float) -> bool:
        """True if a claim must find the key."""
        return self.until < now if self.owner else self.due_at <= now


class DueModel:
    """The store beside the plain model; every step is done to both and compared."""

    def __init__(self, store: Store, clock: ManualClock) -> None:
        self.store, self.clock = store, clock
        self.rows = {key: Row() for key in KEYS}
        self.leases: list[Lease] = []

    async def step(self, step: DueStep) -> None:
        """Do one step and compare."""
        await getattr(self, step[0])(*step[1:])
        free = [row.due_at for row in self.rows.values() if row.owner is None and row.due_at < inf]
        free += [row.until for row in self.rows.values() if row.owner and row.until < self.clock.now()]
        assert await self.store.next_due() == min(free, default=None)

    async def wake(self, key: str, seconds: int) -> None:
        """Wake at a time in the past or the future."""
        at = self.clock.now() + seconds
        async with self.store.unit() as unit:
            await unit.wake([key], at)
        self.rows[key].due_at = min(self.rows[key].due_at, at)

    async def claim(self, limit: int) -> None:
        """Everything that is ready is found, up to the limit, and nothing else."""
        now = self.clock.now()
        ready = {key for key, row in self.rows.items() if row.ready(now)}
        leases = await self.store.claim(limit, LEASE_SECONDS)
        assert len(leases) == min(limit, len(ready))
        assert {lease.key for lease in leases} <= ready
        for lease in leases:
            later = self.rows[lease.key].due_at
            self.rows[lease.key] = Row(later if later > now else inf, lease.owner, now + LEASE_SECONDS)
        self.leases += leases

    async def release(self, which: int, seconds: int | None) -> None:
        """Release any lease that ever was; of one that was lost, nothing must change."""
        if which >= len(self.leases):
            return
        lease = self.leases[-1 - which]
        row = self.rows[lease.key]
        again = None if seconds is None else self.clock.now() + seconds
        assert await self.store.release(lease, again) == (row.owner == lease.owner)
        if row.owner == lease.owner:
            self.rows[lease.key] = Row(min(row.due_at, inf if again is None else again))

    async def restart(self) -> None:
        """Start anew as the only process: every lease has ended."""
        await self.store.forget_leases()
        for row in self.rows.values():
            row.until = 0.0

    async def let_pass(self, seconds: int) -> None:
        """Time goes on; leases run out."""
        self.clock.advance(seconds)


@contextmanager
def _player() -> Iterator[Callable[[list[DueStep]], None]]:
    """Plays lists of steps, each on an empty due-list; one loop and one store serve all."""
    clock = ManualClock()

    async def play(store: Store, steps: list[DueStep]) -> None:
        async with store.unit() as unit:
            await unit.do(lambda work: work.tx.run(delete(t.due)))
        model = DueModel(store, clock)
        for step in steps:
            await model.step(step)

    with asyncio.Runner() as runner:
        store = runner.run(open_store("sqlite://", clock))
        try:
            yield lambda steps: runner.run(play(store, steps))
        finally:
            runner.run(store.close())


STORIES: dict[str, list[DueStep]] = {
    "a wake during the turn": [("wake", "repo:1", 0), ("claim", 1), ("wake", "repo:1", 0), ("release", 0, None)],
    "a timer during the turn": [("wake", "repo:1", 0), ("claim", 1), ("wake", "repo:1", 5), ("release", 0, 15)],
    "a zombie": [
        ("wake", "repo:1", 0),
        ("claim", 1),
        ("let_pass", LEASE_SECONDS + 1),
        ("claim", 1),
        ("release", 1, None),
        ("release", 0, None),
    ],
    "two timers": [("wake", "repo:1", 10), ("wake", "repo:1", 20), ("let_pass", 10), ("claim", 1)],
    "a timer during a turn that died": [
        ("wake", "repo:1", 0),
        ("claim", 1),
        ("wake", "repo:1", 60),
        ("let_pass", LEASE_SECONDS + 1),
        ("claim", 1),
        ("release", 0, None),
    ],
}
"""Always played, besides the random ones: the shortest of each kind that has gone wrong somewhere."""


def _property(play: Callable[[list[DueStep]], None], how: settings) -> None:
    checked = given(DUE_STEPS)(play)
    for steps in STORIES.values():
        checked = example(steps)(checked)
    how(checked)()


def test_any_order_of_wakes_claims_and_releases() -> None:
    """The due-list does at every step what the plain words say: no wake lost, none invented, the earliest counts."""
    with _player() as play:
        _property(play, QUIET)


def _drop_whatever_came(tx: Transaction, lease: Lease, again: float | None, *, failed: bool) -> bool:
    mine = (t.due.c.key == lease.key) & (t.due.c.owner == lease.owner)
    if again is None:
        return bool(tx.run(delete(t.due).where(mine)).rowcount)
    values = {"due_at": again, "owner": None, "leased_until": None}
    return bool(tx.run(update(t.due).where(mine).values(values)).rowcount)


def _prefer_the_turn(tx: Transaction, lease: Lease, again: float | None, *, failed: bool) -> bool:
    kept = RELEASE(tx, lease, again, failed=failed)
    if kept and again is not None:
        tx.run(update(t.due).where(t.due.c.key == lease.key).values(due_at=again))
    return kept


def _release_anybodys(tx: Transaction, lease: Lease, again: float | None, *, failed: bool) -> bool:
    tx.run(update(t.due).where(t.due.c.key == lease.key).values(owner=lease.owner))
    return RELEASE(tx, lease, again, failed=failed)


def _later_wins(tx: Transaction, times: Mapping[str, float]) -> None:
    WAKE(tx, times)
    for key, at in times.items():
        tx.run(update(t.due).where(t.due.c.key == key).values(due_at=at))


def _claim_forgets_later_wakes(tx: Transaction, owner: str, limit: int, lease_seconds: float) -> list[Lease]:
    leases = CLAIM(tx, owner, limit, lease_seconds)
    tx.run(update(t.due).where(t.due.c.owner == owner).values(due_at=None))
    return leases


WAKE, CLAIM, RELEASE = due.wake, due.claim, due.release
MUTATIONS = {
    "a wake during the turn is dropped": ("release", _drop_whatever_came),
    "the turn's own time beats an earlier wake": ("release", _prefer_the_turn),
    "a zombie's release counts": ("release", _release_anybodys),
    "a later wake delays an earlier one": ("wake", _later_wins),
    "a takeover forgets a later wake": ("claim", _claim_forgets_later_wakes),
}


@pytest.mark.parametrize(("name", "mutation"), MUTATIONS.values(), ids=MUTATIONS)
def test_the_property_finds_each_mistake(monkeypatch: pytest.MonkeyPatch, name: str, mutation: object) -> None:
    """A due-list with one of the classic mistakes fails the property: so it has teeth."""
    monkeypatch.setattr(due, name, mutation)
    with _player() as play, pytest.raises(AssertionError):
        _property(play, settings(QUIET, phases=[Phase.explicit]))


@pytest.mark.soak
@pytest.mark.parametrize(("name", "mutation"), MUTATIONS.values(), ids=MUTATIONS)
def test_random_orders_alone_find_each_mistake(monkeypatch: pytest.MonkeyPatch, name: str, mutation: object) -> None:
    """Without the stories told above, chance finds the mistakes too: so it may find one that nobody has told."""
    monkeypatch.setattr(due, name, mutation)
    with _player() as play, pytest.raises(AssertionError):
        _property(play, settings(QUIET, phases=[Phase.generate], max_examples=3000, report_multiple_bugs=False))
