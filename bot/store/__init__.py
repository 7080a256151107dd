"""
The store: the database is the engine.

Durable inbox, journal and outbox, with a due-list that has one pending wake per key: a wake during a turn runs the key
again, and an earlier wake beats a later one. SQLite embedded, PostgreSQL for a replica set; the same code. Reasons and
figures: `STORE.md`.
"""

from __future__ import annotations

from bot.store.awake import Awake
from bot.store.engine import Store
from bot.store.errors import JournalCorrupt, LeaseLost, StateDirectoryBusy, StoreUnavailable
from bot.store.opening import open_store
from bot.store.unit import Unit
from bot.store.values import Anchor, Delivery, Entry, JournalRow, Lease, LeasedOrder, Order, Received, Snapshot
from bot.store.work import Work

__all__ = [
    "Anchor",
    "Awake",
    "Delivery",
    "Entry",
    "JournalCorrupt",
    "JournalRow",
    "Lease",
    "LeaseLost",
    "LeasedOrder",
    "Order",
    "Received",
    "Snapshot",
    "StateDirectoryBusy",
    "Store",
    "StoreUnavailable",
    "Unit",
    "Work",
    "open_store",
]
