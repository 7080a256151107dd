"""Which events start runs, what they test, and how jobs follow one another. Facts by their number in GITHUB.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.sandbox.changes.pulls import open_pull, try_merge
from bot.sandbox.changes.pushes import create_ref, delete_ref, push_files
from bot.sandbox.ci.runner.function_job import Outcome, Tree, failed, passed
from bot.sandbox.state import Act, Actor
from tests.sandbox.yard import Yard, make_yard, on_pull, steps

Make = Callable[..., Yard]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Make a yard; at the end no payload was against its schema."""
    made: list[Yard] = []

    def build(*arguments: object, **named: object) -> Yard:
        made.append(make_yard(tmp_path, *arguments, **named))  # type: ignore[arg-type]
        return made[-1]

    yield build
    assert [problem for yard in made for problem in yard.problems] == []


def unit(tree: Tree) -> Outcome:
    """A job whose result follows from the tree."""
    return passed("ok") if "x = 1" in tree.read("app.py") else failed("E  assert x == 1")


async def test_a_job_follows_from_the_tree(make: Make) -> None:
    """A function over the tested tree fails on the change that breaks it and passes once it is mended."""
    yard = make(["unit"])
    yard.ci.job("unit", unit)
    yard.people.open_pull("break-it", {"app.py": "x = 2\n"})
    await yard.ci.advance()
    assert (yard.run.event, yard.run.latest.conclusion) == ("pull_request", "failure")
    yard.people.push("break-it", {"app.py": "x = 1  # mended\n"})
    await yard.ci.advance()
    assert [run.latest.conclusion for run in yard.runs] == ["failure", "success"]


async def test_nothing_runs_by_itself(make: Make) -> None:
    """Before `advance` there is no run; afterwards a second `advance` moves nothing."""
    yard = make(["unit"])
    yard.ci.job("unit", unit)
    yard.people.open_pull("a", {"app.py": "x = 2\n"})
    assert yard.runs == []
    assert await yard.ci.advance()
    assert not await yard.ci.advance()


async def test_a_pull_request_tests_the_frozen_merge_commit(make: Make) -> None:
    """GitHub: the run tests the merge of head and base at the event; a base that moves before the job changes nothing."""
    yard = make(["unit"])
    seen: list[str] = []
    yard.ci.job("unit", lambda tree: seen.append(tree.read("app.py") + tree.read("late.txt", "absent")) or passed())
    pull = yard.people.open_pull("a", {"new.py": "y\n"})
    base = pull.base_sha
    yard.people.push("main", {"late.txt": "came later\n"}, by="maintainer")
    await yard.ci.advance()
    run = next(run for run in yard.runs if run.event == "pull_request")
    assert yard.repo.git.commit(run.checkout).parents == (base, pull.head_sha)
    assert (run.head_sha, run.ref) == (pull.head_sha, f"refs/pull/{pull.number}/merge")
    assert seen == ["x = 1\nabsent", "x = 1\ncame later\n"]
    log = run.latest.jobs[0].log or b""
    assert f"HEAD is now at {run.checkout[:7]} Merge {pull.head_sha} into {base}".encode() in log


async def test_the_merge_commit_is_the_one_that_github_already_made(make: Make) -> None:
    """Where `mergeable` was computed before the event, the run tests that very commit."""
    yard = make(
        on_pull("a: {" + steps("true") + "}").replace("on: pull_request", "on: {pull_request: {types: [labeled]}}")
    )
    yard.ci.job("a", lambda _: passed())
    pull = yard.people.open_pull("a", {"new.py": "y\n"})
    merged = await try_merge(Act(yard.github, yard.repo, Actor(yard.people.account("author"))), pull)
    yard.people.label(pull, "go")
    await yard.ci.advance()
    assert yard.run.checkout == merged


async def test_a_conflict_starts_no_run(make: Make) -> None:
    """GitHub: no merge commit, no run."""
    yard = make(["unit"])
    yard.people.push("a", {"app.py": "x = 2\n"})
    with yard.people.quietly():
        yard.people.push("main", {"app.py": "x = 3  # [skip ci]\n"}, by="maintainer", message="Move [skip ci]")
    yard.people.open_pull("a")
    await yard.ci.advance()
    assert yard.runs == []


FILTERS = [
    ("on: {push: {branches: [main]}}", {"app.py": "x\n"}, "Change", 0),
    ("on: {push: {branches: ['feat*']}}", {"app.py": "x\n"}, "Change", 1),
    ("on: {push: {branches-ignore: ['feat*']}}", {"app.py": "x\n"}, "Change", 0),
    ("on: {push: {tags: ['v*']}}", {"app.py": "x\n"}, "Change", 0),
    ("on: {push: {paths: ['docs/**']}}", {"app.py": "x\n"}, "Change", 0),
    ("on: {push: {paths: ['docs/**']}}", {"app.py": "x\n", "docs/a": "d\n"}, "Change", 1),
    ("on: {push: {paths-ignore: ['docs/**']}}", {"docs/a": "d\n"}, "Change", 0),
    ("on: push", {"app.py": "x\n"}, "Change [skip ci]", 0),
    ("on: push", {"app.py": "x\n"}, "Change\n\nskip-checks: true\n", 0),
    ("on: push", {"app.py": "x\n"}, "Change", 1),
    ("on: workflow_dispatch", {"app.py": "x\n"}, "Change", 0),
    ("on: schedule", {"app.py": "x\n"}, "Change", 0),
]


@pytest.mark.parametrize(("trigger", "files", "message", "runs"), FILTERS)
async def test_push_filters(make: Make, trigger: str, files: dict[str, str], message: str, runs: int) -> None:
    """Branch, tag and path filters, and `[skip ci]`, decide whether a push starts a run."""
    yard = make(f"name: CI\n{trigger}\njobs:\n  a: {{{steps('true')}}}\n")
    yard.ci.job("a", lambda _: passed())
    yard.people.push("feature", files, message=message)
    await yard.ci.advance()
    assert len(yard.runs) == runs


async def test_pull_request_types_and_draft_guards(make: Make) -> None:
    """Labels start only workflows that ask for them; a draft is skipped by `if`, and runs once it is ready."""
    trigger = "on: {pull_request: {types: [opened, ready_for_review]}}"
    guard = "if: github.event.pull_request.draft == false"
    yard = make(f"name: CI\n{trigger}\njobs:\n  a: {{{guard}, {steps('true')}}}\n")
    yard.ci.job("a", lambda _: passed())
    pull = yard.people.open_pull("a", {"n": "1\n"}, draft=True)
    yard.people.label(pull, "x")
    await yard.ci.advance()
    assert [run.latest.conclusion for run in yard.runs] == ["skipped"]
    yard.people.ready(pull)
    await yard.ci.advance()
    assert [run.latest.conclusion for run in yard.runs] == ["skipped", "success"]


async def test_a_workflow_token_starts_nothing_and_an_app_does(make: Make) -> None:
    """GitHub (section 4): events by a workflow's own token start no run, those by an App's token do."""
    yard = make("name: CI\non: push\njobs:\n  a: {" + steps("true") + "}\n")
    yard.ci.job("a", lambda _: passed())
    bot = yard.people.account("app[bot]")
    push_files(Act(yard.github, yard.repo, Actor(bot, None, by_workflow_token=True)), "b1", {"a": "1\n"}, "m")
    await yard.ci.advance()
    assert yard.runs == []
    push_files(Act(yard.github, yard.repo, Actor(bot)), "b2", {"a": "1\n"}, "m")
    await yard.ci.advance()
    assert len(yard.runs) == 1


EMPTY = [
    ("on: push", "m", 1),
    ("on: push", "m [skip ci]", 0),
    ("on: {push: {paths: ['**']}}", "m", 0),
    ("on: {push: {paths-ignore: ['docs/**']}}", "m", 0),
    ("on: pull_request", "m", 1),
    ("on: pull_request", "m [skip ci]", 0),
    ("on: {pull_request: {types: [synchronize, closed]}}", "m", 0),
]


@pytest.mark.parametrize(("trigger", "message", "runs"), EMPTY)
async def test_what_an_apps_branch_and_draft_without_a_change_start(
    make: Make, trigger: str, message: str, runs: int
) -> None:
    """GITHUB.md section 4: an App's events start runs; `[skip ci]` keeps them away, and no file passes a path filter.

    The draft's run is on the merge of the empty commit with the base; it ends with its branch, and starts nothing more.
    """
    yard = make(f"name: CI\n{trigger}\njobs:\n  a: {{{steps('true')}}}\n")
    yard.ci.job("a", lambda _: passed())
    git, act = yard.repo.git, Act(yard.github, yard.repo, Actor(yard.people.account("app[bot]")))
    base = git.branch("main") or ""
    empty = git.store.write_commit(git.commit(base).tree, (base,), message, act.by.account.signature(act.now))
    create_ref(act, "refs/heads/probe", empty)
    pull = open_pull(act, title="probe", head="probe", base="main", draft=True)
    await yard.ci.advance()
    delete_ref(act, "refs/heads/probe")
    await yard.ci.advance()
    assert (pull.state, pull.merged_at, git.branch("main")) == ("closed", None, base)
    assert [run.head_sha for run in yard.runs] == [empty] * runs


async def test_forks_run_without_rights_and_may_await_approval(make: Make) -> None:
    """A fork's pull request runs in the base repository; with approvals on, a newcomer's waits for a maintainer."""
    yard = make(["unit"])
    yard.ci.job("unit", unit)
    yard.ci.approvals = True
    pull = yard.people.open_pull("a", {"app.py": "x = 2\n"}, by="outsider", fork=True)
    await yard.ci.advance()
    assert (yard.run.latest.status, yard.run.latest.conclusion) == ("completed", "action_required")
    assert yard.run.latest.jobs == []
    assert yard.run.head_repo == pull.head_repo != yard.repo.id
    await yard.ci.approve(yard.act(), yard.run)
    await yard.ci.advance()
    assert (yard.run.latest.conclusion, len(yard.run.attempts)) == ("failure", 1)


NEEDS = """
build: {if: "true", %(build)s}
test: {needs: build, %(ok)s}
after: {needs: test, %(ok)s}
always: {needs: [build, test], if: always(), %(ok)s}
failure: {needs: test, if: failure(), %(ok)s}
"""


@pytest.mark.parametrize(
    ("build", "ends"),
    [
        ("success", ["success", "success", "success", "success", "skipped"]),
        ("failure", ["failure", "skipped", "skipped", "success", "success"]),
    ],
)
async def test_needs_and_status_functions(make: Make, build: str, ends: list[str]) -> None:
    """A failed job skips what needs it, however far; `always()` runs, `failure()` sees every ancestor."""
    yard = make(on_pull(NEEDS % {"build": steps("true"), "ok": steps("true")}))
    for name in ("build", "test", "after", "always", "failure"):
        yard.ci.job(name, lambda _: passed())
    yard.ci.job("build", lambda _: Outcome(build))
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    ended = yard.ends()
    assert [ended[name] for name in ("build", "test", "after", "always", "failure")] == ends
    assert yard.run.latest.conclusion == build


async def test_outputs_reach_a_matrix(make: Make) -> None:
    """A matrix can be made of another job's output; each combination is a job of its own."""
    jobs = f"""
plan: {{{steps("true")}}}
test:
  needs: plan
  strategy: {{matrix: {{py: "${{{{ fromJSON(needs.plan.outputs.list) }}}}"}}}}
  name: py ${{{{ matrix.py }}}}
  {steps("true").replace(", steps", chr(10) + "  steps")}
"""
    yard = make(on_pull(jobs))
    yard.ci.job("plan", lambda _: Outcome(outputs={"list": '["3.11", "3.12"]'}))
    yard.ci.job("test", lambda tree: passed(str(tree.matrix["py"])))
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    assert yard.ends() == {"plan": "success", "py 3.11": "success", "py 3.12": "success"}


MATRIX = """
test:
  strategy: {fail-fast: %s, matrix: {n: [1, 2, 3]}}
  continue-on-error: ${{ matrix.n == 3 }}
  runs-on: ubuntu-latest
  steps: [{run: 'true'}]
"""


@pytest.mark.parametrize(
    ("fail_fast", "ends", "run"),
    [("true", ["success", "failure", "cancelled"], "failure"), ("false", ["success", "failure", "failure"], "failure")],
)
async def test_fail_fast_cancels_the_rest_of_a_matrix(make: Make, fail_fast: str, ends: list[str], run: str) -> None:
    """With fail-fast the first failure cancels the jobs that have not ended; without it all run."""
    yard = make(on_pull(MATRIX % fail_fast))
    yard.ci.job("test", lambda tree: passed() if tree.matrix["n"] == 1 else failed())
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    assert list(yard.ends().values()) == ends
    assert yard.run.latest.conclusion == run


async def test_continue_on_error_makes_a_green_run_of_a_red_job(make: Make) -> None:
    """A job with `continue-on-error` stays red itself and lets the run pass."""
    yard = make(on_pull("a: {continue-on-error: true, " + steps("false") + "}"))
    yard.ci.job("a", lambda _: failed())
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    assert (yard.ends(), yard.run.latest.conclusion) == ({"a": "failure"}, "success")


async def test_trap_10_a_startup_failure_has_no_jobs_and_tells_of_none(make: Make) -> None:
    """GITHUB.md trap 10: a file that cannot run gives `startup_failure`, no jobs, no job event; the reason names the line."""
    yard = make(on_pull("a: {container: node, " + steps("true") + "}"))
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    assert (yard.run.latest.conclusion, yard.run.latest.jobs) == ("startup_failure", [])
    assert yard.run.problems == [".github/workflows/ci.yml:4: jobs.a.container: is not supported by this sandbox"]
    assert [event for event, _, _ in yard.heard if event in {"workflow_job", "check_run"}] == []
    assert ("workflow_run", "completed", "CI") in yard.heard or (
        "workflow_run",
        "completed",
        yard.run.path,
    ) in yard.heard


async def test_an_unknown_action_fails_at_start(make: Make) -> None:
    """An action that the runner does not know is named before anything runs; a function in the job's place needs none."""
    text = on_pull("a: {runs-on: x, steps: [{uses: some/action@v1}]}")
    yard = make(text)
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    assert yard.run.latest.conclusion == "startup_failure"
    assert "some/action@v1 is not supported" in yard.run.problems[0]
    yard.ci.job("a", lambda _: passed())
    yard.people.push("a", {"n": "2\n"})
    await yard.ci.advance()
    assert yard.run.latest.conclusion == "success"


async def test_trap_4_one_result_is_told_four_times(make: Make) -> None:
    """GITHUB.md trap 4: one job is a workflow_job, a check_run with the same id, part of a check_suite and of a workflow_run."""
    yard = make(["unit"])
    yard.ci.job("unit", unit)
    yard.people.open_pull("a", {"app.py": "x = 2\n"})
    yard.heard.clear()
    await yard.ci.advance()
    job = yard.jobs["unit"]
    check = yard.repo.check_runs[job.check_run]
    assert (job.id, check.conclusion, check.app.id) == (check.id, "failure", 15368)
    assert yard.repo.suites[check.suite].run_id == yard.run.id
    assert [(event, action) for event, action, _ in yard.heard] == [
        ("check_suite", "requested"),
        ("workflow_run", "requested"),
        ("check_run", "created"),
        ("workflow_job", "queued"),
        ("workflow_run", "in_progress"),
        ("workflow_job", "in_progress"),
        ("workflow_job", "completed"),
        ("check_run", "completed"),
        ("workflow_run", "completed"),
        ("check_suite", "completed"),
    ]


async def test_trap_5_each_run_has_a_suite_of_its_own(make: Make) -> None:
    """GITHUB.md trap 5: two runs on one commit are two suites of the same App."""
    yard = make("name: CI\non: [push, pull_request]\njobs:\n  a: {" + steps("true") + "}\n")
    yard.ci.job("a", lambda _: passed())
    pull = yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    suites = [suite for suite in yard.repo.suites.values() if suite.head_sha == pull.head_sha]
    assert len(suites) == len({suite.run_id for suite in suites}) == 2
    assert {suite.app.id for suite in suites} == {15368}


async def test_a_duration_shows_in_the_times_and_leaves_the_clock_alone(make: Make) -> None:
    """A job that takes 90 s ends 90 s after it began; a job that needs it begins then."""
    yard = make(on_pull("a: {" + steps("true") + "}\nb: {needs: a, " + steps("true") + "}"))
    yard.ci.job("a", lambda _: passed(seconds=90))
    yard.ci.job("b", lambda _: passed(seconds=30))
    yard.people.open_pull("a", {"n": "1\n"})
    now = yard.clock.now()
    await yard.ci.advance()
    assert (yard.jobs["a"].started_at, yard.jobs["a"].completed_at) == (now, now + 90)
    assert (yard.jobs["b"].started_at, yard.jobs["b"].completed_at) == (now + 90, now + 120)
    assert yard.clock.now() == now
    assert yard.run.latest.updated_at == now + 120
