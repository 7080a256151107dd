"""A job's JUnit report tells what its log does not: which item failed, and which items ran."""

import pytest

from bot.sandbox.ci.runner.function_job import Outcome, failed
from resolver.facts import JobTriaged
from resolver.journal import from_json
from tests.stories.test_explaining import RIGHT, TESTS, WRONG
from tests.stories.test_whose_failure import verdicts

TWO_WEATHERS = pytest.mark.parametrize("world", ["calm", "lost"], indirect=True)
ITEM = "tests/test_shop.py::test_discount"
CONFIG = {".github/failres.yml": 'junit: ["junit-*"]\n'}
UPLOADED = "Artifact junit-unit has been successfully uploaded!"
BROKEN = '<failure message="AssertionError: assert 190 == 180" type="AssertionError">tests/test_shop.py:5</failure>'


def report(inside=""):
    """The suite's report as pytest writes it; without a failure inside, the one test passed."""
    return (
        '<?xml version="1.0"?><testsuites><testsuite name="pytest" tests="1"><testcase '
        f'classname="tests.test_shop" name="test_discount" time="0.01">{inside}</testcase></testsuite></testsuites>'
    ).encode()


def quiet(tree, red=None, green=None):
    """A suite that prints next to nothing and keeps its report as an artifact."""
    right = "100 - percent" in tree.read("shop.py")
    content = (green or report()) if right else (red or report(BROKEN))
    return Outcome(
        "success" if right else "failure",
        ("running the suite", UPLOADED),
        artifacts={"junit-unit": {"out/report.xml": content}, "pictures": {"a.png": b"\x89PNG"}},
    )


async def shop(world, job=quiet):
    """A repository whose configuration names the reports, its base tested once."""
    world.sandbox.ci.job("unit", job)
    repo = world.repo("shop", {**RIGHT, **TESTS, **CONFIG}, {"ci.yml": ("unit",)})
    world.people.push("main", {"CHANGELOG.md": "first"}, by="admin")
    await world.settle()
    return repo


async def triaged(world):
    """What was read of each job, oldest first."""
    facts = [from_json(row.kind, row.data) for row in await world.journal()]
    return [fact for fact in facts if isinstance(fact, JobTriaged)]


@TWO_WEATHERS
async def test_a_report_names_what_the_log_does_not(world):
    """The log says no more than that the step failed; the report's item and message are what a person reads."""
    await shop(world)
    pull = world.people.open_pull("discount", WRONG, title="Simplify the discount")
    await world.settle()
    assert ITEM in world.said(pull)
    assert "assert 190 == 180" in world.said(pull)
    (failure,) = (await triaged(world))[0].failures
    assert (failure.item, failure.source, failure.fail_class) == (ITEM, "junit", "gate-red-code")
    assert verdicts(world, pull) == {ITEM: "unclassified"}


@TWO_WEATHERS
async def test_a_base_whose_report_alone_shows_the_item_proves_the_tasks_defect(world):
    """No line of the base's green log names the item; its report does, so the second red is the task's."""
    await shop(world)
    pull = world.people.open_pull("discount", WRONG, title="Simplify the discount")
    await world.settle()
    (run,) = [r for r in world.where(pull).runs.values() if r.head_sha == pull.head_sha]
    await world.people.rerun(run)
    await world.settle()
    assert verdicts(world, pull) == {ITEM: "task-defect"}
    assert f"This pull request breaks {ITEM}" in world.said(pull)
    assert [each.passed for each in await triaged(world) if not each.failures] == [(ITEM,)]


@TWO_WEATHERS
async def test_a_base_whose_report_shows_the_same_failure_is_to_blame(world):
    """Red base, red branch, both told by reports alone: the base's defect."""
    await shop(world)
    world.people.push("main", WRONG, by="admin", message="Simplify the discount")
    await world.settle()
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await world.settle()
    assert verdicts(world, pull) == {ITEM: "base-defect"}
    assert f"Not this pull request: {ITEM}" in world.said(pull)


async def test_another_jobs_report_says_nothing_about_this_job(calm):
    """Artifacts belong to a run; only those that the job's own log says it uploaded are the job's."""

    def lint(_):
        return failed("shop.py:1:80: E501 Line too long (88 > 79)", "Found 1 error.")

    calm.sandbox.ci.job("unit", quiet)
    calm.sandbox.ci.job("lint", lint)
    calm.repo("shop", {**RIGHT, **TESTS, **CONFIG}, {"ci.yml": ("unit", "lint")})
    await calm.settle()
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle()
    told = {fact.failures[0].check: {f.item for f in fact.failures} for fact in await triaged(calm)}
    assert told == {".github/workflows/ci.yml: unit": {ITEM}, ".github/workflows/ci.yml: lint": {None}}
    assert "Line too long" in calm.said(pull)


async def test_a_broken_report_changes_nothing_but_the_processs_log(calm, caplog):
    """A file that is no XML: the job's own log stands alone, and the log of the process says why."""
    caplog.set_level("INFO")
    await shop(calm, lambda tree: quiet(tree, red=b"<testsuites><testcase name='x'><failure"))
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle()
    (failure,) = (await triaged(calm))[0].failures
    assert (failure.source, failure.job_level) == ("rules", True)
    assert "ci / unit" in calm.said(pull)
    assert "artifact junit-unit" in caplog.text
    assert "not well-formed" in caplog.text


async def test_an_artifact_that_is_gone_changes_nothing(calm, caplog):
    """The log says that it was uploaded, and GitHub does not list it: the log alone decides."""
    caplog.set_level("INFO")
    await shop(
        calm, lambda tree: Outcome("failure" if "- percent\n" in tree.read("shop.py") else "success", (UPLOADED,))
    )
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle()
    (failure,) = (await triaged(calm))[0].failures
    assert (failure.source, failure.job_level) == ("rules", True)
    assert "ci / unit" in calm.said(pull)


MATCHER = """{"problemMatcher": [{"owner": "shop", "pattern": [
  {"regexp": "^!! (.+) at (.+) row (\\\\d+)$", "message": 1, "file": 2, "line": 3}]}]}"""


async def test_the_repositorys_own_problem_matcher_finds_the_place(calm):
    """A tool that no rule knows: the matcher's file is read at the head, and its place is annotated."""
    config = {".github/failres.yml": "problemMatchers: [tools/matcher.json, tools/gone.json]\n"}

    def odd(tree):
        return (
            failed("!! the discount is no percentage at shop.py row 1")
            if tree.read("shop.py") in WRONG.values()
            else Outcome()
        )

    calm.sandbox.ci.job("odd", odd)
    calm.repo("shop", {**RIGHT, **config, "tools/matcher.json": MATCHER}, {"ci.yml": ("odd",)})
    await calm.settle()
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle()
    assert "shop.py:1" in calm.said(pull)
    assert "the discount is no percentage" in calm.said(pull)
