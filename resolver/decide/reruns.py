"""Reruns of ours that have ended: what they showed is recorded once, so that the ledger knows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from resolver.actions.queue import REQUEUE
from resolver.carried import carried_over
from resolver.conclusions import Meaning, meaning
from resolver.facts import JobFinished
from resolver.ledger.events import RerunEnded, RerunStarted
from resolver.runs import task_id
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
    mine = [job for job in head.jobs.values() if job.run_id == run.run_id]
    before = [job for job in mine if job.attempt <= int(attempt)]
    again = [job for job in mine if job.attempt > int(attempt)]
    listed = head.listed_at is not None and head.listed_at >= run.updated_at
    if not again or not (listed or _red(before) <= {job.name for job in again}):
        return None  # what is not heard of yet may be all that it has shown
    green = {job.name for job in again if meaning(job.conclusion) is Meaning.PASSED}
    passed = {
        failure.fingerprint
        for job in before
        if job.name in green and job.job_id in head.triaged
        for failure in head.triaged[job.job_id].failures
    }
    return RerunEnded(
        id=f"{started.id}:ended",
        rerun=started.id,
        at=now,
        useful=any(_executed(job) and not carried_over(job, mine) for job in again),
        passed=tuple(sorted(passed)),
    )


def _red(jobs: Iterable[JobFinished]) -> set[str]:
    return {job.name for job in jobs if meaning(job.conclusion) is Meaning.FAILED}


def _executed(job: JobFinished) -> bool:
    return meaning(job.conclusion) in (Meaning.PASSED, Meaning.FAILED)
