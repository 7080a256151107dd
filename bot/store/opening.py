"""From an address to a store that is ready: driver, lock, tables."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from bot.store import schema
from bot.store.database import Database
from bot.store.engine import Store
from bot.store.errors import StoreUnavailable
from bot.store.lock import DirectoryLock

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection

    from bot.clock import Clock

_FORMS = "write sqlite:///PATH, sqlite:// (in memory, for tests) or postgresql://USER:PASSWORD@HOST/DATABASE"


async def open_store(url: str, clock: Clock, *, owner: str | None = None, reading: bool = False) -> Store:
    """
    Open `sqlite:///path/failres.db`, `sqlite://` (in memory) or `postgresql://…`; create or migrate its tables.

    A SQLite file's directory is made if needed and locked for this process: raises `StateDirectoryBusy`. `reading`
    opens beside a running failres instead: no lock, no tables made, no writes, and the store must exist.
    Raises `StoreUnavailable` with what to do, also for a store that a newer failres wrote.
    """
    address = _address(url)
    file = _file(address)
    what = f"The store {file}" if file else f"The store {address.render_as_string(hide_password=True)}"
    if reading and file and not file.exists():
        raise StoreUnavailable(
            what,
            "there is no such file",
            "name the state directory that `failres serve` uses, with `--state DIR`",
        )
    lock = DirectoryLock(file.parent) if file and not reading else None
    database = Database(address, clock, what, reading=reading)
    try:
        await database.prepare(lambda connection: _prepare(connection, what, reading=reading))
    except BaseException:
        await database.close()
        if lock is not None:
            lock.release()
        raise
    store = Store(database, owner=owner, lock=lock)
    if store.listener is not None and not reading:
        store.listener.start()
    return store


def _prepare(connection: Connection, what: str, *, reading: bool) -> None:
    if not reading:
        schema.prepare(connection, what)
        return
    found = schema.stored_version(connection)
    if found is None:
        raise StoreUnavailable(what, "it holds no tables of failres", "name the store that `failres serve` uses")
    schema.refuse_newer(found, what)


def _address(url: str) -> URL:
    try:
        address = make_url(url)
    except ArgumentError:
        raise StoreUnavailable(f"The store {url}", "this is no address", _FORMS) from None
    backend = {"postgres": "postgresql"}.get(address.drivername, address.drivername)
    if backend in {"sqlite", "sqlite+pysqlite"}:
        return address.set(drivername="sqlite+pysqlite")
    if backend in {"postgresql", "postgresql+asyncpg"}:
        if find_spec("asyncpg") is None:
            raise StoreUnavailable("PostgreSQL", "its driver is not installed", "install failres[postgres]")
        return address.set(drivername="postgresql+asyncpg")
    raise StoreUnavailable(f"The store {backend}://…", "failres does not know this database", _FORMS)


def _file(address: URL) -> Path | None:
    if address.get_backend_name() != "sqlite" or address.database in {None, "", ":memory:"}:
        return None
    return Path(str(address.database))
