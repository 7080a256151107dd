"""The engine's working memory: one object that the parts of the engine share."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.sandbox.ci.controls import Controls
from bot.sandbox.ci.events import Start
from bot.sandbox.ci.groups import Groups
from bot.sandbox.ci.plan import Plan
from bot.sandbox.ci.records import Records
from bot.sandbox.state import GitHub, Happening, Installation, Token

TOKEN_SECONDS = 86_400


@dataclass
class Board:
    """
    Plans by run id (in the order of their making), starts that wait, concurrency groups by repository.

    `approvals`: runs of first-time contributors from forks await approval, as GitHub has it for public repositories.
    `late_reruns`: an accepted rerun shows only at the next `advance`, as GitHub's attempts lag (GITHUB.md trap 14).
    `payload` builds the webhook's payload, which workflows see as `github.event`.
    """

    github: GitHub
    directory: Path
    payload: Callable[[GitHub, Happening], dict[str, Any] | None]
    records: Records
    controls: Controls = field(default_factory=Controls)
    approvals: bool = False
    late_reruns: bool = False
    starts: list[Start] = field(default_factory=list)
    plans: dict[int, Plan] = field(default_factory=dict)
    groups: dict[int, Groups] = field(default_factory=dict)

    def groups_of(self, plan: Plan) -> Groups:
        """The concurrency groups of a plan's repository."""
        return self.groups.setdefault(plan.repo.id, Groups())

    def new_token(self, plan: Plan) -> str:
        """
        Make the job token of an attempt: the Actions App's, for this repository, known as a workflow's.

        GitHub: a pull request from a fork gets a token that only reads.
        """
        app, now = self.github.actions_app(), self.github.clock.now()
        permissions = dict(app.permissions)
        if plan.run.event == "pull_request" and plan.run.head_repo != plan.repo.id:
            permissions = dict.fromkeys(permissions, "read")
        installation = Installation(self.github.new_id(), app, plan.repo.owner, {plan.repo.id}, permissions, now)
        value = f"ghs_{installation.id:x}{secrets.token_hex(16)}"
        self.github.tokens[value] = Token(
            value,
            now,
            now + TOKEN_SECONDS,
            installation=installation,
            permissions=permissions,
            repositories={plan.repo.id},
            of_workflow=True,
        )
        return value
