"""Logs and artifacts on their own origin. Facts by their number in GITHUB.md."""

from __future__ import annotations

import io
import zipfile

import aiohttp

from bot.sandbox.ci.origin import LINK_SECONDS
from bot.sandbox.ci.runner.function_job import Outcome, passed
from bot.sandbox.state import WorkflowRun
from tests.sandbox.lab import Answer, Lab

WORKFLOW = """\
on: pull_request
jobs:
  one: {runs-on: x, steps: [{run: make one}]}
  "two": {runs-on: x, name: two / b, needs: one, steps: [{run: make two}]}
"""


async def start(lab: Lab) -> WorkflowRun:
    """A run whose first job is held."""
    lab.sandbox.ci.job("one", lambda _: Outcome(lines=("hello",), artifacts={"result": {"a.txt": b"1"}}))
    lab.sandbox.ci.job("two", lambda _: passed("world"))
    lab.sandbox.ci.hold("one")
    lab.pull("a", {".github/workflows/ci.yml": WORKFLOW})
    await lab.sandbox.ci.advance()
    return next(iter(lab.repo.runs.values()))


async def fetch(lab: Lab, link: str, headers: dict[str, str] | None = None) -> Answer:
    """Follow a link without the API's credentials."""
    async with lab.session.get(link, headers=headers or {}) as response:
        return Answer(response.status, response.headers, None, await response.read())


async def link_of(lab: Lab, path: str) -> str:
    """Where an API route redirects to."""
    answer = await lab.get(f"/repos/octo/app/{path}")
    assert answer.status == 302
    return str(answer.headers["Location"])


async def test_trap_16_no_log_before_the_job_is_completed(lab: Lab) -> None:
    """GITHUB.md trap 16: the link of a running job answers 404 BlobNotFound in XML; the finished job's log is there at once."""
    run = await start(lab)
    job = run.latest.jobs[0]
    early = await fetch(lab, await link_of(lab, f"actions/jobs/{job.id}/logs"))
    assert early.status == 404
    assert b"<Code>BlobNotFound</Code>" in early.raw
    lab.sandbox.ci.release("one")
    lab.sandbox.ci.hold("two")
    await lab.sandbox.ci.advance()
    done = await fetch(lab, await link_of(lab, f"actions/jobs/{job.id}/logs"))
    assert (done.status, done.raw) == (200, job.log)
    assert done.raw.startswith(b"\xef\xbb\xbf")
    assert run.latest.status == "in_progress"


async def test_trap_16_a_lost_runner_and_a_skipped_job_never_have_a_log(lab: Lab) -> None:
    """GITHUB.md trap 16: BlobNotFound stays for a job whose runner vanished and for one that was skipped."""
    run = await start(lab)
    lab.sandbox.ci.lose_runner("one")
    await lab.sandbox.ci.advance()
    assert [job.conclusion for job in run.latest.jobs] == ["failure", "skipped"]
    for job in run.latest.jobs:
        assert (await fetch(lab, await link_of(lab, f"actions/jobs/{job.id}/logs"))).status == 404


async def test_trap_19_the_log_link_is_elsewhere_and_refuses_credentials(lab: Lab) -> None:
    """GITHUB.md trap 19: another origin; an Authorization header is refused; after a minute the link is dead."""
    run = await start(lab)
    lab.sandbox.ci.release("one")
    await lab.sandbox.ci.advance()
    link = await link_of(lab, f"actions/jobs/{run.latest.jobs[0].id}/logs")
    assert not link.startswith(lab.sandbox.api_url)
    assert (await fetch(lab, link, {"Authorization": "Bearer x"})).status == 401
    assert (await fetch(lab, link.replace("/logs/", "/artifacts/"))).status == 403
    lab.clock.advance(LINK_SECONDS)
    assert (await fetch(lab, link)).status == 200
    lab.clock.advance(1)
    expired = await fetch(lab, link)
    assert (expired.status, expired.headers["x-ms-error-code"]) == (403, "AuthenticationFailed")


async def test_a_client_that_follows_redirects_gets_the_log(lab: Lab) -> None:
    """Aiohttp drops the credentials at the other origin, as GitHub needs it."""
    run = await start(lab)
    lab.sandbox.ci.release("one")
    await lab.sandbox.ci.advance()
    url = f"{lab.sandbox.api_url}/repos/octo/app/actions/jobs/{run.latest.jobs[0].id}/logs"
    headers = {"Authorization": f"Bearer {lab.app_token()}", "User-Agent": "lab"}
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as response:
        assert response.status == 200
        assert b"hello" in await response.read()


async def test_trap_18_the_zip_of_a_run_has_a_file_for_each_job(lab: Lab) -> None:
    """GITHUB.md trap 18: `N_job name.txt`, names sanitised; there is no zip while the run goes on."""
    run = await start(lab)
    assert (await lab.get(f"/repos/octo/app/actions/runs/{run.id}/logs")).status == 404
    lab.sandbox.ci.release("one")
    await lab.sandbox.ci.advance()
    content = (await fetch(lab, await link_of(lab, f"actions/runs/{run.id}/logs"))).raw
    archive = zipfile.ZipFile(io.BytesIO(content))
    assert archive.namelist() == ["0_one.txt", "1_two _ b.txt"]
    assert archive.read("1_two _ b.txt") == run.latest.jobs[1].log


async def test_artifacts_are_downloaded_by_link(lab: Lab) -> None:
    """The artifact of a run is listed and its zip is fetched from the other origin."""
    run = await start(lab)
    lab.sandbox.ci.release("one")
    await lab.sandbox.ci.advance()
    listed = (await lab.get(f"/repos/octo/app/actions/runs/{run.id}/artifacts")).body
    assert [one["name"] for one in listed["artifacts"]] == ["result"]
    link = await link_of(lab, f"actions/artifacts/{listed['artifacts'][0]['id']}/zip")
    archive = zipfile.ZipFile(io.BytesIO((await fetch(lab, link)).raw))
    assert archive.read("a.txt") == b"1"


async def test_the_api_reruns_cancels_and_dispatches(lab: Lab) -> None:
    """The REST routes reach the engine: rerun 201, twice 403, cancel 202, then 409."""
    run = await start(lab)
    path = f"/repos/octo/app/actions/runs/{run.id}"
    assert (await lab.post(f"{path}/rerun")).status == 403
    assert (await lab.post(f"{path}/cancel")).status == 202
    await lab.sandbox.ci.advance()
    assert run.latest.conclusion == "cancelled"
    assert (await lab.post(f"{path}/cancel")).status == 409
    assert (await lab.post(f"{path}/rerun-failed-jobs")).status == 201
    jobs = (await lab.get(f"{path}/jobs")).body
    assert (jobs["total_count"], run.latest.number) == (0, 2)


async def test_trap_14_zero_jobs_is_not_a_startup_failure(lab: Lab) -> None:
    """GITHUB.md trap 14: a queued attempt lists no jobs at all until it begins."""
    run = await start(lab)
    lab.sandbox.ci.release("one")
    await lab.sandbox.ci.advance()
    await lab.post(f"/repos/octo/app/actions/runs/{run.id}/rerun")
    shown = (await lab.get(f"/repos/octo/app/actions/runs/{run.id}")).body
    jobs = (await lab.get(f"/repos/octo/app/actions/runs/{run.id}/jobs")).body
    assert (shown["status"], shown["conclusion"], shown["run_attempt"], jobs["jobs"]) == ("queued", None, 2, [])


async def test_trap_20_a_dispatch_gives_its_run_only_where_asked(lab: Lab) -> None:
    """GITHUB.md trap 20: 204 without a body, or 200 with the run's id for `return_run_details`."""
    text = "on: {workflow_dispatch: {inputs: {n: {}}}}\njobs: {a: {runs-on: x, steps: [{run: 'true'}]}}\n"
    push = lab.pull("b", {".github/workflows/go.yml": text})
    lab.repo.git.refs.write("refs/heads/main", push.head_sha)
    await lab.sandbox.ci.advance()
    path = "/repos/octo/app/actions/workflows/go.yml/dispatches"
    assert (await lab.post(path, {"ref": "main", "inputs": {"n": "1"}})).status == 204
    answer = await lab.post(path, {"ref": "main", "return_run_details": True})
    assert answer.status == 200
    assert lab.repo.runs[answer.body["workflow_run_id"]].event == "workflow_dispatch"
    assert (await lab.post(path, {"ref": "main", "inputs": {"x": "1"}})).status == 422
