"""The inbox: each delivery is stored once, wakes its key, and stays until it is handled; then only its GUID does."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Integer, bindparam, delete, select, update

from bot.store.database import upsert
from bot.store.tables import inbox
from bot.store.values import Received

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import BindParameter, Executable

    from bot.store.database import Transaction
    from bot.store.values import Delivery

_EVENTS: Final[BindParameter[Any]] = bindparam("events", expanding=True)
_OPEN: Final = (
    select(inbox.c.guid, inbox.c.event, inbox.c.key, inbox.c.body, inbox.c.received_at)
    .where(inbox.c.key == bindparam("wanted_key"), inbox.c.handled_at.is_(None))
    .order_by(inbox.c.arrival)
    .limit(bindparam("most", type_=Integer))
)
_OPEN_FIRST: Final = _OPEN.where(inbox.c.event.in_(_EVENTS))
_OPEN_REST: Final = _OPEN.where(inbox.c.event.not_in(_EVENTS))
_HANDLED: Final = update(inbox).where(inbox.c.guid == bindparam("handled")).values(handled_at=bindparam("now"), body="")


def store_deliveries(tx: Transaction, deliveries: Sequence[Delivery]) -> set[str]:
    """Store those whose GUID is not known yet; give their GUIDs. The caller wakes their keys."""
    unique = {delivery.guid: delivery for delivery in reversed(deliveries)}  # of equal GUIDs the first counts
    rows = [{**unique[guid]._asdict(), "received_at": tx.now} for guid in dict.fromkeys(d.guid for d in deliveries)]
    if not rows:
        return set()
    return set(tx.run(_insert(postgresql=tx.postgresql), rows).scalars())


@cache
def _insert(*, postgresql: bool) -> Executable:
    """Built once for each database, like the other statements of the turns' way: that takes longer than running it."""
    row = upsert(inbox, on_postgresql=postgresql)
    return row.on_conflict_do_nothing(index_elements=["guid"]).returning(inbox.c.guid)


def open_deliveries(tx: Transaction, key: str, limit: int, *first: Sequence[str]) -> list[Received]:
    """The key's deliveries that are not handled: of each of the groups of events `first`, then of the others; each
    oldest first.
    """
    found: list[Received] = []
    named: list[str] = []
    for events in first:
        asked = {"wanted_key": key, "events": list(events), "most": limit - len(found)}
        found += [Received(*row) for row in tx.run(_OPEN_FIRST, asked)] if len(found) < limit else []
        named += events
    if len(found) < limit:
        asked = {"wanted_key": key, "events": named, "most": limit - len(found)}
        found += [Received(*row) for row in tx.run(_OPEN_REST, asked)]
    return found


def mark_handled(tx: Transaction, guids: Iterable[str]) -> None:
    """Take the deliveries off the list of open ones; their GUIDs stay, so that a redelivery is known, without bodies:
    a busy repository's would fill the disk.
    """
    rows = [{"handled": guid, "now": tx.now} for guid in guids]
    if rows:
        tx.run(_HANDLED, rows)


def purge_handled(tx: Transaction, before: float) -> int:
    """Forget deliveries that were handled before that time. Returns how many."""
    return tx.run(delete(inbox).where(inbox.c.handled_at < before)).rowcount
