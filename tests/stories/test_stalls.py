"""A check that gets nowhere is told while it still runs; what only waits is not called a stall."""

import asyncio
import json
import re

from inline_snapshot import snapshot

from bot.cli.main import main
from bot.cli.scenarios import team
from bot.cli.scenarios.looking import classes
from bot.sandbox.ci.runner.function_job import Outcome, failed, passed
from bot.sandbox.state import Act, Actor

MINUTE = 60.0
CONFIG = {".github/failres.yml": "stall:\n  budgets:\n    - {step: Test, budget: 10m}\n"}
WORKFLOW = """\
name: ci
on:
  push:
    branches: [main]
  pull_request:
jobs:
  unit:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Test
        run: make unit
"""


def unit(_):
    """A suite that takes two minutes."""
    return passed("1 passed in 0.02s", seconds=2 * MINUTE)


async def shop(world, **files):
    """A repository whose one check is green on the base, with failres installed."""
    world.sandbox.ci.job("unit", unit)
    repo = world.repo("shop", {"shop.py": "", **CONFIG, **files}, {"ci.yml": WORKFLOW})
    world.people.push("main", {"CHANGELOG.md": "first"}, by="admin")
    await world.settle()
    return repo


async def stalled(world):
    """A pull request whose test step hangs for longer than its budget."""
    await shop(world)
    world.sandbox.ci.hold("unit", step="Test")
    pull = world.people.open_pull("hang", {"shop.py": "while True: pass\n"}, title="Wait for it")
    await world.settle()
    await world.later(35 * MINUTE)
    return pull


async def test_a_step_that_hangs_is_told_while_it_still_runs(world):
    """A running step without change past its budget: check run and comment name it; failres ends nothing."""
    pull = await stalled(world)
    assert await classes(world, pull) == {"Test": "gate-stalled"}
    said = re.sub(r"since [-\d: ]+ UTC", "since ‹then›", world.said(pull))
    assert said.partition(" Whether it stalls")[0].partition(" failres cancels")[0] == snapshot("""\
✔ failres: neutral: Test makes no progress any more, and still runs

<!-- failres:sticky:1 -->

**`Test` makes no progress any more, and still runs**

`ci / unit` makes no progress: `Test`: `the step ran past its budget of 10 min`

[Log of `ci / unit`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

In `ci / unit` the step `Test` has been running since ‹then›. Its budget is 10 min, as the configuration says.

**What happens now:** GitHub ends it only at its time limit; until then it holds a runner, unless a person cancels it.\
""")
    assert "failres cancels nothing." in said
    assert conclusions(world, pull) == {None}


async def test_a_job_that_goes_on_and_passes_takes_the_stall_back(world):
    """It was only slow: the verdict is withdrawn in the journal, and the comment is resolved."""
    pull = await stalled(world)
    assert "makes no progress" in world.said(pull)
    world.sandbox.ci.release("unit")
    await world.settle()
    assert await classes(world, pull) == {}
    changes = [row.data for row in await world.journal() if row.kind == "gate.reattributed"]
    assert [(each["was"], each["kind"], each["reason"]) for each in changes] == [
        ("gate-stalled", "withdrawn", "the step `Test` went on after all")
    ]
    assert world.said(pull).startswith("✔ failres: neutral: Green again\n\n(hidden as resolved)")


async def test_a_stalled_job_that_a_person_cancels_is_no_failure(world):
    """What a person cancelled is not red: nothing is said to fail any more."""
    pull = await stalled(world)
    assert "makes no progress" in world.said(pull)
    (run,) = [run for run in world.where(pull).runs.values() if run.head_sha == pull.head_sha]
    act = Act(world.sandbox.github, world.where(pull), Actor(world.people.account("maintainer")))
    await world.sandbox.ci.cancel(act, run, force=False)
    await world.settle()
    assert await classes(world, pull) == {}
    assert "Nothing is known to fail" in world.said(pull)


async def test_a_job_without_a_runner_is_no_stall(world):
    """Two hours in the queue: it is waited for, and nothing is said."""
    await shop(world)
    world.sandbox.ci.keep_queued("unit")
    pull = world.people.open_pull("queued", {"shop.py": "pass\n"})
    await world.settle()
    await world.later(120 * MINUTE)
    assert world.said(pull) == ""
    assert await classes(world, pull) == {}


async def test_a_job_that_runs_into_its_time_limit_is_a_stall(world):
    """GitHub ended it as `timed_out`; the cancellation in its log is no other failure."""
    await shop(world)
    ended = Outcome("timed_out", ("collected 1 item", "tests/test_shop.py "), seconds=360 * MINUTE)
    world.sandbox.ci.fail_once("unit", outcome=ended)
    pull = world.people.open_pull("hang", {"shop.py": "while True: pass\n"})
    await world.settle()
    assert await classes(world, pull) == {"Test": "gate-stalled"}
    assert "`ci / unit` ran into its time limit: `Test`: `the job ran into its time limit`" in world.said(pull)


async def test_a_wrappers_last_line_names_the_item(world):
    """The check runs under the gate wrapper, which ended it: the item is the test, not the step."""
    await shop(world)
    line = {
        "failClass": "task-stalled",
        "scope": "task",
        "message": "no progress for 90 s while test_hang was running",
        "attribution": "gate-stalled",
        "item": "tests/test_shop.py::test_hang",
        "exitStatus": 124,
    }
    world.sandbox.ci.fail_once("unit", outcome=failed("collected 1 item", json.dumps(line), exit_status=124))
    pull = world.people.open_pull("hang", {"shop.py": "while True: pass\n"})
    await world.settle()
    assert await classes(world, pull) == {"tests/test_shop.py::test_hang": "gate-stalled"}
    assert "`tests/test_shop.py::test_hang` made no progress any more and was ended" in world.said(pull)


async def test_nothing_is_claimed_without_history(calm):
    """Neither a rule nor a past: three hours in one step are no stall, and nothing is asked."""
    calm.sandbox.ci.job("unit", unit)
    calm.repo("shop", {"shop.py": ""}, {"ci.yml": WORKFLOW})
    await calm.settle()
    calm.sandbox.ci.hold("unit", step="Test")
    pull = calm.people.open_pull("hang", {"shop.py": "while True: pass\n"})
    await calm.settle()
    await calm.later(180 * MINUTE)
    assert (calm.said(pull), reads(calm)) == ("", 0)


async def test_a_stall_is_asked_of_the_clean_base_and_then_run_once_more(world):
    """Where failres may act: a probe of the base, which does not stall, then one rerun, which passes."""
    await acting(world)
    world.sandbox.ci.fail_once("unit", outcome=Outcome("timed_out", seconds=360 * MINUTE))
    pull = world.people.open_pull("hang", {"README.md": "more"})
    await world.settle()
    assert await classes(world, pull) == {"Run make unit": "gate-stalled"}
    assert (started(world, "workflow_dispatch"), attempts(world, pull)) == (1, 2)
    assert "Green again" in world.said(pull)


async def test_a_stall_that_the_clean_base_has_too_is_the_bases_to_mend(world):
    """It stalls on the base as well: nothing is run again, the base has to be mended."""
    await acting(world)
    world.sandbox.ci.job("unit", lambda _: Outcome("timed_out", seconds=360 * MINUTE))
    pull = world.people.open_pull("hang", {"README.md": "more"})
    await world.settle()
    assert await classes(world, pull) == {"Run make unit": "gate-stalled"}
    assert (started(world, "workflow_dispatch"), attempts(world, pull)) == (1, 1)
    assert "The base has to be mended" in world.said(pull)


async def acting(world):
    """The team's repository, whose configuration lets failres rerun and probe; its base is tested on demand."""
    world.sandbox.ci.job("unit", team.unit)
    repo = world.repo("shop", team.files(), {"ci.yml": team.ON_DEMAND})
    world.people.push("main", {"CHANGELOG.md": "first"}, by="admin")
    await world.settle()
    return repo


def started(world, event):
    """How many runs an event started."""
    return sum(run.event == event for repo in world.sandbox.github.repositories.values() for run in repo.runs.values())


def attempts(world, pull):
    """How often the run of a pull request's head was attempted."""
    (run,) = [run for run in world.where(pull).runs.values() if run.head_sha == pull.head_sha]
    return len(run.attempts)


async def test_the_budget_is_made_of_the_steps_own_past(calm):
    """Without a rule: three times the 95th percentile of the same step's successes, whatever event made them."""
    calm.sandbox.ci.job("unit", lambda _: passed("1 passed", seconds=8 * MINUTE))
    calm.repo("shop", {"shop.py": ""}, {"ci.yml": WORKFLOW})
    await calm.settle()
    for number in range(5):
        calm.people.push("main", {"n": str(number)}, by="admin")
        await calm.settle()
    calm.sandbox.ci.hold("unit", step="Test")
    pull = calm.people.open_pull("hang", {"shop.py": "while True: pass\n"})
    await calm.settle()
    await calm.later(20 * MINUTE)
    assert (calm.said(pull), reads(calm)) == ("", 0)
    await calm.later(10 * MINUTE)
    assert "Its budget is 24 min, made of its last 5 successes." in calm.said(pull)


async def test_a_running_job_costs_few_calls(calm):
    """Hours of a job that hangs: it is read when its budget is spent, and each time it has run twice as long."""
    await shop(calm)
    calm.sandbox.ci.hold("unit", step="Test")
    pull = calm.people.open_pull("hang", {"shop.py": "while True: pass\n"})
    await calm.settle()
    await calm.later(5 * MINUTE)
    assert reads(calm) == 0
    await calm.later(180 * MINUTE)
    assert reads(calm) == 5, "after 10, 20, 40, 80 and 160 minutes"
    calm.said(pull)


async def test_explain_tells_what_runs_and_what_waits(calm, capsys):
    """`failres explain` names the running step, its budget and what stands in the queue."""
    await shop(
        calm, **{".github/workflows/docs.yml": WORKFLOW.replace("unit:", "docs:").replace("name: ci", "name: docs")}
    )
    calm.sandbox.ci.job("docs", unit)
    calm.sandbox.ci.hold("unit", step="Test")
    calm.sandbox.ci.keep_queued("docs")
    pull = calm.people.open_pull("hang", {"shop.py": "while True: pass\n"}, title="Wait for it")
    await calm.settle()
    await calm.later(20 * MINUTE)
    assert "Not stalled: `docs / docs` waits for a runner." in calm.said(pull)
    assert await asyncio.to_thread(main, ["explain", "octo/shop#1", "--state", str(calm.root / "state")]) == 0
    text = capsys.readouterr().out
    assert "In ci / unit the step Test has been running since" in text
    assert "Not stalled: docs / docs waits for a runner." in text


def reads(world):
    """How often a job was read."""
    return world.sandbox.api.ledger.by_route.get("actions/get-job-for-workflow-run", 0)


def conclusions(world, pull):
    """How the jobs of a pull request's head ended."""
    runs = [run for run in world.where(pull).runs.values() if run.head_sha == pull.head_sha]
    return {job.conclusion for run in runs for job in run.latest.jobs}
