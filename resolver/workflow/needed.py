"""Which failed jobs of a run one job needs: what is red only because of them says nothing of its own. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from resolver.workflow.file import WorkflowFile, WorkflowJob
from resolver.workflow.names import jobs_named


def needed_among(file: WorkflowFile, shown: str, others: Iterable[str]) -> tuple[str, ...]:
    """Give those of the jobs that GitHub shows as `others` that the one shown as `shown` needs, directly or not. A name
    behind which several jobs may stand counts only where all of them are needed.
    """
    jobs = jobs_named(file, shown)
    needed = _needed(file, jobs[0]) if len(jobs) == 1 else frozenset()
    return tuple(sorted(name for name in set(others) if _stands_among(file, name, needed)))


def has_needs(file: WorkflowFile, shown: str) -> bool:
    """Say whether it needs any job at all."""
    return any(job.needs for job in jobs_named(file, shown))


def _needed(file: WorkflowFile, job: WorkflowJob) -> frozenset[str]:
    found: set[str] = set()
    ahead = list(job.needs)
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead.extend(needed.needs if (needed := file.job(name)) else ())
    return frozenset(found)


def _stands_among(file: WorkflowFile, shown: str, needed: frozenset[str]) -> bool:
    jobs = jobs_named(file, shown)
    return bool(jobs) and all(job.id in needed for job in jobs)
