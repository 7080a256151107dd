"""A fold as bytes: whatever the journal may hold, the state that comes back is the same and is decided on alike."""

import itertools
import types
import typing
import zlib
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from resolver import snapshot
from resolver.config.sections import Ledger as Limits
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


NUMBERS = itertools.count(1)


def parts(value):
    """A value and all that it is made of."""
    yield value
    if isinstance(value, BaseModel):
        inner = [getattr(value, name) for name in type(value).model_fields]
    elif is_dataclass(value):
        inner = [getattr(value, one.name) for one in fields(value) if one.compare]
    elif isinstance(value, Mapping):
        inner = [*value.keys(), *value.values()]
    else:
        inner = value if isinstance(value, tuple | list | frozenset) else ()
    for each in inner:
        yield from parts(each)


KNOWN = {type(part): part for fact in FACTS for part in parts(fact) if isinstance(part, BaseModel)}
KNOWN[Limits] = Limits(stop_loss="off")


def samples(hint):
    """One value of each arm of a type, none of them empty."""
    hint, origin, inner = getattr(hint, "__supertype__", hint), typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return [value for each in inner if each is not type(None) for value in samples(each)]
    number = next(NUMBERS)
    if origin is tuple:
        return [tuple(samples(inner[0]) if inner[1] is ... else (samples(each)[-1] for each in inner))]
    if origin is frozenset:
        return [frozenset(samples(inner[0]))]
    if origin is Mapping:
        return [{samples(inner[0])[-1]: value for value in samples(inner[1])}]
    if is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        made = {one.name: samples(hints[one.name])[-1] for one in fields(hint) if one.compare}
        return [hint(**made | {one.name: not one.default for one in fields(hint) if type(one.default) is bool})]
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        made = {name: one.annotation for name, one in hint.model_fields.items()}
        return [KNOWN.get(hint) or hint(**{name: samples(each)[-1] for name, each in made.items()})]
    plain = {str: f"text {number}", int: number, float: number + 0.5, bool: True, typing.Any: [{"a": [None, number]}]}
    return [inner[-1] if origin is typing.Literal else plain[hint]]


def test_each_field_of_each_kind_comes_back():
    """A state in which no field is what it was made with: one that is forgotten on the way is missed."""
    (state,) = samples(RepoState)
    held = [part for part in parts(state) if is_dataclass(part)]
    assert {type(part) for part in held} == {kind.made for kind in snapshot._kinds() if is_dataclass(kind.made)}
    for part in held:
        for one in fields(part):
            default = one.default if one.default_factory is MISSING else one.default_factory()
            odd = one.compare and getattr(part, one.name) == default
            assert not odd, f"{type(part).__name__}.{one.name} is what it was made with"
    assert again(state) == state


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
