"""The scenarios that people can play hold in every weather."""

import os
import sys
from pathlib import Path

import pytest

from bot.cli.scenarios import SCENARIOS
from tests.world import WEATHERS

TURNS = ("lost", None, "twice", None, "late", None)
"""Which rough weather is quick for each scenario, in the order of their names."""


def plays():
    """Every scenario in every weather; beside calm, one of every second counts as quick."""
    for number, name in enumerate(sorted(SCENARIOS)):
        quick = ("calm", TURNS[number % len(TURNS)])
        for weather in WEATHERS:
            marks = () if weather in quick else (pytest.mark.soak,)
            yield pytest.param(weather, name, marks=marks, id=f"{weather}-{name}")


@pytest.fixture(autouse=True)
def python_on_the_path(monkeypatch):
    """Workflow steps that run for real find the Python that runs the tests."""
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))


@pytest.mark.parametrize(("world", "name"), [*plays()], indirect=["world"])
async def test_every_scenarios_end_holds(world, name):
    """What the scenario expects of its end is so, whatever happens to deliveries and to the process."""
    await SCENARIOS[name].play(world)
    for repo in world.sandbox.github.repositories.values():
        for pull in repo.pulls.values():
            world.said(pull)
    if world.weather == "restart":
        assert world.deaths > 5
