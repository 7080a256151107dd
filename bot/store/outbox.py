"""
The outbox: orders that wait for a worker, each once, the latest for each target.

An order that replaces another inherits its attempts: what the other may have done on GitHub is looked for all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, bindparam, delete, func, or_, select, update

from bot.store.errors import LeaseLost
from bot.store.tables import outbox

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, FromClause

    from bot.store.database import Transaction
    from bot.store.values import LeasedOrder, Order

_FREE: Final = {"owner": None, "leased_until": None}


async def enqueue(tx: Transaction, orders: Sequence[Order]) -> None:
    """Add the orders, in their order. One whose action is waiting already changes nothing, not even its time."""
    for order in orders:
        waiting = await tx.run(select(outbox.c.number).where(outbox.c.action_key == order.action_key))
        if waiting.first() is not None:
            continue
        attempts = await _replace(tx, order)
        row = {**order._asdict(), "serial": int(order.serial), "attempts": attempts, "round": await _round(tx, order)}
        await tx.run(tx.upsert(outbox).values(row).on_conflict_do_nothing(index_elements=["action_key"]))


async def _replace(tx: Transaction, order: Order) -> int:
    older = _same_target(order.key, order.target)
    gone = await tx.run(delete(outbox).where(older, outbox.c.owner.is_(None)).returning(outbox.c.attempts))
    return max(gone.scalars(), default=0)


async def _round(tx: Transaction, order: Order) -> int:
    # Fair queueing: a repository's next order is one round after its last; the first joins the round that is served.
    mine = func.max(outbox.c.round).filter(outbox.c.key == order.key)
    here = and_(outbox.c.lane == order.lane, outbox.c.priority == order.priority)
    first, last = (await tx.run(select(func.min(outbox.c.round), mine).where(here))).one()
    return max(first or 0, -1 if last is None else last + 1, 0)


async def cancel(tx: Transaction, key: str, target_prefix: str) -> list[str]:
    """Drop the key's orders whose target begins so and that nobody has taken. Returns their action keys, sorted."""
    begins = func.substr(outbox.c.target, 1, len(target_prefix)) == target_prefix  # LIKE differs between the databases
    gone = delete(outbox).where(outbox.c.key == key, outbox.c.owner.is_(None), begins).returning(outbox.c.action_key)
    return sorted((await tx.run(gone)).scalars())


async def finish(tx: Transaction, leased: LeasedOrder) -> None:
    """Delete the order. Raises `LeaseLost` if another worker has taken it over."""
    if not (await tx.run(delete(outbox).where(_mine(leased)))).rowcount:
        raise LeaseLost(leased.order.action_key)


async def put_back(tx: Transaction, leased: LeasedOrder, not_before: float, reason: str) -> None:
    """
    Let the order wait until `not_before`. If a newer one for its target waits already, that one alone stays.

    Raises `LeaseLost` if another worker has taken it over.
    """
    newer = and_(_same_target(leased.order.key, leased.order.target), outbox.c.action_key != leased.order.action_key)
    heirs = (await tx.run(select(outbox.c.number).where(newer, outbox.c.owner.is_(None)))).scalars().all()
    if heirs:
        await finish(tx, leased)
        await inherit(tx, heirs, leased.attempts)
        return
    back: dict[str, Any] = {**_FREE, "not_before": not_before, "reason": reason}
    if not (await tx.run(update(outbox).where(_mine(leased)).values(back))).rowcount:
        raise LeaseLost(leased.order.action_key)


async def inherit(tx: Transaction, numbers: Sequence[int], attempts: int) -> None:
    """Give those orders at least that many attempts."""
    fewer = and_(outbox.c.number.in_(numbers), outbox.c.attempts < attempts)
    await tx.run(update(outbox).where(fewer).values(attempts=attempts))


async def extend(tx: Transaction, held: Iterable[tuple[str, str]], lease_seconds: float) -> None:
    """Renew those leases, given by action key and owner, that still hold."""
    rows = [{"held_key": key, "held_owner": owner} for key, owner in sorted(held)]
    if rows:
        mine = and_(outbox.c.action_key == bindparam("held_key"), outbox.c.owner == bindparam("held_owner"))
        await tx.run(update(outbox).where(mine).values(leased_until=tx.lease_now() + lease_seconds), rows)


async def forget_leases(tx: Transaction) -> None:
    """Every lease is a dead process's. The attempts stay: its order may have reached GitHub."""
    await tx.run(update(outbox).where(outbox.c.owner.is_not(None)).values(_FREE))


def leased(table: FromClause, lease_now: ColumnElement[float]) -> ColumnElement[bool]:
    """The condition that somebody holds the order and the lease has not run out."""
    return and_(table.c.owner.is_not(None), table.c.leased_until >= lease_now)


def free(tx: Transaction) -> ColumnElement[bool]:
    """The condition that nobody holds the order, or the lease ran out."""
    return or_(outbox.c.owner.is_(None), outbox.c.leased_until < tx.lease_now())


def _same_target(key: str, target: str) -> ColumnElement[bool]:
    return and_(outbox.c.key == key, outbox.c.target == target)


def _mine(leased_order: LeasedOrder) -> ColumnElement[bool]:
    return and_(outbox.c.action_key == leased_order.order.action_key, outbox.c.owner == leased_order.owner)
