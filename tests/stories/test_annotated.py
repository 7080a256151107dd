"""What GitHub annotated tells what a log leaves open: the place of a workflow command, and why there is no log."""

import pytest

from bot.sandbox.ci.runner.function_job import failed, passed
from tests.stories.test_explaining import RIGHT, TESTS, WRONG
from tests.stories.test_reports import triaged

TWO_WEATHERS = pytest.mark.parametrize("world", ["calm", "lost"], indirect=True)

DISCOUNT_SAID = "Discount is wrong: 190 is not 180"


def complaining(tree):
    """A check that names file and line in a workflow command alone: the runner prints no more than the message."""
    if "100 - percent" in tree.read("shop.py"):
        return passed("checked")
    return failed(f"::error file=shop.py,line=2::{DISCOUNT_SAID}")


@TWO_WEATHERS
async def test_an_annotation_tells_the_place_that_the_log_does_not(world):
    """GitHub: `::error file=…` reaches the log as `##[error]` and its message; the place stands in the annotation."""
    world.sandbox.ci.job("unit", complaining)
    world.repo("shop", {**RIGHT, **TESTS}, {"ci.yml": ("unit",)})
    await world.settle()
    pull = world.people.open_pull("discount", WRONG, title="Simplify the discount")
    await world.settle()
    (failure,) = (await triaged(world))[0].failures
    assert failure.message == DISCOUNT_SAID
    assert [(at.path, at.line, at.mapped) for at in failure.places] == [("shop.py", 2, True)]
    said = world.said(pull)
    assert "  shop.py:2 " in said
    assert "[`shop.py:2`]" in said


@TWO_WEATHERS
async def test_a_lost_runner_is_told_by_its_annotation_alone(world):
    """Such a job never has a log (A24); what GitHub annotated says that nobody's code failed."""
    world.sandbox.ci.job("unit", lambda _: passed("checked"))
    world.repo("shop", {**RIGHT, **TESTS}, {"ci.yml": ("unit",)})
    await world.settle()
    world.sandbox.ci.lose_runner("unit")
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await world.settle()
    told = (await triaged(world))[0]
    assert (told.missing, [(f.fail_class, f.kind, f.source) for f in told.failures]) == (
        None,
        [("gate-red-env", "runner-lost", "annotations")],
    )
    assert "lost communication" in world.said(pull)
