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

    from sqlalchemy import ColumnElement, FromClause, Row

    from bot.store.database import Transaction
    from bot.store.values import LeasedOrder, Order

_FREE: Final = {"owner": None, "leased_until": None}


def enqueue(tx: Transaction, orders: Sequence[Order]) -> None:
    """Add the orders, in their order. One whose action is waiting already changes nothing, not even its time."""
    if not orders:
        return
    waiting = _waiting(tx, orders)
    fresh: dict[str, tuple[Order, int]] = {}
    gone: list[int] = []
    for order in orders:
        if order.action_key in waiting or order.action_key in fresh:
            continue
        attempts = 0
        for row in [row for row in waiting.values() if row.owner is None and _rivals(row, order)]:
            gone.append(row.number)
            attempts = max(attempts, row.attempts)
            del waiting[row.action_key]
        for other, tried in [found for found in fresh.values() if _rivals(found[0], order)]:
            attempts = max(attempts, tried)
            del fresh[other.action_key]
        fresh[order.action_key] = order, attempts
    if gone:
        tx.run(delete(outbox).where(outbox.c.number.in_(gone)))
    _insert(tx, list(fresh.values()))


def _waiting(tx: Transaction, orders: Sequence[Order]) -> dict[str, Row[*tuple[Any, ...]]]:
    rivals = and_(
        outbox.c.key.in_({order.key for order in orders}), outbox.c.target.in_({order.target for order in orders})
    )
    known = outbox.c.action_key.in_([order.action_key for order in orders])
    # Locked, in one order: a worker that takes one of them at this moment is waited for, and then it is not replaced.
    rows = tx.run(select(outbox).where(or_(known, rivals)).order_by(outbox.c.number).with_for_update())
    return {row.action_key: row for row in rows}


def _rivals(one: Order | Row[*tuple[Any, ...]], other: Order) -> bool:
    return (one.key, one.target) == (other.key, other.target)


def _insert(tx: Transaction, fresh: Sequence[tuple[Order, int]]) -> None:
    if not fresh:
        return
    lanes = outbox.c.lane.in_({order.lane for order, _ in fresh})
    found = tx.run(
        select(outbox.c.lane, outbox.c.priority, outbox.c.key, func.min(outbox.c.round), func.max(outbox.c.round))
        .where(lanes)
        .group_by(outbox.c.lane, outbox.c.priority, outbox.c.key)
    )
    first: dict[tuple[str, int], int] = {}
    last: dict[tuple[str, int, str], int] = {}
    for lane, priority, key, earliest, latest in found:
        first[lane, priority] = min(earliest, first.get((lane, priority), earliest))
        last[lane, priority, key] = latest
    rows = []
    for order, attempts in fresh:
        # Fair queueing: a repository's next order is one round after its last; its first joins the round now served.
        queue = order.lane, order.priority
        number = max(first.get(queue, 0), last.get((*queue, order.key), -1) + 1)
        first.setdefault(queue, number)
        last[*queue, order.key] = number
        rows.append({**order._asdict(), "serial": int(order.serial), "attempts": attempts, "round": number})
    tx.run(tx.upsert(outbox).on_conflict_do_nothing(index_elements=["action_key"]), rows)


def finish(tx: Transaction, leased: LeasedOrder) -> None:
    """Delete the order. Raises `LeaseLost` if another worker has taken it over."""
    if not tx.run(delete(outbox).where(_mine(leased))).rowcount:
        raise LeaseLost(leased.order.action_key)


def put_back(tx: Transaction, leased: LeasedOrder, not_before: float, reason: str, *, tried: bool = True) -> None:
    """
    Let the order wait until `not_before`. If a newer one for its target waits already, that one alone stays. A claim in
    which nothing was `tried` counts as no attempt.

    Raises `LeaseLost` if another worker has taken it over.
    """
    newer = and_(_same_target(leased.order.key, leased.order.target), outbox.c.action_key != leased.order.action_key)
    heirs = tx.run(select(outbox.c.number).where(newer, outbox.c.owner.is_(None))).scalars().all()
    if heirs:
        finish(tx, leased)
        inherit(tx, heirs, leased.attempts - (not tried))
        return
    back: dict[str, Any] = {**_FREE, "not_before": not_before, "reason": reason}
    if not tried:
        back["attempts"] = outbox.c.attempts - 1
    if not tx.run(update(outbox).where(_mine(leased)).values(back)).rowcount:
        raise LeaseLost(leased.order.action_key)


def inherit(tx: Transaction, numbers: Sequence[int], attempts: int) -> None:
    """Give those orders at least that many attempts."""
    fewer = and_(outbox.c.number.in_(numbers), outbox.c.attempts < attempts)
    tx.run(update(outbox).where(fewer).values(attempts=attempts))


def extend(tx: Transaction, held: Iterable[tuple[str, str]], lease_seconds: float) -> None:
    """Renew those leases, given by action key and owner, that still hold."""
    rows = [{"held_key": key, "held_owner": owner} for key, owner in sorted(held)]
    if rows:
        mine = and_(outbox.c.action_key == bindparam("held_key"), outbox.c.owner == bindparam("held_owner"))
        tx.run(update(outbox).where(mine).values(leased_until=tx.lease_now() + lease_seconds), rows)


def forget_leases(tx: Transaction) -> None:
    """Every lease is a dead process's. The attempts stay: its order may have reached GitHub."""
    tx.run(update(outbox).where(outbox.c.owner.is_not(None)).values(_FREE))


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
