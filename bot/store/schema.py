"""The schema's version and the way from an older one; a store that is newer than this program is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import inspect, select, text

from bot.store.errors import StoreUnavailable
from bot.store.tables import meta, metadata, snapshots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Connection

VERSION: Final = 2
MIGRATIONS: Mapping[int, Callable[[Connection], None]] = {2: snapshots.create}
"""Version → the function that brings a store of the version before to it, within the transaction that it is given."""

_DDL_LOCK: Final = 7_201_130
"""PostgreSQL's advisory lock: two replicas that both create the tables at once would crash one of them."""


def prepare(connection: Connection, what: str) -> None:
    """Create or migrate the tables, in one transaction. Raises `StoreUnavailable` for a newer version."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _DDL_LOCK})
    found = stored_version(connection)
    if found is None:
        metadata.create_all(connection, checkfirst=False)
        connection.execute(meta.insert().values(name="schema", value=str(VERSION)))
        return
    refuse_newer(found, what)
    for version in range(found + 1, VERSION + 1):
        MIGRATIONS[version](connection)
        connection.execute(meta.update().where(meta.c.name == "schema").values(value=str(version)))


def stored_version(connection: Connection) -> int | None:
    """The version of the tables that are there; None when there are none."""
    if not inspect(connection).has_table(meta.name):
        return None
    value = connection.execute(select(meta.c.value).where(meta.c.name == "schema")).scalar()
    return None if value is None else int(value)


def refuse_newer(found: int, what: str) -> None:
    """Raise when a newer failres wrote the store: this one cannot know what it would break."""
    if found > VERSION:
        raise StoreUnavailable(
            what,
            f"its schema has version {found}, and this failres knows versions up to {VERSION}",
            "start the newer failres that wrote it, or restore a backup from before the upgrade",
        )
