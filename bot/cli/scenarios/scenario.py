"""What a scenario is, and what it may look at to say whether its end holds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.cli.stage import Stage
from bot.sandbox.state import CheckRun, Comment, Pull, Repository


@dataclass(frozen=True, slots=True)
class Scenario:
    """A name, one sentence for people, and the play itself; `play` raises `Unmet` where its end does not hold."""

    name: str
    tells: str
    play: Callable[[Stage], Awaitable[None]]


class Unmet(Exception):
    """The end of a scenario is not what it must be; the message says what should have been so."""


def expect(holds: object, what: str) -> None:
    """Insist on something at the end of a scenario."""
    if not holds:
        raise Unmet(what)


def comments(stage: Stage, repo: Repository, pull: Pull) -> list[Comment]:
    """Give failres's own comments on a pull request."""
    mine = [c for c in repo.comments.values() if c.number == pull.number and c.via_app is stage.sandbox.app]
    return sorted(mine, key=lambda comment: comment.created_at)


def check_run(stage: Stage, repo: Repository, head: str) -> CheckRun | None:
    """Give failres's own check run on a commit."""
    mine = [c for c in repo.check_runs.values() if c.app is stage.sandbox.app and c.head_sha == head]
    return mine[0] if len(mine) == 1 else None
