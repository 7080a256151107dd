"""Do many tasks fail together? What the repository's open pull requests show at once, and the mode that follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from resolver.attribution.outage import TaskRed, Wave, outage_mode
from resolver.casework import tested_base
from resolver.conclusions import Meaning, meaning
from resolver.config import RepoConfig
from resolver.executions import FailedItem
from resolver.facts import OutageChanged
from resolver.ids import Fingerprint, Sha
from resolver.runs import task_id
from resolver.state import Base, Head, Pull, RepoState, red_ones


def outage(state: RepoState, now: float) -> tuple[tuple[OutageChanged, ...], float | None]:
    """Give the change of mode to record, if there is one, and when to look again while the mode is on."""
    config = _rules(state)
    mode = state.outage
    red_pulls = [pull for pull in red_ones(state) if pull.seen.state == "open"]
    red_pulls = [pull for pull in red_pulls if state.head(pull.seen.head_sha).failed()]
    if not mode.on and len(red_pulls) < config.outage.tasks:
        return (), None
    reds = tuple(red for pull in red_pulls for red in _reds(state, pull, now, config.outage.calm_for))
    begun = _begun(state, red_pulls) if reds else {}
    asked = {red.fingerprint: begun[red.fingerprint] for red in reds}
    running = _running(state, now - config.outage.calm_for) if any(red.infrastructure for red in reds) else 0
    wave = Wave(reds=reds, running=running, green_probes=_green(state, asked, now))
    found = outage_mode(mode, wave, config.outage, now)
    again_at = now + config.outage.calm_for if found.on else None
    changed = found.on != mode.on or (found.on and found.reason != mode.reason)
    return ((OutageChanged(mode=found),) if changed else ()), again_at


def _rules(state: RepoState) -> RepoConfig:
    """The default branch's configuration: an outage is the repository's, not a branch's."""
    default = state.repo.default_branch if state.repo else ""
    config = state.bases.get(default, Base()).config
    return config.settings if config is not None and config.settings is not None else RepoConfig()


class _Met(NamedTuple):
    """Where a failure was met on one commit: when first (seconds), and in which jobs."""

    first: float
    jobs: frozenset[str]


def _met(head: Head) -> Mapping[Fingerprint, _Met]:
    found: dict[Fingerprint, _Met] = {}
    for told in head.triaged.values():
        job = head.jobs.get(told.job_id)
        for failure in told.failures if job is not None else ():
            at, name = (job.completed_at or 0.0, job.name) if job is not None else (0.0, "")
            before = found.get(failure.fingerprint, _Met(at, frozenset()))
            found[failure.fingerprint] = _Met(min(at, before.first), before.jobs | {name})
    return found


def _everywhere(state: RepoState) -> Mapping[Fingerprint, _Met]:
    """The same over all commits that are known."""
    found: dict[Fingerprint, _Met] = {}
    for head in state.heads.values():
        for fingerprint, met in head.once(_met).items() if head.triaged else ():
            before = found.get(fingerprint)
            both = _Met(min(met.first, before.first), met.jobs | before.jobs) if before else met
            found[fingerprint] = both
    return found


class _Shown(NamedTuple):
    """One failure that a commit shows now, and when it ended (seconds)."""

    fingerprint: Fingerprint
    base: Sha | None
    at: float
    infrastructure: bool


def _shown(head: Head) -> tuple[_Shown, ...]:
    return tuple(
        _Shown(
            failure.fingerprint,
            tested_base(head, job.run_id),
            job.completed_at or 0.0,
            not FailedItem.of(failure).counts,
        )
        for job in head.failed()
        if job.job_id in head.triaged
        for failure in head.triaged[job.job_id].failures
    )


def _reds(state: RepoState, pull: Pull, now: float, lately: float) -> Iterator[TaskRed]:
    """What failed on a pull request lately: older failures begin no wave."""
    for shown in state.head(pull.seen.head_sha).once(_shown):
        at = min(shown.at, now)  # clocks differ, and the future is not lately
        if at >= now - lately:
            first = state.once(_everywhere)[shown.fingerprint].first
            yield TaskRed(
                task=task_id(pull.seen.number),
                fingerprint=shown.fingerprint,
                base=shown.base,
                at=at,
                new=first >= now - lately,
                infrastructure=shown.infrastructure,
            )


def _begun(state: RepoState, pulls: Iterable[Pull]) -> Mapping[Fingerprint, float]:
    """When tasks began to fail with each failure that they show now (seconds)."""
    begun: dict[Fingerprint, float] = {}
    for pull in pulls:
        for shown in state.head(pull.seen.head_sha).once(_shown):
            begun[shown.fingerprint] = min(shown.at, begun.get(shown.fingerprint, shown.at))
    return begun


def _running(state: RepoState, since: float) -> int:
    """How many open pull requests had an execution lately."""
    heads = (state.head(pull.seen.head_sha) for pull in state.pulls.values() if pull.seen.state == "open")
    return sum(head.once(_last_ended) >= since for head in heads if head.jobs)


def _last_ended(head: Head) -> float:
    return max(job.completed_at or 0.0 for job in head.jobs.values())


def _green(state: RepoState, begun: Mapping[Fingerprint, float], now: float) -> frozenset[Fingerprint]:
    """The failures whose check has passed on the clean base after tasks began to fail with it, and lately enough."""
    fresh = now - _rules(state).attribution.freshness
    passed = _passed_on_base(state) if begun else []
    found: set[Fingerprint] = set()
    for print_, at in begun.items():
        met = state.once(_everywhere).get(print_)
        jobs, since = met.jobs if met is not None else (), max(min(at, now), fresh)
        if any(there.get(name, -1.0) >= since for there in passed for name in jobs):
            found.add(print_)
    return frozenset(found)


def _passed_on_base(state: RepoState) -> list[Mapping[str, float]]:
    """When each job last passed, by its name (seconds): on each clean base, the newest first, and on our probes."""
    heads = [state.head(sha) for base in state.bases.values() for sha in reversed(base.line)]
    line = {sha for base in state.bases.values() for sha in base.line}
    heads += [state.head(p.dispatched.commit) for p in state.probes.values() if p.dispatched.base_sha in line]
    return [head.once(_passes) for head in heads if head.jobs]


def _passes(head: Head) -> Mapping[str, float]:
    last: dict[str, float] = {}
    for job in head.jobs.values():
        if meaning(job.conclusion) is Meaning.PASSED:
            last[job.name] = max(job.completed_at or 0.0, last.get(job.name, 0.0))
    return last
