"""Do many tasks fail together? What the repository's open pull requests show at once, and the mode that follows."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.attribution.outage import TaskRed, Wave, outage_mode
from resolver.casework import check_of, task_id, tested_base
from resolver.conclusions import Meaning, meaning
from resolver.config import RepoConfig
from resolver.executions import FailedItem
from resolver.facts import OutageChanged
from resolver.ids import Fingerprint, Sha
from resolver.state import Base, Pull, RepoState


def outage(state: RepoState, now: float) -> tuple[tuple[OutageChanged, ...], float | None]:
    """Give the change of mode to record, if there is one, and when to look again while the mode is on."""
    config = _rules(state)
    mode = state.outage
    red_pulls = [pull for pull in state.pulls.values() if pull.seen.state == "open" and pull.reds]
    red_pulls = [pull for pull in red_pulls if state.head(pull.seen.head_sha).failed()]
    if not mode.on and len(red_pulls) < config.outage.tasks:
        return (), None
    reds = tuple(red for pull in red_pulls for red in _reds(state, pull, now, config.outage.calm_for))
    wave = Wave(reds=reds, running=_running(state, now - config.outage.calm_for), green_probes=_green(state, reds, now))
    found = outage_mode(mode, wave, config.outage, now)
    again_at = now + config.outage.calm_for if found.on else None
    changed = found.on != mode.on or (found.on and found.reason != mode.reason)
    return ((OutageChanged(mode=found),) if changed else ()), again_at


def _rules(state: RepoState) -> RepoConfig:
    """The default branch's configuration: an outage is the repository's, not a branch's."""
    default = state.repo.default_branch if state.repo else ""
    config = state.bases.get(default, Base()).config
    return config.settings if config is not None and config.settings is not None else RepoConfig()


def _reds(state: RepoState, pull: Pull, now: float, lately: float) -> Iterator[TaskRed]:
    head = state.head(pull.seen.head_sha)
    for job in head.failed():
        told = head.triaged.get(job.job_id)
        for failure in told.failures if told else ():
            first = _first_seen(state, failure.fingerprint)
            yield TaskRed(
                task=task_id(pull.seen.number),
                fingerprint=failure.fingerprint,
                base=tested_base(head, job.run_id),
                at=min(job.completed_at or 0.0, now),  # clocks differ, and the future is not lately
                new=first is None or first >= now - lately,
                infrastructure=not FailedItem.of(failure).counts,
            )


def _first_seen(state: RepoState, fingerprint: Fingerprint) -> float | None:
    times = [
        head.jobs[told.job_id].completed_at or 0.0
        for head in state.heads.values()
        for told in head.triaged.values()
        if told.job_id in head.jobs and any(failure.fingerprint == fingerprint for failure in told.failures)
    ]
    return min(times, default=None)


def _running(state: RepoState, since: float) -> int:
    """How many open pull requests had an execution lately."""
    heads = (state.head(pull.seen.head_sha) for pull in state.pulls.values() if pull.seen.state == "open")
    return sum(any((job.completed_at or 0.0) >= since for job in head.jobs.values()) for head in heads)


def _green(state: RepoState, reds: tuple[TaskRed, ...], now: float) -> frozenset[Fingerprint]:
    """The failures whose check has passed on the clean base after tasks began to fail with it, and lately enough."""
    config = _rules(state)
    found: set[Fingerprint] = set()
    for fingerprint in {red.fingerprint for red in reds}:
        since = max(min(red.at for red in reds if red.fingerprint == fingerprint), now - config.attribution.freshness)
        if any(_passed(state, sha, fingerprint, since) for base in state.bases.values() for sha in base.line):
            found.add(fingerprint)
    return frozenset(found)


def _passed(state: RepoState, sha: Sha, fingerprint: Fingerprint, since: float) -> bool:
    heads = [state.head(sha)]
    heads += [state.head(p.dispatched.commit) for p in state.probes.values() if p.dispatched.base_sha == sha]
    failing = {
        check_of(head.jobs[told.job_id], head.runs.get(told.run_id)).job
        for head in state.heads.values()
        for told in head.triaged.values()
        if told.job_id in head.jobs and any(failure.fingerprint == fingerprint for failure in told.failures)
    }
    return any(
        job.name in failing and meaning(job.conclusion) is Meaning.PASSED and (job.completed_at or 0.0) >= since
        for head in heads
        for job in head.jobs.values()
    )
