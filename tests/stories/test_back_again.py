"""What failres has met before and meets again: a commit to which a branch is forced back, a pull request opened again."""

import itertools

from bot.cli.scenarios import team
from bot.sandbox.ci.runner.function_job import failed


async def tickets(world, *kinds, after=0):
    """The starts of actions that the journal's records of these kinds name."""
    return {row.data["ticket"] for row in await world.journal() if row.kind in kinds and row.seq > after}


async def test_a_branch_that_is_forced_back_is_told_what_fails_there(world):
    """Nothing of the commit is new, yet all is due again: each start has a record of its own before it."""
    world.sandbox.ci.job("unit", team.unit)
    world.repo("shop", team.files(), {"ci.yml": ("unit",)})
    await world.settle()
    pull = world.people.open_pull("discount", {"shop.py": team.WRONG}, by="author")
    await world.settle()
    red, told = pull.head_sha, world.said(pull)
    world.people.push("discount", {"shop.py": team.RIGHT}, by="author")
    await world.settle()
    assert "**Green again** at `‹discount:2›`" in world.said(pull)
    before = (await world.journal())[-1].seq
    world.people.force_push("discount", red)
    await world.settle()
    assert world.said(pull).count("assert 190 == 180") >= told.count("assert 190 == 180")
    ended = await tickets(world, "action.done", "action.refused", after=before)
    assert any(each.startswith("check:") for each in ended)
    assert ended <= await tickets(world, "action.started", after=before)


async def test_a_pull_request_opened_again_is_green_by_its_newest_run(world):
    """GitHub: opening it again starts a new run on the same commit; of two of the same name the newest counts."""
    on_the_branch = itertools.count()

    def unit(tree):
        return failed(*team.RED) if tree.read("notes.md") and not next(on_the_branch) else team.unit(tree)

    world.sandbox.ci.job("unit", unit)
    world.repo("shop", team.files(), {"ci.yml": ("unit",)})
    await world.settle()
    pull = world.people.open_pull("discount", {"notes.md": "more"}, by="author")
    await world.settle()
    assert "**`ci / unit` failed" in world.said(pull)
    world.people.close(pull)
    await world.settle()
    world.people.reopen(pull)
    await world.settle()
    told = world.said(pull)
    assert "**Green again** at `‹discount:1›`: `ci / unit` passed." in told
    assert "Flaky: `tests/test_shop.py::test_discount` failed and passed on the very same commit." in told
