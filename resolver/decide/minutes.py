"""Minutes that failres's own runs take at this moment: what they will cost counts before they have ended.

Where GitHub has shown a job that runs, its own beginning counts; where nothing was heard of what was started, its start
does, for as long as a job may take. What waits for a runner costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Final

from resolver.ledger.events import ProbeStarted, RerunStarted
from resolver.state import Head, RepoState
from resolver.state.spent import Spent

LONGEST: Final = 6 * 3_600.0
"""GitHub ends a job of its own runners after six hours (seconds); of what is silent for longer no end is awaited."""


def with_running(state: RepoState, now: float) -> Spent:
    """Give what is spent on the day of `now` (seconds), with the minutes that running jobs have taken so far."""
    today = state.spent.at(now)
    so_far = sum(ceil(max(now - since, 0.0) / 60.0) for since, until in state.once(_running) if now <= until)
    return Spent(today.day, today.writes, today.minutes + so_far)


def _running(state: RepoState) -> tuple[tuple[float, float], ...]:
    """Since when each of our jobs runs, and until when that is believed."""
    return (*_reruns(state), *_probes(state))


def _reruns(state: RepoState) -> Iterator[tuple[float, float]]:
    for event in state.ledger.events.values():
        if not isinstance(event, RerunStarted) or not state.ledger.counts(event.id):
            continue
        kind, _, rest = event.id.partition(":")
        run_id, _, attempt = rest.partition(":")
        if kind == "rerun" and run_id.isdigit() and attempt.isdigit():
            yield from _of_run(state.head(event.head), int(run_id), int(attempt) + 1, event.at)


def _probes(state: RepoState) -> Iterator[tuple[float, float]]:
    for probe_id, probe in state.probes.items():
        started = state.ledger.events.get(probe_id)
        if probe.removed is not None or not isinstance(started, ProbeStarted):
            continue
        head = state.head(probe.dispatched.commit)
        runs = {run.run_id for run in head.runs.values()} | {job.run_id for job in head.progress.values()}
        if not runs and not head.jobs:
            yield started.at, started.at + LONGEST
        for run_id in runs:
            yield from _of_run(head, run_id, 1, started.at)


def _of_run(head: Head, run_id: int, attempt: int, started_at: float) -> Iterator[tuple[float, float]]:
    """The jobs of an attempt that go on; the attempt itself where nothing of it was heard."""
    run = head.runs.get(run_id)
    if run is not None and (run.attempt > attempt or (run.attempt == attempt and run.status == "completed")):
        return
    mine = [job for job in head.progress.values() if (job.run_id, job.attempt) == (run_id, attempt)]
    yield from ((job.since, float("inf")) for job in mine if job.status == "in_progress")
    if not mine and all((job.run_id, job.attempt) != (run_id, attempt) for job in head.jobs.values()):
        yield started_at, started_at + LONGEST
