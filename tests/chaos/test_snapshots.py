"""Starting from a snapshot against a real store: believed where it fits, told of and left alone where it does not."""

import hashlib
import json
import sqlite3
import zlib

import pytest
from sqlalchemy import text

from bot.clock import ManualClock
from bot.core_digest import core_digest
from bot.loop import Loop
from bot.store import open_store
from resolver.limits import LIMITS
from tests.chaos.test_turns import DELIVERIES, KEY, orders_of, pages, records, told
from tests.core.made import NEXT, job, pull

LIMITED = LIMITS.model_copy(update={"snapshot_every": 5, "snapshot_rest": 0.0})


class Life:
    """One process after another over one database file."""

    def __init__(self, tmp_path):
        self.file, self.clock = tmp_path / "failres.db", ManualClock()
        self.store = self.loop = None

    async def start(self, limits=LIMITED):
        """A new process: it remembers nothing."""
        await self.stop()
        self.store = await open_store(f"sqlite:///{self.file}", self.clock)
        self.loop = Loop(self.store, self.clock, limits)
        await self.store.forget_leases()
        await self.store.rebuild_due()

    async def stop(self):
        """The end of one."""
        if self.store is not None:
            await self.loop.close()
            await self.store.close()
            self.store = None

    async def hear(self, *deliveries):
        """Take deliveries in, and let everything that is due and goes on beside it happen."""
        for delivery in deliveries:
            await self.store.receive(delivery)
        while await self.loop.run_due():
            await self.loop.settled()

    async def snapshot(self):
        """What is kept now."""
        found = await self.store.snapshot(KEY)
        return found[0] if found else None

    def sql(self, statement, *values):
        """Somebody changes the database while failres is stopped."""
        with sqlite3.connect(self.file) as connection:
            connection.execute(statement, values)
        connection.close()

    def state(self):
        """What the process knows."""
        return self.loop._known[KEY]


@pytest.fixture
async def life(tmp_path):
    """A process that has kept a snapshot and recorded something after it; then it was stopped."""
    made = Life(tmp_path)
    await made.start()
    await made.hear(*DELIVERIES)
    made.kept = await made.snapshot()
    made.loop._snapshots._limits = LIMITS
    await made.hear(told("later", pull(9, head_sha=NEXT)))
    made.known = made.state()
    await made.stop()
    yield made
    await made.stop()


async def test_a_start_folds_only_what_follows_the_snapshot(life, caplog):
    """The state is the same, the log is silent, and only the later records were folded."""
    assert life.kept.seq < life.known.seq
    await life.start(LIMITS)
    await life.hear()
    now = life.state()
    assert now.state == life.known.state
    assert (now.seq, now.chain) == (life.known.seq, life.known.chain)
    assert now.unkept == sum(1 for seq in await seqs(life.store) if seq > life.kept.seq) < len(await seqs(life.store))
    assert not [record for record in caplog.records if record.levelname == "WARNING"]


async def seqs(store):
    """The numbers of all records."""
    return [row.seq async for row in store.records(KEY)]


def digest_of(state, kept):
    """The digest that a snapshot with other bytes would have."""
    belongs = json.dumps([kept.key, kept.seq, kept.chain, kept.core])
    return hashlib.sha256(belongs.encode() + state).hexdigest()


GARBAGE = zlib.compress(b"[7]\n")
BOMB = zlib.compress(b" " * 2_000_000)


@pytest.mark.parametrize(
    ("change", "values", "why"),
    [
        ("core = 'f00'", None, "another version of failres made it"),
        ("chain = 'f00'", None, "the journal does not hold the record that it names"),
        ("seq = 4000", None, "the journal does not hold the record that it names"),
        ("state = substr(state, 1, 40)", None, "its content is not what its digest was made from"),
        ("state = ?, digest = ?", GARBAGE, "it holds something else"),
        ("state = ?, digest = ?", GARBAGE[:9], "ValueError while it was read"),
        ("state = ?, digest = ?", BOMB, "its text is larger than 1000000 bytes"),
    ],
)
async def test_a_snapshot_that_does_not_fit_is_told_of_once_and_left_alone(life, caplog, change, values, why):
    """Whatever is wrong with it, the journal is folded as if there were none, and a good one takes its place."""
    life.sql(f"UPDATE snapshots SET {change}", *([values, digest_of(values, life.kept)] if values else []))
    limits = LIMITED.model_copy(update={"snapshot_bytes": 1_000_000})
    for _ in range(2):
        await life.start(limits)
        await life.hear()
        assert life.state().state == life.known.state
    said = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert said == [f"{KEY}: its snapshot is not used, and its journal is folded: {why}"]
    assert (await life.snapshot()).core == core_digest()


async def test_an_emptied_table_costs_nothing_but_time(life, caplog):
    """The operator's right: no word, the same state."""
    life.sql("DELETE FROM snapshots")
    await life.start()
    await life.hear()
    assert life.state().state == life.known.state
    assert not [record for record in caplog.records if record.levelname == "WARNING"]


async def test_damage_before_the_snapshot_stops_the_repository_all_the_same(life, caplog):
    """It is found beside the work after the start; then nothing is decided any more until the journal is restored."""
    with sqlite3.connect(life.file) as connection:
        (data,) = connection.execute("SELECT data FROM journal WHERE seq = 2").fetchone()
    connection.close()
    life.sql("UPDATE journal SET data = '{}' WHERE seq = 2")
    await life.start()
    await life.hear()
    (said,) = [record.message for record in caplog.records if record.levelname == "ERROR"]
    assert "corrupt at record 2: its content is not what its digest was made from" in said
    assert await life.snapshot() is None
    before = await seqs_beside(life)
    await orders_of(life.store)
    life.clock.advance(4_000.0)
    await life.hear(told("new", job(99, head=NEXT)))
    assert await orders_of(life.store) == []
    assert await seqs_beside(life) == before
    await life.stop()
    life.sql("UPDATE journal SET data = ? WHERE seq = 2", data)
    await life.start()
    life.clock.advance(4_000.0)
    await life.hear()
    assert [kind for kind, _ in await records(life.store)].count("job.finished") == 2


async def test_a_damaged_journal_is_not_started_from_a_newer_snapshot_either(life, caplog):
    """One that is made while the older records are looked at: it is not kept, and while the damage stands nobody acts."""
    life.sql("UPDATE journal SET data = '{}' WHERE seq = 2")
    await life.start()
    async with life.loop._snapshots._one:
        await life.store.receive(told("more", *(job(99 + n, head=NEXT) for n in range(9))))
        while await life.loop.run_due():
            pass
        assert len(life.loop._snapshots._aside._tasks) == 2
    await life.loop.settled()
    assert await life.snapshot() is None
    before = None
    for _ in range(3):
        await life.hear()
        life.clock.advance(4_000.0)
        before = before or await seqs_beside(life)
        assert await seqs_beside(life) == before
    assert "corrupt at record 2" in caplog.text
    assert await life.snapshot() is None


async def seqs_beside(life):
    """How many records there are, damaged or not."""
    return (await life.store.counts())["records"]


async def test_a_snapshot_that_cannot_be_written_changes_nothing(tmp_path, caplog):
    """The disk is full at that moment: it is told, the repository goes on, and the next one is written."""
    life = Life(tmp_path)
    await life.start()
    written = life.store.keep_snapshot

    async def full(snapshot):
        await pages(life.store, None)
        try:
            return await written(snapshot._replace(state=snapshot.state + bytes(1_000_000)))
        finally:
            await pages(life.store, 1_000_000)

    life.store.keep_snapshot = full
    await life.hear(*DELIVERIES)
    assert await life.snapshot() is None
    assert "disk is full" in caplog.text
    assert KEY in life.loop._known
    life.store.keep_snapshot = written
    await life.hear(*(told(f"new-{n}", job(99 + n, head=NEXT)) for n in range(5)))
    assert (await life.snapshot()).seq == life.state().seq
    await life.stop()


async def test_of_one_repository_only_one_is_written_at_a_time(tmp_path):
    """Turns go on while one is made; what they recorded is in the next one."""
    life = Life(tmp_path)
    await life.start()
    async with life.loop._snapshots._one:
        for n in range(20):
            await life.store.receive(told(f"new-{n}", pull(n + 1, head_sha=NEXT)))
            while await life.loop.run_due():
                pass
        assert len(life.loop._snapshots._aside._tasks) == 1
    await life.loop.settled()
    assert (await life.snapshot()).seq < life.state().seq
    await life.hear(told("last", pull(99, head_sha=NEXT)))
    assert (await life.snapshot()).seq == life.state().seq
    await life.stop()


async def test_a_late_kill_leaves_the_store_usable(life):
    """Stopped while one is made: nothing of it is written, and nothing waits for it."""
    await life.start()
    async with life.loop._snapshots._one:
        await life.store.receive(told("more", *(job(99 + n, head=NEXT) for n in range(9))))
        await life.loop.run_due()
        await life.loop.close()
    assert (await life.snapshot()).seq == life.kept.seq
    await life.store._database.look(lambda tx: tx.run(text("SELECT 1")).close())


async def test_a_busy_repository_is_kept_anew_only_after_a_rest(life):
    """Keeping it costs as much as the whole state is large, however fast records come."""
    await life.start(LIMITED.model_copy(update={"snapshot_rest": 300.0}))
    kept = [(await life.snapshot()).seq]
    for n, wait in enumerate((0.0, 299.0, 2.0)):
        life.clock.advance(wait)
        await life.hear(*(told(f"busy-{n}-{m}", pull(50 + m, updated_at=1_000.0 * n)) for m in range(6)))
        kept.append((await life.snapshot()).seq)
    assert kept[0] < kept[1] == kept[2] < kept[3]
