"""How many rows of each sort there are, for `failres status` and `/metrics`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from bot.store.tables import due, inbox, journal, outbox, texts

if TYPE_CHECKING:
    from bot.store.database import Transaction


def count(tx: Transaction) -> dict[str, int]:
    """Counts by name; `due` and `orders` include the leased ones."""
    questions = {
        "deliveries": select(func.count()).select_from(inbox),
        "deliveries_open": select(func.count()).where(inbox.c.handled_at.is_(None)),
        "records": select(func.count()).select_from(journal),
        "due": select(func.count()).select_from(due),
        "due_leased": select(func.count()).where(due.c.owner.is_not(None)),
        "due_failing": select(func.count()).where(due.c.attempts > 1),
        "orders": select(func.count()).select_from(outbox),
        "orders_leased": select(func.count()).where(outbox.c.owner.is_not(None)),
        "texts": select(func.count()).select_from(texts),
    }
    answer = tx.run(select(*(question.scalar_subquery() for question in questions.values()))).one()
    return dict(zip(questions, answer, strict=True))
