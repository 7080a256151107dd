"""
Deterministic repairs of the environment: the registry, and what each of them does next (specification, section 10).

A repair is one named thing, never a composed command. Every entry is idempotent, or the process does not start. The
functions are pure: they say what is due from what was observed. A repair that fails falls through to the next column of
the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal

from resolver.ids import PullNumber
from resolver.policy import REPAIR_IDS
from resolver.records import Record


class EnvironmentRepair(Record):
    """One entry. `timeout` is in seconds; `effect` is what people are told that it does."""

    id: str
    effect: str
    timeout: float
    idempotent: bool


class NotIdempotent(Exception):
    """The registry cannot be used: an entry is not idempotent, unknown, missing or listed twice."""


def build_registry(entries: Iterable[EnvironmentRepair]) -> Mapping[str, EnvironmentRepair]:
    """The entries by id. Raises `NotIdempotent` unless they are exactly the table's repairs and all idempotent."""
    listed = tuple(entries)
    unsafe = [entry.id for entry in listed if not entry.idempotent]
    if unsafe:
        raise NotIdempotent(f"not idempotent: {', '.join(unsafe)}")
    if sorted(entry.id for entry in listed) != sorted(REPAIR_IDS):
        raise NotIdempotent(f"the table names {sorted(REPAIR_IDS)}, the registry {sorted(e.id for e in listed)}")
    return MappingProxyType({entry.id: entry for entry in listed})


REGISTRY: Final = build_registry(
    (
        EnvironmentRepair(
            id="provision-deps",
            effect="drop the job's dependency caches of this pull request and provision anew",
            timeout=1800,
            idempotent=True,
        ),
        EnvironmentRepair(
            id="adapter-restart",
            effect="check the adapter's health and ping it; no service is restarted",
            timeout=300,
            idempotent=True,
        ),
        EnvironmentRepair(
            id="gc-dry-then-tmp-clean",
            effect="report, then remove, what failres left behind and no live record owns",
            timeout=600,
            idempotent=True,
        ),
    )
)

REPAIR_WORKFLOW: Final = ".github/workflows/failres-repair.yml"
"""A repository's own way: its job that is called like the repair is run instead."""


class Cache(Record):
    """One cache of Actions. GitHub keeps a pull request's own under its merge ref."""

    id: int
    key: str
    ref: str


class DropCaches(Record):
    """Delete these caches by id, then rerun; none where the job's keys are not known or nothing is there any more."""

    cache_ids: tuple[int, ...]


class RunRepairJob(Record):
    """Dispatch the repair workflow's job of this name."""

    job: str


def provision(
    number: PullNumber, keys: Sequence[str], caches: Iterable[Cache], repair_jobs: Iterable[str]
) -> DropCaches | RunRepairJob:
    """
    How dependencies are provisioned anew for a pull request's job.

    `keys` are the job's cache keys, or their beginnings; a base's caches are never dropped, since others use them.
    """
    if "provision-deps" in repair_jobs:
        return RunRepairJob(job="provision-deps")
    wanted = tuple(key for key in keys if key)
    own = f"refs/pull/{number}/merge"
    dropped = [cache.id for cache in caches if cache.ref == own and wanted and cache.key.startswith(wanted)]
    return DropCaches(cache_ids=tuple(sorted(dropped)))


class ProbeLimits(Record):
    """How often an adapter is probed, and how many seconds lie between two probes."""

    probes: int = 2
    pause: float = 30.0


PROBE_LIMITS: Final = ProbeLimits()


class AdapterProbe(Record):
    """A finished probe: the adapter's health check and its no-op ping, each passed or not. `at` is when it ended."""

    at: float
    healthy: bool
    answered: bool


class ProbeAt(Record):
    """Probe at this time, not before."""

    at: float


class AdapterState(Record):
    """What the probes came to: usable (go on), or down (the repair failed)."""

    state: Literal["usable", "down"]


def restart(probes: Sequence[AdapterProbe], now: float, limits: ProbeLimits = PROBE_LIMITS) -> ProbeAt | AdapterState:
    """What is due of `adapter-restart`: one probe, a second one after the pause, and nothing else."""
    if any(probe.healthy and probe.answered for probe in probes):
        return AdapterState(state="usable")
    if len(probes) >= limits.probes:
        return AdapterState(state="down")
    return ProbeAt(at=max(now, probes[-1].at + limits.pause) if probes else now)


OWN_NAMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "ref": ("failres/probe/", "failres/fix/", "repair/"),
        "cache": ("failres-",),
        "artifact": ("failres-",),
    }
)
"""How the names of failres's own things begin. Backups and the state branch are not among them: they are kept."""


class Thing(Record):
    """A ref (without `refs/heads/`), cache or artifact as GitHub shows it; `version` tells it from a later namesake."""

    kind: Literal["ref", "cache", "artifact"]
    name: str
    version: str


class Report(Record):
    """The dry run: what would be removed. It is journaled before anything is."""

    things: tuple[Thing, ...]


class Remove(Record):
    """Remove these: they were reported, are unchanged, and still nobody owns them."""

    things: tuple[Thing, ...]


def collect(found: Iterable[Thing], live: frozenset[str] | None, reported: Report | None) -> Report | Remove:
    """
    What is due of `gc-dry-then-tmp-clean`: first a report, then the removal of what it named.

    `live` are the names that live records own; None, where that is not known, removes nothing.
    """
    ownerless = tuple(thing for thing in found if _is_own(thing) and live is not None and thing.name not in live)
    if reported is None:
        return Report(things=ownerless)
    return Remove(things=tuple(thing for thing in ownerless if thing in reported.things))


def _is_own(thing: Thing) -> bool:
    return thing.name.startswith(OWN_NAMES[thing.kind])
