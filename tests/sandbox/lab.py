"""A sandbox with one repository, its people, and a client of its API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import aiohttp
import jwt

from bot.clock import ManualClock
from bot.sandbox.changes import pulls, pushes
from bot.sandbox.ci.runner.function_job import Outcome, failed, passed
from bot.sandbox.state import Account, Act, Actor, Installation, Pull, Repository
from bot.sandbox.world import Sandbox

MANIFEST: dict[str, Any] = {
    "name": "failres",
    "default_events": ["check_run", "issue_comment", "pull_request", "push", "workflow_job", "workflow_run"],
    "default_permissions": {
        "actions": "write",
        "checks": "write",
        "contents": "write",
        "issues": "write",
        "metadata": "read",
        "pull_requests": "write",
        "statuses": "read",
    },
}


@dataclass
class Answer:
    """An HTTP answer, read."""

    status: int
    headers: Any
    body: Any
    raw: bytes


@dataclass
class Lab:
    """A sandbox with `octo/app`, its people, an installation, and calls of its API."""

    sandbox: Sandbox
    clock: ManualClock
    session: aiohttp.ClientSession
    repo: Repository
    installation: Installation
    people: dict[str, Account]
    expected: list[str] = field(default_factory=list)
    token: str = ""

    def act(self, login: str = "author", repo: Repository | None = None) -> Act:
        """Somebody's act."""
        return Act(self.sandbox.github, repo or self.repo, Actor(self.people[login]))

    def pull(self, branch: str = "feature", files: dict[str, str] | None = None, by: str = "author") -> Pull:
        """Push a branch and open a pull request from it."""
        act = self.act(by)
        pushes.push_files(act, branch, files or {"app.py": "x = 2\n"}, f"Change {branch}")
        return pulls.open_pull(act, title=f"Change {branch}", head=branch, base="main")

    @staticmethod
    def outcome(*, failing: bool) -> Outcome:
        """How a job ends."""
        return failed("1 failed") if failing else passed("1 passed")

    def app_token(self, **narrow: Any) -> str:
        """An installation's token."""
        return self.sandbox.tokens.for_installation(self.installation, **narrow).value

    def jwt(self, issued: float = -60, expires: float = 540) -> str:
        """The App's JWT."""
        now = int(self.clock.now())
        claims = {"iat": int(now + issued), "exp": int(now + expires), "iss": str(self.sandbox.app.id)}
        return jwt.encode(claims, self.sandbox.private_key, algorithm="RS256")

    async def call(
        self, method: str, path: str, body: Any = None, *, token: str | None = "", headers: dict[str, str] | None = None
    ) -> Answer:
        """Call the API; with the App's installation token unless another (or `None`) is given."""
        sent = {"User-Agent": "lab", **(headers or {})}
        token = (self.token or self.app_token()) if token == "" else token
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        url = path if path.startswith("http") else self.sandbox.api_url + path
        async with self.session.request(method, url, json=body, headers=sent, allow_redirects=False) as response:
            raw = await response.read()
            is_json = "application/json" in response.headers.get("Content-Type", "") and raw
            return Answer(response.status, response.headers, await response.json() if is_json else None, raw)

    async def get(self, path: str, **more: Any) -> Answer:
        """`GET`."""
        return await self.call("GET", path, **more)

    async def post(self, path: str, body: Any = None, **more: Any) -> Answer:
        """`POST`."""
        return await self.call("POST", path, body, **more)
