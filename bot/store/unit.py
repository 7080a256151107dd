"""One transaction's worth of a turn's writes: all of them become durable together, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store import due, inbox, journal, outbox, texts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

    from bot.store.database import OpenTransaction, Transaction
    from bot.store.values import Delivery, Entry, JournalRow, Order, Received


class Unit:
    """Made by `Store.unit`. Wakes are written last, in the order of their keys, so that two units never deadlock."""

    def __init__(self, opened: OpenTransaction) -> None:
        self._opened = opened
        self.do = opened.do
        self._wakes: dict[str, float] = {}
        self.ordered = False

    @property
    def now(self) -> float:
        """The time at which the transaction began; appended records and stored deliveries carry it."""
        return self._opened.now

    @property
    def rings(self) -> bool:
        """True if somebody should look at the due-list or the outbox after the commit."""
        return bool(self._wakes) or self.ordered

    async def deliveries(self, key: str, limit: int) -> list[Received]:
        """The key's deliveries that are not handled, oldest first."""
        return await self.do(lambda tx: inbox.open_deliveries(tx, key, limit))

    async def handled(self, guids: Iterable[str]) -> None:
        """Mark deliveries as handled."""
        known = list(guids)
        await self.do(lambda tx: inbox.mark_handled(tx, known))

    async def append(self, key: str, entries: Sequence[Entry]) -> list[JournalRow]:
        """Append to the key's journal what is new; returns the new records only."""
        return await self.do(lambda tx: journal.append(tx, key, entries))

    async def records(self, key: str, after: int = 0) -> AsyncIterator[JournalRow]:
        """The key's records after a number, read in this transaction. Raises `JournalCorrupt`."""
        reader = journal.Reader(key, after)
        while not reader.finished:
            for row in reader.check(await self.do(reader.page)):
                yield row

    async def enqueue(self, orders: Sequence[Order]) -> None:
        """Put actions into the outbox; the latest for a target wins."""
        self.ordered = self.ordered or bool(orders)
        await self.do(lambda tx: outbox.enqueue(tx, orders))

    async def cancel(self, key: str, target_prefix: str) -> list[str]:
        """Drop the key's orders that nobody has taken and whose target begins so; returns their action keys."""
        return await self.do(lambda tx: outbox.cancel(tx, key, target_prefix))

    async def put_texts(self, new: Mapping[str, str]) -> None:
        """Store each text under its hash."""
        await self.do(lambda tx: texts.put_texts(tx, new))

    async def put_text(self, name: str, text: str) -> None:
        """Store a text under its hash."""
        await self.put_texts({name: text})

    async def wake(self, keys: Iterable[str], at: float | None = None) -> None:
        """Make keys due at that time, or now; an earlier time that stands already stays."""
        when = self.now if at is None else at
        for key in keys:
            self._wakes[key] = min(when, self._wakes.get(key, when))

    async def receive(self, deliveries: Sequence[Delivery]) -> set[str]:
        """Store deliveries and wake their keys; returns the GUIDs that were new."""
        fresh = await self.do(lambda tx: inbox.store_deliveries(tx, deliveries))
        await self.wake({delivery.key for delivery in deliveries if delivery.guid in fresh})
        return fresh

    def write_wakes(self, tx: Transaction) -> None:
        """Write the wakes; the store does this before the commit."""
        due.wake(tx, self._wakes)
