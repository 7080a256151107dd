"""
The newest snapshot of each key's fold: a cache, which may be emptied at any moment.

It holds nothing that the journal does not hold, so that nothing of a purged text lives on in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, delete, select

from bot.store.tables import journal, snapshots
from bot.store.values import Anchor, Snapshot

if TYPE_CHECKING:
    from bot.store.database import Transaction


def keep(tx: Transaction, snapshot: Snapshot) -> bool:
    """Keep a snapshot in the place of an older one; a newer one stays. Returns whether it was kept."""
    row = tx.upsert(snapshots)
    newer = row.on_conflict_do_update(
        index_elements=["key"],
        set_={column.name: row.excluded[column.name] for column in snapshots.c if column.name != "key"},
        where=snapshots.c.seq <= row.excluded.seq,
    )
    return bool(tx.run(newer.returning(snapshots.c.seq), snapshot._asdict()).all())


def newest(tx: Transaction, key: str) -> tuple[Snapshot, Anchor | None] | None:
    """The key's snapshot, with what the journal holds in its place; None where there is none."""
    its_record = and_(journal.c.key == snapshots.c.key, journal.c.seq == snapshots.c.seq)
    both = select(snapshots, journal.c.at, journal.c.digest).outerjoin(journal, its_record)
    found = tx.run(both.where(snapshots.c.key == key)).one_or_none()
    if found is None:
        return None
    *fields, at, digest = found
    return Snapshot(*fields), None if digest is None else Anchor(float(at), digest)


def drop(tx: Transaction, key: str) -> None:
    """Drop the key's snapshot."""
    tx.run(delete(snapshots).where(snapshots.c.key == key))
