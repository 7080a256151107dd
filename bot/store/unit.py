"""The same as `Work`, for callers that do something else between two statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from bot.store.database import OpenTransaction
    from bot.store.values import Delivery, Entry, JournalRow, Order, Received
    from bot.store.work import Work

T = TypeVar("T")


class Unit:
    """Made by `Store.unit`: one transaction over a whole block. See `Work` for what the calls do."""

    def __init__(self, opened: OpenTransaction, work: Work) -> None:
        self._opened, self._work = opened, work

    async def do(self, call: Callable[[Work], T]) -> T:
        """Run a function where the connection lives."""
        return await self._opened.do(lambda _: call(self._work))

    @property
    def now(self) -> float:
        """The time at which the transaction began."""
        return self._work.now

    async def deliveries(self, key: str, limit: int, *first: Sequence[str]) -> list[Received]:
        """The key's open deliveries: of each of the groups of events `first`, then of the others; each oldest first."""
        return await self.do(lambda work: work.deliveries(key, limit, *first))

    async def handled(self, guids: Iterable[str]) -> None:
        """Mark deliveries as handled."""
        known = tuple(guids)
        await self.do(lambda work: work.handled(known))

    async def append(self, key: str, entries: Sequence[Entry]) -> list[JournalRow]:
        """Append to the key's journal what is new; returns the new records only."""
        return await self.do(lambda work: work.append(key, entries))

    async def records(self, key: str, after: int = 0) -> list[JournalRow]:
        """The key's records after a number, read in this transaction. Raises `JournalCorrupt`."""
        return await self.do(lambda work: list(work.records(key, after)))

    async def enqueue(self, orders: Sequence[Order]) -> None:
        """Put actions into the outbox; the latest for a target wins."""
        await self.do(lambda work: work.enqueue(orders))

    async def put_texts(self, new: Mapping[str, str]) -> None:
        """Store each text under its hash."""
        await self.do(lambda work: work.put_texts(new))

    async def wake(self, keys: Iterable[str], at: float | None = None) -> None:
        """Make keys due at that time, or now; an earlier time that stands already stays."""
        self._work.wake(keys, at)

    async def receive(self, deliveries: Sequence[Delivery]) -> set[str]:
        """Store deliveries and wake their keys; returns the GUIDs that were new."""
        return await self.do(lambda work: work.receive(deliveries))
