"""Which failed jobs of a run one job needs: what is red only because of them says nothing of its own. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from resolver.workflow.file import Step, WorkflowFile, WorkflowJob
from resolver.workflow.names import jobs_named

_RESULTS = re.compile(r"\bneeds\s*(?:\.\s*[\w*-]+|\[[^\]]*\])\s*\.\s*result\b|\btoJSON\(\s*needs\s*\)", re.IGNORECASE)
"""How an expression asks how the jobs that a job needs have ended; their outputs are something else."""


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


def sums_up(file: WorkflowFile, shown: str) -> bool:
    """Say whether each step of a job asks how the jobs that it needs have ended, so that it has no failure of its own.

    The usual job that branch protection asks for: it runs in any case, and fails where one of its needs did.
    """
    jobs = jobs_named(file, shown)
    return len(jobs) == 1 and bool(jobs[0].steps) and all(_asks(step) for step in jobs[0].steps)


def _asks(step: Step) -> bool:
    return any(_RESULTS.search(text) for text in (step.condition, *step.values))


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
