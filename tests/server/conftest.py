"""A server over a real store in memory, and GitHub's published examples to post to it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from aiohttp.test_utils import TestClient
from deliveries import SECRET, posting

from bot.clock import ManualClock
from bot.intake import IntakeRules
from bot.server import Intake, make_app
from bot.store import Store, open_store


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    """An empty store."""
    opened = await open_store("sqlite://", ManualClock())
    yield opened
    await opened.close()


@pytest.fixture
def intake(store: Store) -> Intake:
    """Two secrets are valid, as while one is being changed."""
    return Intake(store, IntakeRules((b"the old secret", SECRET)))


@pytest.fixture
async def client(intake: Intake) -> AsyncIterator[TestClient]:
    """Somebody who posts."""
    async with posting(make_app(intake)) as opened:
        yield opened
