"""Paging, renames, conditional requests, rate limits and faults. Facts from GITHUB.md 4, 5 and 8.2."""

from __future__ import annotations

import re

import aiohttp
import pytest

from bot.sandbox.changes import comments, pushes, repositories
from bot.sandbox.faults import Fault
from tests.sandbox.lab import Lab


async def test_trap_35_link_pages_by_repository_id(lab: Lab) -> None:
    """`Link` leads through `/repositories/{id}`; following it reads every item once."""
    pull = lab.pull()
    for number in range(7):
        comments.add_comment(lab.act(), pull.number, f"comment {number}")
    path: str | None = f"/repos/octo/app/issues/{pull.number}/comments?per_page=3"
    bodies, links = [], []
    while path:
        answer = await lab.get(path)
        bodies += [one["body"] for one in answer.body]
        links.append(answer.headers.get("Link", ""))
        following = re.search(r'<([^>]+)>; rel="next"', links[-1])
        path = following[1] if following else None
    assert bodies == [f"comment {number}" for number in range(7)]
    assert (
        f"{lab.sandbox.api_url}/repositories/{lab.repo.id}/issues/{pull.number}/comments?per_page=3&page=2" in links[0]
    )
    assert [sorted(re.findall(r'rel="(\w+)"', link)) for link in links] == [
        ["last", "next"],
        ["first", "last", "next", "prev"],
        ["first", "prev"],
    ]


async def test_per_page_is_at_most_100(lab: Lab) -> None:
    """More than 100 is cut to 100; without it there are 30."""
    pull = lab.pull()
    for number in range(101):
        comments.add_comment(lab.act(), pull.number, str(number))
    path = f"/repos/octo/app/issues/{pull.number}/comments"
    assert [len((await lab.get(path + query)).body) for query in ("?per_page=1000", "", "?per_page=100&page=2")] == [
        100,
        30,
        1,
    ]


async def test_trap_35_a_renamed_repository_redirects(lab: Lab) -> None:
    """301 for GET, 307 for the rest, both to the path by id, which works."""
    pull = lab.pull()
    repositories.rename(lab.sandbox.github, lab.repo, "new-name", lab.act("octo").by)
    read = await lab.get(f"/repos/octo/app/pulls/{pull.number}")
    assert (read.status, read.headers["Location"]) == (
        301,
        f"{lab.sandbox.api_url}/repositories/{lab.repo.id}/pulls/{pull.number}",
    )
    assert (await lab.get(read.headers["Location"])).body["number"] == pull.number
    written = await lab.post(f"/repos/octo/app/issues/{pull.number}/comments", {"body": "x"})
    assert (written.status, lab.repo.comments) == (307, {})
    assert (await lab.post(written.headers["Location"], {"body": "x"})).status == 201
    assert (await lab.get("/repos/octo/new-name")).body["full_name"] == "octo/new-name"


async def test_an_unchanged_answer_is_304_and_does_not_count(lab: Lab) -> None:
    """The ETag of an answer brings 304 without a body and without using the limit, until something changes."""
    lab.token = lab.app_token()
    first = await lab.get("/repos/octo/app/pulls")
    again = await lab.get("/repos/octo/app/pulls", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.raw) == (304, b"")
    assert again.headers["X-RateLimit-Used"] == first.headers["X-RateLimit-Used"] == "1"
    lab.pull()
    changed = await lab.get("/repos/octo/app/pulls", headers={"If-None-Match": first.headers["ETag"]})
    assert (changed.status, changed.headers["X-RateLimit-Used"]) == (200, "2")


@pytest.mark.parametrize("status", [403, 429])
async def test_primary_limit_in_both_statuses(lab: Lab, status: int) -> None:
    """Over the limit: 403 or 429 with nothing remaining and the time of the reset; afterwards all is well."""
    lab.sandbox.limits.status = 403 if status == 403 else 429
    lab.sandbox.limits.exhaust(f"installation {lab.installation.id}", seconds=60)
    lab.token = lab.app_token()
    answer = await lab.get("/repos/octo/app")
    assert (answer.status, answer.headers["X-RateLimit-Remaining"]) == (status, "0")
    assert int(answer.headers["X-RateLimit-Reset"]) == int(lab.clock.now()) + 60
    lab.clock.advance(60)
    assert (await lab.get("/repos/octo/app")).status == 200


@pytest.mark.parametrize(("status", "retry_after"), [(403, None), (403, 30), (429, 30), (429, None)])
async def test_trap_25_secondary_limit_in_all_shapes(lab: Lab, status: int, retry_after: int | None) -> None:
    """403 or 429, with Retry-After or without it, while calls remain."""
    lab.sandbox.limits.secondary(status=403 if status == 403 else 429, retry_after=retry_after)
    answer = await lab.get("/repos/octo/app")
    assert (answer.status, answer.headers.get("Retry-After")) == (status, retry_after and str(retry_after))
    assert int(answer.headers["X-RateLimit-Remaining"]) > 0
    assert "secondary rate limit" in answer.body["message"]
    assert (await lab.get("/repos/octo/app")).status == 200


async def test_trap_25_graphql_over_its_limit_is_200(lab: Lab) -> None:
    """GraphQL says RATE_LIMITED in the body of a 200."""
    lab.sandbox.limits.exhaust(f"installation {lab.installation.id}", "graphql")
    answer = await lab.post("/graphql", {"query": "{ rateLimit { remaining } }"})
    assert (answer.status, answer.body["errors"][0]["type"]) == (200, "RATE_LIMITED")
    assert (await lab.get("/repos/octo/app")).status == 200


async def test_trap_2_a_lagging_replica_answers_404_then_200(lab: Lab) -> None:
    """Right after it came to be, a pull request is not found for a while; an old one is shown as it was."""
    pull = lab.pull()
    path = f"/repos/octo/app/pulls/{pull.number}"
    lab.sandbox.faults.add(Fault("GET", path, how="stale", times=2))
    assert [(await lab.get(path)).status for _ in range(3)] == [404, 404, 200]
    pull.title = "Another title"
    lab.sandbox.faults.add(Fault("GET", path, how="stale"))
    assert [(await lab.get(path)).body["title"] for _ in range(2)] == ["Change feature", "Another title"]


async def test_an_answer_can_be_lost_after_the_effect(lab: Lab) -> None:
    """`lose` carries the call out and hangs up; `drop` hangs up before."""
    pull = lab.pull()
    path = f"/repos/octo/app/issues/{pull.number}/comments"
    lab.sandbox.faults.add(Fault("POST", path, how="drop"))
    lab.sandbox.faults.add(Fault("POST", path, how="lose"))
    for count in (0, 1):
        with pytest.raises(aiohttp.ClientError):
            await lab.post(path, {"body": "hello"})
        assert len(lab.repo.comments) == count  # what the answer would have told
    assert (await lab.post(path, {"body": "hello"})).status == 201


async def test_faults_fit_patterns_and_run_out(lab: Lab) -> None:
    """A row counts its own calls: the first `after` go well, then `times` fail; a 502 is an HTML page."""
    lab.sandbox.faults.add(Fault("*", "/repos/*/branches*", status=502, after=1, times=2))
    answers = [await lab.get("/repos/octo/app/branches/main") for _ in range(4)]
    assert [one.status for one in answers] == [200, 502, 502, 200]
    assert answers[1].raw.startswith(b"<!DOCTYPE html>")
    assert (await lab.get("/repos/octo/app")).status == 200


async def test_writes_faster_than_github_lets_them(lab: Lab) -> None:
    """With that limit on, the 81st write in a minute is refused with Retry-After; a minute later it works."""
    pull = lab.pull()
    lab.sandbox.limits.enforce_writes = True
    lab.token = lab.app_token()
    path = f"/repos/octo/app/issues/{pull.number}/labels"
    statuses = [(await lab.post(path, {"labels": ["bug"]})).status for _ in range(81)]
    assert statuses == [200] * 80 + [403]
    lab.clock.advance(60)
    assert (await lab.post(path, {"labels": ["bug"]})).status == 200
    assert len(lab.sandbox.limits.writes(f"installation {lab.installation.id}")) == 81


@pytest.mark.parametrize("path", ["pulls/1", "commits/feature", "compare/main...feature"])
async def test_trap_34_a_diff_may_be_too_large(lab: Lab, path: str) -> None:
    """The diff media type gives text; over 300 files it is 406 `too_large`, while the files are still listed."""
    lab.pull(files={f"f{number}.py": "1\n" for number in range(300)})
    headers = {"Accept": "application/vnd.github.diff"}
    small = await lab.get(f"/repos/octo/app/{path}", headers=headers)
    assert (small.status, small.raw.count(b"diff --git ")) == (200, 300)
    pushes.push_files(lab.act(), "feature", {"one-more.py": "1\n"}, "One more")
    large = await lab.get(
        f"/repos/octo/app/{path.replace('commits/feature', 'compare/main...feature')}", headers=headers
    )
    assert (large.status, large.body["errors"][0]["code"]) == (406, "too_large")
    listed = await lab.get("/repos/octo/app/pulls/1/files?per_page=100&page=4")
    assert len(listed.body) == 1


async def test_trap_14_a_run_lags_behind_its_jobs(lab: Lab) -> None:
    """A rerun's new attempt may stay unseen for a while: the run and its jobs are shown as they were."""
    workflow = {".github/workflows/ci.yml": "on: pull_request\njobs: {t: {runs-on: u, steps: [{run: x}]}}\n"}
    pushes.push_files(lab.act(), "main", workflow, "Add CI")
    lab.sandbox.ci.job("t", lambda _tree: lab.outcome(failing=True))
    lab.pull(files={"new.py": "1\n"})
    await lab.sandbox.ci.advance()
    run = next(iter(lab.repo.runs))
    path = f"/repos/octo/app/actions/runs/{run}"
    assert (await lab.get(path)).body["run_attempt"] == 1
    await lab.post(f"{path}/rerun")
    lab.sandbox.faults.add(Fault("GET", path, how="stale"))
    assert [(await lab.get(path)).body["run_attempt"] for _ in range(2)] == [1, 2]


async def test_faults_strike_downloads(lab: Lab) -> None:
    """The second origin has the same fault table."""
    lab.sandbox.faults.add(Fault("GET", "/logs/*", status=503))
    answer = await lab.get(f"{lab.sandbox.logs.url}/logs/1", token=None)
    assert answer.status == 503
