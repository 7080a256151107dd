"""A second opinion: GitHub's own JavaScript clients use the sandbox as they use GitHub."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path

import pytest

from bot.clock import SystemClock
from bot.sandbox.changes import accounts, pulls, pushes, repositories
from bot.sandbox.ci.runner.function_job import failed
from bot.sandbox.people import workflow_text
from bot.sandbox.state import Act, Actor
from bot.sandbox.world import Sandbox
from tests.sandbox.lab import MANIFEST

NODE_MODULES = Path(os.environ.get("FAILRES_NODE_MODULES", "build/node/node_modules")).resolve()


async def run_node(asked: str) -> tuple[int | None, str, str]:
    """Run the script; gives its exit status, output and errors."""
    script = str(Path(__file__).with_name("octokit.mjs"))
    pipe = asyncio.subprocess.PIPE
    environment = {"PATH": os.environ["PATH"]}
    node = await asyncio.create_subprocess_exec("node", script, asked, stdout=pipe, stderr=pipe, env=environment)
    out, err = await asyncio.wait_for(node.communicate(), 60)
    return node.returncode, out.decode(), err.decode()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.skipif(
    not all((NODE_MODULES / "@octokit" / name).exists() for name in ("app", "rest")),
    reason="@octokit/app and @octokit/rest are not installed (`make test` does it where npm is)",
)
async def test_octokit_works_with_the_sandbox(tmp_path: Path) -> None:
    """App authentication, tokens, paging, writes, GraphQL, reruns, logs and errors work, and nothing is against the
    description.
    """
    sandbox = Sandbox(tmp_path, SystemClock(), MANIFEST)
    author = accounts.add_account(sandbox.github, "author")
    files = {"app.py": "x = 1\n", ".github/workflows/ci.yml": workflow_text("ci", ("unit",))}
    repo = repositories.create_repository(sandbox.github, sandbox.owner, "app", files)
    repositories.set_role(repo, author, "write")
    accounts.install(sandbox.github, sandbox.app, sandbox.owner)
    act = Act(sandbox.github, repo, Actor(author))
    pushes.push_files(act, "feature", {"app.py": "x = 2\n"}, "Change")
    pull = pulls.open_pull(act, title="Change the app", head="feature", base="main")
    await sandbox.start()
    sandbox.ci.job("unit", lambda _: failed("no"))
    await sandbox.advance()
    asked = {
        "modules": str(NODE_MODULES),
        "baseUrl": sandbox.api_url,
        "appId": sandbox.app.id,
        "privateKey": sandbox.private_key,
        "owner": "octo",
        "repo": "app",
        "number": pull.number,
    }
    status, out, err = await run_node(json.dumps(asked))
    await sandbox.stop()
    assert status == 0, err
    assert json.loads(out) == {
        "installations": ["octo"],
        "title": "Change the app",
        "comments": [f"comment {number}" for number in range(5)],
        "check": "neutral",
        "files": ["app.py"],
        "pulls": 1,
        "run": {"conclusion": "failure", "again": 403, "jobs": ["failure"], "log": True},
        "missing": 404,
    }
    assert sandbox.violations == []
