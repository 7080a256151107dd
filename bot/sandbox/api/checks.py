"""Check runs, check suites and commit statuses."""

from __future__ import annotations

from collections.abc import Sequence

from bot.sandbox import objects
from bot.sandbox.api.call import Call, Reply, Table, found, route
from bot.sandbox.changes import checks, statuses
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.state import App, CheckRun, CheckSuite, Status

MAX_SUITES = 1_000


def _app(call: Call) -> App:
    """GitHub: only Apps write checks."""
    if call.caller.installation is None:
        raise Refused(403, "You must authenticate via a GitHub App.")
    return call.caller.installation.app


def _own(call: Call, run: CheckRun) -> None:
    if run.app is not _app(call):
        raise Refused(403, "Invalid app_id `" + str(run.app.id) + "` - check run can only be modified by its app.")


async def create(call: Call) -> Reply:
    """`POST check-runs`."""
    run = checks.create_check_run(call.act, _app(call), call.body)
    return Reply(201, objects.check_run(call.github, call.repo, run))


async def get(call: Call) -> Reply:
    """`GET check-runs/{id}`."""
    return Reply(body=objects.check_run(call.github, call.repo, call.check_run))


async def update(call: Call) -> Reply:
    """`PATCH check-runs/{id}`: annotations are appended."""
    run = call.check_run
    _own(call, run)
    checks.update_check_run(call.act, run, call.body or {})
    return Reply(body=objects.check_run(call.github, call.repo, run))


async def list_annotations(call: Call) -> Reply:
    """`GET check-runs/{id}/annotations`."""
    run = call.check_run
    return call.page(run.annotations, lambda one: objects.annotation(call.github, call.repo, run, one))


async def rerequest_run(call: Call) -> Reply:
    """`POST check-runs/{id}/rerequest`: only for the App's own."""
    _own(call, call.check_run)
    checks.rerequest_run(call.act, call.check_run)
    return Reply(201, {})


async def rerequest_suite(call: Call) -> Reply:
    """`POST check-suites/{id}/rerequest`."""
    suite = _suite(call)
    if suite.app is not _app(call):
        raise Refused(403, "Resource not accessible by integration")
    checks.rerequest_suite(call.act, suite)
    return Reply(201, {})


async def list_for_ref(call: Call) -> Reply:
    """`GET commits/{ref}/check-runs`: `filter=latest` dedupes within a suite only (GITHUB.md 5.5)."""
    sha = call.commit(call.parameters["ref"])
    runs = [run for run in call.repo.check_runs.values() if run.head_sha == sha]
    if "app_id" in call.query:
        runs = [run for run in runs if str(run.app.id) == call.query["app_id"]]
    return _runs(call, runs)


async def list_for_suite(call: Call) -> Reply:
    """`GET check-suites/{id}/check-runs`."""
    return _runs(call, checks.runs_of(call.repo, _suite(call)))


def _runs(call: Call, runs: list[CheckRun]) -> Reply:
    query = call.query
    if query.get("filter", "latest") == "latest":
        runs = checks.latest(runs)
    runs = [
        run
        for run in runs
        if query.get("check_name", run.name) == run.name and query.get("status", run.status) == run.status
    ]
    return call.page(runs, lambda run: objects.check_run(call.github, call.repo, run), key="check_runs")


async def list_suites(call: Call) -> Reply:
    """`GET commits/{ref}/check-suites`."""
    sha = call.commit(call.parameters["ref"])
    suites: Sequence[CheckSuite] = [suite for suite in call.repo.suites.values() if suite.head_sha == sha]
    if "app_id" in call.query:
        suites = [suite for suite in suites if str(suite.app.id) == call.query["app_id"]]
    if "check_name" in call.query:
        name = call.query["check_name"]
        suites = [suite for suite in suites if name in {run.name for run in checks.runs_of(call.repo, suite)}]
    shown = suites[-MAX_SUITES:]
    return call.page(shown, lambda suite: objects.check_suite(call.github, call.repo, suite), key="check_suites")


async def get_suite(call: Call) -> Reply:
    """`GET check-suites/{id}`."""
    return Reply(body=objects.check_suite(call.github, call.repo, _suite(call)))


async def create_suite(call: Call) -> Reply:
    """`POST check-suites`: 201, or 200 where the App has one for that commit."""
    app = _app(call)
    sha = call.commit(call.body["head_sha"])
    before = len(call.repo.suites)
    suite = checks.create_suite(call.act, app, sha, None, if_missing=True)
    status = 201 if len(call.repo.suites) > before else 200
    return Reply(status, objects.check_suite(call.github, call.repo, suite))


def _suite(call: Call) -> CheckSuite:
    return found(call.repo.suites.get(call.number("check_suite_id")))


async def create_status(call: Call) -> Reply:
    """`POST statuses/{sha}`."""
    body = call.body
    one = statuses.set_status(
        call.act,
        call.parameters["sha"],
        state=body["state"],
        context=body.get("context", "default"),
        description=body.get("description"),
        target_url=body.get("target_url"),
    )
    return Reply(201, objects.status(call.github, call.repo, one))


async def list_statuses(call: Call) -> Reply:
    """`GET commits/{ref}/statuses`: all, newest first."""
    newest = list(reversed(_statuses(call)))
    return call.page(newest, lambda one: objects.status(call.github, call.repo, one))


async def combined_status(call: Call) -> Reply:
    """`GET commits/{ref}/status`: the newest of each context, and what they come to together."""
    latest = {one.context: one for one in _statuses(call)}
    states = {one.state for one in latest.values()}
    whole = "success" if states == {"success"} else "pending"
    state = "failure" if states & {"error", "failure"} else whole
    sha = call.commit(call.parameters["ref"])
    url = f"{call.github.api_url}/repos/{call.repo.full_name}/commits/{sha}"
    return call.page(
        list(latest.values()),
        lambda one: objects.simple_status(call.github, call.repo, one),
        key="statuses",
        state=state,
        sha=sha,
        repository=objects.minimal_repository(call.github, call.repo),
        commit_url=url,
        url=f"{url}/status",
    )


def _statuses(call: Call) -> list[Status]:
    sha = call.commit(call.parameters["ref"])
    return [one for one in call.repo.statuses if one.sha == sha]


ROUTES: Table = {
    "checks/create": route(create, "checks:write"),
    "checks/get": route(get, "checks:read"),
    "checks/update": route(update, "checks:write"),
    "checks/list-annotations": route(list_annotations, "checks:read"),
    "checks/rerequest-run": route(rerequest_run, "checks:write"),
    "checks/rerequest-suite": route(rerequest_suite, "checks:write"),
    "checks/list-for-ref": route(list_for_ref, "checks:read"),
    "checks/list-for-suite": route(list_for_suite, "checks:read"),
    "checks/list-suites-for-ref": route(list_suites, "checks:read"),
    "checks/get-suite": route(get_suite, "checks:read"),
    "checks/create-suite": route(create_suite, "checks:write"),
    "repos/create-commit-status": route(create_status, "statuses:write"),
    "repos/list-commit-statuses-for-ref": route(list_statuses, "statuses:read"),
    "repos/get-combined-status-for-ref": route(combined_status, "statuses:read"),
}
