"""A task on which nothing automatic happens any more, and what ends that, as people meet it."""

from bot.cli.scenarios import resolving, team
from bot.sandbox.ci.runner.function_job import failed, passed

NONE = resolving.LABELLED + "budget: {maxResolutions: 0}\n"


def by_text(tree):
    """The host is out of reach until the README says `mended`."""
    return passed(*team.GREEN) if tree.read("README.md") == "mended" else failed(*resolving.NO_HOST, exit_status=6)


async def test_a_push_lifts_a_quarantine(world):
    """The first failure is quarantined; the push that mends it lifts the quarantine and takes the label off."""
    pull = await resolving.opened(world, by_text, NONE)
    assert pull.labels == ["failres:quarantined"]
    said = world.said(pull)
    assert "**Quarantined**: 0 resolutions of this class of failure on this task were made, which is the limit" in said
    assert "Nothing automatic is done here until somebody pushes" in said
    world.people.push("docs", {"README.md": "mended"})
    await world.settle()
    assert pull.labels == []
    said = world.said(pull)
    assert "Quarantined" not in said
    assert "**Green again**" in said
    assert await resolving.quarantines(world) == [("gate-red-env", "breaker")]
