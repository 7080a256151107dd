"""Check runs, suites, annotations and statuses. Facts from GITHUB.md 1.8 and 5."""

from __future__ import annotations

from typing import Any

import pytest

from bot.sandbox.changes import checks, pushes, repositories
from bot.sandbox.state import Actor, Happening
from tests.sandbox.lab import Lab

RUNS = "/repos/octo/app/check-runs"


def note(line: int, **more: Any) -> dict[str, Any]:
    """An annotation of a line."""
    return {
        "path": "app.py",
        "start_line": line,
        "end_line": line,
        "annotation_level": "failure",
        "message": "m",
        **more,
    }


def output(count: int) -> dict[str, Any]:
    """An output with so many annotations."""
    return {"title": "t", "summary": "s", "annotations": [note(line) for line in range(1, count + 1)]}


async def test_annotations_are_appended_50_at_a_time(lab: Lab) -> None:
    """51 in one request are 422; each update appends, and the list pages over all of them."""
    lab.expected.append("annotations")
    sha = lab.repo.git.branch("main")
    assert (await lab.post(RUNS, {"name": "failres", "head_sha": sha, "output": output(51)})).status == 422
    run = (await lab.post(RUNS, {"name": "failres", "head_sha": sha, "output": output(50)})).body
    again = await lab.call("PATCH", f"{RUNS}/{run['id']}", {"output": output(20)})
    assert again.body["output"]["annotations_count"] == 70
    listed = await lab.get(f"{RUNS}/{run['id']}/annotations?per_page=100")
    assert [one["start_line"] for one in listed.body] == [*range(1, 51), *range(1, 21)]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"status": "completed"}, "conclusion"),
        ({"actions": [{"label": "a", "description": "b", "identifier": str(n)} for n in range(4)]}, "actions"),
        ({"actions": [{"label": "a" * 21, "description": "b", "identifier": "c"}]}, "label"),
        ({"output": {"title": "t", "summary": "s" * 65_536}}, "summary"),
        ({"conclusion": "startup_failure"}, "conclusion"),
    ],
)
async def test_what_a_check_run_may_hold(lab: Lab, fields: dict[str, Any], words: str) -> None:
    """Completed needs a conclusion; 3 actions of 20 characters; 65,535 characters of summary; 8 conclusions."""
    lab.expected.append(words)
    sha = lab.repo.git.branch("main")
    answer = await lab.post(RUNS, {"name": "failres", "head_sha": sha, **fields})
    assert answer.status == 422
    assert words in str(answer.body)
    assert lab.repo.check_runs == {}


async def test_columns_belong_to_one_line(lab: Lab) -> None:
    """Columns are refused where an annotation spans lines."""
    sha = lab.repo.git.branch("main")
    spanning = {"title": "t", "summary": "s", "annotations": [note(1, end_line=2, start_column=1, end_column=2)]}
    assert (await lab.post(RUNS, {"name": "failres", "head_sha": sha, "output": spanning})).status == 422


async def test_trap_5_latest_dedupes_within_a_suite_only(lab: Lab) -> None:
    """An old failure of the same name in another suite stays visible; within one suite the newest stands."""
    act, app = lab.act("octo"), lab.sandbox.app
    sha = lab.repo.git.branch("main") or ""
    suites = [checks.create_suite(act, app, sha, "main") for _ in range(2)]
    for suite, conclusions in zip(suites, (["failure"], ["failure", "success"]), strict=True):
        for conclusion in conclusions:
            fields = {"name": "test", "head_sha": sha, "conclusion": conclusion}
            checks.create_check_run(act, app, fields, suite=suite)
    path = f"/repos/octo/app/commits/{sha}/check-runs"
    latest = (await lab.get(path)).body["check_runs"]
    everything = (await lab.get(f"{path}?filter=all")).body["check_runs"]
    assert [run["conclusion"] for run in latest] == ["failure", "success"]
    assert len(everything) == 3


async def test_trap_6_every_push_brings_an_empty_queued_suite(lab: Lab) -> None:
    """An App with checks:write gets a suite at each push, which stays queued until the App fills it."""
    pull = lab.pull()
    path = f"/repos/octo/app/commits/{pull.head_sha}/check-suites"
    suites = (await lab.get(path)).body["check_suites"]
    assert [(one["status"], one["latest_check_runs_count"]) for one in suites] == [("queued", 0)]
    await lab.post(RUNS, {"name": "failres", "head_sha": pull.head_sha, "conclusion": "neutral"})
    suites = (await lab.get(path)).body["check_suites"]
    assert [(one["status"], one["conclusion"]) for one in suites] == [("completed", "neutral")]


async def test_trap_3_forks_are_not_named_by_checks(lab: Lab) -> None:
    """A check on a fork's head has no pull requests; `commits/{sha}/pulls` is empty, `head=owner:branch` finds it."""
    fork = repositories.fork(lab.sandbox.github, lab.repo, lab.people["outsider"])
    sha = pushes.push_files(lab.act("outsider", fork), "patch", {"a.py": "1\n"}, "From the fork")
    token = lab.sandbox.user_token("outsider")
    body = {"title": "t", "head": "outsider:patch", "base": "main"}
    number = (await lab.post("/repos/octo/app/pulls", body, token=token)).body["number"]
    run = await lab.post(RUNS, {"name": "failres", "head_sha": sha, "conclusion": "neutral"})
    assert (run.status, run.body["pull_requests"]) == (201, [])
    suites = (await lab.get(f"/repos/octo/app/commits/{sha}/check-suites")).body["check_suites"]
    assert [suite["head_branch"] for suite in suites] == [None]
    assert (await lab.get(f"/repos/octo/app/commits/{sha}/pulls")).body == []
    found = (await lab.get("/repos/octo/app/pulls?head=outsider:patch")).body
    assert [(one["number"], one["head"]["sha"]) for one in found] == [(number, sha)]


async def test_trap_9_only_its_app_can_be_asked_for_a_check_again(lab: Lab) -> None:
    """Rerequesting tells `rerequested`, resets the suite and leaves the run; another App's run is 403."""
    pull = lab.pull()
    run = (await lab.post(RUNS, {"name": "failres", "head_sha": pull.head_sha, "conclusion": "neutral"})).body
    heard: list[Happening] = []
    lab.sandbox.github.listeners.append(heard.append)
    assert (await lab.post(f"{RUNS}/{run['id']}/rerequest")).status == 201
    assert [(one.event, one.action) for one in heard] == [("check_run", "rerequested")]
    assert (await lab.get(f"{RUNS}/{run['id']}")).body["conclusion"] == "neutral"
    assert (await lab.get(f"/repos/octo/app/check-suites/{run['check_suite']['id']}")).body["status"] == "queued"
    actions = lab.sandbox.github.actions_app()
    fields = {"name": "job", "head_sha": pull.head_sha, "conclusion": "failure"}
    act = lab.act()
    foreign = checks.create_check_run(type(act)(act.github, act.repo, Actor(actions.bot, actions)), actions, fields)
    assert (await lab.post(f"{RUNS}/{foreign.id}/rerequest")).status == 403
    assert (await lab.call("PATCH", f"{RUNS}/{foreign.id}", {"conclusion": "success"})).status == 403


async def test_people_do_not_write_checks(lab: Lab) -> None:
    """Only Apps write check runs."""
    sha = lab.repo.git.branch("main")
    answer = await lab.post(RUNS, {"name": "x", "head_sha": sha}, token=lab.sandbox.user_token("author"))
    assert answer.status == 403


async def test_statuses_combine_by_context(lab: Lab) -> None:
    """The newest status of each context counts; one failure makes the whole fail."""
    sha = lab.repo.git.branch("main")
    token = lab.sandbox.user_token("author")
    for context, state in (("a", "pending"), ("a", "success"), ("b", "failure"), ("b", "success"), ("c", "error")):
        body = {"state": state, "context": context}
        assert (await lab.post(f"/repos/octo/app/statuses/{sha}", body, token=token)).status == 201
    combined = (await lab.get(f"/repos/octo/app/commits/{sha}/status")).body
    assert combined["state"] == "failure"
    assert [(one["context"], one["state"]) for one in combined["statuses"]] == [
        ("a", "success"),
        ("b", "success"),
        ("c", "error"),
    ]
    listed = (await lab.get(f"/repos/octo/app/commits/{sha}/statuses")).body
    assert [one["context"] for one in listed] == ["c", "b", "b", "a", "a"]
