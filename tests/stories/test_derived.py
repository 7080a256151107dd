"""Jobs that are red only because of others: shown, never attributed, never counted."""

import pytest

from bot.sandbox.ci.runner.function_job import failed, passed
from bot.sandbox.faults import Fault
from resolver.facts import GateAttributed
from resolver.journal import from_json
from tests.stories.acts import MANAGED, RED, job, open_shop, runs, workflow

SUM = ", needs: unit, if: always()"
"""The usual job that branch protection asks for: it runs in any case, and fails where one of its needs did."""


def all_green(tree):
    """It knows of the others' results; the sandbox's function has only the tree."""
    if "100 - percent" in tree.read("shop.py"):
        return passed("all jobs passed")
    return failed("error: unit did not pass: failure")


async def attributed(world):
    """The checks of which a verdict was recorded."""
    facts = [from_json(row.kind, row.data) for row in await world.journal()]
    return {fact.check.job for fact in facts if isinstance(fact, GateAttributed)}


async def test_a_job_that_only_sums_up_is_named_beside_what_it_sums_up(world):
    """One failure is told, with one verdict; once `unit` passes, so does its sum."""
    world.sandbox.ci.job("all-green", all_green)
    await open_shop(world, workflow(job("unit"), job("all-green", SUM)))
    pull = world.people.open_pull("discount", RED)
    await world.settle()
    said = world.said(pull)
    assert "Red, cancelled or not run only because of it: `all-green`." in said
    assert "unit did not pass" not in said
    assert await attributed(world) <= {"unit"}


async def test_a_sum_of_a_flake_is_run_again_with_it_and_counts_once(calm):
    """One job came and went: one rerun, one flake, and the sum passes beside it."""
    world = calm
    world.sandbox.ci.job("all-green", lambda tree: passed("all jobs passed"))
    repo = await open_shop(world, workflow(job("unit"), job("all-green", SUM)), MANAGED)
    world.sandbox.ci.fail_once("unit", "error: the clock was wrong")
    world.sandbox.ci.fail_once("all-green", "error: unit did not pass: failure")
    pull = world.people.open_pull("docs", {"README.md": "more\n"})
    await world.later(3_600.0)
    (run,) = runs(repo, head_sha=pull.head_sha)
    assert [attempt.conclusion for attempt in run.attempts] == ["failure", "success"]
    world.said(pull)
    assert await attributed(world) == {"unit"}


async def test_a_job_with_a_failure_of_its_own_is_no_sum(calm):
    """It runs after a failed one and tests something itself."""
    world = calm
    world.sandbox.ci.job("all-green", lambda tree: failed("FAILED tests/test_web.py::test_page - assert 404 == 200"))
    await open_shop(world, workflow(job("unit"), job("all-green", SUM)))
    pull = world.people.open_pull("discount", RED)
    await world.settle()
    said = world.said(pull)
    assert "test_page" in said
    assert "only because of it" not in said


ASKS = """\
  all-green:
    needs: unit
    if: always()
    runs-on: ubuntu-latest
    steps: [{run: exit 1, if: "contains(needs.*.result, 'failure')"}]
"""


@pytest.mark.parametrize(("summing", "judged"), [(ASKS, {"unit"}), (job("all-green", SUM), {"unit", "all-green"})])
async def test_a_job_whose_log_is_gone_is_a_sum_where_its_file_says_so(calm, summing, judged):
    """A missing log excuses nothing: only steps that ask for the others' results can fail by nothing else."""
    world = calm
    world.sandbox.ci.job("all-green", all_green)
    await open_shop(world, workflow(job("unit"), summing))
    world.sandbox.faults.add(Fault("GET", "/repos/*/actions/jobs/*/logs", status=404, times=None))
    pull = world.people.open_pull("discount", RED)
    await world.later(3_600.0)
    said = world.said(pull)
    assert ("Red, cancelled or not run only because of it: `all-green`." in said) is (judged == {"unit"})
    assert await attributed(world) == judged
