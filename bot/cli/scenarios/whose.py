"""Scenarios of attribution in which failres may act: flakes, defects of task and base, drift, and look-alikes."""

from __future__ import annotations

from bot.cli.scenarios import team
from bot.cli.scenarios.looking import classes, told
from bot.cli.scenarios.scenario import Scenario, expect
from bot.cli.stage import Stage
from bot.sandbox.ci.runner.function_job import Outcome, Tree, failed, passed
from bot.sandbox.state import Pull, Repository

ITEM = "tests/test_shop.py::test_discount"
FLAKE_CALLS, PULL_CALLS, PROBE_CALLS = 25, 15, 15
"""The most that GitHub may be asked: for a flake, for each task of a shared base defect, and for the one probe."""

NO_VIOLATION = "every request was one that GitHub knows and the App may make"


async def shop(stage: Stage, workflow: str = team.ON_PUSH, shop: str = team.RIGHT) -> Repository:
    """The team's repository, its base tested where the workflow does that."""
    stage.sandbox.ci.job("unit", team.unit)
    repo = stage.repo("shop", team.files(shop), {"ci.yml": workflow})
    stage.people.push("main", {"CHANGELOG.md": "first"}, by="admin")
    await stage.settle()
    stage.ready()
    return repo


def cheap(stage: Stage, most: int) -> None:
    """Expect that GitHub was asked no more often than that since the scene was set, where nothing is lost or dies."""
    asked = stage.requests - stage.ready_at
    expect(asked <= most or not stage.calm, f"it takes at most {most} requests to GitHub (it took {asked})")


async def flake(stage: Stage) -> None:
    """Fail once at random: one rerun passes, and it is told as what it is."""
    repo = await shop(stage)
    stage.sandbox.ci.fail_once("unit", *team.RED)
    pull = stage.people.open_pull("docs", {"README.md": "more"})
    await stage.settle()
    expect(reruns(repo, pull) == 1, "the failed job was rerun once")
    expect(await classes(stage, pull) == {ITEM: "flake"}, "the verdict is flake")
    expect("Flaky" in told(stage, pull), "the comment says that it is flaky")
    cheap(stage, FLAKE_CALLS)
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def task_defect(stage: Stage) -> None:
    """Break a test: it fails again on the same commit and passes on the clean base."""
    repo = await shop(stage)
    pull = stage.people.open_pull("discount", {"shop.py": team.WRONG})
    await stage.settle()
    expect(await classes(stage, pull) == {ITEM: "task-defect"}, "the verdict is task-defect")
    expect(reruns(repo, pull) == 1, "it took one rerun")
    expect("This pull request breaks" in told(stage, pull), "the comment says whose failure it is")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def base_defect(stage: Stage) -> None:
    """Five pull requests fail for the base's defect: one shared probe, and all are told the same."""
    repo = await shop(stage, team.ON_DEMAND, team.WRONG)
    people = ("author", "maintainer", "admin", "fifth", "sixth")
    for login in people[3:]:
        repo.collaborators[login] = "write"
    pulls = [stage.people.open_pull(f"docs-{by}", {f"docs/{by}.md": "more"}, by=by) for by in people]
    await stage.settle()
    for pull in pulls:
        expect(await classes(stage, pull) == {ITEM: "base-defect"}, f"#{pull.number} is told that the base is to blame")
        expect("Not this pull request" in told(stage, pull), f"the comment on #{pull.number} says so")
    expect(probes(repo) == 1, "one probe was shared by all")
    cheap(stage, PROBE_CALLS + len(pulls) * PULL_CALLS)
    expect(not [ref for ref in repo.git.refs.all() if "failres/" in ref], "the probe's branch is gone")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def drift(stage: Stage) -> None:
    """The base was broken and has been mended: the branch is rebased, not rerun, and turns green."""
    repo = await shop(stage)
    stage.people.push("main", {"shop.py": team.WRONG}, by="admin", message="Simplify the discount")
    await stage.settle()
    pull = stage.people.open_pull("docs", {"README.md": "more"})
    await stage.settle()
    before = pull.head_sha
    stage.people.push("main", {"shop.py": team.RIGHT}, by="admin", message="Mend the discount")
    await stage.settle()
    expect(pull.head_sha != before, "the branch was rebased")
    changed = {name for names in repo.git.names(repo.git.branch("main"), pull.head_sha).values() for name in names}
    expect(changed == {"README.md"}, "the branch holds nothing but its own change")
    expect(conclusions(repo, pull) == {"success"}, "its checks are green")
    expect("failres rebased this branch onto `main`" in told(stage, pull), "whoever works on it is told of the rebase")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def busy_base(stage: Stage) -> None:
    """The base moves all the time: a task's defect is still found, and nobody is called drifted."""
    await shop(stage)
    pull = stage.people.open_pull("discount", {"shop.py": team.WRONG})
    for number in range(6):
        await stage.settle(5.0)
        stage.people.push("main", {f"notes/{number}.md": "more"}, by="admin", message=f"Note {number}")
        stage.clock.advance(60.0)
    await stage.settle()
    expect(await classes(stage, pull) == {ITEM: "task-defect"}, "the verdict is task-defect")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def mixed(stage: Stage) -> None:
    """A test that has flaked before fails twice in the same way on a task: two alike failures blame nobody."""
    await shop(stage)
    stage.sandbox.ci.fail_once("unit", *team.RED)
    before = stage.people.open_pull("docs", {"README.md": "more"})
    await stage.settle()
    expect(await classes(stage, before) == {ITEM: "flake"}, "it is known to be flaky")
    stage.sandbox.ci.fail_once("unit", *team.RED)
    stage.sandbox.ci.fail_once("unit", *team.RED)
    pull = stage.people.open_pull("notes", {"NOTES.md": "more"}, by="maintainer")
    await stage.settle()
    expect(await classes(stage, pull) == {ITEM: "unclassified"}, "the task is not accused, the base not either")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def conflict(stage: Stage) -> None:
    """The base was mended, and the branch conflicts with it: the comment says what a person has to do."""
    await shop(stage)
    stage.people.push("main", {"shop.py": team.WRONG}, by="admin", message="Simplify the discount")
    await stage.settle()
    pull = stage.people.open_pull("docs", {"README.md": "ours"})
    await stage.settle()
    before = pull.head_sha
    stage.people.push("main", {"shop.py": team.RIGHT, "README.md": "theirs"}, by="admin", message="Mend the discount")
    await stage.settle()
    expect(await classes(stage, pull) == {ITEM: "base-drift"}, "the verdict is base-drift")
    expect(pull.head_sha == before, "the branch was left as it was")
    expect("conflicts with its base" in told(stage, pull), "the comment says that somebody has to resolve it")
    expect("/failres answer try-again" in told(stage, pull), "people are asked, as the table says")
    expect("does not call this branch disposable" in told(stage, pull), "and told why the task is not done anew")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def outage(stage: Stage) -> None:
    """A service is down, so half of the repository's tasks fail in their surroundings: nothing is retried."""
    repo = await shop(stage)
    for login in ("fifth", "sixth"):
        repo.collaborators[login] = "write"
    stage.sandbox.ci.job("unit", unreachable)
    people = ("author", "maintainer", "admin", "fifth", "sixth")
    pulls = [stage.people.open_pull(f"docs-{by}", {f"docs/{by}.md": "more"}, by=by) for by in people]
    await stage.settle()
    for pull in pulls:
        expect("Many pull requests fail at once" in told(stage, pull), f"#{pull.number} is told of the outage")
        expect("it is looked into once that is over" in told(stage, pull), f"#{pull.number} is told when it goes on")
        expect(reruns(repo, pull) == 0, "nothing was rerun")
    expect(probes(repo) == 0, "nothing was probed")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


def unreachable(_: Tree) -> Outcome:
    """The package registry does not answer."""
    return failed("curl: (6) Could not resolve host: downloads.example.org", exit_status=6)


async def deploys(stage: Stage) -> None:
    """A run whose dependents write to the repository is never started again, on the base least of all."""
    repo = await shop(stage, DEPLOYING)
    stage.sandbox.ci.job("publish", lambda _: passed("published"))
    pull = stage.people.open_pull("discount", {"shop.py": team.WRONG})
    await stage.settle()
    expect(all(len(run.attempts) == 1 for run in repo.runs.values()), "no run was started again")
    expect(probes(repo) == 0, "no probe was started by that workflow")
    expect("unit" in told(stage, pull), "the failure is told all the same")
    expect("answer try-again" not in told(stage, pull), "nothing is offered that would be refused")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


DEPLOYING = (
    team.ON_PUSH.replace("  pull_request:\n", "  pull_request:\n  workflow_dispatch:\n")
    + """\
  publish:
    needs: unit
    runs-on: ubuntu-latest
    permissions:
      contents: write
    steps:
      - run: make publish
"""
)


async def no_baseline(stage: Stage) -> None:
    """A check that exists on the branch alone has no baseline; it is not excused and not accused without a run."""
    repo = await shop(stage)
    stage.sandbox.ci.job("lint", lint)
    workflow = team.ON_PUSH.replace("name: ci", "name: lint").replace("unit", "lint")
    pull = stage.people.open_pull("lint", {".github/workflows/lint.yml": workflow})
    await stage.settle()
    expect(await classes(stage, pull) in ({"lint": "unclassified"}, {}), "no class is claimed without a baseline")
    expect("lint: something is wrong" in told(stage, pull), "what the job printed last is told all the same")
    expect(probes(repo) == 0, "no probe was started for what the base does not have")


def lint(_: Tree) -> Outcome:
    """A job that fails without naming an item."""
    return failed("lint: something is wrong", exit_status=3)


async def stale_green(stage: Stage) -> None:
    """The base was green yesterday and a dependency broke since: only a fresh probe finds out."""
    broken = {"since": float("inf")}

    def aging(tree: Tree) -> Outcome:
        if stage.clock.now() >= broken["since"]:
            return failed(*team.RED)
        return team.unit(tree)

    workflow = team.ON_PUSH.replace("  pull_request:\n", "  pull_request:\n  workflow_dispatch:\n")
    repo = await shop(stage, workflow)
    stage.sandbox.ci.job("unit", aging)
    broken["since"] = stage.clock.now() + 80_000
    stage.clock.advance(90_000)
    pull = stage.people.open_pull("docs", {"README.md": "more"})
    await stage.settle()
    expect(probes(repo) == 1, "the base was asked afresh")
    expect(await classes(stage, pull) == {ITEM: "base-defect"}, "the base is to blame, whatever it was yesterday")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def empty_green(stage: Stage) -> None:
    """A probe that was green because nothing ran proves nothing."""

    def affected_only(tree: Tree) -> Outcome:
        if tree.event == "workflow_dispatch":
            return passed("no projects are affected, nothing to do")
        return team.unit(tree)

    repo = await shop(stage, team.ON_DEMAND)
    stage.sandbox.ci.job("unit", affected_only)
    pull = stage.people.open_pull("discount", {"shop.py": team.WRONG})
    await stage.settle()
    expect(probes(repo) >= 1, "the base was asked")
    expect("task-defect" not in (await classes(stage, pull)).values(), "an empty green accuses nobody")
    expect("not seen to run" in told(stage, pull), "the comment says why the green base proves nothing")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


def reruns(repo: Repository, pull: Pull) -> int:
    """Count the attempts beyond the first on a pull request's head."""
    return sum(len(run.attempts) - 1 for run in repo.runs.values() if run.head_sha == pull.head_sha)


def probes(repo: Repository) -> int:
    """Count the runs that were started on demand."""
    return sum(1 for run in repo.runs.values() if run.event == "workflow_dispatch")


def conclusions(repo: Repository, pull: Pull) -> set[str | None]:
    """The conclusions of the newest attempts on a pull request's head."""
    return {run.latest.conclusion for run in repo.runs.values() if run.head_sha == pull.head_sha}


WHOSE = (
    Scenario("flake", "A test that fails at random is rerun once and told as flaky.", flake),
    Scenario("task-defect", "A broken test is proven to be the pull request's own.", task_defect),
    Scenario("base-defect", "Five pull requests, one broken base: one shared probe tells them all.", base_defect),
    Scenario("drift", "The base was mended meanwhile: the branch is rebased.", drift),
    Scenario("busy-base", "The base moves all the time; a task's defect is still found.", busy_base),
    Scenario("mixed", "A flake that fails twice the same way is blamed on nobody.", mixed),
    Scenario("conflict", "The base was mended, but the branch conflicts with it: people are told.", conflict),
    Scenario("outage", "Many pull requests fail at once: one explanation each, nothing retried.", outage),
    Scenario("deploys", "A run whose dependents publish is never started again.", deploys),
    Scenario("no-baseline", "A check that never ran on the base is not judged without one.", no_baseline),
    Scenario("stale-green", "Yesterday's green base proves nothing: a fresh probe finds out.", stale_green),
    Scenario("empty-green", "A green probe that ran nothing proves nothing.", empty_green),
)
