"""Whether a caller may do an operation in a repository: 401, 403 and 404 as GitHub gives them."""

from __future__ import annotations

from bot.sandbox.api.call import Route
from bot.sandbox.auth import Caller
from bot.sandbox.changes.accounts import reaches
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.changes.repositories import role_of
from bot.sandbox.description import Operation
from bot.sandbox.permissions import allows, at_least, needed_role
from bot.sandbox.state import Account, Repository, Token

_READS = ("GET", "HEAD")


def check_access(caller: Caller, route: Route, operation: Operation, repo: Repository | None, *, in_repo: bool) -> None:
    """Refuse what the caller may not do."""
    _check_kind(caller, route)
    if not in_repo:
        return
    if repo is None:
        raise Refused(404, "Not Found")
    if route.who == "app":
        return
    reading = operation.method in _READS
    if caller.token is None:
        if repo.private:
            raise Refused(404, "Not Found")
        if not reading:
            raise Refused(401, "Requires authentication")
    elif caller.token.installation is not None:
        _check_installation(caller.token, route, repo, reading=reading)
    elif caller.user is not None:
        _check_person(caller.user, route, repo)
    if repo.archived and not reading:
        raise Refused(403, "Repository was archived so is read-only.")


def _check_kind(caller: Caller, route: Route) -> None:
    if route.who == "app" and caller.app is None:
        raise Refused(401, "A JSON web token could not be decoded")
    if route.who == "installation" and caller.installation is None:
        raise Refused(403, "You must authenticate with an installation access token.")
    if route.who == "token" and caller.app is not None:
        raise Refused(403, "Resource not accessible by integration")


def _check_installation(token: Token, route: Route, repo: Repository, *, reading: bool) -> None:
    installation = token.installation
    inside = installation is not None and reaches(installation, repo)
    inside = inside and (token.repositories is None or repo.id in token.repositories)
    if not inside and repo.private:
        raise Refused(404, "Not Found")
    if not inside and reading:
        return  # what is public can be read with any token
    if not inside or not allows(token.permissions, route.permissions):
        raise Refused(403, "Resource not accessible by integration")


def _check_person(user: Account, route: Route, repo: Repository) -> None:
    role = role_of(repo, user)
    if role is None:
        raise Refused(404, "Not Found")
    if not at_least(role, needed_role(route.permissions)):
        raise Refused(403, "Must have push access to repository")
