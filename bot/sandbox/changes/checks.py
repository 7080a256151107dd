"""
Check suites and check runs: made, updated, asked for again, their buttons pressed.

GitHub: an update appends its annotations; a conclusion completes the run; a new run in a completed suite opens it
again; asking for a rerun resets the suite and leaves the run as it was (GITHUB.md 1.8).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.sandbox.changes.refusals import Refused, invalid
from bot.sandbox.state import Act, App, CheckRun, CheckSuite, Repository

MAX_ANNOTATIONS = 50
MAX_ACTIONS = 3
MAX_TEXT = 65_535
CONCLUSIONS = ("action_required", "cancelled", "failure", "neutral", "success", "skipped", "stale", "timed_out")
_WORST_FIRST = (
    "failure",
    "timed_out",
    "startup_failure",
    "action_required",
    "cancelled",
    "stale",
    "success",
    "neutral",
)


def create_suite(
    act: Act,
    app: App,
    head_sha: str,
    head_branch: str | None,
    *,
    before: str | None = None,
    after: str | None = None,
    run_id: int | None = None,
    if_missing: bool = False,
) -> CheckSuite:
    """Make a suite; with `if_missing`, give the App's own one of that commit. Tells `check_suite.requested`."""
    if if_missing:
        for suite in act.repo.suites.values():
            if suite.app is app and suite.head_sha == head_sha and suite.run_id is None:
                return suite
    now = act.now
    suite = CheckSuite(
        act.github.new_id(), app, head_sha, head_branch, now, now, before=before, after=after, run_id=run_id
    )
    act.repo.suites[suite.id] = suite
    act.tell("check_suite", "requested", suite=suite)
    return suite


def create_check_run(
    act: Act,
    app: App,
    fields: Mapping[str, Any],
    *,
    suite: CheckSuite | None = None,
    job_id: int | None = None,
) -> CheckRun:
    """Make a check run from the fields of `POST /check-runs`. Tells `created`, and `completed` where it is that."""
    if act.repo.git.resolve(fields["head_sha"]) != fields["head_sha"]:
        raise Refused(422, "No commit found for SHA: " + str(fields["head_sha"]))
    _check(fields)
    branch = next((name for name, sha in act.repo.git.branches().items() if sha == fields["head_sha"]), None)
    if suite is None:
        suite = create_suite(act, app, fields["head_sha"], branch, if_missing=True)
    started = _time(fields.get("started_at"), act.now)
    run = CheckRun(act.github.new_id(), suite.id, app, fields["name"], fields["head_sha"], started, job_id=job_id)
    act.repo.check_runs[run.id] = run
    _apply(run, fields, act.now)
    _settle_suite(act, suite)
    _tell_run(act, "created", run)
    if run.status == "completed":
        _completed(act, run)
    return run


def update_check_run(act: Act, run: CheckRun, fields: Mapping[str, Any]) -> None:
    """Change a check run by the fields of `PATCH /check-runs/{id}`. Tells `completed` when it becomes that."""
    _check(fields)
    before = run.status
    if before == "completed" and fields.get("status", "completed") != "completed":
        run.conclusion = run.completed_at = None
    _apply(run, fields, act.now)
    _settle_suite(act, act.repo.suites[run.suite])
    if run.status == "completed" and before != "completed":
        _completed(act, run)


def rerequest_run(act: Act, run: CheckRun) -> None:
    """Ask an App for its check run again: only the App hears of it, the run stays as it was."""
    suite = act.repo.suites[run.suite]
    suite.status, suite.conclusion = "queued", None
    suite.updated_at = act.now
    _tell_run(act, "rerequested", run)


def rerequest_suite(act: Act, suite: CheckSuite) -> None:
    """Ask an App for a whole suite again."""
    suite.status, suite.conclusion = "queued", None
    suite.updated_at = act.now
    act.tell("check_suite", "rerequested", suite=suite)


def press(act: Act, run: CheckRun, identifier: str) -> None:
    """Press a button of a completed check run. Tells `check_run.requested_action` to its App."""
    if run.status != "completed" or identifier not in (action["identifier"] for action in run.actions):
        raise Refused(422, f"{run.name} has no button {identifier}")
    _tell_run(act, "requested_action", run, requested_action={"identifier": identifier})


def complete_suite(act: Act, suite: CheckSuite, conclusion: str) -> None:
    """Close a suite with a conclusion of its own (a workflow that failed at start has no runs)."""
    suite.status, suite.conclusion = "completed", conclusion
    suite.updated_at = act.now
    act.tell("check_suite", "completed", suite=suite)


def runs_of(repo: Repository, suite: CheckSuite) -> list[CheckRun]:
    """A suite's check runs, oldest first."""
    return [run for run in repo.check_runs.values() if run.suite == suite.id]


def latest(runs: list[CheckRun]) -> list[CheckRun]:
    """GitHub: `filter=latest` keeps the newest run of each name within one suite, and only within one (5.5)."""
    newest: dict[tuple[int, str], CheckRun] = {}
    for run in runs:
        newest[run.suite, run.name] = run
    return [run for run in runs if newest[run.suite, run.name] is run]


def _check(fields: Mapping[str, Any]) -> None:
    output = fields.get("output") or {}
    if len(output.get("annotations", [])) > MAX_ANNOTATIONS:
        raise invalid("CheckRun", "annotations", message=f"No more than {MAX_ANNOTATIONS} annotations are allowed")
    if len(fields.get("actions", [])) > MAX_ACTIONS:
        raise invalid("CheckRun", "actions", message=f"No more than {MAX_ACTIONS} actions are allowed")
    for name in ("summary", "text"):
        if len(output.get(name) or "") > MAX_TEXT:
            raise invalid("CheckRun", name, message=f"{name} exceeds a maximum length of {MAX_TEXT} characters")
    if fields.get("status") == "completed" and not fields.get("conclusion"):
        raise invalid("CheckRun", "conclusion", "missing_field")
    for annotation in output.get("annotations", []):
        if annotation["start_line"] != annotation["end_line"] and "start_column" in annotation:
            raise invalid("CheckRun", "annotations", message="columns need a start_line equal to the end_line")


def _apply(run: CheckRun, fields: Mapping[str, Any], now: float) -> None:
    for name in ("name", "details_url", "external_id", "status", "conclusion"):
        if name in fields:
            setattr(run, name, fields[name])
    if "started_at" in fields:
        run.started_at = _time(fields["started_at"], run.started_at)
    if fields.get("conclusion"):
        run.status = "completed"
    if run.status == "completed" and run.completed_at is None:
        run.completed_at = _time(fields.get("completed_at"), now)
    output = fields.get("output") or {}
    for name in ("title", "summary", "text"):
        if name in output:
            setattr(run, name, output[name])
    run.annotations += [dict(annotation) for annotation in output.get("annotations", [])]
    if "actions" in fields:
        run.actions = [dict(action) for action in fields["actions"]]


def _settle_suite(act: Act, suite: CheckSuite) -> None:
    runs = latest(runs_of(act.repo, suite))
    suite.updated_at = act.now
    if all(run.status == "completed" for run in runs):
        conclusions = {run.conclusion for run in runs}
        suite.status = "completed"
        suite.conclusion = next((one for one in _WORST_FIRST if one in conclusions), "skipped")
    else:
        started = any(run.status in {"in_progress", "completed"} for run in runs)
        suite.status, suite.conclusion = ("in_progress" if started else "queued"), None


def _completed(act: Act, run: CheckRun) -> None:
    _tell_run(act, "completed", run)
    suite = act.repo.suites[run.suite]
    if suite.status == "completed":
        act.tell("check_suite", "completed", suite=suite)


def _time(value: Any, default: float) -> float:
    return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else default


def _tell_run(act: Act, action: str, run: CheckRun, **more: Any) -> None:
    act.tell("check_run", action, check_run=run, suite=act.repo.suites[run.suite], **more)
