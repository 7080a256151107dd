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

from resolver.facts.repairs import Thing
from resolver.ids import PullNumber
from resolver.limits import LIMITS
from resolver.log.cache_keys import CacheKeys
from resolver.policy import REPAIR_IDS
from resolver.probes import is_owned, is_probe_branch
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
            timeout=LIMITS.repair_patience,
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


def merge_ref(number: PullNumber) -> str:
    """The ref under which GitHub keeps the caches that a pull request's own runs have left."""
    return f"refs/pull/{number}/merge"


def provision(number: PullNumber, keys: CacheKeys, caches: Iterable[Thing]) -> tuple[Thing, ...]:
    """
    Which caches are dropped, so that a pull request's job provisions its dependencies anew.

    `keys` are those that the job used; a base's caches are never dropped, since others use them.
    """
    own = merge_ref(number)
    return tuple(each for each in caches if each.kind == "cache" and each.branch == own and keys.mean(each.name))


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


OWN_BRANCHES: Final = ("failres/probe/", "failres/fix/")
"""How the branches begin that are failres's own and of use only while somebody waits for them. Backups, repairs and the
state branch are not among them: they are kept. A probe's may begin otherwise, as a workflow's filters want it.
"""


def is_own(branch: str) -> bool:
    """Say whether a branch has a name that failres gives to what it makes for itself."""
    return branch.startswith(OWN_BRANCHES) or is_probe_branch(branch)


def leftovers(found: Iterable[Thing], live: Iterable[str] | None) -> tuple[Thing, ...]:
    """
    What failres has left behind: own branches, and the caches and artifacts of their runs, that no live record owns.

    `live` are the branches that live records own; None, where that is not known, means that nothing is left over.
    """
    if live is None:
        return ()
    owned = frozenset(live)
    return tuple(each for each in found if is_own(each.branch) and not is_owned(each.branch, owned))


def removable(things: Iterable[Thing], number: PullNumber, live: Iterable[str] | None) -> tuple[Thing, ...]:
    """Of what was reported, what may be removed now: the pull request's own caches, and what is still left over."""
    reported = tuple(things)
    own = merge_ref(number)
    of_pull = tuple(each for each in reported if each.kind == "cache" and each.branch == own)
    return (*of_pull, *leftovers(reported, live))
