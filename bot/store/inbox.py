"""The inbox: each delivery is stored once, wakes its key, and stays until it is handled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, select, update

from bot.store.tables import inbox
from bot.store.values import Received

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.store.database import Transaction
    from bot.store.values import Delivery


async def store_deliveries(tx: Transaction, deliveries: Sequence[Delivery]) -> set[str]:
    """Store those whose GUID is not known yet; give their GUIDs. The caller wakes their keys."""
    unique = {delivery.guid: delivery for delivery in reversed(deliveries)}  # of equal GUIDs the first counts
    rows = [{**unique[guid]._asdict(), "received_at": tx.now} for guid in dict.fromkeys(d.guid for d in deliveries)]
    if not rows:
        return set()
    insert = tx.upsert(inbox).on_conflict_do_nothing(index_elements=["guid"]).returning(inbox.c.guid)
    return set((await tx.run(insert, rows)).scalars())


async def open_deliveries(tx: Transaction, key: str, limit: int) -> list[Received]:
    """The key's deliveries that are not handled, oldest first."""
    rows = await tx.run(
        select(inbox.c.guid, inbox.c.event, inbox.c.key, inbox.c.body, inbox.c.received_at)
        .where(inbox.c.key == key, inbox.c.handled_at.is_(None))
        .order_by(inbox.c.arrival)
        .limit(limit)
    )
    return [Received(*row) for row in rows]


async def mark_handled(tx: Transaction, guids: Iterable[str]) -> None:
    """Take the deliveries off the list of open ones; their GUIDs stay, so that a redelivery is known."""
    rows = [{"handled": guid} for guid in guids]
    if rows:
        await tx.run(update(inbox).where(inbox.c.guid == bindparam("handled")).values(handled_at=tx.now), rows)


async def purge_handled(tx: Transaction, before: float) -> int:
    """Forget deliveries that were handled before that time. Returns how many."""
    return (await tx.run(delete(inbox).where(inbox.c.handled_at < before))).rowcount
