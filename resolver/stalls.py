"""
Stalls without the wrapper: how long a step may run, which stalls stand, and a stall as a finding. Pure.

A step's budget is the configuration's, else a multiple of the 95th percentile of its own past (specification, section
4). Where neither says anything, no stall is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from resolver.conclusions import Meaning, meaning
from resolver.config.sections import Stall
from resolver.config.values import matches
from resolver.facts import JobFinished, JobTriaged
from resolver.failure import Failure, Finding
from resolver.fingerprint import fingerprint
from resolver.ids import RunId
from resolver.limits import LIMITS, Limits
from resolver.progress import JobProgressed, JobStalled
from resolver.records import Record
from resolver.state import Head

PERCENTILE = 0.95
TIME_LIMIT = "timed_out"
"""GitHub's conclusion of a job that ran into a time limit."""


class Budget(Record):
    """How many seconds a step may run; `samples` counts the past durations behind it, 0 for the configuration's."""

    seconds: float
    source: Literal["config", "history"]
    samples: int = 0


class NoHistory(Record):
    """Neither the configuration nor enough of the past says how long the step may run."""

    samples: int


class StepName(NamedTuple):
    """A step by the names that GitHub shows."""

    workflow: str
    job: str
    step: str


def budget_of(rules: Stall, name: StepName, past: Sequence[float], limits: Limits = LIMITS) -> Budget | NoHistory:
    """
    Give a step's budget. `past` are its own durations in seconds, in any order.

    A rule's `check` means the job by its name or as GitHub lists it, `workflow / job`; the first that matches counts.
    """
    for rule in rules.budgets:
        if _means(rule.check, name.workflow, name.job) and matches(rule.step, name.step):
            return Budget(seconds=float(rule.budget), source="config")
    if len(past) < limits.stall_history:
        return NoHistory(samples=len(past))
    seconds = max(float(rules.minimum), rules.factor * percentile(past))
    return Budget(seconds=seconds, source="history", samples=len(past))


def shortest_rule(rules: Stall, workflow: str, job: str, begun: Collection[str] = ()) -> float | None:
    """Give the shortest budget that the configuration has for a step of a job, those that have begun aside."""
    mine = [rule for rule in rules.budgets if _means(rule.check, workflow, job) and rule.step not in begun]
    return min((float(rule.budget) for rule in mine), default=None)


def _means(pattern: str, workflow: str, job: str) -> bool:
    return matches(pattern, job) or matches(pattern, f"{workflow} / {job}")


def percentile(values: Sequence[float], share: float = PERCENTILE) -> float:
    """Give the smallest value that at least this share of the values does not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def stands(head: Head, stall: JobStalled) -> bool:
    """Say whether a stall is still so: its job goes on, in the very same step."""
    job = head.progress.get(stall.job_id)
    step = job.current if job is not None else None
    return step is not None and step.number == stall.step_number


def standing(head: Head) -> tuple[JobStalled, ...]:
    """Give the stalls of a head that stand, oldest first."""
    found = [stall for stall in head.stalls.values() if stands(head, stall)]
    return tuple(sorted(found, key=lambda stall: (stall.since, stall.job_id)))


def how_it_ended(head: Head, stall: JobStalled) -> tuple[Literal["withdrawn", "moved-on"], str]:
    """Say what became of a stall that stands no more: the step went on after all, or the job was ended."""
    ended = head.jobs.get(stall.job_id)
    told = meaning(ended.conclusion) if ended is not None else Meaning.PASSED
    if ended is None or told in (Meaning.PASSED, Meaning.NOTHING):
        return "withdrawn", f"the step `{stall.step}` went on after all"
    if told is Meaning.CANCELLED:
        return "moved-on", "the job was cancelled"
    return "moved-on", f"the job ended as `{ended.conclusion}`"


def stall_finding(stall: JobStalled, check: str) -> Finding:
    """Give a stall as a finding of its check; it says the same at every look."""
    message = f"the step ran past its budget of {stall.budget / 60:.3g} min"
    return _finding(check, stall.step, message)


def findings_of(job: JobFinished, told: JobTriaged | None, check: str) -> tuple[Finding, ...]:
    """
    Give a job's findings: its log's, and that it stalled where GitHub says that it ran into a time limit.

    The log of such a job ends with a cancellation, which is the limit's own doing and no failure beside it.
    """
    findings: tuple[Finding, ...] = told.failures if told is not None else ()
    if job.conclusion != TIME_LIMIT or any(each.attribution == "gate-stalled" for each in findings):
        return findings
    if any(each.fail_class == "task-stalled" and each.item is not None for each in findings):
        return findings
    broken = [step for step in job.steps if step.conclusion in ("cancelled", TIME_LIMIT, "failure")]
    stalled = _finding(check, broken[0].name if broken else None, "the job ran into its time limit")
    return (*(each for each in findings if each.kind not in ("cancelled", "stall", "unknown")), stalled)


def _finding(check: str, step: str | None, message: str) -> Finding:
    return Finding(
        fail_class="task-stalled",
        kind="stall",
        check=check,
        item=step,
        message=message,
        fingerprint=fingerprint(check, step, "task-stalled", "no progress"),
        job_level=step is None,
        source="api",
        attribution="gate-stalled",
    )


def as_failure(finding: Finding, job: JobFinished | JobProgressed | JobStalled, our_run: RunId) -> Failure:
    """Make the record of a finding that came from GitHub's API and not from a log."""
    if isinstance(finding, Failure):
        return finding
    return Failure(
        **finding.model_dump(),
        task_head=job.head_sha,
        run_id=our_run,
        workflow_run_id=job.run_id,
        run_attempt=job.attempt,
    )
