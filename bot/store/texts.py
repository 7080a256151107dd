"""Logs and excerpts by hash, beside the journal, so that they can be purged without touching the chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from bot.store.tables import texts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.store.database import Transaction


def put_texts(tx: Transaction, new: Mapping[str, str]) -> None:
    """Store each text under its hash; one that is there already keeps its place and is as young as now."""
    rows = [
        {"hash": name, "text": new[name].encode("utf-8", "surrogatepass"), "stored_at": tx.now} for name in sorted(new)
    ]
    if rows:
        row = tx.upsert(texts)
        fresh = row.on_conflict_do_update(index_elements=["hash"], set_={"stored_at": row.excluded.stored_at})
        tx.run(fresh, rows)


def get_text(tx: Transaction, name: str) -> str | None:
    """The text of that hash; None if it was purged or never stored."""
    found: bytes | None = tx.run(select(texts.c.text).where(texts.c.hash == name)).scalar()
    return None if found is None else found.decode("utf-8", "surrogatepass")


def purge_texts(tx: Transaction, before: float) -> int:
    """Delete the texts that were last stored before that time. Returns how many."""
    return tx.run(delete(texts).where(texts.c.stored_at < before)).rowcount
