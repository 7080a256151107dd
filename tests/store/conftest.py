"""One suite, both databases: every test that takes `world` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from store_world import World, empty
from wheel_postgres import NoServer, WheelServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from bot.store import Store


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A server for the session (with xdist: one for each worker); skipped without one, save where CI says it must be."""
    try:
        server = WheelServer()
    except NoServer as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no PostgreSQL: {error}")
    yield server.url
    server.stop()


@pytest.fixture
async def postgres(postgres_url: str) -> AsyncIterator[World]:
    """An empty PostgreSQL database, for what only a replica set does."""
    await empty(postgres_url)
    made = World(postgres_url)
    yield made
    await made.close()


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[World]:
    """A SQLite file that is not there yet, for what only the embedded store does."""
    made = World(f"sqlite:///{tmp_path}/state/failres.db")
    yield made
    await made.close()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def world(request: pytest.FixtureRequest) -> World:
    """An empty database of each sort."""
    made: World = request.getfixturevalue(request.param)
    return made


@pytest.fixture
async def store(world: World) -> Store:
    """A store on it."""
    return await world.open()
