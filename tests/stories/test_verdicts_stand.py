"""What was proven is acted on as long as it is said: old evidence starts nothing anew and asks nobody."""

import pytest

from bot.cli.scenarios import team
from bot.cli.scenarios.looking import classes, folded
from bot.cli.scenarios.whose import ITEM, probes, reruns, shop


async def asked(world, repo):
    """The questions that were ever put to people."""
    state = await folded(world, repo)
    return [each.question for pull in state.pulls.values() for each in pull.talk.decisions.values()]


@pytest.mark.parametrize("workflow", [team.ON_PUSH, team.ON_DEMAND], ids=["base-on-push", "base-on-demand"])
async def test_a12_an_old_proof_asks_for_nothing_again(calm, workflow):
    """Hours after the task was proven to be to blame, a remark wakes failres: no probe, no rerun, no question."""
    repo = await shop(calm, workflow)
    pull = calm.people.open_pull("discount", {"shop.py": team.WRONG})
    await calm.settle()
    spent = probes(repo), reruns(repo, pull)
    calm.clock.advance(8 * 3600)
    calm.people.comment(pull, "I shall look at it.")
    await calm.settle()
    assert await classes(calm, pull) == {ITEM: "task-defect"}
    assert (probes(repo), reruns(repo, pull)) == spent
    assert await asked(calm, repo) == []
    assert "This pull request breaks" in calm.said(pull)


async def test_c5_nobody_is_asked_about_a_drift(world):
    """The one drift verdict between two pushes of people is no doubt of itself: the branch is rebased, and that is all."""
    repo = await shop(world)
    world.people.push("main", {"shop.py": team.WRONG}, by="admin", message="Simplify the discount")
    await world.settle()
    pull = world.people.open_pull("docs", {"README.md": "more"})
    await world.settle()
    world.people.push("main", {"shop.py": team.RIGHT}, by="admin", message="Mend the discount")
    await world.settle()
    assert await asked(world, repo) == []
    assert "Green again" in world.said(pull)
