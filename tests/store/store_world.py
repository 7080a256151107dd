"""What the store's tests share: a database with a clock, and ways to make deliveries and orders."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from dataclasses import dataclass, field
from typing import Any

import asyncpg
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from bot.clock import ManualClock
from bot.store import Delivery, Order, Store, open_store
from bot.store.schema import VERSION

TABLES = ("inbox", "journal", "chains", "due", "outbox", "lanes", "texts", "snapshots", "meta")


@dataclass
class World:
    """A fresh database, a clock that is moved by hand, and the stores that were opened on it."""

    url: str
    clock: ManualClock = field(default_factory=ManualClock)
    stores: list[Store] = field(default_factory=list)

    @property
    def postgresql(self) -> bool:
        """Which of the two it is."""
        return self.url.startswith("postgresql")

    async def open(self, **how: Any) -> Store:
        """A store on this database."""
        store = await open_store(self.url, self.clock, **how)
        self.stores.append(store)
        return store

    async def reopen(self, store: Store) -> Store:
        """What a new process finds after this one's death: nothing of its memory, all of its commits."""
        store.after_commit = None
        await store.close()
        return await self.open()

    async def close(self) -> None:
        """Close every store that was opened."""
        for store in self.stores:
            store.after_commit = None
            await store.close()

    async def pass_lease(self, seconds: float) -> None:
        """Let leases of that many seconds run out: by the clock, or on PostgreSQL by its own, which is real."""
        self.clock.advance(seconds + 0.001)
        if self.postgresql:
            await asyncio.sleep(seconds + 0.02)

    async def wipe(self) -> None:
        """An empty database again."""
        await self.close()
        self.stores.clear()
        if self.postgresql:
            await empty(self.url)
        else:
            self.url = self.url.replace("/state", "/state/again")

    async def sql(self, statement: str, **values: Any) -> list[Any]:
        """Run SQL beside the store, as an intruder would. On SQLite the store must be closed or idle."""
        if not self.postgresql:
            with contextlib.closing(sqlite3.connect(self.url.removeprefix("sqlite:///"))) as file, file:
                return file.execute(statement, values).fetchall()
        engine = create_async_engine(make_url(self.url).set(drivername="postgresql+asyncpg"))
        try:
            async with engine.begin() as connection:
                result = await connection.execute(text(statement), values)
                return list(result.all()) if result.returns_rows else []
        finally:
            await engine.dispose()


async def empty(url: str) -> None:
    """Remove everything that a test left in the PostgreSQL database."""
    connection = await asyncpg.connect(url)
    found = {row["tablename"] for row in await connection.fetch("SELECT tablename FROM pg_tables")}
    if found.issuperset(TABLES):
        # Quicker than DROP and CREATE; a test that changes the schema drops `meta`, or all.
        await connection.execute(
            f"TRUNCATE {', '.join(TABLES[:-1])} RESTART IDENTITY; UPDATE meta SET value = {VERSION}"
        )
    else:
        await connection.execute(f"DROP TABLE IF EXISTS {', '.join(TABLES)}")
    await connection.close()


def delivery(n: int, key: str = "repo:1") -> Delivery:
    """The n-th delivery."""
    return Delivery(f"guid-{n}", "workflow_job", key, f'{{"n":{n}}}')


def order(action: str, **fields: Any) -> Order:
    """An order that may go at once, alone on its target."""
    defaults = Order(
        "repo:1", action, f"target of {action}", "write:1", serial=False, priority=20, not_before=0.0, body="{}"
    )
    return defaults._replace(**fields)
