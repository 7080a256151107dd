"""A run that waits for a person: GitHub runs none of its jobs again before it has ended, so that nothing asks for it."""

from bot.sandbox.ci.runner.function_job import passed
from resolver.facts import ActionStarted
from resolver.journal import from_json
from tests.stories.acts import MANAGED, RED, job, open_shop, runs, workflow


async def reruns_begun(world):
    """How often a rerun was begun."""
    facts = [from_json(row.kind, row.data) for row in await world.journal()]
    return sum(isinstance(fact, ActionStarted) and fact.type == "rerun-jobs" for fact in facts)


async def test_a_rerun_waits_until_somebody_has_reviewed_the_environment(calm):
    """It was asked for every two minutes, and refused, for as long as nobody came."""
    world = calm
    world.sandbox.ci.job("ship", lambda tree: passed())
    world.sandbox.ci.guard("prod")
    repo = await open_shop(world, workflow(job("unit"), job("ship", ", environment: prod")), MANAGED)
    pull = world.people.open_pull("discount", RED)
    await world.later(3_600.0)
    (run,) = runs(repo, head_sha=pull.head_sha)
    assert "once more when somebody has reviewed the environment that its run waits for" in world.said(pull)
    assert await reruns_begun(world) == 0
    world.sandbox.ci.review(run, "prod")
    await world.later(600.0)
    assert await reruns_begun(world) == 1
    world.said(pull)
