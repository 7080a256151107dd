"""One move of the engine: cancel what must end, admit runs to their groups, open jobs, run one, finish runs."""

from __future__ import annotations

from typing import Literal

from bot.sandbox.ci import executing
from bot.sandbox.ci.asking import stop
from bot.sandbox.ci.board import Board
from bot.sandbox.ci.groups import Member
from bot.sandbox.ci.opening import open_jobs
from bot.sandbox.ci.plan import Opened, Plan

Moved = Literal["still", "something", "job"]


async def move(board: Board) -> Moved:
    """Do the first thing that can be done, run by run in the order of their making."""
    for plan in [plan for plan in board.plans.values() if not plan.done]:
        if _end_cancelled(board, plan) or _admit(board, plan) or (plan.admitted and open_jobs(board, plan)):
            return "something"
        if _finish(board, plan):
            return "something"
    for plan in [plan for plan in board.plans.values() if plan.admitted and not plan.done]:
        for one in plan.jobs():
            if _begin(board, plan, one):
                return "something"
            if one.job.status == "in_progress" and not board.controls.holds(one.job):
                await executing.execute(board, plan, one)
                _fail_fast(board, plan, one)
                return "job"
    return "still"


def _admit(board: Board, plan: Plan) -> bool:
    """Let a run begin once its concurrency group lets it."""
    if plan.admitted or plan.cancelled:
        return False
    if plan.group is None:
        plan.admitted = True
        return True
    place = board.groups_of(plan).ask(plan.group, ("run", plan.run.id), cancel_in_progress=plan.cancel_in_progress)
    _cancel_members(board, plan, place.cancels)
    if place.admitted:
        board.records.run_waits(plan.run, "queued")
        plan.admitted = True
        return True
    was, plan.run.latest.status = plan.run.latest.status, "pending"
    return was != "pending"


def _begin(board: Board, plan: Plan, one: Opened) -> bool:
    """Give a queued job a runner, if its group lets it and the story does not keep it waiting."""
    job = one.job
    if job.status not in {"queued", "pending", "waiting"} or board.controls.keeps_queued(job):
        return False
    if board.controls.awaits_review(plan.run, one.environment):
        return board.records.job_awaits_review(plan.repo, plan.run, job)
    if one.concurrency is not None:
        group, cancels = one.concurrency
        place = board.groups_of(plan).ask(group, ("job", job.id), cancel_in_progress=cancels)
        _cancel_members(board, plan, place.cancels)
        if not place.admitted:
            was, job.status = job.status, "pending"
            return was != "pending"
    executing.begin(board, plan, one)
    return True


def _cancel_members(board: Board, plan: Plan, members: tuple[Member, ...]) -> None:
    """Cancel the runs and jobs that a newer member of their group displaces."""
    for kind, number in members:
        for other in board.plans.values():
            if other.repo is not plan.repo or other.done:
                continue
            if kind == "run" and other.run.id == number:
                stop(other)
            for one in other.jobs():
                if kind == "job" and one.job.id == number:
                    text = "Canceling since a higher priority waiting request exists in the same concurrency group"
                    _cancel_job(board, other, one, text)


def _end_cancelled(board: Board, plan: Plan) -> bool:
    """Complete the jobs of a cancelled run that wait or are held; one that never began any job ends at once."""
    if not plan.cancelled:
        return False
    if not plan.admitted:
        board.groups_of(plan).leave(("run", plan.run.id))
        board.records.run_completed(plan.repo, plan.run, "cancelled", board.github.clock.now())
        return True
    waiting = [one for one in plan.jobs() if one.job.status != "completed" and not _after_cancel(plan, one)]
    for one in waiting:
        _cancel_job(board, plan, one, "The operation was canceled.")
    return bool(waiting)


def _after_cancel(plan: Plan, one: Opened) -> bool:
    """Whether a job was opened after the cancellation, because its `if` says `always()` or `cancelled()`."""
    return not plan.forced and one.after_cancel


def _cancel_job(board: Board, plan: Plan, one: Opened, message: str) -> None:
    if one.job.status != "completed":
        executing.complete(board, plan, one, executing.cancelled(board, one, message))


def _fail_fast(board: Board, plan: Plan, ended: Opened) -> None:
    """GitHub: with `fail-fast`, the first failure in a matrix cancels the others."""
    if ended.job.conclusion != "failure" or ended.tolerated or not ended.fail_fast:
        return
    for other in plan.opened[ended.job.key]:
        text = f'The strategy configuration was canceled because "{ended.job.name}" failed'
        _cancel_job(board, plan, other, text)


def _finish(board: Board, plan: Plan) -> bool:
    """Complete the run once every job of the file is over."""
    if not plan.admitted or len(plan.opened) < len(plan.file.jobs):
        return False
    jobs = plan.jobs()
    if any(one.job.status != "completed" for one in jobs):
        return False
    at = max((one.job.completed_at or 0.0 for one in jobs if not one.job.carried_over), default=0.0)
    board.groups_of(plan).leave(("run", plan.run.id))
    board.records.run_completed(plan.repo, plan.run, conclusion(plan), at)
    return True


def conclusion(plan: Plan) -> str:
    """How the run ended: cancelled where that was asked, even if a job had failed; a tolerated failure is a success."""
    found = {
        "success" if one.tolerated and one.job.conclusion == "failure" else one.job.conclusion for one in plan.jobs()
    }
    if plan.cancelled:
        return "cancelled"
    if found - {"success", "skipped", "neutral", "cancelled"}:
        return "failure"
    if "cancelled" in found:
        return "cancelled"
    return "success" if found - {"skipped"} else "skipped"
