"""
What can be asked of runs: rerun, cancel, approve, dispatch; and what GitHub refuses, as `Refused`.

GitHub: a rerun keeps the run's id and takes dependents along; not while it goes on, not after 30 days, at most 50
times, only jobs of the current attempt (GITHUB.md 4 and traps 13, 15).
"""

from __future__ import annotations

from typing import Any

from bot.sandbox.changes.refusals import Refused
from bot.sandbox.ci.board import Board
from bot.sandbox.ci.events import Start
from bot.sandbox.ci.needs import dependents
from bot.sandbox.ci.plan import Asked, Instance, Plan, instance
from bot.sandbox.ci.starting import make_run, start_runs, workflow_files
from bot.sandbox.ci.workflow import InputSpec, Trigger, WorkflowFile, read_workflow
from bot.sandbox.state import Act, Happening, Job, Workflow, WorkflowRun

RERUN_DAYS = 30
MOST_RERUNS = 50
_FINE = frozenset({"success", "skipped", "neutral"})


def rerun(board: Board, act: Act, run: WorkflowRun, *, failed_only: bool) -> None:
    """Begin the next attempt with all jobs, or with those that did not succeed and their dependents."""
    plan = _rerunnable(board, run)
    chosen: frozenset[Instance] | None = None
    if failed_only:
        chosen = frozenset(instance(job.key, job.matrix) for job in run.latest.jobs if job.conclusion not in _FINE)
        if not chosen:
            raise Refused(403, "This workflow run has no failed jobs to rerun")
    _accept(board, plan, Asked(act.by.account, chosen))


def rerun_job(board: Board, act: Act, run: WorkflowRun, job: Job) -> None:
    """Begin the next attempt with one job and its dependents."""
    plan = _rerunnable(board, run)
    if not any(one is job for one in run.latest.jobs):
        raise Refused(403, "Jobs from previous attempts cannot be rerun")
    _accept(board, plan, Asked(act.by.account, frozenset({instance(job.key, job.matrix)})))


def cancel(board: Board, run: WorkflowRun, *, force: bool) -> None:
    """Ask a run to end: waiting and running jobs are cancelled, `always()` ones still run unless it is forced."""
    plan = board.plans.get(run.id)
    if plan is None or plan.done:
        raise Refused(409, "Cannot cancel a workflow run that is completed.")
    stop(plan, force=force)


def end_group(board: Board, head_sha: str) -> None:
    """Cancel what goes on for a merge group that is gone, and start nothing more for it."""
    board.starts = [start for start in board.starts if (start.event, start.head) != ("merge_group", head_sha)]
    for plan in board.plans.values():
        if (plan.run.event, plan.run.head_sha) == ("merge_group", head_sha) and not plan.done:
            stop(plan)


def stop(plan: Plan, *, force: bool = False) -> None:
    """Mark a plan as cancelled and tell its running steps."""
    plan.cancelled = True
    plan.settled = False
    plan.forced = plan.forced or force
    for event in plan.stops.values():
        event.set()


def approve(board: Board, run: WorkflowRun) -> None:
    """Let a run that awaits approval begin."""
    plan = board.plans.get(run.id)
    if plan is None or not plan.waits_for_approval:
        raise Refused(403, "This run is not from a fork pull request")
    plan.waits_for_approval = False
    board.records.requeued(plan.repo, run, board.github.clock.now())


def dispatch(board: Board, act: Act, workflow: Workflow, ref: str, inputs: dict[str, Any]) -> WorkflowRun:
    """
    Start a workflow by hand on a branch or tag.

    GitHub: the file must have `workflow_dispatch` on that ref; inputs must be known, required ones given, choices
    among their options. Every value arrives as the file types it: booleans as booleans in `inputs`.
    """
    full, sha = _resolve_ref(act, ref)
    text = workflow_files(act.repo.git, sha).get(workflow.path)
    file = read_workflow(workflow.path, text) if text is not None else None
    trigger = file.triggers.get("workflow_dispatch") if isinstance(file, WorkflowFile) else None
    if not isinstance(file, WorkflowFile) or trigger is None:
        raise Refused(422, "Workflow does not have 'workflow_dispatch' trigger")
    given = _inputs(trigger, inputs)
    happening = Happening(
        "workflow_dispatch",
        None,
        act.repo,
        act.by.account,
        {"inputs": given, "ref": full, "path": workflow.path},
    )
    start = _start(board, act, happening, full, sha)
    return make_run(board, start, sha, file, given)


async def repository_dispatch(board: Board, act: Act, event_type: str, payload: dict[str, Any]) -> None:
    """Start the default branch's workflows that listen to this type."""
    full, sha = _resolve_ref(act, act.repo.default_branch)
    subject = {"branch": act.repo.default_branch, "client_payload": payload}
    happening = Happening("repository_dispatch", event_type, act.repo, act.by.account, subject)
    start = _start(board, act, happening, full, sha)
    await start_runs(board, start)


def _rerunnable(board: Board, run: WorkflowRun) -> Plan:
    plan = board.plans.get(run.id)
    if plan is None or plan.waits_for_approval:
        raise Refused(403, "This workflow run cannot be retried")
    if not plan.done or plan.asked is not None:
        raise Refused(403, "This workflow is already running")
    if board.github.clock.now() > run.created_at + RERUN_DAYS * 86_400:
        raise Refused(403, "Unable to retry this workflow run because it was created over a month ago")
    if len(run.attempts) > MOST_RERUNS:
        raise Refused(403, f"Unable to retry this workflow run because it has been retried {MOST_RERUNS} times")
    return plan


def _accept(board: Board, plan: Plan, asked: Asked) -> None:
    plan.asked = asked
    if not board.late_reruns:
        begin_attempt(board, plan)


def begin_attempt(board: Board, plan: Plan) -> None:
    """Begin the attempt that was asked for; its jobs and the carried-over ones are listed once it runs."""
    asked, plan.asked = plan.asked, None
    if asked is None:
        return
    before = {instance(job.key, job.matrix): job for job in plan.run.latest.jobs}
    plan.begin_attempt()
    if asked.chosen is not None:
        keys = {key for key, _ in asked.chosen}
        following = dependents(plan, keys) - keys
        plan.again = asked.chosen | {one for one in before if one[0] in following}
        plan.carried = {one: job for one, job in before.items() if one not in plan.again}
    board.records.attempt(plan.repo, plan.run, asked.actor, board.github.clock.now())
    plan.token = board.new_token(plan)


def _resolve_ref(act: Act, ref: str) -> tuple[str, str]:
    refs = act.repo.git.refs
    for full in (ref, f"refs/heads/{ref}", f"refs/tags/{ref}"):
        if full.startswith("refs/") and (sha := refs.read(full)) is not None:
            return full, sha
    raise Refused(422, f"No ref found for: {ref}")


def _inputs(trigger: Trigger, given: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(given) - set(trigger.inputs))
    if unknown:
        raise Refused(422, f"Unexpected inputs provided: {unknown}")
    return {name: _input(name, spec, given) for name, spec in trigger.inputs.items()}


def _input(name: str, spec: InputSpec, given: dict[str, Any]) -> Any:
    value = given.get(name, spec.default)
    if value is None or value == "":
        if spec.required:
            raise Refused(422, f"Required input '{name}' not provided")
        return False if spec.type == "boolean" else ""
    if spec.options and str(value) not in spec.options:
        raise Refused(422, f"Provided value '{value}' for input '{name}' not in the list of allowed values")
    if spec.type == "boolean":
        return value is True or str(value).lower() == "true"
    return value if spec.type == "number" else str(value)


def _start(board: Board, act: Act, happening: Happening, ref: str, sha: str) -> Start:
    message = act.repo.git.commit(sha).message
    return Start(
        repo=act.repo,
        event=happening.event,
        action=happening.action,
        actor=act.by.account,
        at=act.now,
        ref=ref,
        head=sha,
        head_branch=ref.removeprefix("refs/heads/").removeprefix("refs/tags/"),
        head_repo=act.repo.id,
        payload=board.payload(board.github, happening) or {},
        title=message.partition("\n")[0],
    )
