"""
One transaction's worth of a turn, as plain calls where the connection lives: all of it becomes durable, or nothing.

A turn is one function over a `Work` (`Store.turn`): it changes to the database's thread once and not at each statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store import due, inbox, journal, outbox, texts
from bot.store.listen import notify

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bot.store.database import Transaction
    from bot.store.values import Delivery, Entry, JournalRow, Order, Received


class Work:
    """Wakes are written last, in the order of their keys, so that two of these never deadlock."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self._wakes: dict[str, float] = {}
        self._ordered = False

    @property
    def now(self) -> float:
        """The time at which the transaction began; appended records and stored deliveries carry it."""
        return self.tx.now

    @property
    def rings(self) -> bool:
        """True if somebody should look at the due-list or the outbox after the commit."""
        return bool(self._wakes) or self._ordered

    def deliveries(self, key: str, limit: int, *first: Sequence[str]) -> list[Received]:
        """The key's open deliveries: of each of the groups of events `first`, then of the others; each oldest first."""
        return inbox.open_deliveries(self.tx, key, limit, *first)

    def handled(self, guids: Iterable[str]) -> None:
        """Mark deliveries as handled."""
        inbox.mark_handled(self.tx, guids)

    def append(self, key: str, entries: Sequence[Entry]) -> list[JournalRow]:
        """Append to the key's journal what is new; returns the new records only."""
        return journal.append(self.tx, key, entries)

    def records(self, key: str, after: int = 0) -> Iterator[JournalRow]:
        """The key's records after a number, read in this transaction. Raises `JournalCorrupt`."""
        reader = journal.Reader(key, after)
        while not reader.finished:
            yield from reader.check(reader.page(self.tx))

    def enqueue(self, orders: Sequence[Order]) -> None:
        """Put actions into the outbox; the latest for a target wins."""
        self._ordered = self._ordered or bool(orders)
        outbox.enqueue(self.tx, orders)

    def put_texts(self, new: Mapping[str, str]) -> None:
        """Store each text under its hash."""
        texts.put_texts(self.tx, new)

    def wake(self, keys: Iterable[str], at: float | None = None) -> None:
        """Make keys due at that time, or now; an earlier time that stands already stays."""
        when = self.now if at is None else at
        for key in keys:
            self._wakes[key] = min(when, self._wakes.get(key, when))

    def receive(self, deliveries: Sequence[Delivery]) -> set[str]:
        """Store deliveries and wake their keys; returns the GUIDs that were new."""
        fresh = inbox.store_deliveries(self.tx, deliveries)
        self.wake({delivery.key for delivery in deliveries if delivery.guid in fresh})
        return fresh

    def finish(self) -> None:
        """Write the wakes; the store does this before the commit."""
        due.wake(self.tx, self._wakes)
        if self.rings:
            notify(self.tx)
