"""Every story that takes `world` runs in five weathers; one that takes `calm` only in the first.

Among the quick proofs each story plays calm, and six of ten one other weather, mostly one of the two that take something
away: what only shuffles deliveries is met at the inbox, before any story begins to differ. `make soak` plays the rest.
"""

import zlib

import pytest

from tests.world import WEATHERS, open_world

ROUGH = ("lost", None, "restart", None, "lost", "twice", None, "restart", None, "late")
"""Which the other one is: the stories take them in turns, by their names."""


def pytest_generate_tests(metafunc):
    """Give each story its weathers; those that a story names itself are all it runs in."""
    named = any("world" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "world" in metafunc.fixturenames and not named:
        metafunc.parametrize("world", weathers(metafunc.function.__name__), indirect=True)


def weathers(story):
    """The five; which of them are quick, the story's name decides."""
    quick = ("calm", ROUGH[zlib.crc32(story.encode()) % len(ROUGH)])
    return [each if each in quick else pytest.param(each, marks=pytest.mark.soak) for each in WEATHERS]


@pytest.fixture
async def world(request, tmp_path):
    """The embedded GitHub and the real failres, in each weather."""
    async with open_world(tmp_path, request.param) as opened:
        yield opened


@pytest.fixture
async def calm(tmp_path):
    """The same in calm weather only."""
    async with open_world(tmp_path, "calm") as opened:
        yield opened
