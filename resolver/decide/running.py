"""What is to be said of jobs that have not ended: those that stall, and those that wait and are no stalls."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.casework import check_of, print_name
from resolver.config.sections import Stall
from resolver.decide.due import earlier
from resolver.facts import RunObserved
from resolver.progress import JobProgressed
from resolver.report import FailedCheck, Unfinished
from resolver.runs import run_id
from resolver.stalls import NoHistory, StepName, as_failure, budget_of, stall_finding, standing
from resolver.state import Head, Pull, check_id
from resolver.state.step_history import StepHistory

WAITING_RUNS = ("pending", "waiting")
APPROVAL = "action_required"
"""GitHub: a run that awaits a maintainer's approval is shown as completed with this conclusion, and has no jobs."""


def stalled_checks(pull: Pull, head: Head) -> Iterator[FailedCheck]:
    """Give the checks that are red because they get nowhere."""
    for stall in standing(head):
        run = head.runs.get(stall.run_id)
        finding = stall_finding(stall, print_name(check_of(stall, run)))
        yield FailedCheck(
            check=check_id(stall, run),
            workflow=run.name if run else stall.workflow,
            job=stall.name,
            event=run.event if run else "",
            conclusion="in_progress",
            run_id=stall.run_id,
            attempt=stall.attempt,
            job_id=stall.job_id,
            url=stall.url,
            failures=(as_failure(finding, stall, run_id(pull.seen)),),
            stall=stall,
        )


def unfinished(head: Head, rules: Stall, history: StepHistory, now: float | None) -> tuple[Unfinished, ...]:
    """Give what has waited for longer than the shortest budget; where `now` is None, all that waits."""
    found = (each for each in _all(head, rules, history) if now is None or now >= each.since + rules.minimum)
    return tuple(sorted(found, key=lambda each: (each.since, each.workflow, each.job)))


def tell_at(head: Head, rules: Stall, history: StepHistory, now: float) -> float | None:
    """Give the next time (seconds) at which something will have waited for that long."""
    at: float | None = None
    for each in _all(head, rules, history):
        if each.since + rules.minimum > now:
            at = earlier(at, each.since + rules.minimum)
    return at


def _all(head: Head, rules: Stall, history: StepHistory) -> Iterator[Unfinished]:
    for job in head.progress.values():
        if job.status != "in_progress":
            yield Unfinished(workflow=job.workflow, job=job.name, why=job.status, since=job.since)
        elif (step := _unbudgeted(job, rules, history)) is not None:
            why, since = "no-history", job.unchanged_since
            yield Unfinished(workflow=job.workflow, job=job.name, why=why, since=since, step=step)
    known = {job.run_id for job in head.progress.values()} | {job.run_id for job in head.jobs.values()}
    for run in head.runs.values():
        why_run = _why(run)
        if why_run is not None and run.run_id not in known:
            yield Unfinished(workflow=run.name, why=why_run, since=run.updated_at)


def _why(run: RunObserved) -> str | None:
    if run.conclusion == APPROVAL:
        return APPROVAL
    return run.status if run.status in WAITING_RUNS else None


def _unbudgeted(job: JobProgressed, rules: Stall, history: StepHistory) -> str | None:
    """Give the running step where nothing says how long it may run."""
    step = job.current
    if step is None:
        return None
    name = StepName(job.workflow, job.name, step.name)
    budget = budget_of(rules, name, history.past(*name))
    return step.name if isinstance(budget, NoHistory) else None
