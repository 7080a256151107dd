"""
The tables. Explicit types, JSON as text, no JSON operators: the same statements run on SQLite and PostgreSQL.

`inbox` and `journal` (with `chains`, its last links) are the truth; `due` can be rebuilt from them; `outbox` holds
what was decided and is not done yet; `texts` may be purged; `lanes` paces; `snapshots` is a cache of the journal.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()
_Number = BigInteger().with_variant(Integer, "sqlite")

meta = Table(
    "meta",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

inbox = Table(
    "inbox",
    metadata,
    Column("arrival", _Number, primary_key=True, autoincrement=True),
    Column("guid", Text, nullable=False, unique=True),
    Column("event", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("received_at", Double, nullable=False),
    Column("handled_at", Double),
)
Index(
    "inbox_open",
    inbox.c.key,
    inbox.c.arrival,
    sqlite_where=inbox.c.handled_at.is_(None),
    postgresql_where=inbox.c.handled_at.is_(None),
)
Index(
    "inbox_open_events",
    inbox.c.key,
    inbox.c.event,
    inbox.c.arrival,
    sqlite_where=inbox.c.handled_at.is_(None),
    postgresql_where=inbox.c.handled_at.is_(None),
)

journal = Table(
    "journal",
    metadata,
    Column("seq", _Number, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("once", Text),
    Column("previous", Text, nullable=False),
    Column("digest", Text, nullable=False),
    UniqueConstraint("key", "once", name="journal_once"),
)
Index("journal_key", journal.c.key, journal.c.seq)

chains = Table(
    "chains",
    metadata,
    Column("key", Text, primary_key=True),
    Column("seq", _Number, nullable=False),
    Column("digest", Text, nullable=False),
)
"""The last link of each key's chain: without it, records cut off at the end would not be missed."""

due = Table(
    "due",
    metadata,
    Column("key", Text, primary_key=True),
    Column("due_at", Double),
    Column("wakes", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("owner", Text),
    Column("leased_until", Double),
)
"""At most one row per key. While it is leased, `due_at` holds what came meanwhile: NULL if nothing did."""
Index("due_at", due.c.due_at)

outbox = Table(
    "outbox",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("action_key", Text, nullable=False, unique=True),
    Column("key", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("lane", Text, nullable=False),
    Column("serial", Integer, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("round", _Number, nullable=False),
    Column("not_before", Double, nullable=False),
    Column("body", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("reason", Text),
    Column("owner", Text),
    Column("leased_until", Double),
)
"""`round` makes repositories take turns within a lane and priority: the n-th waiting order of each is of round n."""
Index("outbox_lane", outbox.c.lane, outbox.c.priority, outbox.c.round)
Index("outbox_target", outbox.c.key, outbox.c.target)

lanes = Table(
    "lanes",
    metadata,
    Column("lane", Text, primary_key=True),
    Column("ready_at", Double, nullable=False),
    Column("served", _Number, nullable=False),
)
"""`ready_at`: nothing of the lane goes before. `served`: a count that is highest for the lane served last."""

texts = Table(
    "texts",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("text", LargeBinary, nullable=False),
    Column("stored_at", Double, nullable=False),
)
"""UTF-8 bytes: a log may hold NUL characters, which PostgreSQL's text type refuses."""

snapshots = Table(
    "snapshots",
    metadata,
    Column("key", Text, primary_key=True),
    Column("seq", _Number, nullable=False),
    Column("chain", Text, nullable=False),
    Column("core", Text, nullable=False),
    Column("written_at", Double, nullable=False),
    Column("digest", Text, nullable=False),
    Column("state", LargeBinary, nullable=False),
)
"""One row for each key, the newest; deleted, it only costs time at the next start. The columns are `Snapshot`'s."""
