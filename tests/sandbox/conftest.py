"""A started sandbox for each test; what is against GitHub's description and not expected fails it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from bot.clock import ManualClock
from bot.sandbox.changes import accounts, repositories
from bot.sandbox.world import Sandbox
from tests.sandbox.lab import MANIFEST, Lab


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Lab]:
    """A started sandbox; whatever is against GitHub's description and not expected fails the test."""
    clock = ManualClock()
    sandbox = Sandbox(tmp_path, clock, MANIFEST)
    people = {login: accounts.add_account(sandbox.github, login) for login in ("maintainer", "author", "outsider")}
    people["octo"] = sandbox.owner
    files = {"app.py": "x = 1\n", "README.md": "# app\n", "pkg/mod.py": "y = 1\n"}
    repo = repositories.create_repository(sandbox.github, sandbox.owner, "app", files)
    repositories.set_role(repo, people["maintainer"], "maintain")
    repositories.set_role(repo, people["author"], "write")
    installation = accounts.install(sandbox.github, sandbox.app, sandbox.owner)
    await sandbox.start()
    async with aiohttp.ClientSession() as session:
        lab = Lab(sandbox, clock, session, repo, installation, people)
        yield lab
    await sandbox.stop()
    unexpected = [one for one in sandbox.violations if not any(part in one for part in lab.expected)]
    assert unexpected == []
