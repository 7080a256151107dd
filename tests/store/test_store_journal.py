"""The journal: appended once, in the order of commits, and every damage found when it is read."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from store_world import delivery

from bot.store import Entry, JournalCorrupt
from bot.store import journal as journal_module

if TYPE_CHECKING:
    from store_world import World

    from bot.store import JournalRow, Store

ODD: dict[str, Any] = {"text": "Zürich \u0000 \ud800 😀", "n": [1, 2.5, None, True], "deep": {"b": 1, "a": {}}}


async def _append(store: Store, *entries: Entry, key: str = "repo:1") -> list[JournalRow]:
    async with store.unit() as unit:
        return await unit.append(key, entries)


async def _read(store: Store, key: str = "repo:1", after: int = 0) -> list[JournalRow]:
    return [row async for row in store.records(key, after)]


async def test_records_come_back_as_they_were_appended(store: Store, world: World) -> None:
    """Any JSON data survives, NUL characters, lone surrogates and all, with time, kind and identity."""
    new = await _append(store, Entry("gate.attributed", ODD, "x"), Entry("note", {}))
    assert await _read(store) == new
    assert [(row.seq, row.kind, row.once, row.at) for row in new] == [
        (1, "gate.attributed", "x", world.clock.now()),
        (2, "note", None, world.clock.now()),
    ]
    assert new[0].data == ODD
    assert new[1].previous == new[0].digest != new[1].digest
    assert await _read(await world.reopen(store)) == new


async def test_the_same_identity_is_appended_once_per_key(store: Store) -> None:
    """A replayed append does nothing: within one call, in a later one, but in another key it is another record."""
    once = Entry("fact", {"n": 1}, "identity")
    assert len(await _append(store, once, once, Entry("fact", {"n": 2}, "other"))) == 2
    assert await _append(store, once) == []
    assert [row.data["n"] for row in await _append(store, once, Entry("fact", {"n": 3}))] == [3]
    assert len(await _append(store, once, key="repo:2")) == 1
    assert await _append(store) == []


async def test_identities_are_found_however_many(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """More identities than one statement may ask for are asked in parts, and none is appended twice."""
    monkeypatch.setattr(journal_module, "PAGE", 3)
    entries = [Entry("fact", {"n": n}, f"once-{n}") for n in range(8)]
    await _append(store, *entries[1::2])
    assert [row.data["n"] for row in await _append(store, *entries)] == [0, 2, 4, 6]
    assert await _append(store, *entries) == []


async def test_numbers_count_without_gaps_over_all_keys(store: Store) -> None:
    """Keys have chains of their own and share one count; a unit that was undone leaves no gap."""
    await _append(store, Entry("a", {}), key="repo:1")

    async def fail() -> None:
        async with store.unit() as unit:
            await unit.append("repo:1", [Entry("lost", {})])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    await _append(store, Entry("b", {}), key="repo:2")
    await _append(store, Entry("c", {}), key="repo:1")
    assert [(row.seq, row.kind) for row in await _read(store, "repo:1")] == [(1, "a"), (3, "c")]
    assert [(row.seq, row.kind) for row in await _read(store, "repo:2")] == [(2, "b")]
    assert await store.keys() == ["repo:1", "repo:2"]


async def test_concurrent_appends_are_numbered_in_the_order_of_commits(world: World) -> None:
    """A reader that remembers the last number it saw never misses a record that commits later."""
    writers = [await world.open() for _ in range(2 if world.postgresql else 1)]
    seen: list[int] = []

    async def write(n: int) -> None:
        for _ in range(4):
            await _append(writers[n % len(writers)], Entry("fact", {"n": n}))

    async def watch() -> None:
        while len(seen) < 32:
            seen.extend([row.seq for row in await _read(writers[0], after=max(seen, default=0))])

    await asyncio.wait_for(asyncio.gather(watch(), *(write(n) for n in range(8))), 30)
    assert seen == list(range(1, 33))


async def test_reading_goes_on_after_a_number(store: Store) -> None:
    """A cache reads only what is new to it; a number of another key's record, or beyond the end, is as good."""
    for n in range(3):
        await _append(store, Entry("a", {"n": n}), key="repo:1")
        await _append(store, Entry("b", {"n": n}), key="repo:2")
    assert [row.seq for row in await _read(store, "repo:1", 1)] == [3, 5]
    assert [row.seq for row in await _read(store, "repo:1", 2)] == [3, 5]
    assert await _read(store, "repo:1", 5) == []
    assert await _read(store, "repo:1", 99) == []
    assert await _read(store, "repo:unknown") == []


async def test_long_journals_are_read_in_pages(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages change nothing, whether the end falls into one or on its border; what is appended meanwhile waits."""
    monkeypatch.setattr(journal_module, "PAGE", 4)
    for count, more in ((3, 0), (4, 0), (5, 1), (8, 2)):
        key = f"repo:{count}"
        await _append(store, *(Entry("fact", {"n": n}) for n in range(count)), key=key)
        rows = []
        async for row in store.records(key):
            rows.append(row)
            if len(rows) == 1 and more:
                await _append(store, *(Entry("late", {}) for _ in range(more)), key=key)
        assert [row.data["n"] for row in rows] == list(range(count))
        async with store.unit() as unit:
            assert len(await unit.records(key)) == count + more


DAMAGES = {
    "a byte of the data": ["UPDATE journal SET data = replace(data, '2', '7') WHERE seq = 3"],
    "the time": ["UPDATE journal SET at = at + 1 WHERE seq = 3"],
    "the kind": ["UPDATE journal SET kind = 'other' WHERE seq = 3"],
    "the identity": ["UPDATE journal SET once = 'other' WHERE seq = 3"],
    "the first record deleted": ["DELETE FROM journal WHERE seq = 1"],
    "a record deleted": ["DELETE FROM journal WHERE seq = 3"],
    "the last record deleted": ["DELETE FROM journal WHERE seq = 5"],
    "all records deleted": ["DELETE FROM journal WHERE key = 'repo:1'"],
    "two records swapped": [
        "UPDATE journal SET seq = 99 WHERE seq = 2",
        "UPDATE journal SET seq = 2 WHERE seq = 3",
        "UPDATE journal SET seq = 3 WHERE seq = 99",
    ],
    "the last two swapped": [
        "UPDATE journal SET seq = 99 WHERE seq = 4",
        "UPDATE journal SET seq = 4 WHERE seq = 5",
        "UPDATE journal SET seq = 5 WHERE seq = 99",
    ],
    "a record of another key moved in": ["UPDATE journal SET key = 'repo:1' WHERE key = 'repo:2'"],
    "a record added": [
        "INSERT INTO journal SELECT 9, at, key, kind, data, NULL, digest, digest FROM journal WHERE seq = 5"
    ],
    "the end of the chain forgotten": ["DELETE FROM chains WHERE key = 'repo:1'"],
    "the end of the chain changed": ["UPDATE chains SET digest = 'x' WHERE key = 'repo:1'"],
}


@pytest.mark.parametrize("statements", DAMAGES.values(), ids=DAMAGES)
async def test_damage_is_found_on_read(world: World, statements: list[str]) -> None:
    """Whatever was done to the table is found, in this key's chain; a key beside it is read as before."""
    store = await world.open()
    await _append(store, *(Entry("fact", {"n": n}, f"once-{n}") for n in range(5)))
    await _append(store, Entry("fact", {}), key="repo:2")
    await _append(store, Entry("fact", {}), key="repo:3")
    await store.close()
    for statement in statements:
        await world.sql(statement)
    store = await world.open()
    with pytest.raises(JournalCorrupt, match=r"journal of repo:1 is corrupt at record \d") as error:
        await _read(store)
    assert error.value.key == "repo:1"
    assert len(await _read(store, "repo:3")) == 1


@pytest.mark.parametrize(("seq", "found_at"), [(2, 2), (4, 4)])
async def test_damage_is_named_with_its_record(world: World, seq: int, found_at: int) -> None:
    """The records before the damage were given, the damaged one and those after it were not."""
    store = await world.open()
    await _append(store, *(Entry("fact", {"n": n}) for n in range(5)))
    await store.close()
    await world.sql("UPDATE journal SET data = '{}' WHERE seq = :seq", seq=seq)
    store = await world.open()
    given: list[int] = []

    async def read() -> None:
        async for row in store.records("repo:1"):
            given.append(row.seq)  # noqa: PERF401 - what came before the error is the question

    with pytest.raises(JournalCorrupt) as error:
        await read()
    assert (error.value.seq, given) == (found_at, list(range(1, seq)))
    with pytest.raises(JournalCorrupt):
        await _read(store, after=1)
    assert await _read(store, after=5) == []


async def test_data_that_is_no_json_is_refused(store: Store) -> None:
    """Not-a-number has no JSON: the unit fails and writes nothing, instead of a record that cannot be read."""

    async def turn() -> None:
        async with store.unit() as unit:
            await unit.receive([delivery(1)])
            await unit.append("repo:1", [Entry("fact", {"n": float("nan")})])

    with pytest.raises(ValueError, match="JSON"):
        await turn()
    assert await _read(store) == []
    assert await store.next_due() is None


async def test_texts_are_kept_by_hash_and_purged_by_age(store: Store, world: World) -> None:
    """Any text comes back as it was; storing it again makes it young; a purge leaves the journal as it is."""
    texts = {"h1": "log \u0000 \ud800 ü\r\n", "h2": "", "h3": "x" * 100_000}
    async with store.unit() as unit:
        await unit.put_texts(texts)
        await unit.append("repo:1", [Entry("fact", {"excerptRef": "h1"})])
    assert {name: await store.text(name) for name in texts} == texts
    world.clock.advance(10)
    async with store.unit() as unit:
        await unit.put_texts({"h2": ""})
    assert await store.purge_texts(before=world.clock.now()) == 2
    assert [await store.text(name) for name in texts] == [None, "", None]
    assert len(await _read(store)) == 1
