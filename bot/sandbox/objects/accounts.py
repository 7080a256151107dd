"""Accounts, Apps and installations."""

from __future__ import annotations

from typing import Any

from bot.sandbox.objects.nodes import node_id, stamp, stamp_or_none
from bot.sandbox.state import Account, App, GitHub, Installation, Repository

JSON = dict[str, Any]


def simple_user(github: GitHub, account: Account) -> JSON:
    """GitHub: `simple-user`."""
    url = f"{github.api_url}/users/{account.login}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node_id("User", account.id),
        "avatar_url": f"{github.web_url}/avatars/{account.id}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{github.web_url}/{account.login}",
        "followers_url": f"{url}/followers",
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{url}/subscriptions",
        "organizations_url": f"{url}/orgs",
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events{{/privacy}}",
        "received_events_url": f"{url}/received_events",
        "type": account.type,
        "user_view_type": "public",
        "site_admin": False,
    }


def integration(github: GitHub, app: App) -> JSON:
    """GitHub: `integration` (an App)."""
    return {
        "id": app.id,
        "slug": app.slug,
        "client_id": f"Iv1.{app.id:016x}",
        "node_id": node_id("App", app.id),
        "owner": simple_user(github, app.owner),
        "name": app.name,
        "description": None,
        "external_url": f"{github.web_url}/apps/{app.slug}",
        "html_url": f"{github.web_url}/apps/{app.slug}",
        "created_at": stamp(0),
        "updated_at": stamp(0),
        "permissions": dict(app.permissions),
        "events": sorted(app.events),
    }


def installation(github: GitHub, one: Installation) -> JSON:
    """GitHub: `installation`."""
    return {
        "id": one.id,
        "client_id": f"Iv1.{one.app.id:016x}",
        "account": simple_user(github, one.account),
        "repository_selection": "all" if one.repositories is None else "selected",
        "access_tokens_url": f"{github.api_url}/app/installations/{one.id}/access_tokens",
        "repositories_url": f"{github.api_url}/installation/repositories",
        "html_url": f"{github.web_url}/settings/installations/{one.id}",
        "app_id": one.app.id,
        "app_slug": one.app.slug,
        "target_id": one.account.id,
        "target_type": one.account.type,
        "permissions": dict(one.permissions),
        "events": sorted(one.app.events),
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None if one.suspended_at is None else simple_user(github, one.account),
        "suspended_at": stamp_or_none(one.suspended_at),
    }


def association(repo: Repository, account: Account) -> str:
    """GitHub: `author_association` of somebody in a repository."""
    if account is repo.owner:
        return "OWNER"
    if account.login in repo.collaborators:
        return "COLLABORATOR"
    if any(pull.author is account and pull.merged_at is not None for pull in repo.pulls.values()):
        return "CONTRIBUTOR"
    return "NONE"
