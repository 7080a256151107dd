"""Who looks, and what they may see or do: the same rights as in REST."""

from __future__ import annotations

from dataclasses import dataclass

from bot.sandbox.auth import Caller
from bot.sandbox.changes.accounts import reaches
from bot.sandbox.changes.repositories import role_of
from bot.sandbox.graphql.failures import FORBIDDEN, Failed
from bot.sandbox.limits import Limits
from bot.sandbox.permissions import allows, at_least, needed_role
from bot.sandbox.state import Act, GitHub, Repository


@dataclass(frozen=True)
class Viewing:
    """The context of one query."""

    github: GitHub
    caller: Caller
    limits: Limits

    def sees(self, repo: Repository) -> bool:
        """Whether the caller may know of a repository."""
        if not repo.private:
            return True
        if self.caller.user is not None:
            return role_of(repo, self.caller.user) is not None
        return self._inside(repo)

    def _inside(self, repo: Repository) -> bool:
        token = self.caller.token
        return (
            token is not None
            and token.installation is not None
            and reaches(token.installation, repo)
            and (token.repositories is None or repo.id in token.repositories)
        )

    def act(self, repo: Repository, *alternatives: str) -> Act:
        """The caller's act in a repository, if they have one of the permissions; FORBIDDEN otherwise."""
        token, user = self.caller.token, self.caller.user
        if token is None:
            raise Failed("FORBIDDEN", "Requires authentication")
        if user is not None:
            allowed = at_least(role_of(repo, user), needed_role(alternatives))
        else:
            allowed = self._inside(repo) and allows(token.permissions, alternatives)
        if not allowed:
            raise Failed("FORBIDDEN", FORBIDDEN)
        return Act(self.github, repo, token.actor)

    def need(self, repo: Repository, permission: str) -> None:
        """Refuse a read for which an App lacks the permission (what is public it may read anywhere)."""
        token = self.caller.token
        if token is not None and self._inside(repo) and not allows(token.permissions, (permission,)):
            raise Failed("FORBIDDEN", FORBIDDEN)
