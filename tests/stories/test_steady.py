"""What is said changes when something is known, not because somebody looks: busy bases and what only explains."""

import pytest

from bot.cli.scenarios import team

MANAGED = 'managed: {branches: ["**"]}\n'
CONFIGS = {"unmanaged": "", "observe": MANAGED}


async def said_often(world, types=("post-comment", "post-check")):
    """How often the comment and the check run were written."""
    return sum(row.kind == "action.started" and row.data["type"] in types for row in await world.journal())


@pytest.mark.parametrize("config", [*CONFIGS, "fork"])
@pytest.mark.parametrize("world", ["calm", "lost"], indirect=True)
async def test_c8_a_base_that_moves_on_does_not_flip_what_is_said_where_failres_only_explains(world, config):
    """Nobody executes anything for it, so each green commit of the base leaves the words as they are."""
    world.sandbox.ci.job("unit", team.unit)
    world.repo("shop", team.files(config=CONFIGS.get(config, "")), {"ci.yml": ("unit",)})
    await world.settle()
    fork = config == "fork"
    by = "outsider" if fork else "author"
    pull = world.people.open_pull("discount", {"shop.py": team.WRONG}, by=by, fork=fork)
    await world.settle()
    told, often = world.said(pull), await said_often(world)
    assert "not proven" in told
    for n in range(3):
        world.people.push("main", {f"note{n}.md": "more"}, by="admin")
        await world.settle()
        assert world.said(pull) == told
    assert await said_often(world) == often
