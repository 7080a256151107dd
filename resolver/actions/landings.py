"""Reads about landed changes. They belong to base commits, so that all tasks share them; the base's changes since a
head left it are that task's own.
"""

from __future__ import annotations

from typing import Literal

from resolver.actions.base import Action
from resolver.digest import digest
from resolver.executions import Check
from resolver.facts.landings import Landed
from resolver.ids import PullNumber, Sha


class ReadLanding(Action):
    """Find the pull request by which a commit came to the base branch `ref`, in one call."""

    type: Literal["read-landing"] = "read-landing"
    commit: Sha
    ref: str

    @property
    def target(self) -> str:
        """The commit's landing."""
        return f"landing:{self.commit}"


class ReadLandedChanges(Action):
    """List what a landed pull request had changed, in one call for a hundred files."""

    type: Literal["read-landed-changes"] = "read-landed-changes"
    pull: PullNumber

    @property
    def target(self) -> str:
        """The landed pull request's files."""
        return f"landed:{self.pull}"


class ReadUnseen(Action):
    """Find out whether a check had run on a landed pull request, and which filter kept it off: at most four calls."""

    type: Literal["read-unseen"] = "read-unseen"
    commit: Sha
    landed: Landed
    check: Check

    @property
    def target(self) -> str:
        """The check on that landed change."""
        return f"unseen:{self.commit}:{digest([self.check.workflow, self.check.job], 8)}"


class ReadBaseChanges(Action):
    """Compare a head with its base: what the base changed since they parted, in one call. `paths` are the head's."""

    type: Literal["read-base-changes"] = "read-base-changes"
    number: PullNumber
    head_sha: Sha
    base_sha: Sha
    paths: tuple[str, ...]

    @property
    def target(self) -> str:
        """What the base changed, as that pull request sees it."""
        return f"base-changes:{self.number}"


LandingAction = ReadLanding | ReadLandedChanges | ReadUnseen | ReadBaseChanges
