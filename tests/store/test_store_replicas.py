"""The whole bot on PostgreSQL: one process, and two that share the work of one database."""

import pytest
from store_world import empty

from bot.cli.scenarios import SCENARIOS
from bot.cli.scenarios.scenario import comments
from bot.cli.stage import Stage, open_stage
from bot.process import open_process

pytestmark = pytest.mark.postgres


class Pair(Stage):
    """A stage with a second failres process on the same database, which works in turn with the first."""

    second = None

    async def step(self) -> bool:
        """One step of each."""
        moved = await super().step()
        return await self.second.service.step() or moved


@pytest.mark.parametrize("name", ["noise", "base-defect"])
async def test_a_scenarios_end_holds_on_postgresql(postgres_url, tmp_path, name):
    """The same code over the other database."""
    await empty(postgres_url)
    async with open_stage(tmp_path) as stage:
        stage.store_url = postgres_url
        await stage.start()
        await SCENARIOS[name].play(stage)


async def test_two_processes_share_the_work_and_say_everything_once(postgres_url, tmp_path):
    """Leases keep them apart: one comment, one check run, one probe, whoever does what."""
    await empty(postgres_url)
    async with open_stage(tmp_path, kind=Pair) as stage:
        stage.store_url = postgres_url
        await stage.start()
        async with open_process(stage.settings(), stage.clock) as stage.second:
            await SCENARIOS["base-defect"].play(stage)
            repos = stage.sandbox.github.repositories.values()
            told = [comments(stage, repo, pull) for repo in repos for pull in repo.pulls.values()]
            assert [len(each) for each in told] == [1] * 5
