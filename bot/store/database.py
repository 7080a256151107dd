"""Transactions: each a synchronous function over a `Transaction`, run whole; for a turn, several such functions."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Double, cast, extract, func, literal
from sqlalchemy.dialects import postgresql, sqlite

from bot.store.connections import PostgresqlConnections, SqliteConnections
from bot.store.errors import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from sqlalchemy import URL, ColumnElement, Connection, Table

    from bot.clock import Clock
    from bot.store.connections import Line

T = TypeVar("T")


def database_clock() -> ColumnElement[float]:
    """PostgreSQL's own time, seconds since the epoch."""
    return cast(extract("epoch", func.clock_timestamp()), Double)


def upsert(table: Table, *, on_postgresql: bool) -> sqlite.Insert | postgresql.Insert:
    """An insert that knows ON CONFLICT."""
    return postgresql.insert(table) if on_postgresql else sqlite.insert(table)


class Transaction:
    """One open transaction, where its connection lives. `now` is the injected clock's time at its beginning."""

    def __init__(self, connection: Connection, now: float) -> None:
        self.now = now
        self.postgresql = connection.dialect.name == "postgresql"
        self.run = connection.execute

    def upsert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """An insert that knows ON CONFLICT."""
        return upsert(table, on_postgresql=self.postgresql)

    def lease_now(self) -> ColumnElement[float]:
        """The time by which leases end: the database's own where several processes share it."""
        return database_clock() if self.postgresql else literal(self.now, Double)


class OpenTransaction:
    """A transaction that takes several functions, one after the other; see `Database.begin`."""

    def __init__(self, line: Line, now: float) -> None:
        self.now = now
        self._line = line

    async def do(self, work: Callable[[Transaction], T]) -> T:
        """Run a function in it."""
        return await self._line.run(lambda connection: work(Transaction(connection, self.now)))


class Database:
    """
    The connections, and the ways to a transaction.

    `after_commit` is called with the transaction's label after each commit; what it raises reaches the caller, as if
    the process had died there.
    """

    def __init__(self, url: URL, clock: Clock, what: str, *, reading: bool = False) -> None:
        self.clock, self.what = clock, what
        self.after_commit: Callable[[str], None] | None = None
        self.embedded = url.get_backend_name() == "sqlite"
        self.connections = (
            SqliteConnections(url, what, reading=reading) if self.embedded else PostgresqlConnections(url, what)
        )
        # The queue is here and not in the pool, whose own may lose a connection when a waiter is cancelled.
        self._turn = asyncio.Semaphore(self.connections.size)
        self._inside: set[asyncio.Task[Any] | None] = set()
        self._closed = False

    async def do(self, label: str, work: Callable[[Transaction], T]) -> T:
        """Run a function in a transaction of its own, which is committed at its end and undone by any error."""
        async with self._open() as line:
            now = float(self.clock.now())
            result = await line.run(lambda connection: _committed(connection, now, work))
        if self.after_commit is not None:
            self.after_commit(label)
        return result

    async def look(self, work: Callable[[Transaction], T]) -> T:
        """Run a function that only reads."""
        async with self._open() as line:
            now = float(self.clock.now())
            return await line.run(lambda connection: _looked(connection, now, work))

    @asynccontextmanager
    async def begin(
        self, label: str, first: Callable[[Transaction], T], last: Callable[[T], None]
    ) -> AsyncIterator[tuple[OpenTransaction, T]]:
        """One transaction for the whole block: `first` begins it, `last` ends it with what `first` returned."""
        async with self._open() as line:
            opened = OpenTransaction(line, float(self.clock.now()))
            begun = await opened.do(first)
            yield opened, begun
            await line.run(lambda connection: _committed(connection, opened.now, lambda _: last(begun)))
        if self.after_commit is not None:
            self.after_commit(label)

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Line]:
        task = asyncio.current_task()
        if task in self._inside:
            raise RuntimeError("a transaction was opened inside another of the same task: it would wait for itself")
        if self._closed:
            raise StoreUnavailable(self.what, "it is closed", "open it again")
        async with self._turn:
            self._inside.add(task)
            try:
                async with self.connections.open() as line:
                    yield line
            finally:
                self._inside.discard(task)

    async def prepare(self, work: Callable[[Connection], None]) -> None:
        """Run schema work in one transaction."""
        async with self._open() as line:
            await line.run(work)
            await line.run(lambda connection: connection.commit())

    async def close(self) -> None:
        """Close the connections; a second call does nothing."""
        if not self._closed:
            self._closed = True
            await self.connections.close()


def _committed(connection: Connection, now: float, work: Callable[[Transaction], T]) -> T:
    result = work(Transaction(connection, now))
    connection.commit()
    return result


def _looked(connection: Connection, now: float, work: Callable[[Transaction], T]) -> T:
    result = work(Transaction(connection, now))
    connection.rollback()
    return result
