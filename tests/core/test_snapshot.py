"""A fold as bytes: whatever the journal may hold, the state that comes back is the same and is decided on alike."""

import typing
import zlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resolver import snapshot
from resolver.decide import decide_pull, decide_repository
from resolver.fold import fold_or_park
from resolver.journal import Unreadable
from resolver.ledger import Ledger
from resolver.ledger.events import FailedAfterRepair, LedgerKey, Quarantined
from resolver.snapshot import PIECE, Unusable, from_bytes, to_bytes
from resolver.state import Head, RepoState
from tests.concerned import ACTING
from tests.core.made import BASE, HEAD, config, files, job, pull, repo, run, state_of, triaged
from tests.core.test_journal import FACTS

MOST = 10_000_000
SCENE = (repo(), config(), pull(), files(), run(), job(), triaged())


def again(state):
    """The state that comes back."""
    kept = to_bytes(state, MOST)
    assert isinstance(kept, bytes)
    found = from_bytes(kept, MOST)
    assert isinstance(found, RepoState), found
    assert to_bytes(found, MOST) == kept, "the order of what it holds is part of it"
    return found


@given(st.permutations([*FACTS, Unreadable(kind="x", number=7, why="\ud800\x00 odd")]), st.integers(0, 2 * len(FACTS)))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_was_folded_comes_back_and_is_decided_on_alike(order, count):
    """All facts that there are, in any order, on top of a red pull request."""
    state = state_of(*SCENE)
    for fact in (*order, *order)[:count]:
        state = fold_or_park(state, fact)
    found = again(state)
    assert found == state
    assert found.ledger.places == state.ledger.places
    assert decide_repository(found, 200.0, ACTING) == decide_repository(state, 200.0, ACTING)
    for number in state.pulls:
        assert decide_pull(found, number, 200.0, ACTING) == decide_pull(state, number, 200.0, ACTING)


def test_records_of_one_shape_come_back_as_what_they_were():
    """A quarantine and a failure after a repair have the same fields; only their class tells them apart."""
    key = LedgerKey(run_id="r", task="pr-7", fail_class="flaky-gate", fingerprint="v1-0", base=BASE, head=HEAD)
    events = (Quarantined(id="a", at=1.0, key=key), FailedAfterRepair(id="b", at=1.0, key=key))
    found = again(RepoState(ledger=Ledger.of(events))).ledger
    assert [type(each) for each in found.events.values()] == [Quarantined, FailedAfterRepair]
    assert found.closed(key)
    assert found.places == Ledger.of(events).places


def test_what_was_worked_out_is_left_behind():
    """Neither what a value keeps beside it nor an index is written; both are there again when they are asked for."""
    state = state_of(*SCENE)
    assert [each.job_id for each in state.head(HEAD).failed()] == [30]
    assert to_bytes(state, MOST) == to_bytes(state_of(*SCENE), MOST)
    assert [each.job_id for each in again(state).head(HEAD).failed()] == [30]


def test_a_large_state_is_written_in_pieces():
    """Thousands of jobs on one commit and of commits with a job: no line of the text holds many of them."""
    one, many = job(), {1_000 + n: job(1_000 + n) for n in range(PIECE)}
    heads = {HEAD: Head(jobs=many), **{f"{n:040}": Head(jobs={30: one}) for n in range(PIECE)}}
    state = replace(state_of(*SCENE), heads=heads)
    assert again(state) == state
    lines = zlib.decompress(to_bytes(state, MOST)).split(b"\n")
    assert max(line.count(b'"jobId"') for line in lines) <= PIECE // 10 + 1


def test_a_state_that_is_too_large_is_neither_written_nor_read():
    """The limit holds on the way back too: few bytes may unpack to very many."""
    kept = to_bytes(state_of(*SCENE), MOST)
    assert to_bytes(state_of(*SCENE), 500) == from_bytes(kept, 500) == Unusable(why="its text is larger than 500 bytes")
    assert from_bytes(zlib.compress(b"[" * 11_000_000), MOST) == Unusable(why=f"its text is larger than {MOST} bytes")


NUMBER = {kind.made: number for number, kind in enumerate(snapshot._kinds())}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "7\n",
        "{}\n",
        "[]\n",
        "[7]\n",
        "[[]]\n",
        '[["x"]]\n',
        '[["*"]]\n',
        '[["*","t",[0]]]\n',
        "[[99999]]\n",
        f"[[{NUMBER[RepoState]}]]\n",
        f'[[{NUMBER[type(job())]},{{"jobId":"x"}}]]\n',
        "[" * 3_000 + "]" * 3_000 + "\n",
        f"[[{NUMBER[RepoState]}]]",
    ],
)
def test_what_is_no_snapshot_is_a_value(text):
    """Nothing that the bytes may hold raises."""
    assert isinstance(from_bytes(zlib.compress(text.encode()), MOST), Unusable)


@given(st.integers(0, 2_000), st.integers(0, 255))
def test_damaged_bytes_are_a_value(place, byte):
    """One byte that is another, or an end cut off."""
    kept = to_bytes(state_of(*SCENE), MOST)
    place %= len(kept)
    assert isinstance(from_bytes(kept[:place], MOST), Unusable)
    changed = kept[:place] + bytes([byte]) + kept[place + 1 :]
    assert isinstance(from_bytes(changed, MOST), Unusable) or changed == kept


def test_each_field_holds_what_can_be_written():
    """A new field of another type than these needs words of its own in `resolver.snapshot`."""

    def unknown(hint):
        origin, inner = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Literal or hint in (typing.Any, ..., type(None)):
            return []
        if inner:
            odd = [] if origin in (tuple, frozenset, dict, Mapping, typing.Union) else [hint]
            odd = [] if type(hint).__name__ == "UnionType" else odd
            return [*odd, *(each for one in inner for each in unknown(one))]
        plain = getattr(hint, "__supertype__", hint)
        return [] if plain in (str, int, float, bool) or plain in NUMBER else [hint]

    kinds = [kind.made for kind in snapshot._kinds() if is_dataclass(kind.made)]
    assert RepoState in kinds
    for kind in kinds:
        hints = typing.get_type_hints(kind)
        for one in fields(kind):
            if one.compare:
                assert unknown(hints[one.name]) == [], f"{kind.__name__}.{one.name}"
