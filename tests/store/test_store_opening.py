"""Opening, refusing and failing: every error says what, why, and what to do; none leaves the store unusable."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text
from store_world import TABLES, delivery

from bot.clock import ManualClock, SystemClock
from bot.store import Entry, StateDirectoryBusy, StoreUnavailable, open_store, schema

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection
    from store_world import World

    from bot.store import Store


async def test_a_store_in_memory_needs_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests: nothing is written anywhere, and two of them know nothing of each other."""
    monkeypatch.chdir(tmp_path)
    one, other = await open_store("sqlite://", ManualClock()), await open_store("sqlite://", ManualClock())
    await one.receive(delivery(1))
    assert await other.next_due() is None
    await one.close()
    await other.close()
    assert _names(tmp_path) == []


def _names(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


async def test_a_cancelled_statement_does_not_lose_a_store_in_memory() -> None:
    """The one connection holds the data: a caller that is cancelled in a statement must not cost it."""
    store = await open_store("sqlite://", ManualClock())
    await store.receive(delivery(1))
    for n in range(30):
        task = asyncio.create_task(store.counts())
        for _ in range(n):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert (await store.counts())["deliveries"] == 1
    await store.close()


async def test_the_file_is_made_for_this_user_and_durable(sqlite: World, tmp_path: Path) -> None:
    """The state directory is private, the journal mode survives crashes, and what was written is found again."""
    store = await sqlite.open()
    assert (tmp_path / "state").stat().st_mode & 0o077 == 0
    async with store.unit() as unit:
        await unit.append("repo:1", [Entry("fact", {})])
        mode = await unit.do(lambda work: work.tx.run(text("PRAGMA journal_mode")).scalar())
        sync = await unit.do(lambda work: work.tx.run(text("PRAGMA synchronous")).scalar())
    assert (mode, sync) == ("wal", 2)
    assert await (await sqlite.reopen(store)).keys() == ["repo:1"]


async def test_one_process_holds_a_state_directory(sqlite: World, tmp_path: Path) -> None:
    """A second one is told which directory, who holds it, and what to do; after the first has gone it may."""
    store = await sqlite.open()
    with pytest.raises(StateDirectoryBusy, match=rf"{tmp_path}/state .*process {os.getpid()}.*What to do: stop"):
        await sqlite.open()
    await store.close()
    await sqlite.open()


async def test_a_killed_process_leaves_no_lock(sqlite: World, tmp_path: Path) -> None:
    """The system drops the lock of a process that was killed; its last commit is there."""
    program = f"""
import asyncio, os, signal
from bot.clock import SystemClock
from bot.store import Entry, open_store
async def main():
    store = await open_store({sqlite.url!r}, SystemClock())
    async with store.unit() as unit:
        await unit.append("repo:1", [Entry("fact", {{}})])
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", program], env=environment, check=False)
    assert child.returncode == -9
    assert await (await sqlite.open()).keys() == ["repo:1"]


async def test_reading_goes_on_beside_a_running_process(world: World) -> None:
    """A command may read the store of a running server: no lock, no writes, no tables made."""
    store = await world.open()
    async with store.unit() as unit:
        await unit.append("repo:1", [Entry("fact", {})])
    reader = await world.open(reading=True)
    async with store.unit() as unit:
        await unit.append("repo:1", [Entry("fact", {"n": 2})])
        if not world.postgresql:  # a reader sees the last commit and waits for nobody
            assert len([row async for row in reader.records("repo:1")]) == 1
    assert len([row async for row in reader.records("repo:1")]) == 2
    if not world.postgresql:
        with pytest.raises(StoreUnavailable, match="readonly"):
            await reader.receive(delivery(1))


async def test_reading_makes_no_store(sqlite: World, postgres: World, tmp_path: Path) -> None:
    """A wrong path is told, not made; a database without failres's tables is told too."""
    with pytest.raises(StoreUnavailable, match=r"failres.db is unavailable: there is no such file. What to do: name"):
        await sqlite.open(reading=True)
    assert not (tmp_path / "state").exists()
    await postgres.sql(f"DROP TABLE {', '.join(TABLES)}")
    with pytest.raises(StoreUnavailable, match="no tables of failres"):
        await postgres.open(reading=True)


@pytest.mark.parametrize("reading", [False, True])
async def test_a_newer_schema_is_refused(world: World, *, reading: bool) -> None:
    """What a newer failres wrote is not touched: the sentence names both versions and the way out."""
    await (await world.open()).close()
    await world.sql("UPDATE meta SET value = '7' WHERE name = 'schema'")
    with pytest.raises(StoreUnavailable, match=r"schema has version 7, and this failres knows versions up to 2.*newer"):
        await world.open(reading=reading)
    assert await world.sql("SELECT value FROM meta") == [("7",)]


async def test_an_older_schema_is_migrated_once_in_one_transaction(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step runs in its order and once; one that fails leaves the version and the tables as they were."""
    store = await world.open()
    await store.receive(delivery(1))
    await store.close()

    def good(connection: Connection) -> None:
        connection.execute(text("UPDATE inbox SET event = event || '+3'"))

    def bad(connection: Connection) -> None:
        connection.execute(text("UPDATE inbox SET event = event || '+4'"))
        raise ZeroDivisionError

    monkeypatch.setattr(schema, "VERSION", 4)
    monkeypatch.setattr(schema, "MIGRATIONS", {3: good, 4: bad})
    with pytest.raises(ZeroDivisionError):
        await world.open()
    monkeypatch.setattr(schema, "VERSION", 3)
    for _ in range(2):
        store = await world.open()
        async with store.unit() as unit:
            assert [row.event for row in await unit.deliveries("repo:1", 9)] == ["workflow_job+3"]
        await store.close()
    assert await world.sql("SELECT value FROM meta") == [("3",)]


async def test_replicas_that_start_together_make_the_tables_once(postgres: World) -> None:
    """Five processes on an empty database: none crashes, all work."""
    await postgres.sql(f"DROP TABLE {', '.join(TABLES)}")
    stores = await asyncio.gather(*(postgres.open() for _ in range(5)))
    assert await asyncio.gather(*(store.receive(delivery(n)) for n, store in enumerate(stores))) == [True] * 5


async def test_a_full_disk_is_told_and_passes(sqlite: World) -> None:
    """When the disk is full, every waiting caller is told so; when it has room again, the same store goes on."""
    store = await sqlite.open()
    await store.receive(delivery(1))
    await _limit_pages(store, 1)
    big = [delivery(n)._replace(body="x" * 20_000) for n in range(2, 6)]
    errors = await asyncio.gather(*(store.receive(one) for one in big), return_exceptions=True)
    assert [type(error) for error in errors] == [StoreUnavailable] * 4
    assert "disk is full. What to do: free some space" in str(errors[0])
    assert (await store.counts())["deliveries"] == 1
    await _limit_pages(store, 1_000_000)
    assert await asyncio.gather(*(store.receive(one) for one in big)) == [True] * 4


async def _limit_pages(store: Store, pages: int) -> None:
    await store._database.look(lambda tx: tx.run(text(f"PRAGMA max_page_count = {pages}")).close())


async def test_a_locked_file_is_told_and_passes(sqlite: World, tmp_path: Path) -> None:
    """Another program that holds the database is named as the cause; when it lets go, the store goes on."""
    store = await sqlite.open()
    await store._database.look(lambda tx: tx.run(text("PRAGMA busy_timeout = 1")).close())
    with contextlib.closing(sqlite3.connect(tmp_path / "state/failres.db", isolation_level=None)) as intruder:
        intruder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match=r"locked\. What to do: end the other program"):
            await store.receive(delivery(1))
        intruder.execute("ROLLBACK")
    assert await store.receive(delivery(1))


async def test_a_file_that_is_no_database_is_told(sqlite: World, tmp_path: Path) -> None:
    """It is left as it is, and the lock is not kept."""
    (tmp_path / "state").mkdir()
    (tmp_path / "state/failres.db").write_bytes(b"something else entirely, " * 99)
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match=r"not a database\. What to do:"):
            await sqlite.open()


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mysql://x/y", "does not know this database.*sqlite:///PATH"),
        ("no address at all", "no address.*sqlite:///PATH"),
        ("postgresql://nobody@127.0.0.1:1/x", "What to do: check that the database runs"),
        ("sqlite:////proc/failres/failres.db", "The state directory /proc/failres is unavailable"),
    ],
)
async def test_a_wrong_address_is_told(url: str, why: str) -> None:
    """The sentence says what was wrong with it; a password in it is not shown."""
    with pytest.raises(StoreUnavailable, match=why):
        await open_store(url, SystemClock())


async def test_passwords_are_not_shown() -> None:
    """An error that goes to a log has no secret in it."""
    with pytest.raises(StoreUnavailable, match="unavailable") as error:
        await open_store("postgresql://me:hunter2@127.0.0.1:1/x", SystemClock())
    assert "hunter2" not in str(error.value)


async def test_a_database_that_goes_away_is_told_and_comes_back(postgres: World) -> None:
    """A cut connection fails the unit that used it with a clear error, and the next one is made anew."""
    store = await postgres.open()
    await store.receive(delivery(1))
    others = "pid <> pg_backend_pid() AND backend_type = 'client backend'"
    cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"

    async def turn() -> None:
        async with store.unit() as unit:
            await unit.receive([delivery(2)])
            await postgres.sql(cut)
            await unit.receive([delivery(3)])

    with pytest.raises(StoreUnavailable, match="What to do:"):
        await turn()
    for _ in range(9):  # each connection of the pool that was cut fails at most once
        with contextlib.suppress(StoreUnavailable):
            await store.receive(delivery(4))
    assert (await store.counts())["deliveries"] == 2


async def test_a_closed_store_says_so(store: Store) -> None:
    """Closing twice is fine; using it afterwards is told."""
    await store.receive(delivery(1))
    await store.close()
    await store.close()
    with pytest.raises(StoreUnavailable, match="it is closed"):
        await store.receive(delivery(2))


async def test_what_was_received_is_stored_before_closing(store: Store, world: World) -> None:
    """A delivery whose caller still waits when the store closes is durable or refused, never forgotten."""
    waiting = [asyncio.create_task(store.receive(delivery(n))) for n in range(5)]
    await asyncio.sleep(0)
    again = await world.reopen(store)
    assert await asyncio.gather(*waiting) == [True] * 5
    assert (await again.counts())["deliveries"] == 5


async def test_a_unit_within_a_unit_is_refused(store: Store) -> None:
    """It would wait for itself for ever: the mistake is told at once, and the outer unit is undone."""

    async def turn() -> None:
        async with store.unit() as unit:
            await unit.receive([delivery(1)])
            await store.counts()

    with pytest.raises(RuntimeError, match="inside another"):
        await turn()
    assert (await store.counts())["deliveries"] == 0
