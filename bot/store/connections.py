"""
Where statements run: SQLite on one thread of its own with one connection, PostgreSQL on a small pool of the event loop.

Both run the same synchronous functions over SQLAlchemy's `Connection`, each function whole: a transaction that is one
function costs one change of thread on SQLite. What has begun runs to its end even when the caller is cancelled:
SQLAlchemy throws a connection away that is interrupted in a statement, and with it an in-memory database. Measured in
`STORE.md`: several SQLite connections wait for each other in the busy handler (p99 755 ms), one with a queue does not.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from sqlalchemy import create_engine, event
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import StaticPool

from bot.store.errors import explained, unavailable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from sqlalchemy import URL, Connection

T = TypeVar("T")
POOL_SIZE: Final = 8
"""PostgreSQL connections of one process for transactions; its listener has one more."""
_SQLITE_PRAGMAS: Final = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000")
_READING_PRAGMAS: Final = ("query_only=ON", "busy_timeout=5000")
_POSTGRESQL_TIMEOUTS: Final = {"timeout": 10, "command_timeout": 60}
"""Seconds to connect and for one statement: a hung server must not hold a cancelled caller for ever."""


class Line(Protocol):
    """An open connection: `run` gives it to a function and returns what that returns."""

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run the function to its end."""
        ...


async def to_the_end(work: Coroutine[Any, Any, T] | asyncio.Future[T]) -> T:
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


class SqliteConnections:
    """One connection, used by one thread and kept for good."""

    size = 1

    def __init__(self, url: URL, what: str, *, reading: bool) -> None:
        self._what, self._reading = what, reading
        self._engine = create_engine(
            url, poolclass=StaticPool, pool_reset_on_return=None, connect_args={"check_same_thread": False}
        )
        event.listen(self._engine, "connect", self._on_connect)
        event.listen(self._engine, "begin", self._on_begin)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="failres-store")
        self._connection: Connection | None = None

    def _on_connect(self, connection: Any, _: object) -> None:
        connection.isolation_level = None  # the driver's own BEGINs would come too late: at the first write
        for pragma in _READING_PRAGMAS if self._reading else _SQLITE_PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    def _on_begin(self, connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN" if self._reading else "BEGIN IMMEDIATE")

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Line]:
        """Give the one connection; who asks has to wait for its turn before."""
        try:
            yield self
        finally:
            if self._connection is not None and self._connection.in_transaction():
                await self.run(lambda connection: connection.rollback())

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run the function on the connection's thread."""
        with explained(self._what):
            return await to_the_end(asyncio.get_running_loop().run_in_executor(self._thread, self._here, work))

    def _here(self, work: Callable[[Connection], T]) -> T:
        if self._connection is None:
            self._connection = self._engine.connect()
        return work(self._connection)

    async def close(self) -> None:
        """Close the connection and end its thread."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await asyncio.get_running_loop().run_in_executor(self._thread, connection.close)
        self._engine.dispose()
        self._thread.shutdown()


class PostgresqlConnections:
    """A pool on the event loop; synchronous functions run in a greenlet."""

    size = POOL_SIZE

    def __init__(self, url: URL, what: str) -> None:
        self._what = what
        self.engine = create_async_engine(
            url,
            pool_size=POOL_SIZE + 1,
            max_overflow=0,
            pool_reset_on_return=None,
            connect_args=dict(_POSTGRESQL_TIMEOUTS),
        )

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Line]:
        """Take a connection from the pool."""
        connection = self.engine.connect()
        what = self._what

        class Opened:
            """This connection."""

            async def run(self, work: Callable[[Connection], T]) -> T:
                """Run the function in a greenlet."""
                with explained(what):
                    return await to_the_end(connection.run_sync(work))

        try:
            try:
                await to_the_end(connection.start())
            except Exception as error:  # drivers raise their own kinds here, none of them a defect of a statement
                raise unavailable(what, getattr(error, "orig", None) or error) from error
            yield Opened()
        finally:
            # Asked of the connection: a caller that is cancelled while it opens finds it open.
            if connection.sync_connection is not None:
                await to_the_end(connection.close())

    async def close(self) -> None:
        """Close the pool."""
        await self.engine.dispose()
