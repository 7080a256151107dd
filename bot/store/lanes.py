"""
Which order goes next: lanes take turns, repositories take turns within a lane, and a lane waits for its time.

Of the lanes that may go, the one with the fewest orders in work is first, then the one served longest ago. Within a
lane the smallest priority is first, then the round (see `outbox`). An order never runs beside another for its target.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Double, Integer, and_, bindparam, case, delete, func, or_, select, text, update

from bot.store.database import database_clock
from bot.store.outbox import free, inherit, leased
from bot.store.tables import lanes, outbox
from bot.store.values import LeasedOrder, Order

if TYPE_CHECKING:
    from sqlalchemy import Row, Select

    from bot.store.database import Transaction

_CLAIM_LOCK: Final = 7_201_132
"""PostgreSQL's advisory lock: a lane's limit counts rows, so two claims must not count at the same moment."""


def claim(tx: Transaction, owner: str, limit: int, lease_seconds: float) -> list[LeasedOrder]:
    """Lease up to `limit` orders that may go now."""
    if tx.postgresql:
        tx.run(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _CLAIM_LOCK})
    picked = tx.run(_pick(postgresql=tx.postgresql), {"now": tx.now, "wanted": limit}).all()
    if not picked:
        return []
    for row in picked:
        if row.rivals > 1:
            _supersede(tx, row)
    numbers = [row.number for row in picked]
    if tx.postgresql:  # what a unit is replacing at this moment is left to it: two that wait for each other would hang
        unlocked = select(outbox.c.number).where(outbox.c.number.in_(numbers)).with_for_update(skip_locked=True)
        numbers = list(tx.run(unlocked).scalars())
    taken = tx.run(
        update(outbox)
        .where(outbox.c.number.in_(numbers), free(tx))
        .values(attempts=outbox.c.attempts + 1, owner=owner, leased_until=tx.lease_now() + lease_seconds)
        .returning(outbox)
    )
    by_number = {row.number: row for row in taken}
    if by_number:
        _count_served(tx, {row.lane for row in by_number.values()})
    return [_leased(by_number[row.number]) for row in picked if row.number in by_number]


@cache
def _pick(*, postgresql: bool) -> Select[*tuple[Any, ...]]:
    """Built once for each database: building it takes longer than running it."""
    now = bindparam("now", type_=Double)
    lease_now = database_clock() if postgresql else now
    free = or_(outbox.c.owner.is_(None), outbox.c.leased_until < lease_now)
    other = outbox.alias("other")
    busy = (
        select(outbox.c.lane, func.count().label("running"), func.max(outbox.c.serial).label("serial"))
        .where(leased(outbox, lease_now))
        .group_by(outbox.c.lane)
        .cte("busy")
    )
    same_target = and_(other.c.key == outbox.c.key, other.c.target == outbox.c.target)
    target_busy = select(other.c.number).where(same_target, leased(other, lease_now)).exists()
    running = func.coalesce(busy.c.running, 0)
    # Two orders for one target are free at once only if a lease on the older ran out: the newer one stands for both.
    newest = func.max(outbox.c.number).over(partition_by=(outbox.c.key, outbox.c.target))
    ready = (
        select(
            outbox.c.number,
            outbox.c.key,
            outbox.c.target,
            outbox.c.lane,
            outbox.c.priority,
            outbox.c.round,
            running.label("running"),
            func.coalesce(lanes.c.served, 0).label("served"),
            newest.label("newest"),
            func.count().over(partition_by=(outbox.c.key, outbox.c.target)).label("rivals"),
            func.max(outbox.c.serial).over(partition_by=outbox.c.lane).label("serial"),
        )
        .outerjoin(lanes, lanes.c.lane == outbox.c.lane)
        .outerjoin(busy, busy.c.lane == outbox.c.lane)
        .where(
            outbox.c.not_before <= now,
            free,
            func.coalesce(lanes.c.ready_at, 0) <= now,
            or_(running == 0, and_(outbox.c.serial == 0, busy.c.serial == 0)),
            ~target_busy,
        )
        .cte("ready")
    )
    place = func.row_number().over(
        partition_by=ready.c.lane, order_by=(ready.c.priority, ready.c.round, ready.c.number)
    )
    placed = select(ready, place.label("place")).where(ready.c.number == ready.c.newest).cte("placed")
    return (
        select(placed.c.number, placed.c.key, placed.c.target, placed.c.rivals)
        .where(or_(placed.c.serial == 0, placed.c.place == 1))
        .order_by(placed.c.running + placed.c.place, placed.c.served, placed.c.priority, placed.c.number)
        .limit(bindparam("wanted", type_=Integer))
    )


def _supersede(tx: Transaction, row: Row[*tuple[Any, ...]]) -> None:
    older = and_(outbox.c.key == row.key, outbox.c.target == row.target, outbox.c.number < row.number, free(tx))
    attempts = tx.run(delete(outbox).where(older).returning(outbox.c.attempts)).scalars().all()
    inherit(tx, [row.number], max(attempts, default=0))


def _count_served(tx: Transaction, served: set[str]) -> None:
    count: int = tx.run(select(func.coalesce(func.max(lanes.c.served), 0))).scalar_one()
    row = tx.upsert(lanes)
    tx.run(
        row.on_conflict_do_update(index_elements=["lane"], set_={"served": row.excluded.served}),
        [{"lane": lane, "ready_at": 0.0, "served": count + 1} for lane in sorted(served)],
    )


def hold(tx: Transaction, lane: str, at: float) -> None:
    """Let nothing of the lane go before `at`. Of two times the later counts: a pause never shortens a rate limit."""
    row = tx.upsert(lanes).values(lane=lane, ready_at=at, served=0)
    later = case((lanes.c.ready_at > row.excluded.ready_at, lanes.c.ready_at), else_=row.excluded.ready_at)
    tx.run(row.on_conflict_do_update(index_elements=["lane"], set_={"ready_at": later}))


def next_order(tx: Transaction) -> float | None:
    """
    The earliest time at which an order can be claimed: now or earlier means at once; None if there is none.

    Orders behind a lease that holds are left out: the end of that lease's work wakes the workers.
    """
    other = outbox.alias("other")
    behind = or_(
        and_(other.c.lane == outbox.c.lane, or_(other.c.serial == 1, outbox.c.serial == 1)),
        and_(other.c.key == outbox.c.key, other.c.target == outbox.c.target),
    )
    blocked = select(other.c.number).where(behind, leased(other, tx.lease_now())).exists()
    ready_at = func.coalesce(lanes.c.ready_at, 0)
    when = case((outbox.c.not_before > ready_at, outbox.c.not_before), else_=ready_at)
    earliest = select(func.min(when)).select_from(outbox.outerjoin(lanes, lanes.c.lane == outbox.c.lane))
    return tx.run(earliest.where(free(tx), ~blocked)).scalar()


def _leased(row: Row[*tuple[Any, ...]]) -> LeasedOrder:
    not_before = float(row.not_before)  # SQLite's RETURNING gives a whole number as an integer
    order = Order(row.key, row.action_key, row.target, row.lane, bool(row.serial), row.priority, not_before, row.body)
    return LeasedOrder(order, row.owner, row.attempts)
