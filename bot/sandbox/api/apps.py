"""The App itself, its installations and their tokens, the rate limit."""

from __future__ import annotations

from typing import Any

from bot.sandbox import objects
from bot.sandbox.api.call import Call, Reply, Route, Table, found
from bot.sandbox.auth import MAX_REPOSITORIES
from bot.sandbox.changes.accounts import installations_on, reaches, repositories_of
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.objects.nodes import stamp
from bot.sandbox.state import App, Installation, Repository


def _app(call: Call) -> App:
    return found(call.caller.app)


async def get_app(call: Call) -> Reply:
    """`GET app`."""
    app = _app(call)
    count = len(_installations(call, app))
    return Reply(body={**objects.integration(call.github, app), "installations_count": count})


def _installations(call: Call, app: App) -> list[Installation]:
    return [one for one in call.github.installations.values() if one.app is app]


async def list_installations(call: Call) -> Reply:
    """`GET app/installations`."""
    return call.page(_installations(call, _app(call)), lambda one: objects.installation(call.github, one))


def _installation(call: Call) -> Installation:
    one = found(call.github.installations.get(call.number("installation_id")))
    if one.app is not _app(call):
        raise Refused(404, "Not Found")
    return one


async def get_installation(call: Call) -> Reply:
    """`GET app/installations/{id}`."""
    return Reply(body=objects.installation(call.github, _installation(call)))


async def repo_installation(call: Call) -> Reply:
    """`GET repos/{o}/{r}/installation`."""
    app = _app(call)
    one = next((one for one in installations_on(call.github, call.repo) if one.app is app), None)
    return Reply(body=objects.installation(call.github, found(one)))


async def create_token(call: Call) -> Reply:
    """
    `POST app/installations/{id}/access_tokens`, narrowed by `repositories`, `repository_ids`, `permissions`.

    The header `X-GitHub-Stateless-S2S-Token` with `false` gives the old, short form.
    """
    one, body = _installation(call), call.body or {}
    if one.suspended_at is not None:
        raise Refused(403, "This installation has been suspended")
    chosen = _chosen(call, one, body.get("repositories"), body.get("repository_ids"))
    token = call.services.tokens.for_installation(
        one,
        permissions=body.get("permissions"),
        repositories=None if chosen is None else {repo.id for repo in chosen},
        long=call.headers.get("X-GitHub-Stateless-S2S-Token", "true").lower() != "false",
    )
    answer: dict[str, Any] = {
        "token": token.value,
        "expires_at": stamp(token.expires_at or 0),
        "permissions": token.permissions,
        "repository_selection": "all" if token.repositories is None else "selected",
    }
    if chosen is not None:
        answer["repositories"] = [objects.repository(call.github, repo) for repo in chosen]
    return Reply(201, answer)


def _chosen(call: Call, one: Installation, names: list[str] | None, ids: list[int] | None) -> list[Repository] | None:
    if names is None and ids is None:
        return None
    within = repositories_of(call.github, one)
    chosen = [repo for repo in within if repo.name in (names or []) or repo.id in (ids or [])]
    wanted = len(names or []) + len(ids or [])
    if wanted > MAX_REPOSITORIES or len(chosen) < wanted:
        raise Refused(
            422, "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
    return chosen


async def revoke_token(call: Call) -> Reply:
    """`DELETE installation/token`."""
    call.services.tokens.revoke(found(call.caller.token).value)
    return Reply(204)


async def list_repositories(call: Call) -> Reply:
    """`GET installation/repositories`: those that the token reaches."""
    token = found(call.caller.token)
    one = found(token.installation)
    repos = [
        repo
        for repo in call.github.repositories.values()
        if reaches(one, repo) and (token.repositories is None or repo.id in token.repositories)
    ]
    selection = "all" if token.repositories is None else "selected"
    return call.page(
        repos, lambda repo: objects.repository(call.github, repo), key="repositories", repository_selection=selection
    )


async def rate_limit(call: Call) -> Reply:
    """`GET rate_limit`: does not count itself."""
    limits, key = call.services.limits, call.caller.key
    core, graphql = limits.overview(key, "core"), limits.overview(key, "graphql")
    search = {"limit": 30, "used": 0, "remaining": 30, "reset": core["reset"]}
    return Reply(body={"resources": {"core": core, "graphql": graphql, "search": search}, "rate": core})


ROUTES: Table = {
    "apps/get-authenticated": Route(get_app, who="app"),
    "apps/list-installations": Route(list_installations, who="app"),
    "apps/get-installation": Route(get_installation, who="app"),
    "apps/get-repo-installation": Route(repo_installation, who="app"),
    "apps/create-installation-access-token": Route(create_token, who="app"),
    "apps/list-repos-accessible-to-installation": Route(list_repositories, who="installation"),
    "apps/revoke-installation-access-token": Route(revoke_token, who="installation"),
    "rate-limit/get": Route(rate_limit, who="anyone"),
}
