"""Workflow runs, attempts, jobs, logs, artifacts; reruns, cancels, dispatches (carried out by the CI engine)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from bot.sandbox import objects
from bot.sandbox.api.call import Call, Reply, Table, found, route
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.state import Attempt, Job, Workflow, WorkflowRun

MAX_SEARCH = 1_000
_DISPATCH_TYPE_LENGTH = 100
_DISPATCH_PROPERTIES = 10


async def list_runs(call: Call) -> Reply:
    """`GET actions/runs` and `GET actions/workflows/{id}/runs`, newest first."""
    runs = sorted(call.repo.runs.values(), key=lambda run: run.id, reverse=True)
    if "workflow_id" in call.parameters:
        workflow = _workflow(call)
        runs = [run for run in runs if run.workflow_id == workflow.id]
    runs = [run for run in runs if all(fits(run) for fits in _filters(call))]
    if _filters(call):
        runs = runs[:MAX_SEARCH]
    return call.page(runs, lambda run: objects.workflow_run(call.github, call.repo, run), key="workflow_runs")


def _filters(call: Call) -> list[Callable[[WorkflowRun], bool]]:
    query = call.query
    tests: dict[str, Callable[[WorkflowRun], bool]] = {
        "actor": lambda run: run.actor.login == query["actor"],
        "branch": lambda run: run.head_branch == query["branch"],
        "event": lambda run: run.event == query["event"],
        "head_sha": lambda run: run.head_sha == query["head_sha"],
        "check_suite_id": lambda run: str(run.suite) == query["check_suite_id"],
        # GitHub: `status` takes statuses and conclusions alike.
        "status": lambda run: query["status"] in {run.latest.status, run.latest.conclusion},
        "created": lambda run: _created(run.created_at, query["created"]),
    }
    return [test for name, test in tests.items() if name in query]


def _created(at: float, wanted: str) -> bool:
    """GitHub's date search: `>=2026-01-01`, `2026-01-01..2026-01-31`, or one day."""
    low, dots, high = wanted.partition("..")
    if dots:
        return (low == "*" or at >= _seconds(low)) and (high == "*" or at <= _seconds(high))
    match = re.fullmatch(r"(>=|<=|>|<)?(.+)", wanted)
    if match is None:
        return True
    sign, limit = match[1], _seconds(match[2])
    if sign is None:
        return limit <= at < limit + 86_400
    return {">=": at >= limit, "<=": at <= limit, ">": at > limit, "<": at < limit}[sign]


def _seconds(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(422, "Validation Failed", [f"{text} is no date"]) from None
    return moment.timestamp() if moment.tzinfo else datetime.fromisoformat(f"{moment.isoformat()}+00:00").timestamp()


async def get_run(call: Call) -> Reply:
    """`GET actions/runs/{run_id}`: the latest attempt."""
    return Reply(body=objects.workflow_run(call.github, call.repo, call.run))


async def get_attempt(call: Call) -> Reply:
    """`GET actions/runs/{run_id}/attempts/{attempt_number}`."""
    return Reply(body=objects.workflow_run(call.github, call.repo, call.run, _attempt(call)))


async def list_jobs(call: Call) -> Reply:
    """`GET actions/runs/{run_id}/jobs`: the latest attempt's, with `filter=all` every attempt's (GITHUB.md 5.13)."""
    run = call.run
    attempts = run.attempts if call.query.get("filter") == "all" else [run.latest]
    return _jobs(call, run, [job for attempt in attempts for job in attempt.jobs])


async def list_attempt_jobs(call: Call) -> Reply:
    """`GET actions/runs/{run_id}/attempts/{attempt_number}/jobs`."""
    return _jobs(call, call.run, _attempt(call).jobs)


async def get_job(call: Call) -> Reply:
    """`GET actions/jobs/{job_id}`."""
    run, job = _job(call)
    return Reply(body=objects.job(call.github, call.repo, run, job))


async def job_log(call: Call) -> Reply:
    """`GET actions/jobs/{job_id}/logs`: a link to the other origin, whatever the job's state."""
    _, job = _job(call)
    return Reply(302, None, {"Location": call.services.downloads.job_log(job)})


async def run_logs(call: Call) -> Reply:
    """`GET actions/runs/{run_id}/logs`: a link to a zip; 404 until the run is completed."""
    return _zip(call, call.run, call.run.latest)


async def attempt_logs(call: Call) -> Reply:
    """`GET actions/runs/{run_id}/attempts/{attempt_number}/logs`."""
    return _zip(call, call.run, _attempt(call))


def _zip(call: Call, run: WorkflowRun, attempt: Attempt) -> Reply:
    if attempt.status != "completed":
        raise Refused(404, "Not Found")
    return Reply(302, None, {"Location": call.services.downloads.run_logs(run, attempt.number)})


async def rerun(call: Call) -> Reply:
    """`POST actions/runs/{run_id}/rerun`."""
    await call.services.ci.rerun(call.act, call.run, failed_only=False)
    return Reply(201, {})


async def rerun_failed(call: Call) -> Reply:
    """`POST actions/runs/{run_id}/rerun-failed-jobs`."""
    await call.services.ci.rerun(call.act, call.run, failed_only=True)
    return Reply(201, {})


async def rerun_job(call: Call) -> Reply:
    """`POST actions/jobs/{job_id}/rerun`."""
    run, job = _job(call)
    await call.services.ci.rerun_job(call.act, run, job)
    return Reply(201, {})


async def cancel(call: Call) -> Reply:
    """`POST actions/runs/{run_id}/cancel`."""
    await call.services.ci.cancel(call.act, call.run, force=False)
    return Reply(202, {})


async def force_cancel(call: Call) -> Reply:
    """`POST actions/runs/{run_id}/force-cancel`."""
    await call.services.ci.cancel(call.act, call.run, force=True)
    return Reply(202, {})


async def approve(call: Call) -> Reply:
    """`POST actions/runs/{run_id}/approve`."""
    await call.services.ci.approve(call.act, call.run)
    return Reply(201, {})


async def list_workflows(call: Call) -> Reply:
    """`GET actions/workflows`."""
    workflows = list(call.repo.workflows.values())
    return call.page(workflows, lambda one: objects.workflow(call.github, call.repo, one), key="workflows")


async def get_workflow(call: Call) -> Reply:
    """`GET actions/workflows/{workflow_id}`, by number or file name."""
    return Reply(body=objects.workflow(call.github, call.repo, _workflow(call)))


async def dispatch(call: Call) -> Reply:
    """`POST actions/workflows/{workflow_id}/dispatches`: 204, or 200 with the run's id where it is asked for (5.20)."""
    body = call.body
    run = await call.services.ci.dispatch(call.act, _workflow(call), body["ref"], body.get("inputs", {}))
    if not body.get("return_run_details"):
        return Reply(204)
    shown = objects.workflow_run(call.github, call.repo, run)
    return Reply(200, {"workflow_run_id": run.id, "run_url": shown["url"], "html_url": shown["html_url"]})


async def repository_dispatch(call: Call) -> Reply:
    """`POST dispatches`: at most 100 characters of type and 10 properties."""
    payload = call.body.get("client_payload", {})
    if len(call.body["event_type"]) > _DISPATCH_TYPE_LENGTH or len(payload) > _DISPATCH_PROPERTIES:
        raise Refused(422, "Invalid request.\n\nNo more than 10 properties are allowed.")
    await call.services.ci.repository_dispatch(call.act, call.body["event_type"], payload)
    return Reply(204)


async def list_artifacts(call: Call) -> Reply:
    """`GET actions/runs/{run_id}/artifacts`."""
    run = call.run
    artifacts = [one for one in call.repo.artifacts.values() if one.run_id == run.id]
    if "name" in call.query:
        artifacts = [one for one in artifacts if one.name == call.query["name"]]
    return call.page(artifacts, lambda one: objects.artifact(call.github, call.repo, run, one), key="artifacts")


async def list_repo_artifacts(call: Call) -> Reply:
    """`GET actions/artifacts`: those of all runs, newest first."""
    artifacts = sorted(call.repo.artifacts.values(), key=lambda one: one.id, reverse=True)
    if "name" in call.query:
        artifacts = [one for one in artifacts if one.name == call.query["name"]]
    runs = call.repo.runs
    return call.page(
        artifacts, lambda one: objects.artifact(call.github, call.repo, runs[one.run_id], one), key="artifacts"
    )


async def delete_artifact(call: Call) -> Reply:
    """`DELETE actions/artifacts/{artifact_id}`: 204; 404 once it is gone."""
    one = found(call.repo.artifacts.get(call.number("artifact_id")))
    del call.repo.artifacts[one.id]
    return Reply(204)


async def get_artifact(call: Call) -> Reply:
    """`GET actions/artifacts/{artifact_id}`."""
    one = found(call.repo.artifacts.get(call.number("artifact_id")))
    return Reply(body=objects.artifact(call.github, call.repo, call.repo.runs[one.run_id], one))


async def download_artifact(call: Call) -> Reply:
    """`GET actions/artifacts/{artifact_id}/zip`: a link; 410 once it has expired."""
    one = found(call.repo.artifacts.get(call.number("artifact_id")))
    if call.github.clock.now() >= one.expires_at:
        raise Refused(410, "Artifact has expired")
    return Reply(302, None, {"Location": call.services.downloads.artifact(one)})


def _jobs(call: Call, run: WorkflowRun, jobs: list[Job]) -> Reply:
    return call.page(jobs, lambda job: objects.job(call.github, call.repo, run, job), key="jobs")


def _attempt(call: Call) -> Attempt:
    number = call.number("attempt_number")
    return found(next((one for one in call.run.attempts if one.number == number), None))


def _job(call: Call) -> tuple[WorkflowRun, Job]:
    number = call.number("job_id")
    pairs = ((run, job) for run in call.repo.runs.values() for attempt in run.attempts for job in attempt.jobs)
    return found(next(((run, job) for run, job in pairs if job.id == number), None))


def _workflow(call: Call) -> Workflow:
    wanted = call.parameters["workflow_id"]
    for one in call.repo.workflows.values():
        if wanted in {str(one.id), one.path.rpartition("/")[2]}:
            return one
    raise Refused(404, "Not Found")


ROUTES: Table = {
    "actions/list-workflow-runs-for-repo": route(list_runs, "actions:read"),
    "actions/list-workflow-runs": route(list_runs, "actions:read"),
    "actions/get-workflow-run": route(get_run, "actions:read"),
    "actions/get-workflow-run-attempt": route(get_attempt, "actions:read"),
    "actions/list-jobs-for-workflow-run": route(list_jobs, "actions:read"),
    "actions/list-jobs-for-workflow-run-attempt": route(list_attempt_jobs, "actions:read"),
    "actions/get-job-for-workflow-run": route(get_job, "actions:read"),
    "actions/download-job-logs-for-workflow-run": route(job_log, "actions:read"),
    "actions/download-workflow-run-logs": route(run_logs, "actions:read"),
    "actions/download-workflow-run-attempt-logs": route(attempt_logs, "actions:read"),
    "actions/re-run-workflow": route(rerun, "actions:write"),
    "actions/re-run-workflow-failed-jobs": route(rerun_failed, "actions:write"),
    "actions/re-run-job-for-workflow-run": route(rerun_job, "actions:write"),
    "actions/cancel-workflow-run": route(cancel, "actions:write"),
    "actions/force-cancel-workflow-run": route(force_cancel, "actions:write"),
    "actions/approve-workflow-run": route(approve, "actions:write"),
    "actions/list-repo-workflows": route(list_workflows, "actions:read"),
    "actions/get-workflow": route(get_workflow, "actions:read"),
    "actions/create-workflow-dispatch": route(dispatch, "actions:write"),
    "repos/create-dispatch-event": route(repository_dispatch, "contents:write"),
    "actions/list-workflow-run-artifacts": route(list_artifacts, "actions:read"),
    "actions/list-artifacts-for-repo": route(list_repo_artifacts, "actions:read"),
    "actions/delete-artifact": route(delete_artifact, "actions:write"),
    "actions/get-artifact": route(get_artifact, "actions:read"),
    "actions/download-artifact": route(download_artifact, "actions:read"),
}
