"""The scenarios that people can play hold in every weather."""

import os
import sys
from pathlib import Path

import pytest

from bot.cli.scenarios import SCENARIOS
from tests.world import WEATHERS, open_world

SLOWER = ("twice", "late")
"""Weathers in which the stories play all that scenarios show; `make soak` plays the scenarios in them, too."""


@pytest.fixture(params=[pytest.param(each, marks=pytest.mark.soak) if each in SLOWER else each for each in WEATHERS])
async def world(request, tmp_path):
    """The embedded GitHub and the real failres, in each weather."""
    async with open_world(tmp_path, request.param) as opened:
        yield opened


@pytest.fixture(autouse=True)
def python_on_the_path(monkeypatch):
    """Workflow steps that run for real find the Python that runs the tests."""
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))


@pytest.mark.parametrize("name", sorted(SCENARIOS))
async def test_every_scenarios_end_holds(world, name):
    """What the scenario expects of its end is so, whatever happens to deliveries and to the process."""
    await SCENARIOS[name].play(world)
    for repo in world.sandbox.github.repositories.values():
        for pull in repo.pulls.values():
            world.said(pull)
    if world.weather == "restart":
        assert world.deaths > 5
