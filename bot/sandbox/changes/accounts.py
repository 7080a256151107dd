"""Accounts, Apps made from a manifest, and installations."""

from __future__ import annotations

from typing import Any, Literal

from bot.sandbox.state import ACTIONS_APP_ID, Account, App, GitHub, Happening, Installation, Repository


def add_account(github: GitHub, login: str, kind: Literal["User", "Organization", "Bot"] = "User") -> Account:
    """Make an account, or give the one of that login."""
    found = github.accounts.get(login)
    if found is None:
        found = github.accounts[login] = Account(github.new_number(), login, kind)
    return found


def add_app(
    github: GitHub,
    manifest: dict[str, Any],
    *,
    owner: Account,
    public_key: str = "",
    webhook_url: str | None = None,
    webhook_secret: str = "",
    app_id: int | None = None,
) -> App:
    """
    Create an App as its manifest asks: `name`, `default_events`, `default_permissions`, `hook_attributes.url`.

    `metadata: read` comes with every App. Deliveries go to `webhook_url` where it is given, else to the manifest's.
    """
    name = str(manifest["name"])
    slug = name.lower().replace(" ", "-")
    url = webhook_url or manifest.get("hook_attributes", {}).get("url")
    app = App(
        id=github.new_number() if app_id is None else app_id,
        slug=slug,
        name=name,
        owner=owner,
        bot=add_account(github, f"{slug}[bot]", "Bot"),
        public_key=public_key,
        webhook_url=url,
        webhook_secret=webhook_secret,
        events=frozenset(manifest.get("default_events", [])),
        permissions={"metadata": "read", **manifest.get("default_permissions", {})},
    )
    github.apps[app.id] = app
    return app


def add_actions_app(github: GitHub) -> App:
    """Make GitHub's own App for Actions; it hears nothing and its tokens are the workflows'."""
    manifest = {
        "name": "GitHub Actions",
        "default_permissions": dict.fromkeys(
            ("actions", "checks", "contents", "issues", "pull_requests", "statuses"), "write"
        ),
    }
    return add_app(github, manifest, owner=add_account(github, "github", "Organization"), app_id=ACTIONS_APP_ID)


def install(
    github: GitHub,
    app: App,
    account: Account,
    repositories: list[Repository] | None = None,
    *,
    permissions: dict[str, str] | None = None,
    quiet: bool = False,
) -> Installation:
    """Install an App on an account: on chosen repositories, or (`None`) on all. Tells `installation.created`."""
    chosen = None if repositories is None else {repo.id for repo in repositories}
    granted = dict(app.permissions if permissions is None else permissions)
    installation = Installation(github.new_number(), app, account, chosen, granted, github.clock.now())
    github.installations[installation.id] = installation
    if not quiet:
        _tell(github, installation, "created")
    return installation


def uninstall(github: GitHub, installation: Installation) -> None:
    """Remove an installation and its tokens. Tells `installation.deleted`."""
    _tell(github, installation, "deleted")
    del github.installations[installation.id]
    for value in [value for value, token in github.tokens.items() if token.installation is installation]:
        del github.tokens[value]


def suspend(github: GitHub, installation: Installation, *, suspended: bool = True) -> None:
    """Suspend an installation, or lift that. Its tokens get 403 meanwhile."""
    installation.suspended_at = github.clock.now() if suspended else None
    _tell(github, installation, "suspend" if suspended else "unsuspend")


def accept_permissions(github: GitHub, installation: Installation) -> None:
    """Grant what the App's manifest now asks for. Until then an installation keeps its old permissions."""
    installation.permissions = dict(installation.app.permissions)
    _tell(github, installation, "new_permissions_accepted")


def change_repositories(
    github: GitHub, installation: Installation, *, add: list[Repository] | None = None, remove: list[Repository]
) -> None:
    """Give repositories to a selective installation, or take them. Tells `installation_repositories`."""
    if installation.repositories is None:
        raise ValueError("this installation has all repositories of its account")
    for action, repos in (("added", add or []), ("removed", remove)):
        ids = {repo.id for repo in repos}
        if ids and action == "added":
            installation.repositories |= ids
        elif ids:
            installation.repositories -= ids
        if ids:
            subject = {"installation": installation, "added": [], "removed": [], action: repos}
            github.happen(Happening("installation_repositories", action, None, installation.account, subject))


def repositories_of(github: GitHub, installation: Installation) -> list[Repository]:
    """Every repository that an installation reaches."""
    return [repo for repo in github.repositories.values() if reaches(installation, repo)]


def reaches(installation: Installation, repo: Repository) -> bool:
    """Whether an installation has been given a repository."""
    if installation.repositories is None:
        return repo.owner is installation.account
    return repo.id in installation.repositories


def installations_on(github: GitHub, repo: Repository) -> list[Installation]:
    """The installations, not suspended, that reach a repository."""
    return [one for one in github.installations.values() if one.suspended_at is None and reaches(one, repo)]


def _tell(github: GitHub, installation: Installation, action: str) -> None:
    subject = {"installation": installation, "repositories": repositories_of(github, installation)}
    github.happen(Happening("installation", action, None, installation.account, subject))
