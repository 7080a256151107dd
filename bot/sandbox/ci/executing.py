"""Runs one job that has a runner, and books what came of it."""

from __future__ import annotations

import asyncio
import dataclasses
import shutil

from bot.sandbox.ci.board import Board
from bot.sandbox.ci.caches import shelf_of
from bot.sandbox.ci.contexts import job_contexts, run_contexts
from bot.sandbox.ci.needs import needs_context
from bot.sandbox.ci.plan import Opened, Plan
from bot.sandbox.ci.runner import frame
from bot.sandbox.ci.runner.annotations import annotation
from bot.sandbox.ci.runner.function_job import Outcome, Tree, at_ref, cache_uses, play
from bot.sandbox.ci.runner.steps import run_steps
from bot.sandbox.ci.runner.task import JobResult, Task

LOST = (
    "The hosted runner lost communication with the server. Anything in your workflow that terminates the runner "
    "process, starves it for CPU/Memory, or blocks its network access can cause this error."
)


def begin(board: Board, plan: Plan, one: Opened) -> None:
    """Give the job a runner: it is in progress, its first step done, the next one running, the rest queued."""
    at = max(board.github.clock.now(), one.job.created_at)
    if plan.run.latest.status != "in_progress":
        board.records.run_started(plan.repo, plan.run, at)
    steps = frame.planned_steps(one.spec, at, board.controls.held_step(one.job))
    plan.stops[one.job.id] = asyncio.Event()
    board.records.job_started(plan.repo, plan.run, one.job, steps, at)


async def execute(board: Board, plan: Plan, one: Opened) -> None:
    """Run a job to its end: lost, failed once as asked, as a function, or for real."""
    job = one.job
    if board.controls.take_lost(job):
        complete(board, plan, one, lost(one))
        return
    task = _task(board, plan, one)
    outcome = board.controls.take_once(job)
    function = board.controls.function(job.key, job.name)
    if outcome is None and function is None:
        result = await run_steps(task, plan.artifacts)
        shutil.rmtree(task.directory, ignore_errors=True)
        complete(board, plan, one, result)
        return
    task = at_ref(task, plan.repo.git)
    tree = Tree(plan.repo.git, task.checkout, job.name, job.matrix, plan.run.event, plan.run.latest.number)
    uses = cache_uses(task, tree)
    if outcome is None and function is not None:
        outcome = function(dataclasses.replace(tree, restored=tuple(use.key for use in uses.values() if use.key)))
    if outcome is not None:
        complete(board, plan, one, play(task, _not_before_now(board, task, outcome), uses))


def complete(board: Board, plan: Plan, one: Opened, result: JobResult) -> None:
    """Book a result: records, artifacts for later jobs, the concurrency group."""
    for upload in result.uploads:
        plan.artifacts[upload.name] = upload.data
        plan.uploaded.add(upload.name)
    board.records.job_completed(plan.repo, plan.run, one.job, result)
    board.groups_of(plan).leave(("job", one.job.id))
    plan.settled = False


def lost(one: Opened) -> JobResult:
    """A job whose runner went away: failed, its step never ended, no log was ever written (`BlobNotFound` for good)."""
    return JobResult("failure", 60.0, one.job.steps, None, [annotation("failure", LOST, {}, "")])


def cancelled(board: Board, one: Opened, message: str = "The operation was canceled.") -> JobResult:
    """A job that was cancelled while it waited or was held; one that never began has neither steps nor log."""
    job = one.job
    if job.started_at is None:
        return JobResult("cancelled", 0.0, [], None, [annotation("failure", message, {}, "")])
    now = board.github.clock.now()
    for step in job.steps:
        if step.status != "completed":
            step.conclusion = "cancelled" if step.status == "in_progress" else "skipped"
            step.status, step.completed_at = "completed", now
    return JobResult(
        "cancelled", max(0.0, now - job.started_at), job.steps, None, [annotation("failure", message, {}, "")]
    )


def _task(board: Board, plan: Plan, one: Opened) -> Task:
    job, run = one.job, plan.run
    plan.token = plan.token or board.new_token(plan)
    common = run_contexts(board.github, plan)
    contexts = job_contexts(common, job, needs_context(plan, one.spec), one.total, one.index)
    started = job.created_at if job.started_at is None else job.started_at
    return Task(
        repository=plan.repo.full_name,
        name=job.name,
        spec=one.spec,
        matrix=job.matrix,
        contexts=contexts,
        env=(plan.file.env, one.spec.env),
        git_dir=plan.repo.git_dir,
        checkout=run.checkout,
        ref=run.ref,
        checkout_title=plan.repo.git.commit(run.checkout).message.partition("\n")[0],
        directory=board.directory / str(job.id),
        started=started,
        token=plan.token,
        runner_name=job.runner_name or "",
        taken=frozenset(plan.uploaded),
        steps=job.steps,
        cancelled=plan.stops[job.id],
        caches=shelf_of(board.github, plan.repo, run.ref, plan.base_ref if run.pull else ""),
    )


def _not_before_now(board: Board, task: Task, outcome: Outcome) -> Outcome:
    """A job that was held cannot have ended before it was let go."""
    held = board.github.clock.now() - task.started
    return outcome if held <= outcome.seconds else dataclasses.replace(outcome, seconds=held)
