"""Telling people outside of GitHub that a whole repository needs them, because nobody can be asked in it."""

from __future__ import annotations

from typing import Literal

from resolver.actions.base import Action
from resolver.digest import digest
from resolver.ids import PullNumber

Trouble = Literal["not-a-git-repo", "journal-corrupt"]
"""The repository is archived, deleted or inaccessible; or what is recorded of it cannot be trusted any more."""


class TellOfTrouble(Action):
    """
    Tell people once: a destination by its name in the server's settings, or whoever reads the server's own log, where
    that is empty. `pulls` are the tasks on which failres was acting, `at` is when it was decided (seconds).
    """

    type: Literal["tell-of-trouble"] = "tell-of-trouble"
    fail_class: Trouble
    reason: str
    pulls: tuple[PullNumber, ...]
    at: float
    destination: str = ""

    @property
    def target(self) -> str:
        """That trouble at that destination."""
        return f"notify:{self.fail_class}:{self.destination or 'log'}"

    @property
    def key(self) -> str:
        """Identity by what is told; when that was does not matter."""
        return f"{self.target}@{digest([self.reason, *self.pulls])}"
