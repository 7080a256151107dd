"""Every story that takes `world` runs in five weathers; one that takes `calm` only in the first.

What only shuffles deliveries is met at the inbox, before any story begins to differ: of those two weathers every fourth
story plays one among the quick proofs, and every story both in `make soak`.
"""

import zlib

import pytest

from tests.world import WEATHERS, open_world

SHUFFLED = ("twice", "late")
QUICK = ("twice", "late", None, None)


def pytest_generate_tests(metafunc):
    """Give each story its weathers; those that a story names itself are all it runs in."""
    named = any("world" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "world" in metafunc.fixturenames and not named:
        metafunc.parametrize("world", weathers(metafunc.function.__name__), indirect=True)


def weathers(story):
    """The five; which of the shuffled ones are quick, the story's name decides."""
    quick = QUICK[zlib.crc32(story.encode()) % len(QUICK)]
    slow = [each for each in SHUFFLED if each != quick]
    return [pytest.param(each, marks=pytest.mark.soak) if each in slow else each for each in WEATHERS]


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
