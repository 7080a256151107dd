"""Reruns, cancellation, concurrency groups, held jobs and lost runners. Facts by their number in GITHUB.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.sandbox.changes.refusals import Refused
from bot.sandbox.ci.asking import MOST_RERUNS, RERUN_DAYS
from bot.sandbox.ci.groups import Groups
from bot.sandbox.ci.runner.function_job import Outcome, Tree, failed, passed
from bot.sandbox.state import Act, Actor
from tests.sandbox.yard import Yard, make_yard, on_pull, steps

Make = Callable[..., Yard]
DAY = 86_400


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Make a yard; at the end no payload was against its schema."""
    made: list[Yard] = []

    def build(*arguments: object, **named: object) -> Yard:
        made.append(make_yard(tmp_path, *arguments, **named))  # type: ignore[arg-type]
        return made[-1]

    yield build
    assert [problem for yard in made for problem in yard.problems] == []


CHAIN = f"""
fine: {{{steps("true")}}}
shaky: {{{steps("true")}}}
after: {{needs: shaky, {steps("true")}}}
other: {{needs: fine, {steps("true")}}}
"""


async def chain(make: Make) -> Yard:
    """A run of four jobs in which `shaky` failed once, so that `after` was skipped."""
    yard = make(on_pull(CHAIN))
    for name in ("fine", "shaky", "after", "other"):
        yard.ci.job(name, lambda tree: Outcome(outputs={"attempt": str(tree.attempt)}))
    yard.ci.fail_once("shaky", "E  connection reset")
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    assert yard.ends() == {"fine": "success", "shaky": "failure", "other": "success", "after": "skipped"}
    return yard


async def test_trap_13_a_rerun_keeps_the_run_and_gives_new_jobs(make: Make) -> None:
    """GITHUB.md trap 13: same run id and suite, attempt + 1, new ids for jobs and check runs."""
    yard = await chain(make)
    before, suite, checks = yard.jobs, yard.run.suite, set(yard.repo.check_runs)
    yard.clock.advance(60)
    await yard.people.rerun(yard.run, failed_only=False)
    assert (yard.run.latest.number, yard.run.latest.status, yard.run.latest.jobs) == (2, "queued", [])
    await yard.ci.advance()
    assert len(yard.runs) == 1
    assert yard.run.suite == suite
    assert (yard.run.latest.number, yard.run.latest.conclusion) == (2, "success")
    assert {job.id for job in yard.jobs.values()}.isdisjoint(job.id for job in before.values())
    assert {job.check_run for job in yard.jobs.values()}.isdisjoint(checks)
    assert yard.run.attempts[0].conclusion == "failure"
    assert [job.conclusion for job in yard.run.attempts[0].jobs] == ["success", "failure", "success", "skipped"]
    assert yard.run.latest.triggering_actor.login == "maintainer"
    assert yard.run.actor.login == "author"


async def test_rerunning_failed_jobs_takes_dependents_and_carries_the_rest_over(make: Make) -> None:
    """Failed jobs and what needs them run again; the others are listed with new ids, their old times and runner."""
    yard = await chain(make)
    before = yard.jobs
    yard.clock.advance(60)
    await yard.people.rerun(yard.run)
    yard.heard.clear()
    await yard.ci.advance()
    now = yard.jobs
    assert yard.ends() == {"fine": "success", "other": "success", "shaky": "success", "after": "success"}
    for name in ("fine", "other"):
        assert now[name].carried_over
        assert now[name].id != before[name].id
        assert (now[name].started_at, now[name].runner_name) == (before[name].started_at, before[name].runner_name)
        assert now[name].log == before[name].log
    assert {name for event, action, name in yard.heard if (event, action) == ("workflow_job", "completed")} == {
        "shaky",
        "after",
    }
    assert (now["shaky"].outputs, now["fine"].outputs) == ({"attempt": "2"}, {"attempt": "1"})


async def test_rerunning_one_job_takes_its_dependents(make: Make) -> None:
    """One job's rerun runs what needs it too, even what had succeeded."""
    yard = await chain(make)
    await yard.people.rerun(yard.jobs["fine"])
    await yard.ci.advance()
    assert {name for name, job in yard.jobs.items() if not job.carried_over} == {"fine", "other"}
    assert yard.run.latest.conclusion == "failure"


async def test_rerunning_one_of_a_matrix_keeps_the_others(make: Make) -> None:
    """Of a matrix only the chosen combination runs again."""
    jobs = "t: {strategy: {fail-fast: false, matrix: {n: [1, 2]}}, " + steps("true") + "}"
    yard = make(on_pull(jobs))
    yard.ci.job("t", lambda tree: passed() if tree.attempt > 1 or tree.matrix["n"] == 1 else failed())
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    await yard.people.rerun(yard.jobs["t (2)"])
    await yard.ci.advance()
    assert {name: (job.conclusion, job.carried_over) for name, job in yard.jobs.items()} == {
        "t (1)": ("success", True),
        "t (2)": ("success", False),
    }


async def test_c7_a_rerun_tests_the_same_commit(make: Make) -> None:
    """GitHub: a rerun uses the run's commit and its frozen merge, however the base has moved."""
    yard = await chain(make)
    commits: list[str] = []
    yard.ci.job("shaky", lambda tree: commits.append(tree.commit) or passed())
    yard.people.push("main", {"app.py": "x = 9\n"}, by="maintainer", message="Move [skip ci]")
    await yard.people.rerun(yard.run)
    await yard.ci.advance()
    assert commits == [yard.run.checkout]


async def test_trap_15_reruns_that_github_refuses(make: Make) -> None:
    """GITHUB.md trap 15: 403 while running, for a job of an older attempt, after 30 days, at the 51st rerun."""
    yard = await chain(make)
    old = yard.jobs["shaky"]
    await yard.people.rerun(yard.run)
    with pytest.raises(Refused, match="already running") as caught:
        await yard.people.rerun(yard.run)
    assert caught.value.status == 403
    await yard.ci.advance()
    with pytest.raises(Refused, match="previous attempts"):
        await yard.people.rerun(old)
    with pytest.raises(Refused, match="no failed jobs"):
        await yard.people.rerun(yard.run)
    for _ in range(MOST_RERUNS - 1):
        await yard.people.rerun(yard.run, failed_only=False)
        await yard.ci.advance()
    with pytest.raises(Refused, match="50 times"):
        await yard.people.rerun(yard.run, failed_only=False)
    assert len(yard.run.attempts) == MOST_RERUNS + 1


async def test_a_run_of_last_month_is_not_rerun(make: Make) -> None:
    """A run is rerun within 30 days of its making, not a second later."""
    yard = await chain(make)
    yard.clock.advance(RERUN_DAYS * DAY)
    await yard.people.rerun(yard.run)
    await yard.ci.advance()
    yard.clock.advance(1)
    with pytest.raises(Refused, match="over a month ago"):
        await yard.people.rerun(yard.run, failed_only=False)


async def test_trap_14_an_accepted_rerun_may_lag(make: Make) -> None:
    """GITHUB.md trap 14: the rerun is accepted, the run still shows the old attempt, and a second rerun is refused."""
    yard = await chain(make)
    yard.ci.late_reruns = True
    await yard.people.rerun(yard.run)
    assert (yard.run.latest.number, yard.run.latest.status) == (1, "completed")
    with pytest.raises(Refused, match="already running"):
        await yard.people.rerun(yard.run)
    await yard.ci.advance()
    assert (yard.run.latest.number, yard.run.latest.conclusion) == (2, "success")


async def test_trap_9_a_rerun_in_the_actions_tab_is_told_as_a_run_only(make: Make) -> None:
    """GITHUB.md trap 9: no `rerequested` of any check; the same run is requested again with a new attempt."""
    yard = await chain(make)
    yard.heard.clear()
    await yard.people.rerun(yard.run)
    assert [(event, action) for event, action, _ in yard.heard] == [("workflow_run", "requested")]


async def test_trap_11_two_runs_at_one_head(make: Make) -> None:
    """GITHUB.md trap 11: closing and reopening starts a second run of the same workflow on the same head."""
    yard = make(["unit"])
    yard.ci.job("unit", lambda _: passed())
    pull = yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    yard.people.close(pull)
    yard.people.reopen(pull)
    await yard.ci.advance()
    assert [(run.head_sha, run.run_number) for run in yard.runs] == [(pull.head_sha, 1), (pull.head_sha, 2)]


async def test_rerunning_needs_write_access(make: Make) -> None:
    """An outsider is refused."""
    yard = await chain(make)
    with pytest.raises(Refused, match="outsider needs write access"):
        await yard.people.rerun(yard.run, by="outsider")


async def test_a_held_job_is_in_progress_until_it_is_let_go(make: Make) -> None:
    """A held job has begun, its next step runs, no log is there; let go, it ends no earlier than that moment."""
    yard = make(["unit"])
    yard.ci.job("unit", lambda _: passed("ok", seconds=5))
    yard.ci.hold("unit")
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    job = yard.jobs["unit"]
    assert (job.status, job.conclusion, job.log) == ("in_progress", None, None)
    assert [(step.status, step.conclusion) for step in job.steps] == [
        ("completed", "success"),
        ("in_progress", None),
        ("queued", None),
    ]
    assert yard.run.latest.status == "in_progress"
    yard.clock.advance(100)
    yard.ci.release("unit")
    await yard.ci.advance()
    assert (job.conclusion, job.completed_at) == ("success", yard.clock.now())


async def test_a_job_that_finds_no_runner_stays_queued(make: Make) -> None:
    """A queued job has no steps, no runner, and its run is queued."""
    yard = make(["unit"])
    yard.ci.job("unit", lambda _: passed())
    yard.ci.keep_queued("unit")
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    job = yard.jobs["unit"]
    assert (job.status, job.steps, job.runner_name, yard.run.latest.status) == ("queued", [], None, "queued")


async def test_a_job_waits_for_its_environments_reviewers(make: Make) -> None:
    """GITHUB.md section 3: `workflow_job.waiting`, job and run are `waiting`, without runner and steps; each attempt needs
    a review of its own, and an environment that nobody guards keeps nothing back.
    """
    deploy = f"{{environment: {{name: prod, url: https://shop.test}}, needs: unit, {steps('true')}}}"
    yard = make(on_pull(f"unit: {{environment: test, {steps('true')}}}\ndeploy: {deploy}\n"))
    for name in ("unit", "deploy"):
        yard.ci.job(name, lambda _: passed())
    yard.ci.guard("prod")
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    job = yard.jobs["deploy"]
    assert (job.status, job.steps, job.runner_name, yard.run.latest.status) == ("waiting", [], None, "waiting")
    assert [named for event, action, named in yard.heard if (event, action) == ("workflow_job", "waiting")] == [
        "deploy"
    ]
    yard.ci.review(yard.run, "prod")
    await yard.ci.advance()
    assert yard.ends() == {"unit": "success", "deploy": "success"}
    await yard.people.rerun(yard.run, failed_only=False)
    await yard.ci.advance()
    assert yard.jobs["deploy"].status == "waiting"


async def test_a_lost_runner_leaves_no_log(make: Make) -> None:
    """The job fails with the runner's message as annotation; its step never ended and no log was written."""
    yard = make(["unit"])
    yard.ci.job("unit", lambda _: passed())
    yard.ci.lose_runner("unit")
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    job = yard.jobs["unit"]
    assert (job.conclusion, job.log) == ("failure", None)
    assert [step.status for step in job.steps] == ["completed", "in_progress", "queued"]
    assert "lost communication with the server" in yard.repo.check_runs[job.id].annotations[0]["message"]
    await yard.people.rerun(yard.run)
    await yard.ci.advance()
    assert yard.run.latest.conclusion == "success"


async def test_cancelling_a_run(make: Make) -> None:
    """Held and waiting jobs end as cancelled; `always()` still runs, unless the cancellation is forced; then 409."""
    jobs = f"""
a: {{{steps("true")}}}
b: {{needs: a, {steps("true")}}}
c: {{needs: a, if: always(), {steps("true")}}}
"""
    yard = make(on_pull(jobs))
    for name in "abc":
        yard.ci.job(name, lambda _: passed())
    for force, last in ((False, "success"), (True, "skipped")):
        yard.ci.hold("a")
        yard.people.push("x", {"n": f"{force}\n"})
        if not force:
            yard.people.open_pull("x")
        await yard.ci.advance()
        await yard.ci.cancel(yard.act(), yard.run, force=force)
        await yard.ci.advance()
        assert yard.ends() == {"a": "cancelled", "b": "skipped", "c": last}
        assert yard.run.latest.conclusion == "cancelled"
        with pytest.raises(Refused) as caught:
            await yard.ci.cancel(yard.act(), yard.run, force=force)
        assert caught.value.status == 409
        yard.ci.release("a")


CONCURRENCY = "concurrency: {group: 'ci-${{ github.ref }}', cancel-in-progress: %s}\n"


async def test_concurrency_keeps_one_running_and_one_pending(make: Make) -> None:
    """GitHub: the newest run takes the pending place, the one before it is cancelled, the running one goes on."""
    yard = make(on_pull("a: {" + steps("true") + "}", CONCURRENCY % "false"))
    yard.ci.job("a", lambda _: passed())
    yard.ci.hold("a")
    yard.people.open_pull("x", {"n": "0\n"})
    await yard.ci.advance()
    for number in (1, 2):
        yard.people.push("x", {"n": f"{number}\n"})
        await yard.ci.advance()
    assert [run.latest.status for run in yard.runs] == ["in_progress", "completed", "pending"]
    assert (yard.runs[1].latest.conclusion, yard.runs[1].latest.jobs) == ("cancelled", [])
    yard.ci.release("a")
    await yard.ci.advance()
    assert [run.latest.conclusion for run in yard.runs] == ["success", "cancelled", "success"]


async def test_cancel_in_progress_ends_the_running_one(make: Make) -> None:
    """With `cancel-in-progress` a new push cancels the run that is in progress and begins at once."""
    yard = make(on_pull("a: {" + steps("true") + "}", CONCURRENCY % "true"))
    yard.ci.job("a", lambda _: passed())
    yard.ci.hold("a")
    yard.people.open_pull("x", {"n": "0\n"})
    await yard.ci.advance()
    yard.people.push("x", {"n": "1\n"})
    await yard.ci.advance()
    assert yard.runs[0].latest.conclusion == "cancelled"
    assert yard.runs[0].latest.jobs[0].conclusion == "cancelled"
    assert yard.runs[1].latest.status == "in_progress"


async def test_a_job_may_wait_for_its_own_group(make: Make) -> None:
    """Two jobs of one run in one group run one after the other; the second is pending meanwhile."""
    jobs = f"""
a: {{concurrency: deploy, {steps("true")}}}
b: {{concurrency: Deploy, {steps("true")}}}
"""
    yard = make(on_pull(jobs))
    for name in "ab":
        yard.ci.job(name, lambda _: passed())
    yard.ci.hold("a")
    yard.people.open_pull("x", {"n": "0\n"})
    await yard.ci.advance()
    assert {name: job.status for name, job in yard.jobs.items()} == {"a": "in_progress", "b": "pending"}
    yard.ci.release("a")
    await yard.ci.advance()
    assert yard.ends() == {"a": "success", "b": "success"}


def test_groups_are_bookkeeping() -> None:
    """One holds, one is pending, a newer one displaces the pending one; leaving makes room for the pending one first."""
    groups = Groups()
    assert groups.ask("G", ("run", 1), cancel_in_progress=False).admitted
    assert groups.ask("g", ("run", 1), cancel_in_progress=False).admitted
    assert not groups.ask("g", ("run", 2), cancel_in_progress=False).admitted
    assert groups.ask("g", ("run", 3), cancel_in_progress=False).cancels == (("run", 2),)
    assert groups.ask("g", ("run", 4), cancel_in_progress=True).cancels == (("run", 3), ("run", 1))
    groups.leave(("run", 1))
    assert groups.ask("g", ("run", 4), cancel_in_progress=True).admitted


DISPATCHED = """\
name: Probe
on:
  workflow_dispatch:
    inputs:
      sha: {required: true}
      deep: {type: boolean}
      mode: {type: choice, options: [fast, full], default: fast}
jobs:
  probe:
    runs-on: ubuntu-latest
    if: inputs.mode == 'fast' && !inputs.deep
    steps: [{run: "echo ${{ inputs.sha }}"}]
"""


async def test_dispatch(make: Make) -> None:
    """A dispatch gives the run at once, with inputs typed and checked; on a ref without the trigger it is 422."""
    yard = make(DISPATCHED)
    workflow = yard.repo.workflows[".github/workflows/ci.yml"]
    assert workflow.name == "Probe"
    yard.ci.job("probe", lambda _: passed())
    act = yard.act()
    run = await yard.ci.dispatch(act, workflow, "main", {"sha": "abc"})
    assert (run.event, run.latest.status, run.inputs) == (
        "workflow_dispatch",
        "queued",
        {"sha": "abc", "deep": False, "mode": "fast"},
    )
    await yard.ci.advance()
    assert run.latest.conclusion == "success"
    for inputs, says in (
        ({}, "Required input 'sha' not provided"),
        ({"sha": "a", "x": "1"}, "Unexpected inputs provided: .'x'."),
        ({"sha": "a", "mode": "slow"}, "not in the list of allowed values"),
    ):
        with pytest.raises(Refused, match=says):
            await yard.ci.dispatch(act, workflow, "main", inputs)
    with pytest.raises(Refused, match="No ref found for: nope"):
        await yard.ci.dispatch(act, workflow, "nope", {"sha": "a"})
    yard.people.push("bare", {".github/workflows/ci.yml": "on: push\njobs: {a: {" + steps("true") + "}}\n"})
    with pytest.raises(Refused, match="does not have 'workflow_dispatch' trigger"):
        await yard.ci.dispatch(act, workflow, "bare", {"sha": "a"})


async def test_a_workflow_token_may_dispatch(make: Make) -> None:
    """GitHub (section 4): dispatches are the events that a workflow's own token can start runs with."""
    yard = make(DISPATCHED.replace("workflow_dispatch:", "repository_dispatch: {types: [go]}\n  workflow_dispatch:"))
    yard.ci.job("probe", lambda _: passed())
    act = Act(yard.github, yard.repo, Actor(yard.github.actions_app().bot, None, by_workflow_token=True))
    await yard.ci.repository_dispatch(act, "stay", {})
    assert yard.runs == []
    await yard.ci.repository_dispatch(act, "go", {"why": "test"})
    assert (yard.run.event, yard.run.head_branch) == ("repository_dispatch", "main")
    await yard.ci.dispatch(act, yard.repo.workflows[".github/workflows/ci.yml"], "main", {"sha": "a"})
    assert yard.run.event == "workflow_dispatch"


def look(tree: Tree) -> Outcome:
    """A job that sees which execution it is."""
    return passed(f"{tree.job} {tree.event} {tree.attempt}")


async def test_advance_can_stop_after_one_job(make: Make) -> None:
    """`advance(jobs=1)` ends one job, so that a test can look between two."""
    yard = make(["one", "two"])
    for name in ("one", "two"):
        yard.ci.job(name, look)
    yard.people.open_pull("x", {"n": "0\n"})
    await yard.ci.advance(jobs=1)
    assert yard.ends() == {"one": "success", "two": None}
    await yard.ci.advance()
    assert b"two pull_request 1" in (yard.jobs["two"].log or b"")
