"""
Transactions on one SQLAlchemy engine: SQLite through a single connection, PostgreSQL through a small pool.

Statements run to their end even when the caller is cancelled: SQLAlchemy throws a connection away that is interrupted
in a statement, and with it an in-memory database. Measured in `STORE.md`: several SQLite connections wait for each
other in the busy handler (p99 755 ms), one with a queue in front does not.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy import Double, cast, event, extract, func, literal
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from bot.store.errors import StoreUnavailable, explained, unavailable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence

    from sqlalchemy import URL, ColumnElement, Connection, CursorResult, Executable, Table
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from bot.clock import Clock

T = TypeVar("T")
POOL_SIZE: Final = 8
"""PostgreSQL connections of one process for transactions; its listener has one more."""
_SQLITE_PRAGMAS: Final = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000")
_POSTGRESQL_TIMEOUTS: Final = {"timeout": 10, "command_timeout": 60}
"""Seconds to connect and for one statement: a hung server must not hold a cancelled caller for ever."""


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end; a cancellation meanwhile is raised after it."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                continue
        if not task.cancelled():
            task.exception()  # looked at, so that it is not reported as forgotten
        raise


def database_clock() -> ColumnElement[float]:
    """PostgreSQL's own time, seconds since the epoch."""
    return cast(extract("epoch", func.clock_timestamp()), Double)


class Transaction:
    """One open transaction. `now` is the injected clock's time at its beginning."""

    def __init__(self, connection: AsyncConnection, now: float, what: str) -> None:
        self.now = float(now)
        self.postgresql = connection.dialect.name == "postgresql"
        self._connection = connection
        self._what = what

    async def run(
        self, statement: Executable, rows: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None
    ) -> CursorResult[*tuple[Any, ...]]:
        """Execute one statement, or the same one for each of `rows`."""
        with explained(self._what):
            return await to_the_end(self._connection.execute(statement, rows))

    def upsert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """An insert that knows ON CONFLICT."""
        return postgresql.insert(table) if self.postgresql else sqlite.insert(table)

    def lease_now(self) -> ColumnElement[float]:
        """The time by which leases end: the database's own where several processes share it."""
        return database_clock() if self.postgresql else literal(self.now, Double)


class Database:
    """
    The engine, and the one way to a transaction.

    `after_commit` is called with the transaction's label after each commit; what it raises reaches the caller, as if
    the process had died there.
    """

    def __init__(self, url: URL, clock: Clock, what: str, *, reading: bool = False) -> None:
        self.clock, self.what = clock, what
        self.after_commit: Callable[[str], None] | None = None
        self.embedded = url.get_backend_name() == "sqlite"
        self.engine = _sqlite_engine(url, reading=reading) if self.embedded else _postgresql_engine(url)
        # The queue is here and not in the pool, whose own may lose a connection when a waiter is cancelled.
        self._turn = asyncio.Semaphore(1 if self.embedded else POOL_SIZE)
        self._inside: set[asyncio.Task[Any] | None] = set()
        self._closed = False

    @asynccontextmanager
    async def begin(self, label: str) -> AsyncIterator[Transaction]:
        """One transaction, committed at the block's end and undone by any error in it."""
        async with self._connect() as connection:
            yield Transaction(connection, self.clock.now(), self.what)
            with explained(self.what):
                await to_the_end(connection.commit())
        if self.after_commit is not None:
            self.after_commit(label)

    @asynccontextmanager
    async def look(self) -> AsyncIterator[Transaction]:
        """A transaction that only reads."""
        async with self._connect() as connection:
            yield Transaction(connection, self.clock.now(), self.what)

    @asynccontextmanager
    async def _connect(self) -> AsyncIterator[AsyncConnection]:
        task = asyncio.current_task()
        if task in self._inside:
            raise RuntimeError("a transaction was opened inside another of the same task: it would wait for itself")
        if self._closed:
            raise StoreUnavailable(self.what, "it is closed", "open it again")
        async with self._turn:
            self._inside.add(task)
            connection = self.engine.connect()
            try:
                await self._start(connection)
                yield connection
            finally:
                self._inside.discard(task)
                # Asked of the connection: a caller that is cancelled while it opens finds it open.
                if connection.sync_connection is not None:
                    await to_the_end(connection.close())

    async def _start(self, connection: AsyncConnection) -> None:
        try:
            await to_the_end(connection.start())
        except Exception as error:  # drivers raise their own kinds here, and none of them is a defect of a statement
            raise unavailable(self.what, getattr(error, "orig", None) or error) from error

    async def prepare(self, work: Callable[[Connection], T]) -> T:
        """Run synchronous schema work in one transaction."""
        async with self._connect() as connection:
            with explained(self.what):
                result = await connection.run_sync(work)
                await connection.commit()
        return result

    async def close(self) -> None:
        """Close the connections; a second call does nothing."""
        self._closed = True
        await self.engine.dispose()


def _sqlite_engine(url: URL, *, reading: bool) -> AsyncEngine:
    engine = create_async_engine(
        url, poolclass=AsyncAdaptedQueuePool, pool_size=1, max_overflow=0, pool_reset_on_return=None
    )

    def on_connect(connection: Any, _: object) -> None:
        connection.isolation_level = None  # the driver's own BEGINs would come too late: at the first write
        for pragma in ("query_only=ON", "busy_timeout=5000") if reading else _SQLITE_PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    def on_begin(connection: Connection) -> None:
        # Straight to the driver: one hop to its thread instead of four, at every transaction.
        statement = "BEGIN" if reading else "BEGIN IMMEDIATE"
        adapted: Any = connection.connection.dbapi_connection
        adapted.run_async(lambda driver: driver.execute(statement))

    event.listen(engine.sync_engine, "connect", on_connect)
    event.listen(engine.sync_engine, "begin", on_begin)
    return engine


def _postgresql_engine(url: URL) -> AsyncEngine:
    return create_async_engine(
        url, pool_size=POOL_SIZE + 1, max_overflow=0, pool_reset_on_return=None, connect_args=dict(_POSTGRESQL_TIMEOUTS)
    )
