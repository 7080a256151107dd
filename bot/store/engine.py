"""The store as the rest of the shell uses it: every method is one transaction, and durable when it returns."""

from __future__ import annotations

import uuid
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot.store import counts, due, inbox, journal, lanes, outbox, texts
from bot.store.awake import Awake
from bot.store.errors import LeaseLost
from bot.store.group import GroupCommit
from bot.store.listen import Listener, notify
from bot.store.unit import Unit

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from bot.store.database import Database
    from bot.store.lock import DirectoryLock
    from bot.store.values import Delivery, JournalRow, Lease, LeasedOrder


class Store:
    """
    Inbox, journal, due-list, outbox, lanes and texts. Made by `open_store`.

    Every method may raise `StoreUnavailable`. `owner` begins the names of this store's leases. `awake` rings when
    something may be due or claimable, here or in another process; each loop takes its own event by `awake.listen()`.
    `embedded` is true on SQLite, where this process is the only one.
    """

    def __init__(self, database: Database, *, owner: str | None = None, lock: DirectoryLock | None = None) -> None:
        self.owner = f"{owner or 'failres'}-{uuid.uuid4().hex}"  # a restarted process must not pass for its predecessor
        self.awake = Awake()
        self.embedded = database.embedded
        self._database, self._lock = database, lock
        self._group = GroupCommit(self._receive_all)
        self._claims = 0
        # What the heartbeat renews: a lease whose end could not be written must run out, not be renewed for ever.
        self._keys: set[tuple[str, str]] = set()
        self._orders: set[tuple[str, str]] = set()
        self.listener = None if database.embedded else Listener(database, self.awake.set)

    @property
    def after_commit(self) -> Callable[[str], None] | None:
        """Called after each commit with its label; what it raises reaches the caller, as a kill there would."""
        return self._database.after_commit

    @after_commit.setter
    def after_commit(self, call: Callable[[str], None] | None) -> None:
        self._database.after_commit = call

    async def close(self) -> None:
        """Finish what was received, close the connections, let go of the state directory."""
        await self._group.finish()
        if self.listener is not None:
            await self.listener.stop()
        await self._database.close()
        if self._lock is not None:
            self._lock.release()

    # deliveries and units

    async def receive(self, delivery: Delivery) -> bool:
        """Store a delivery and wake its key. Durable when it returns: True if its GUID is new."""
        return await self._group.put(delivery)

    async def _receive_all(self, deliveries: Sequence[Delivery]) -> set[str]:
        async with self._unit("receive") as unit:
            return await unit.receive(deliveries)

    @asynccontextmanager
    async def unit(self, lease: Lease | None = None) -> AsyncIterator[Unit]:
        """One transaction of a turn. With a lease: `LeaseLost` unless it holds, and then it holds until the commit."""
        async with self._unit("unit", lease) as unit:
            yield unit

    @asynccontextmanager
    async def _unit(self, label: str, lease: Lease | None = None) -> AsyncIterator[Unit]:
        unit: Unit | None = None
        try:
            async with self._database.begin(label) as tx:
                if lease is not None and not await due.holds(tx, lease):
                    raise LeaseLost(lease.key)
                unit = Unit(tx)
                yield unit
                await unit.write_wakes()
                if unit.rings:
                    await notify(tx)
        finally:  # also when the caller was cancelled: the commit may have gone through
            if unit is not None and unit.rings:
                self.awake.set()

    # the journal and the texts

    async def records(self, key: str, after: int = 0) -> AsyncIterator[JournalRow]:
        """
        The key's records with a number greater than `after`, as of the call, checked while they are read.

        Raises `JournalCorrupt` at the record where the chain does not hold.
        """
        reader = journal.Reader(key, after)
        while not reader.finished:
            async with self._database.look() as tx:
                page = await reader.page(tx)
            for row in reader.check(page):
                yield row

    async def keys(self) -> list[str]:
        """All keys that have records, sorted."""
        async with self._database.look() as tx:
            return await journal.keys(tx)

    async def text(self, name: str) -> str | None:
        """The text stored under that hash; None if it was purged or never stored."""
        async with self._database.look() as tx:
            return await texts.get_text(tx, name)

    async def purge_texts(self, *, before: float) -> int:
        """Delete the texts last stored before that time. Returns how many."""
        async with self._database.begin("purge_texts") as tx:
            return await texts.purge_texts(tx, before)

    async def purge_inbox(self, *, before: float) -> int:
        """
        Forget the deliveries handled before that time. Returns how many.

        Keep at least as long as GitHub redelivers (3 days; Enterprise Server 7): a forgotten GUID would count as new.
        """
        async with self._database.begin("purge_inbox") as tx:
            return await inbox.purge_handled(tx, before)

    # the due-list

    async def claim(self, limit: int, lease_seconds: float) -> list[Lease]:
        """Lease up to `limit` due keys, the longest due first."""
        async with self._database.begin("claim") as tx:
            leases = await due.claim(tx, self._next_owner(), limit, lease_seconds)
        self._keys.update((lease.key, lease.owner) for lease in leases)
        return leases

    async def release(self, lease: Lease, again: float | None, *, failed: bool = False) -> bool:
        """
        The turn ended: run again at `again`, or at a wake that came meanwhile if it is earlier, or not.

        `failed` keeps the count of attempts and needs an `again`. Returns False if the lease was lost.
        """
        self._keys.discard((lease.key, lease.owner))
        try:
            async with self._database.begin("release") as tx:
                return await due.release(tx, lease, again, failed=failed)
        finally:
            self.awake.set()

    async def extend(self, lease_seconds: float) -> None:
        """The heartbeat: renew every lease, on keys and on orders, that was claimed here and not given back."""
        async with self._database.begin("extend") as tx:
            await due.extend(tx, self._keys, lease_seconds)
            await outbox.extend(tx, self._orders, lease_seconds)

    async def next_due(self) -> float | None:
        """The earliest time at which a key can be claimed; None if there is none, leases that hold aside."""
        async with self._database.look() as tx:
            return await due.next_due(tx)

    async def forget_leases(self) -> None:
        """At the start of the only process: all leases are a dead one's. On PostgreSQL nothing: there they expire."""
        if not self.embedded:
            return
        async with self._database.begin("forget_leases") as tx:
            await due.forget_leases(tx)
            await outbox.forget_leases(tx)

    async def rebuild_due(self) -> None:
        """Wake every key that has an open delivery or a journal."""
        async with self._database.begin("rebuild_due") as tx:
            await due.rebuild(tx)
            await notify(tx)
        self.awake.set()

    # the outbox

    async def claim_orders(self, limit: int, lease_seconds: float) -> list[LeasedOrder]:
        """Lease up to `limit` orders that may go now, fair over lanes and, within a lane, over repositories."""
        async with self._database.begin("claim_orders") as tx:
            orders = await lanes.claim(tx, self._next_owner(), limit, lease_seconds)
        self._orders.update((leased.order.action_key, leased.owner) for leased in orders)
        return orders

    async def finish_order(
        self,
        leased: LeasedOrder,
        outcome: Delivery | None,
        *,
        lane_ready_at: float | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        """
        The action was carried out: delete the order, store its outcome and texts, wake the outcome's key, at once.

        Raises `LeaseLost`, and writes nothing, if another worker has taken the order over: the outcome will be its.
        """
        async with self._unit_of_order("finish_order", leased, lane_ready_at) as unit:
            await outbox.finish(unit.tx, leased)
            if outcome is not None:
                await unit.receive([outcome])
            await unit.put_texts(texts or {})

    async def retry_order(
        self, leased: LeasedOrder, not_before: float, *, lane_ready_at: float | None = None, reason: str
    ) -> None:
        """Put the order back until `not_before`; raises `LeaseLost` if another worker has taken it over."""
        async with self._unit_of_order("retry_order", leased, lane_ready_at) as unit:
            await outbox.put_back(unit.tx, leased, not_before, reason)

    @asynccontextmanager
    async def _unit_of_order(self, label: str, leased: LeasedOrder, lane_ready_at: float | None) -> AsyncIterator[Unit]:
        self._orders.discard((leased.order.action_key, leased.owner))
        async with self._unit(label) as unit:
            unit.ordered = True  # a serial lane is free again
            yield unit
            if lane_ready_at is not None:
                await lanes.hold(unit.tx, leased.order.lane, lane_ready_at)

    async def next_order(self) -> float | None:
        """When the next order can be claimed: now or earlier means at once; None if there is none."""
        async with self._database.look() as tx:
            return await lanes.next_order(tx)

    async def lane_ready(self, lane: str, at: float) -> None:
        """Nothing of this lane goes before `at`; of two such times the later counts."""
        async with self._database.begin("lane_ready") as tx:
            await lanes.hold(tx, lane, at)

    async def counts(self) -> dict[str, int]:
        """How many rows of each sort there are, for status and metrics."""
        async with self._database.look() as tx:
            return await counts.count(tx)

    def _next_owner(self) -> str:
        self._claims += 1
        return f"{self.owner}/{self._claims}"
