"""
The real `failres serve` in a process of its own over the embedded GitHub, killed with SIGKILL at random moments while
pull requests turn red and green: what is to be said is said, once.
"""

import asyncio
import contextlib
import os
import random
import socket
import sys
import time
from pathlib import Path

import pytest
import yaml

from bot.clock import SystemClock
from bot.sandbox.changes.accounts import install
from bot.sandbox.world import Sandbox
from tests.stories.test_explaining import RIGHT, TESTS, WRONG, unit

ROOT = Path(__file__).parents[2]
SERVE = """
import asyncio, os
from bot.cli.serve import serve
from bot.settings import load_settings
asyncio.run(serve(load_settings(os.environ, None)))
"""
# What `failres serve` runs, without the other commands: those import the embedded GitHub, a second at each start.
COMMAND = (sys.executable, "-c", SERVE)
KILLS = 20
PULLS = 6
READY, SAID = 60.0, 90.0
"""Seconds until a process must listen, and until everything must have been said after the last kill."""


class Server:
    """`failres serve` over a state directory, and the port that it always listens on."""

    def __init__(self, sandbox, root):
        self._log = root / "serve.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        sandbox.app.webhook_url = f"http://127.0.0.1:{port}/webhook"
        self._environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), *sys.path])),
            "FAILRES_APP_ID": str(sandbox.app.id),
            "FAILRES_PRIVATE_KEY": sandbox.private_key,
            "FAILRES_WEBHOOK_SECRETS": sandbox.webhook_secret,
            "FAILRES_BASE_URL": sandbox.api_url,
            "FAILRES_WEB_URL": sandbox.web_url,
            "FAILRES_STATE_DIR": str(root / "state"),
            "FAILRES_PORT": str(port),
        }
        self._process = None

    async def start(self):
        """Start it, and wait until it listens."""
        with self._log.open("a") as log:
            self._process = await asyncio.create_subprocess_exec(
                *COMMAND, env=self._environment, stdout=asyncio.subprocess.PIPE, stderr=log
            )
        line = await asyncio.wait_for(self._process.stdout.readline(), READY)
        assert b"listens on" in line, self._log.read_text()

    async def kill(self):
        """SIGKILL."""
        self._process.kill()
        await self._process.wait()


async def play(sandbox):
    """Let CI run and deliveries leave, as GitHub does all the time."""
    while True:
        await sandbox.ci.advance()
        await sandbox.hooks.deliver()
        await asyncio.sleep(0.02)


def comments(sandbox, repo, pull):
    """Give the comments of failres on a pull request."""
    return [c for c in repo.comments.values() if c.number == pull.number and c.via_app is sandbox.app]


def checks(sandbox, repo, head):
    """Give the check runs of failres on a commit."""
    return [c for c in repo.check_runs.values() if c.app is sandbox.app and c.head_sha == head]


def said(sandbox, repo, pull, mended):
    """Whether what has to stand on a pull request at the end stands there."""
    found = comments(sandbox, repo, pull)
    if len(found) != 1 or (found[0].minimized is not None) != mended:
        return False
    return mended or len(checks(sandbox, repo, pull.head_sha)) == 1


@pytest.mark.soak
async def test_a_served_process_killed_twenty_times_says_everything_once(tmp_path):
    """Six pull requests turn red, some of them green again, under twenty kills: one comment each, one check a head."""
    chance = random.Random(20)
    sandbox = Sandbox(
        tmp_path / "github", SystemClock(), yaml.safe_load((ROOT / "app.yml").read_text(encoding="utf-8"))
    )
    await sandbox.start()
    playing = asyncio.create_task(play(sandbox))
    server = Server(sandbox, tmp_path)
    try:
        sandbox.ci.job("unit", unit)
        repo = sandbox.people.repo("shop", {**RIGHT, **TESTS}, {"ci.yml": ("unit",)})
        install(sandbox.github, sandbox.app, sandbox.owner)
        pulls, heads, mended = [], [], set()
        for turn in range(KILLS):
            await server.start()
            if turn % 3 == 0 and len(pulls) < PULLS:
                pulls.append(sandbox.people.open_pull(f"discount-{turn}", WRONG, title="Simplify the discount"))
                heads.append(pulls[-1].head_sha)
            told = [p for p in pulls[::2] if p.number not in mended and comments(sandbox, repo, p)]
            if told:  # mended before anything was said, there would be nothing to say
                sandbox.people.push(told[0].head_ref, RIGHT, message="Mend the discount")
                mended.add(told[0].number)
                heads.append(told[0].head_sha)
            await asyncio.sleep(chance.uniform(0.05, 2.5))
            await server.kill()
        await server.start()
        until = time.monotonic() + SAID
        while not all(said(sandbox, repo, pull, pull.number in mended) for pull in pulls):
            assert time.monotonic() < until, [(p.number, p.head_sha, comments(sandbox, repo, p)) for p in pulls]
            await asyncio.sleep(0.1)
        await asyncio.sleep(2.0)  # a second comment or check would come now
        assert len(pulls) == PULLS
        assert mended, "nothing was said under the kills, so nothing was mended"
        assert all(said(sandbox, repo, pull, pull.number in mended) for pull in pulls)
        assert all(len(checks(sandbox, repo, head)) <= 1 for head in heads)
        assert sandbox.violations == []
        await server.kill()
    finally:
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await playing
        with contextlib.suppress(ProcessLookupError, AttributeError):
            await server.kill()
        await sandbox.stop()
