"""What a question is about, on the head and in its merge groups: the failure, its words, how often it was seen."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.attribution import Verdict
from resolver.casework import check_of
from resolver.casework.queue import heads_of
from resolver.conclusions import Meaning, meaning
from resolver.executions import MERGE_GROUP, Check
from resolver.failure import Finding
from resolver.other_ci import in_group
from resolver.other_ci.case import findings
from resolver.state import Head, Pull, RepoState

MESSAGE = 500
"""So many characters of what a failure says are kept with the question."""


def message_of(state: RepoState, pull: Pull, lead: Verdict | None) -> str:
    """Give the beginning of what the failure says; empty where nothing is known of it."""
    found = failure_of(state, pull, lead) if lead is not None else None
    return found.message[:MESSAGE] if found is not None else ""


def failure_of(state: RepoState, pull: Pull, lead: Verdict) -> Finding | None:
    """Give the failure that a verdict is about, as a log or another CI told it."""
    told = (each for head in heads_of(state, pull) for each in _told(head))
    return next((each for each in told if each.fingerprint == lead.fingerprint), None)


def _told(head: Head) -> Iterator[Finding]:
    for triaged in head.triaged.values():
        yield from triaged.failures
    for other in head.failed_third_party():
        yield from findings(head, other)


def reds_of(state: RepoState, pull: Pull, lead: Verdict | None) -> int:
    """Count how often the check in question has failed on this head; without one, how often anything has."""
    heads = heads_of(state, pull)
    checks = (check for at, head in enumerate(heads) for check in _red_checks(head, queued=at > 0))
    return sum(lead is None or check.same_job(lead.check) for check in checks)


def _red_checks(head: Head, *, queued: bool) -> Iterator[Check]:
    for job in head.jobs.values():
        if meaning(job.conclusion) is Meaning.FAILED:
            yield check_of(job, head.runs.get(job.run_id))
    if queued:  # of the head itself nobody is asked: another CI is never started
        yield from (in_group(told.check) for told in head.failed_third_party())


def conclusions_of(heads: list[Head], check: Check) -> list[str | None]:
    """Give how a check stands now, on the head or, of what runs for merge groups, on the newest of them."""
    queued = check.event == MERGE_GROUP  # the head's own green says nothing of a merge group
    head = heads[-1] if queued else heads[0]
    if check.third_party:
        return [told.conclusion for told in head.third_party() if told.check.same_job(check)]
    mine = (job for job in head.current() if check_of(job, head.runs.get(job.run_id)).same_job(check))
    return [job.conclusion for job in mine]
