"""The store as the rest of the shell uses it: every method is one transaction, and durable when it returns."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from bot.store import counts, due, inbox, journal, lanes, outbox, snapshots, texts
from bot.store.awake import Awake
from bot.store.connections import PostgresqlConnections
from bot.store.errors import LeaseLost
from bot.store.group import GroupCommit
from bot.store.listen import Listener, notify
from bot.store.texts import put_texts
from bot.store.unit import Unit
from bot.store.work import Work

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from bot.store.database import Database, Transaction
    from bot.store.lock import DirectoryLock
    from bot.store.values import Anchor, Delivery, JournalRow, Lease, LeasedOrder, Snapshot

T = TypeVar("T")


class Store:
    """
    Inbox, journal, snapshots of its fold, due-list, outbox, lanes and texts. Made by `open_store`.

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
        shared = database.connections
        self.listener = Listener(shared.engine, self.awake.set) if isinstance(shared, PostgresqlConnections) else None

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
        def receive(tx: Transaction) -> set[str]:
            fresh = inbox.store_deliveries(tx, deliveries)
            due.wake(tx, {delivery.key: tx.now for delivery in deliveries if delivery.guid in fresh})
            if fresh:
                notify(tx)
            return fresh

        return await self._ringing("receive", receive)

    async def _ringing(self, label: str, work: Callable[[Transaction], T]) -> T:
        try:
            return await self._database.do(label, work)
        finally:  # also when the caller was cancelled: the commit may have gone through
            self.awake.set()

    async def turn(self, lease: Lease, work: Callable[[Work], float | None]) -> None:
        """
        A whole turn in one transaction, which gives the lease back too: run again at the time that `work` returns.

        Raises `LeaseLost` unless the lease holds. After any error nothing is written and the lease is still held.
        """

        def whole(tx: Transaction) -> None:
            done = self._begun(tx, lease)
            again = work(done)
            done.finish()
            due.release(tx, lease, again, failed=False)

        await self._ringing("turn", whole)
        self._keys.discard((lease.key, lease.owner))

    @staticmethod
    def _begun(tx: Transaction, lease: Lease | None) -> Work:
        if lease is not None and not due.holds(tx, lease):
            raise LeaseLost(lease.key)
        return Work(tx)

    @asynccontextmanager
    async def unit(self, lease: Lease | None = None) -> AsyncIterator[Unit]:
        """One transaction over a block. A lease must hold (`LeaseLost`), and then holds until the commit."""
        work: Work | None = None

        def first(tx: Transaction) -> Work:
            nonlocal work
            work = self._begun(tx, lease)
            return work

        try:
            async with self._database.begin("unit", first, Work.finish) as (opened, begun):
                yield Unit(opened, begun)
        finally:  # also when the caller was cancelled: the commit may have gone through
            if work is not None and work.rings:
                self.awake.set()

    # the journal and the texts

    async def records(self, key: str, after: int = 0) -> AsyncIterator[JournalRow]:
        """
        The key's records with a number greater than `after`, as of the call, checked while they are read.

        Raises `JournalCorrupt` at the record where the chain does not hold.
        """
        reader = journal.Reader(key, after)
        while not reader.finished:
            for row in reader.check(await self._database.look(reader.page)):
                yield row

    async def recent(self, key: str, count: int) -> list[JournalRow]:
        """The key's last `count` records, oldest first, checked. Raises `JournalCorrupt`."""
        after = await self._database.look(lambda tx: journal.before_last(tx, key, count))
        return [row async for row in self.records(key, after)]

    async def verify(self, key: str) -> None:
        """Walk over all of the key's records beside the work, in a thread. Raises `JournalCorrupt`."""
        reader = journal.Reader(key, 0)
        while not reader.finished:
            page = await self._database.look(reader.page)
            await asyncio.to_thread(reader.walk, page)

    async def keep_snapshot(self, snapshot: Snapshot) -> bool:
        """Keep it in the place of the key's older one; a newer one stays. Returns whether it was kept."""
        return await self._database.do("keep_snapshot", lambda tx: snapshots.keep(tx, snapshot))

    async def snapshot(self, key: str) -> tuple[Snapshot, Anchor | None] | None:
        """The key's snapshot, with what the journal holds in its place; None where there is none."""
        return await self._database.look(lambda tx: snapshots.newest(tx, key))

    async def drop_snapshot(self, key: str) -> None:
        """Drop the key's snapshot; the next fold of the journal is a whole one."""
        await self._database.do("drop_snapshot", lambda tx: snapshots.drop(tx, key))

    async def keys(self) -> list[str]:
        """All keys that have records, sorted."""
        return await self._database.look(journal.keys)

    async def text(self, name: str) -> str | None:
        """The text stored under that hash; None if it was purged or never stored."""
        return await self._database.look(lambda tx: texts.get_text(tx, name))

    async def purge_texts(self, *, before: float) -> int:
        """Delete the texts last stored before that time. Returns how many."""
        return await self._database.do("purge_texts", lambda tx: texts.purge_texts(tx, before))

    async def purge_inbox(self, *, before: float) -> int:
        """
        Forget the deliveries handled before that time. Returns how many.

        Keep at least as long as GitHub redelivers (3 days; Enterprise Server 7): a forgotten GUID would count as new.
        """
        return await self._database.do("purge_inbox", lambda tx: inbox.purge_handled(tx, before))

    # the due-list

    async def claim(self, limit: int, lease_seconds: float) -> list[Lease]:
        """Lease up to `limit` due keys, the longest due first."""
        owner = self._next_owner()
        leases = await self._database.do("claim", lambda tx: due.claim(tx, owner, limit, lease_seconds))
        self._keys.update((lease.key, lease.owner) for lease in leases)
        return leases

    async def release(self, lease: Lease, again: float | None, *, failed: bool = False) -> bool:
        """
        The turn ended: run again at `again`, or at a wake that came meanwhile if it is earlier, or not.

        `failed` keeps the count of attempts and needs an `again`. Returns False if the lease was lost.
        """
        self._keys.discard((lease.key, lease.owner))
        try:
            return await self._database.do("release", lambda tx: due.release(tx, lease, again, failed=failed))
        finally:
            self.awake.set()

    async def extend(self, lease_seconds: float) -> None:
        """The heartbeat: renew every lease, on keys and on orders, that was claimed here and not given back."""
        keys, orders = tuple(self._keys), tuple(self._orders)

        def extend(tx: Transaction) -> None:
            due.extend(tx, keys, lease_seconds)
            outbox.extend(tx, orders, lease_seconds)

        await self._database.do("extend", extend)

    async def next_due(self) -> float | None:
        """The earliest time at which a key can be claimed; None if there is none, leases that hold aside."""
        return await self._database.look(due.next_due)

    async def forget_leases(self) -> None:
        """At the start of the only process: all leases are a dead one's. On PostgreSQL nothing: there they expire."""
        if not self.embedded:
            return

        def forget(tx: Transaction) -> None:
            due.forget_leases(tx)
            outbox.forget_leases(tx)

        await self._database.do("forget_leases", forget)

    async def rebuild_due(self) -> None:
        """Wake every key that has an open delivery or a journal."""

        def rebuild(tx: Transaction) -> None:
            due.rebuild(tx)
            notify(tx)

        await self._ringing("rebuild_due", rebuild)

    # the outbox

    async def claim_orders(self, limit: int, lease_seconds: float) -> list[LeasedOrder]:
        """Lease up to `limit` orders that may go now, fair over lanes and, within a lane, over repositories."""
        owner = self._next_owner()
        orders = await self._database.do("claim_orders", lambda tx: lanes.claim(tx, owner, limit, lease_seconds))
        self._orders.update((leased.order.action_key, leased.owner) for leased in orders)
        return orders

    async def finish_order(
        self,
        leased: LeasedOrder,
        outcome: Delivery | None,
        *,
        ahead: Sequence[Delivery] = (),
        lane_ready_at: float | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        """
        The action was carried out: delete the order, store its outcome and texts, wake the outcome's key, at once.
        `ahead` are parts of an outcome that is too much for one delivery: they come before it.

        Raises `LeaseLost`, and writes nothing, if another worker has taken the order over: the outcome will be its.
        """

        def finish(tx: Transaction) -> None:
            outbox.finish(tx, leased)
            told = (*ahead, outcome) if outcome is not None else ahead
            if inbox.store_deliveries(tx, told):
                due.wake(tx, {each.key: tx.now for each in told})
            put_texts(tx, texts or {})

        await self._give_back("finish_order", leased, finish, lane_ready_at)

    async def retry_order(
        self,
        leased: LeasedOrder,
        not_before: float,
        *,
        lane_ready_at: float | None = None,
        reason: str,
        tried: bool = True,
    ) -> None:
        """Put the order back until `not_before`; raises `LeaseLost` if another worker has taken it over.

        `tried` False: certainly nothing was sent, so that this claim is no attempt.
        """

        def put_back(tx: Transaction) -> None:
            outbox.put_back(tx, leased, not_before, reason, tried=tried)

        await self._give_back("retry_order", leased, put_back, lane_ready_at)

    async def _give_back(
        self, label: str, leased: LeasedOrder, work: Callable[[Transaction], None], lane_ready_at: float | None
    ) -> None:
        self._orders.discard((leased.order.action_key, leased.owner))

        def give_back(tx: Transaction) -> None:
            work(tx)
            if lane_ready_at is not None:
                lanes.hold(tx, leased.order.lane, lane_ready_at)
            notify(tx)

        await self._ringing(label, give_back)  # a serial lane is free again

    async def next_order(self) -> float | None:
        """When the next order can be claimed: now or earlier means at once; None if there is none."""
        return await self._database.look(lanes.next_order)

    async def lane_ready(self, lane: str, at: float) -> None:
        """Nothing of this lane goes before `at`; of two such times the later counts."""
        await self._database.do("lane_ready", lambda tx: lanes.hold(tx, lane, at))

    async def counts(self) -> dict[str, int]:
        """How many rows of each sort there are, for status and metrics."""
        return await self._database.look(counts.count)

    def _next_owner(self) -> str:
        self._claims += 1
        return f"{self.owner}/{self._claims}"
