"""Opens the jobs of a run whose time has come: skipped, carried over from the attempt before, or queued."""

from __future__ import annotations

from typing import Any

from bot.sandbox.ci.board import Board
from bot.sandbox.ci.contexts import run_contexts
from bot.sandbox.ci.expressions import ExpressionError, Status, expand, interpolate
from bot.sandbox.ci.expressions.values import to_text, truthy
from bot.sandbox.ci.needs import needs_context, ready
from bot.sandbox.ci.plan import Opened, Plan, Ready, instance
from bot.sandbox.ci.runner.annotations import annotation
from bot.sandbox.ci.runner.task import JobResult
from bot.sandbox.ci.starting import evaluate_group
from bot.sandbox.ci.workflow import Combination, JobSpec, suffix
from bot.sandbox.state import Job

_MOST_NAME = 100


def open_jobs(board: Board, plan: Plan) -> bool:
    """Open what can begin; whether anything was opened."""
    if plan.settled:
        return False
    common = run_contexts(board.github, plan)
    opened = _carry_over(board, plan, common)
    for one in ready(plan, common):
        plan.opened[one.spec.id] = _open(board, plan, one, common)
        opened = True
    plan.settled = not opened
    return opened


def _carry_over(board: Board, plan: Plan, common: dict[str, Any]) -> bool:
    """GitHub: a partial rerun lists the jobs that it does not repeat as they were."""
    if plan.again is None:
        return False
    repeated = {key for key, _ in plan.again}
    found = False
    for key, spec in plan.file.jobs.items():
        if key in plan.opened or key in repeated:
            continue
        olds = [old for (old_key, _), old in plan.carried.items() if old_key == key]
        plan.opened[key] = [_carried(board, plan, spec, old, common) for old in olds]
        found = True
    return found


def _carried(board: Board, plan: Plan, spec: JobSpec, old: Job, common: dict[str, Any]) -> Opened:
    job = board.records.carried_job(plan.repo, plan.run, old)
    names = {**common, "matrix": old.matrix}
    return Opened(job, spec, fail_fast=False, tolerated=truthy(expand(spec.continue_on_error, names, Status())))


def _open(board: Board, plan: Plan, one: Ready, common: dict[str, Any]) -> list[Opened]:
    spec, at = one.spec, _begin(board, plan, one.spec)
    if one.skipped:
        name = spec.name or spec.id
        job = board.records.skipped_job(plan.repo, plan.run, key=spec.id, name=name[:_MOST_NAME], at=at)
        return [Opened(job, spec, fail_fast=False, tolerated=False)]
    if one.error is not None:
        return [_broken(board, plan, spec, at, one.error)]
    return [_instance(board, plan, one, common, number) for number in range(len(one.combinations))]


def _instance(board: Board, plan: Plan, one: Ready, common: dict[str, Any], index: int) -> Opened:
    spec, matrix = one.spec, one.combinations[index]
    at = _begin(board, plan, spec)
    known = instance(spec.id, matrix)
    if plan.again is not None and known not in plan.again and known in plan.carried:
        return _carried(board, plan, spec, plan.carried[known], common)
    names = {**common, "needs": needs_context(plan, spec), "matrix": matrix}
    try:
        name = _name(spec, matrix, names)
        labels = [to_text(expand(label, names, Status())) for label in spec.runs_on]
        tolerated = truthy(expand(spec.continue_on_error, names, Status()))
        group, cancels = evaluate_group(spec.concurrency, names)
        environment = interpolate(spec.environment, names, Status())
    except ExpressionError as error:
        return _broken(board, plan, spec, at, f"{plan.file.path}:{spec.line}: jobs.{spec.id}: {error}")
    job = board.records.job(plan.repo, plan.run, key=spec.id, name=name, labels=labels, matrix=dict(matrix), at=at)
    return Opened(
        job,
        spec,
        fail_fast=one.fail_fast,
        tolerated=tolerated,
        concurrency=(group, cancels) if group else None,
        total=len(one.combinations),
        index=index,
        after_cancel=plan.cancelled,
        environment=environment,
    )


def _name(spec: JobSpec, matrix: Combination, names: dict[str, Any]) -> str:
    """GitHub: a name without an expression, like the key, gets the matrix values in brackets."""
    if spec.name and "${{" in spec.name:
        return interpolate(spec.name, names, Status())[:_MOST_NAME]
    return f"{spec.name or spec.id}{suffix(matrix)}"[:_MOST_NAME]


def _broken(board: Board, plan: Plan, spec: JobSpec, at: float, message: str) -> Opened:
    """A job whose matrix or name has no value: it fails at once, with the sentence as its annotation."""
    job = board.records.job(
        plan.repo, plan.run, key=spec.id, name=spec.name or spec.id, labels=spec.runs_on, matrix={}, at=at
    )
    result = JobResult("failure", 0.0, [], None, [annotation("failure", message, {"file": plan.file.path}, "")])
    board.records.job_completed(plan.repo, plan.run, job, result)
    return Opened(job, spec, fail_fast=False, tolerated=False)


def _begin(board: Board, plan: Plan, spec: JobSpec) -> float:
    """A job is queued once the last job that it needs is over."""
    ends = [one.job.completed_at or 0.0 for key in spec.needs for one in plan.opened[key] if not one.job.carried_over]
    return max([board.github.clock.now(), plan.run.latest.started_at, *ends])
