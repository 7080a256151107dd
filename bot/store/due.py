"""
The due-list: at most one row per key, no payload, leased while the key runs.

A wake makes a key due at the earlier of two times. A claim empties `due_at`, so that a wake during the turn is seen by
the release, whatever time it was for: nothing woke it → the row goes, or waits for the time that the turn gave. A wake
for later that came during a turn whose process died is kept by the claim that takes over.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Double, Integer, and_, bindparam, case, delete, func, null, or_, select, update

from bot.store.database import database_clock, upsert
from bot.store.tables import chains, due, inbox
from bot.store.values import Lease

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import ColumnElement, Executable, Select

    from bot.store.database import Transaction


_HELD: Final = and_(due.c.key == bindparam("held_key"), due.c.owner == bindparam("held_owner"))
_HOLDS: Final = select(due.c.key).where(_HELD).with_for_update(read=True, key_share=True)
_DROP: Final = delete(due).where(_HELD, due.c.due_at.is_(None))


def wake(tx: Transaction, times: Mapping[str, float]) -> None:
    """Make each key due at its time, unless it is due earlier already. Sorted, so that two wakers never deadlock."""
    if times:
        rows = [{"key": key, "due_at": times[key], "wakes": 1, "attempts": 0} for key in sorted(times)]
        tx.run(_wake(postgresql=tx.postgresql), rows)


@cache
def _wake(*, postgresql: bool) -> Executable:
    """Built once for each database: building it takes longer than running it."""
    row = upsert(due, on_postgresql=postgresql)
    earlier = case((due.c.due_at < row.excluded.due_at, due.c.due_at), else_=row.excluded.due_at)
    return row.on_conflict_do_update(index_elements=["key"], set_={"wakes": due.c.wakes + 1, "due_at": earlier})


def claim(tx: Transaction, owner: str, limit: int, lease_seconds: float) -> list[Lease]:
    """Lease up to `limit` keys that are due, the longest due first; a key whose lease ran out is due."""
    keys = tx.run(_pick(postgresql=tx.postgresql), {"now": tx.now, "wanted": limit}).scalars().all()
    if not keys:
        return []
    taken = tx.run(
        update(due)
        .where(due.c.key.in_(keys))
        .values(
            due_at=case((due.c.due_at > tx.now, due.c.due_at), else_=null()),
            attempts=due.c.attempts + 1,
            owner=owner,
            leased_until=tx.lease_now() + lease_seconds,
        )
        .returning(due.c.key, due.c.wakes, due.c.attempts)
    )
    leases = {key: Lease(key, owner, wakes, attempts) for key, wakes, attempts in taken}
    return [leases[key] for key in keys]


@cache
def _pick(*, postgresql: bool) -> Select[tuple[str]]:
    """Built once for each database: building it takes longer than running it."""
    now = bindparam("now", type_=Double)
    ended = _ended(database_clock() if postgresql else now)
    # Two statements: as a subquery of the update the planner may run the pick again and lease more than the limit.
    # FOR UPDATE: a fenced unit of the last holder holds FOR KEY SHARE, and its key is skipped until it ends.
    return (
        select(due.c.key)
        .where(or_(and_(due.c.owner.is_(None), due.c.due_at <= now), ended))
        .order_by(case((ended, due.c.leased_until), else_=due.c.due_at), due.c.key)
        .limit(bindparam("wanted", type_=Integer))
        .with_for_update(skip_locked=True)
    )


def holds(tx: Transaction, lease: Lease) -> bool:
    """
    True if the lease still holds; then it holds until this transaction ends.

    FOR KEY SHARE lets wakes through, so that two fenced units may wake each other's keys, and keeps a takeover out.
    """
    return tx.run(_HOLDS, {"held_key": lease.key, "held_owner": lease.owner}).first() is not None


def release(tx: Transaction, lease: Lease, again: float | None, *, failed: bool) -> bool:
    """
    The key ran: drop its row, or set when it runs again; a wake that came meanwhile counts if it is earlier.

    Returns False if the lease was lost: then the row is another's, and nothing is changed.
    """
    if again is None:
        if failed:
            raise ValueError("a turn that failed must say when it is tried again")
        if tx.run(_DROP, {"held_key": lease.key, "held_owner": lease.owner}).rowcount:
            return True
    values: dict[str, Any] = {"owner": None, "leased_until": None}
    if again is not None:
        values["due_at"] = case((due.c.due_at < again, due.c.due_at), else_=again)
    if not failed:
        values["attempts"] = 0
    return bool(tx.run(update(due).where(_mine(lease)).values(values)).rowcount)


def extend(tx: Transaction, held: Iterable[tuple[str, str]], lease_seconds: float) -> None:
    """Renew those leases, given by key and owner, that still hold."""
    rows = [{"held_key": key, "held_owner": owner} for key, owner in sorted(held)]
    if rows:
        tx.run(update(due).where(_HELD).values(leased_until=tx.lease_now() + lease_seconds), rows)


def forget_leases(tx: Transaction) -> None:
    """Every lease is a dead process's: it ends now, and its key can be claimed at once."""
    tx.run(update(due).where(due.c.owner.is_not(None)).values(leased_until=0.0))


def rebuild(tx: Transaction) -> None:
    """Wake every key that has an open delivery or a journal: the list can be derived from these."""
    found = select(inbox.c.key).where(inbox.c.handled_at.is_(None)).union(select(chains.c.key))
    wake(tx, dict.fromkeys(tx.run(found).scalars(), tx.now))


def next_due(tx: Transaction) -> float | None:
    """The earliest time at which a key can be claimed; None if there is none, leases that hold aside."""
    ended = _ended(tx.lease_now())
    when = case((ended, due.c.leased_until), else_=due.c.due_at)
    return tx.run(select(func.min(when)).where(or_(due.c.owner.is_(None), ended))).scalar()


def _ended(lease_now: ColumnElement[float]) -> ColumnElement[bool]:
    return and_(due.c.owner.is_not(None), due.c.leased_until < lease_now)


def _mine(lease: Lease) -> ColumnElement[bool]:
    return and_(due.c.key == lease.key, due.c.owner == lease.owner)
