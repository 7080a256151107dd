"""Reruns of ours that have ended: what they showed is recorded once, so that the ledger knows it."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.casework import task_id
from resolver.conclusions import Meaning, meaning
from resolver.ledger_events import RerunEnded, RerunStarted
from resolver.queue_actions import REQUEUE
from resolver.state import Head, Pull, RepoState


def ended_reruns(state: RepoState, pull: Pull, now: float) -> Iterator[RerunEnded]:
    """Give the ends of reruns on this head that the journal does not know yet."""
    head = state.head(pull.seen.head_sha)
    events = state.ledger.events
    for event in events.values():
        if not isinstance(event, RerunStarted) or event.task != task_id(pull.seen.number):
            continue
        if event.id.startswith(REQUEUE):
            continue  # how those ended, a later merge group tells
        if not state.ledger.counts(event.id) or event.head != pull.seen.head_sha:
            continue
        if f"{event.id}:ended" not in events:
            ended = _end(head, event, now)
            if ended is not None:
                yield ended


def _end(head: Head, started: RerunStarted, now: float) -> RerunEnded | None:
    _, number, attempt = started.id.split(":")
    run = head.runs.get(int(number))
    if run is None or run.attempt <= int(attempt) or run.status != "completed":
        return None
    again = [job for job in head.jobs.values() if job.run_id == run.run_id and job.attempt > int(attempt)]
    if not again:
        return None
    green = {job.name for job in again if meaning(job.conclusion) is Meaning.PASSED}
    before = [job for job in head.jobs.values() if job.run_id == run.run_id and job.attempt <= int(attempt)]
    passed = {
        failure.fingerprint
        for job in before
        if job.name in green and job.job_id in head.triaged
        for failure in head.triaged[job.job_id].failures
    }
    return RerunEnded(id=f"{started.id}:ended", rerun=started.id, at=now, useful=True, passed=tuple(sorted(passed)))
