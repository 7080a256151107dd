"""A store that refuses records: nothing is lost, and what was refused is recorded once it answers again."""

import pytest

from bot.clock import ManualClock
from bot.loop import Loop
from bot.store import StoreUnavailable, open_store
from bot.unwritten import Unwritten
from resolver.config import parse_config
from resolver.limits import Limits
from tests.chaos.test_turns import KEY, pages, told
from tests.core.made import NEXT, Sha, config, files, pull, repo, state_of

MANAGED = config(found=True, settings=parse_config('managed: {branches: ["coupons"]}\n'))
CLASS = "journal-append-failed"


async def refused(store, loop, clock, head):
    """The disk is full while a push is taken in, in two turns, and has room again for the third."""
    seen = {"head_sha": Sha(head * 40), "updated_at": clock.now(), "title": "x" * 9_000}
    await store.receive(told(f"push-{head}", pull(7, **seen), pull(8, head_ref="other", **seen)))
    await pages(store, None)
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="full"):
            await loop.run_due()
        clock.advance(10.0)
    await pages(store, 1_000_000)
    for _ in range(4):
        clock.advance(10.0)
        await loop.run_due()


async def decided(store):
    """What the table decided, on which pull request and with which outcome, in order."""
    found = [(row.kind, row.data) async for row in store.records(KEY) if row.kind.startswith(("resolve.", "decision."))]
    return [
        (kind, data["number"], data.get("action") or data.get("kind"), data.get("success"))
        for kind, data in found
        if data.get("failClass", CLASS) == CLASS
    ]


async def test_what_the_store_refused_twice_is_resumed_once_and_then_asked_about(tmp_path):
    """The first time the turn is run again and that was all; the second time people hear of it, of managed tasks alone."""
    clock = ManualClock()
    store = await open_store(f"sqlite:///{tmp_path}/failres.db", clock)
    loop = Loop(store, clock, Limits(ceiling="act"))
    await store.receive(told("d0", repo(), MANAGED, pull(7), files(), pull(8, head_ref="other"), files(8, NEXT)))
    await loop.run_due()
    await refused(store, loop, clock, "c")
    first = [("resolve.decision", 7, "resume", None), ("resolve.outcome", 7, "resume", True)]
    assert await decided(store) == first
    (told_of,) = [
        row.data async for row in store.records(KEY) if row.data.get("failClass") == CLASS and "ticket" in row.data
    ]
    assert told_of["reason"].startswith("the store refused the records of 2 turns: ")
    await refused(store, loop, clock, "d")
    assert await decided(store) == [
        *first,
        ("resolve.decision", 7, "escalate", None),
        ("decision.requested", 7, "interrupted", None),
    ]
    await store.close()


def test_a_turn_that_had_nothing_to_write_has_lost_nothing():
    """A store that is away is told in the log; it is a failure of a task only where that task's records were refused."""
    unwritten, state = Unwritten(), state_of(repo(), MANAGED, pull(7))
    unwritten.note(KEY, (), "away", 100.0)
    assert list(unwritten.facts(KEY, state)) == []
    unwritten.note(KEY, (7,), "away", 110.0)
    unwritten.note(KEY, (), "still away", 120.0)
    started, refused_ = unwritten.facts(KEY, state)
    assert (started.at, refused_.reason) == (110.0, "the store refused the records of 2 turns: still away")
    unwritten.forget(KEY)
    assert list(unwritten.facts(KEY, state)) == []
