"""Repairs of the environment: the registry's promise, and what each repair does next."""

from __future__ import annotations

import pytest

from repairs.environment import (
    REGISTRY,
    AdapterProbe,
    AdapterState,
    EnvironmentRepair,
    NotIdempotent,
    ProbeAt,
    build_registry,
    leftovers,
    provision,
    removable,
    restart,
)
from resolver.facts.repairs import Thing
from resolver.ids import PullNumber
from resolver.log.cache_keys import CacheKeys
from resolver.policy import ACTIONS

ENTRIES = tuple(REGISTRY.values())
SEVEN = PullNumber(7)


def test_the_registry_is_the_tables():
    """Each repair that the table can name is there, with an effect and a time-out, and idempotent."""
    assert {f"env-repair:{name}" for name in REGISTRY} == {
        action for action in ACTIONS if action.startswith("env-repair:")
    }
    assert all(entry.idempotent and entry.effect and entry.timeout > 0 for entry in ENTRIES)


@pytest.mark.parametrize(
    "entries",
    [
        (*ENTRIES[:2], ENTRIES[2].model_copy(update={"idempotent": False})),
        ENTRIES[:2],
        (*ENTRIES, ENTRIES[0]),
        (*ENTRIES, EnvironmentRepair(id="restart-docker", effect="restart the daemon", timeout=1, idempotent=True)),
        (),
    ],
    ids=["not idempotent", "missing", "twice", "unknown", "empty"],
)
def test_a_wrong_registry_does_not_start(entries: tuple[EnvironmentRepair, ...]):
    """An entry that is not idempotent, or that the table does not name, fails before anything runs."""
    with pytest.raises(NotIdempotent):
        build_registry(entries)


def cache(number: int, key: str, ref: str) -> Thing:
    """A cache as GitHub lists it."""
    return Thing(kind="cache", name=key, version=str(number), branch=ref, id=number)


CACHES = (
    cache(1, "pip-linux-abc", "refs/pull/7/merge"),
    cache(2, "pip-linux-def", "refs/pull/7/merge"),
    cache(3, "npm-linux-abc", "refs/pull/7/merge"),
    cache(4, "pip-linux-abc", "main"),
    cache(5, "pip-linux-abc", "refs/pull/70/merge"),
    cache(6, "pip-linux-abc", "refs/pull/7/head"),
)


@pytest.mark.parametrize(
    ("exact", "beginnings", "expected"),
    [
        (["pip-linux-abc"], [], [1]),
        (["pip-linux-"], [], []),
        ([], ["pip-linux-"], [1, 2]),
        (["npm-linux-abc"], ["pip-linux-d"], [2, 3]),
        (["go-"], ["go-"], []),
        ([], [], []),
    ],
)
def test_only_the_jobs_own_caches_are_dropped(exact: list[str], beginnings: list[str], expected: list[int]):
    """Caches of the failing job's keys under the pull request's merge ref, never the base's or another's, never all."""
    keys = CacheKeys(exact=tuple(exact), beginnings=tuple(beginnings))
    assert [each.id for each in provision(SEVEN, keys, CACHES)] == expected
    assert [each.id for each in removable(provision(SEVEN, keys, CACHES), SEVEN, ())] == expected
    assert removable(CACHES[3:], SEVEN, ()) == (), "whatever was reported, only the pull request's own may go"


def probed(at: float, healthy: bool, answered: bool) -> AdapterProbe:
    """A finished probe."""
    return AdapterProbe(at=at, healthy=healthy, answered=answered)


@pytest.mark.parametrize(
    ("probes", "now", "expected"),
    [
        ([], 100.0, ProbeAt(at=100.0)),
        ([probed(100, True, True)], 101.0, AdapterState(state="usable")),
        ([probed(100, False, False)], 101.0, ProbeAt(at=130.0)),
        ([probed(100, True, False)], 101.0, ProbeAt(at=130.0)),
        ([probed(100, False, True)], 101.0, ProbeAt(at=130.0)),
        ([probed(100, False, False)], 900.0, ProbeAt(at=900.0)),
        ([probed(100, False, False), probed(130, True, True)], 131.0, AdapterState(state="usable")),
        ([probed(100, False, False), probed(130, True, False)], 131.0, AdapterState(state="down")),
    ],
)  # fmt: skip
def test_an_adapter_is_probed_twice(probes: list[AdapterProbe], now: float, expected: ProbeAt | AdapterState):
    """Health check and ping must both pass; the second probe comes 30 seconds after the first, and there is no third."""
    assert restart(probes, now) == expected


LEFT = Thing(kind="ref", name="failres/probe/ab-cd-1", version="1", branch="failres/probe/ab-cd-1")
FIX = Thing(kind="ref", name="failres/fix/n0nce", version="2", branch="failres/fix/n0nce")
CACHE = cache(9, "pip-linux", LEFT.branch)
REPORT = Thing(kind="artifact", name="manifest", version="8", branch=FIX.branch, id=8)
OTHERS = tuple(
    Thing(kind="ref", name=name, version="4", branch=name)
    for name in ("main", "repair/pr-7/v1-0123456789abcdef", "failres/state", "failres/backup/t1", "failres-deps")
)
FOUND = (LEFT, FIX, CACHE, REPORT, *OTHERS, cache(7, "failres-deps", "main"))


def test_what_no_live_record_owns_is_left_over():
    """Branches of probes and fixes, and what their runs have left; repairs, backups and the state branch are kept."""
    assert leftovers(FOUND, ()) == (LEFT, FIX, CACHE, REPORT)
    assert leftovers(FOUND, [FIX.name]) == (LEFT, CACHE)
    assert leftovers(FOUND, [LEFT.name]) == (FIX, REPORT)


def test_what_got_an_owner_after_the_report_stays():
    """Between report and removal somebody may have taken a branch up."""
    assert removable((LEFT, CACHE, REPORT), SEVEN, [LEFT.name]) == (REPORT,)
    assert removable(OTHERS, SEVEN, ()) == ()


def test_unknown_owners_own_everything():
    """Where the live records cannot be read, nothing is left over and nothing removed."""
    assert leftovers(FOUND, None) == ()
    assert removable(FOUND, SEVEN, None) == ()
