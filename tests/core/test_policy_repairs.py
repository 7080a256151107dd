"""Repairs of the environment: the registry's promise, and what each repair does next."""

from __future__ import annotations

import pytest

from repairs.environment import (
    REGISTRY,
    AdapterProbe,
    AdapterState,
    Cache,
    DropCaches,
    EnvironmentRepair,
    NotIdempotent,
    ProbeAt,
    Remove,
    Report,
    RunRepairJob,
    Thing,
    build_registry,
    collect,
    provision,
    restart,
)
from resolver.ids import PullNumber
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


CACHES = (
    Cache(id=1, key="pip-linux-abc", ref="refs/pull/7/merge"),
    Cache(id=2, key="pip-linux-def", ref="refs/pull/7/merge"),
    Cache(id=3, key="npm-linux-abc", ref="refs/pull/7/merge"),
    Cache(id=4, key="pip-linux-abc", ref="refs/heads/main"),
    Cache(id=5, key="pip-linux-abc", ref="refs/pull/70/merge"),
    Cache(id=6, key="pip-linux-abc", ref="refs/pull/7/head"),
)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [(["pip-linux-"], (1, 2)), (["pip-linux-abc"], (1,)), (["npm-", "pip-linux-def"], (2, 3)), (["go-"], ()), ([], ()), ([""], ())],
)  # fmt: skip
def test_only_the_jobs_own_caches_are_dropped(keys: list[str], expected: tuple[int, ...]):
    """Caches of the failing job's keys under the pull request's merge ref, never the base's or another's, never all."""
    assert provision(SEVEN, keys, CACHES, []) == DropCaches(cache_ids=expected)


def test_a_repositorys_own_way_comes_first():
    """A job of the repair workflow that is called like the repair is run instead."""
    assert provision(SEVEN, ["pip-"], CACHES, ["other", "provision-deps"]) == RunRepairJob(job="provision-deps")
    assert isinstance(provision(SEVEN, ["pip-"], CACHES, ["other"]), DropCaches)


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


LEFT = Thing(kind="ref", name="failres/probe/ab-cd-1", version="1")
FIX = Thing(kind="ref", name="failres/fix/n0nce", version="2")
REPAIR = Thing(kind="ref", name="repair/pr-7/v1-0123456789abcdef", version="3")
CACHE = Thing(kind="cache", name="failres-deps", version="9")
OTHERS = (
    Thing(kind="ref", name="main", version="4"),
    Thing(kind="ref", name="repairs/x", version="4"),
    Thing(kind="ref", name="failres/state", version="5"),
    Thing(kind="ref", name="failres/backup/t1", version="6"),
    Thing(kind="ref", name="failres-deps", version="6"),
    Thing(kind="cache", name="pip-linux", version="7"),
    Thing(kind="artifact", name="coverage", version="8"),
)
FOUND = (LEFT, FIX, REPAIR, CACHE, *OTHERS)


def test_a_report_comes_before_a_removal():
    """First it is told what nobody owns; then that, and nothing else, is removed."""
    live = frozenset({FIX.name})
    report = collect(FOUND, live, None)
    assert report == Report(things=(LEFT, REPAIR, CACHE))
    assert collect(FOUND, live, Report(things=(LEFT, REPAIR, CACHE))) == Remove(things=(LEFT, REPAIR, CACHE))


def test_what_changed_after_the_report_stays():
    """What got an owner, moved or appeared since the report is not removed."""
    reported = Report(things=(LEFT, REPAIR))
    moved = LEFT.model_copy(update={"version": "11"})
    assert collect((moved, REPAIR, CACHE), frozenset(), reported) == Remove(things=(REPAIR,))
    assert collect(FOUND, frozenset({REPAIR.name}), reported) == Remove(things=(LEFT,))
    assert collect((), frozenset(), reported) == Remove(things=())


def test_unknown_owners_own_everything():
    """Where the live records cannot be read, nothing is reported as left over and nothing removed."""
    assert collect(FOUND, None, None) == Report(things=())
    assert collect(FOUND, None, Report(things=FOUND)) == Remove(things=())
