"""Snapshots: one for each key, the newest, with the record of the journal to which it belongs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from store_world import World

from bot.store import Anchor, Entry, JournalCorrupt, Snapshot

if TYPE_CHECKING:
    from bot.store import JournalRow, Store

STATE = bytes(range(256)) * 40


async def recorded(store: Store, count: int, key: str = "repo:1") -> list[JournalRow]:
    """So many records."""
    async with store.unit() as unit:
        return await unit.append(key, [Entry("fact", {"n": n}) for n in range(count)])


def of(row: JournalRow, state: bytes = STATE) -> Snapshot:
    """A snapshot of the fold up to a record."""
    return Snapshot(row.key, row.seq, row.digest, "core", 5.0, "digest", state)


async def test_the_newest_is_kept_beside_its_record(store: Store, world: World) -> None:
    """What is found is what was kept, bytes and all; other repositories' and older ones do not disturb it."""
    first, second, third = await recorded(store, 3)
    (other,) = await recorded(store, 1, "repo:2")
    assert await store.snapshot("repo:1") is None
    assert await store.keep_snapshot(of(second))
    assert await store.keep_snapshot(of(other))
    assert not await store.keep_snapshot(of(first, b"older"))
    anchor = Anchor(world.clock.now(), second.digest)
    assert await store.snapshot("repo:1") == (of(second), anchor)
    assert await store.keep_snapshot(of(second, b"made again by another version"))
    assert await store.keep_snapshot(of(third, b"newer"))
    store = await world.reopen(store)
    assert await store.snapshot("repo:1") == (of(third, b"newer"), Anchor(world.clock.now(), third.digest))
    await store.drop_snapshot("repo:1")
    assert await store.snapshot("repo:1") is None
    assert await store.snapshot("repo:2") == (of(other), Anchor(world.clock.now(), other.digest))


async def test_a_snapshot_of_a_record_that_is_not_there_has_no_anchor(store: Store) -> None:
    """A journal that was restored from a backup ends earlier, and another repository's record does not count."""
    (mine,) = await recorded(store, 1)
    (other,) = await recorded(store, 1, "repo:2")
    await store.keep_snapshot(of(mine)._replace(seq=other.seq))
    assert await store.snapshot("repo:1") == (of(mine)._replace(seq=other.seq), None)


async def test_of_several_processes_the_newest_fold_stays(postgres: World) -> None:
    """Whoever is late with an older one changes nothing."""
    one, other = await postgres.open(), await postgres.open()
    rows = await recorded(one, 2)
    assert await other.keep_snapshot(of(rows[1]))
    assert not await one.keep_snapshot(of(rows[0]))
    found = await one.snapshot("repo:1")
    assert found is not None
    assert found[0].seq == rows[1].seq


async def test_a_store_from_before_gets_the_table(world: World) -> None:
    """The way from version 1: records stay, snapshots can be kept."""
    store = await world.open()
    (row,) = await recorded(store, 1)
    await store.close()
    await world.sql("DROP TABLE snapshots")
    await world.sql("UPDATE meta SET value = '1' WHERE name = 'schema'")
    store = await world.open()
    assert await store.keep_snapshot(of(row))
    assert [each async for each in store.records("repo:1")] == [row]
    assert await world.sql("SELECT value FROM meta WHERE name = 'schema'") == [("2",)]


async def test_the_whole_chain_can_be_walked_beside_the_work(world: World) -> None:
    """Several pages; a changed record is found where it stands, and nothing else is needed of what was read."""
    store = await world.open()
    rows = await recorded(store, 2_500)
    await store.verify("repo:1")
    await store.close()
    await world.sql("UPDATE journal SET data = '{\"n\": 7}' WHERE seq = 1200")
    store = await world.open()
    with pytest.raises(JournalCorrupt) as damage:
        await store.verify("repo:1")
    assert damage.value.seq == rows[1199].seq == 1200
