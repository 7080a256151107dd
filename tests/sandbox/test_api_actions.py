"""Runs, jobs, logs, reruns and dispatches through the API. Facts from GITHUB.md 1.8 and 5."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from bot.sandbox.changes import pushes
from tests.sandbox.lab import Lab

REPO = "/repos/octo/app"
WORKFLOW = """
name: CI
on:
  push: {branches: [main]}
  pull_request:
  workflow_dispatch:
    inputs: {depth: {required: false}}
jobs:
  test: {runs-on: ubuntu-latest, steps: [{run: make test}]}
"""


@pytest.fixture
async def red(lab: Lab) -> dict[str, Any]:
    """A pull request whose one job failed: the run as the API shows it."""
    pushes.push_files(lab.act(), "main", {".github/workflows/ci.yml": WORKFLOW}, "Add CI")
    lab.sandbox.ci.job("test", lambda tree: lab.outcome(failing="x = 2" in tree.read("app.py")))
    lab.pull()
    await lab.sandbox.ci.advance()
    listed = await lab.get(f"{REPO}/actions/runs?event=pull_request")
    assert listed.body["total_count"] == 1
    run: dict[str, Any] = listed.body["workflow_runs"][0]
    return run


async def test_reads_of_a_run_meet_the_description(lab: Lab, red: dict[str, Any]) -> None:
    """Run, attempt, jobs, job, workflow: each answers in the described shape, by number and by file name."""
    runs = f"{REPO}/actions/runs/{red['id']}"
    jobs = (await lab.get(f"{runs}/jobs")).body["jobs"]
    assert [(job["name"], job["conclusion"], job["run_attempt"]) for job in jobs] == [("test", "failure", 1)]
    for path in (
        runs,
        f"{runs}/attempts/1",
        f"{runs}/attempts/1/jobs",
        f"{runs}/artifacts",
        f"{REPO}/actions/jobs/{jobs[0]['id']}",
        f"{REPO}/actions/workflows",
        f"{REPO}/actions/workflows/ci.yml",
        f"{REPO}/actions/workflows/ci.yml/runs",
        f"{REPO}/actions/workflows/{red['workflow_id']}/runs",
    ):
        assert (await lab.get(path)).status == 200
    assert (await lab.get(f"{runs}/attempts/2")).status == 404
    check = await lab.get(urlsplit(jobs[0]["check_run_url"]).path)
    assert (check.body["name"], check.body["app"]["slug"]) == ("test", "github-actions")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("status=failure", 1),
        ("status=completed", 2),
        ("status=success&branch=main", 1),
        ("event=pull_request&branch=feature", 1),
        ("actor=author", 2),
        ("actor=maintainer", 0),
        ("created=>=2026-01-01", 2),
        ("created=<2026-01-01", 0),
        ("created=2026-01-01..2026-12-31", 2),
        ("head_sha=0000000000000000000000000000000000000000", 0),
    ],
)
async def test_runs_are_filtered(lab: Lab, red: dict[str, Any], query: str, count: int) -> None:
    """`status` takes statuses and conclusions; `created` takes ranges."""
    assert red["conclusion"] == "failure"
    assert (await lab.get(f"{REPO}/actions/runs?{query}")).body["total_count"] == count


async def test_trap_19_logs_are_on_another_origin(lab: Lab, red: dict[str, Any]) -> None:
    """302 to another origin, which refuses the credentials that the API wants and serves the log without them."""
    job = (await lab.get(f"{REPO}/actions/runs/{red['id']}/jobs")).body["jobs"][0]
    answer = await lab.get(f"{REPO}/actions/jobs/{job['id']}/logs")
    link = answer.headers["Location"]
    assert (answer.status, answer.raw) == (302, b"")
    assert not link.startswith(lab.sandbox.api_url)
    assert (await lab.get(link)).status >= 400
    log = await lab.get(link, token=None)
    assert (log.status, log.raw[:3]) == (200, b"\xef\xbb\xbf")
    assert b"1 failed" in log.raw


async def test_trap_13_a_rerun_is_another_attempt_of_the_same_run(lab: Lab, red: dict[str, Any]) -> None:
    """201 with an empty object; the same id, attempt 2, new jobs; 403 while it goes on (trap 15)."""
    runs = f"{REPO}/actions/runs/{red['id']}"
    first = (await lab.get(f"{runs}/jobs")).body["jobs"][0]
    again = await lab.post(f"{runs}/rerun-failed-jobs")
    assert (again.status, again.body) == (201, {})
    assert (await lab.post(f"{runs}/rerun")).status == 403
    await lab.sandbox.ci.advance()
    shown = (await lab.get(runs)).body
    assert (shown["id"], shown["run_attempt"]) == (red["id"], 2)
    assert shown["previous_attempt_url"].endswith("/attempts/1")
    latest = (await lab.get(f"{runs}/jobs")).body["jobs"]
    everything = (await lab.get(f"{runs}/jobs?filter=all")).body["jobs"]
    assert (len(latest), len(everything)) == (1, 2)
    assert latest[0]["id"] != first["id"]
    assert (await lab.post(f"{REPO}/actions/jobs/{latest[0]['id']}/rerun")).status == 201


async def test_trap_20_a_dispatch_is_204_or_tells_the_run(lab: Lab, red: dict[str, Any]) -> None:
    """Without `return_run_details` 204 and no id; with it 200 and the run; an unknown workflow is 404."""
    path = f"{REPO}/actions/workflows/ci.yml/dispatches"
    assert (await lab.post(path, {"ref": "main"})).status == 204
    told = await lab.post(path, {"ref": "main", "inputs": {"depth": "2"}, "return_run_details": True})
    run = (await lab.get(f"{REPO}/actions/runs/{told.body['workflow_run_id']}")).body
    assert (told.status, run["event"], run["head_branch"]) == (200, "workflow_dispatch", "main")
    assert (await lab.post(f"{REPO}/actions/workflows/no.yml/dispatches", {"ref": "main"})).status == 404
    assert (await lab.post(path, {"ref": "main", "inputs": {"width": "2"}})).status == 422
    assert red["event"] == "pull_request"


async def test_a_finished_run_is_not_cancelled(lab: Lab, red: dict[str, Any]) -> None:
    """409 for a finished run; 202 for one that goes on."""
    runs = f"{REPO}/actions/runs/{red['id']}"
    assert (await lab.post(f"{runs}/cancel")).status == 409
    await lab.post(f"{runs}/rerun")
    assert (await lab.post(f"{runs}/cancel")).status == 202
    await lab.sandbox.ci.advance()
    assert (await lab.get(runs)).body["conclusion"] == "cancelled"


async def test_reruns_need_actions_write(lab: Lab, red: dict[str, Any]) -> None:
    """403 with actions:read."""
    token = lab.app_token(permissions={"actions": "read"})
    assert (await lab.get(f"{REPO}/actions/runs/{red['id']}", token=token)).status == 200
    assert (await lab.post(f"{REPO}/actions/runs/{red['id']}/rerun", token=token)).status == 403
