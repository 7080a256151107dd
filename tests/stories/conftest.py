"""Every story that takes `world` runs in five weathers; one that takes `calm` only in the first."""

import pytest

from tests.world import WEATHERS, open_world


@pytest.fixture(params=WEATHERS)
async def world(request, tmp_path):
    """The embedded GitHub and the real failres, in each weather."""
    async with open_world(tmp_path, request.param) as opened:
        yield opened


@pytest.fixture
async def calm(tmp_path):
    """The same in calm weather only."""
    async with open_world(tmp_path, "calm") as opened:
        yield opened
