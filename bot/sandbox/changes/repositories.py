"""Repositories: made, forked, renamed, archived, deleted; who may do what in them."""

from __future__ import annotations

from collections.abc import Mapping

from bot.sandbox.git import Git
from bot.sandbox.state import Account, Actor, GitHub, Happening, Repository, Role

DEFAULT_LABELS = {"bug": "d73a4a", "documentation": "0075ca", "enhancement": "a2eeef"}


def create_repository(
    github: GitHub,
    owner: Account,
    name: str,
    files: Mapping[str, bytes | str] | None = None,
    *,
    private: bool = False,
    message: str = "Begin",
    default_branch: str = "main",
) -> Repository:
    """Make a repository; with `files`, its default branch has one commit that holds them. Tells nothing."""
    number = github.new_number()
    git = Git(github.root / "repositories" / f"{number}.git", default_branch=default_branch)
    now = github.clock.now()
    repo = Repository(number, owner, name, git, now, default_branch, private, labels=dict(DEFAULT_LABELS))
    github.repositories[number] = repo
    if files is not None:
        commit = git.commit_files(None, files, message, owner.signature(now))
        git.refs.write(f"refs/heads/{default_branch}", commit)
        repo.pushed_at = now
    return repo


def fork(github: GitHub, parent: Repository, by: Account, name: str | None = None) -> Repository:
    """Fork a repository with all its branches; the two share objects, as a network on GitHub does."""
    number = github.new_number()
    git = Git(github.root / "repositories" / f"{number}.git", parent.git.store, parent.default_branch)
    for branch, sha in parent.git.branches().items():
        git.refs.write(f"refs/heads/{branch}", sha)
    repo = Repository(
        number,
        by,
        name or parent.name,
        git,
        github.clock.now(),
        parent.default_branch,
        parent.private,
        fork_of=parent.id,
    )
    github.repositories[number] = repo
    return repo


def in_network(github: GitHub, repo: Repository, owner: str) -> Repository | None:
    """Find the fork (or parent, or the repository itself) that belongs to somebody."""
    for other in github.repositories.values():
        if other.git.store is repo.git.store and other.owner.login.lower() == owner.lower():
            return other
    return None


def rename(github: GitHub, repo: Repository, name: str, by: Actor) -> None:
    """Rename a repository; the old name leads to it from now on. Tells `repository.renamed`."""
    old = repo.name
    repo.former_names.append(repo.full_name)
    repo.name = name
    repo.former_names = [one for one in repo.former_names if one.lower() != repo.full_name.lower()]
    _tell(github, repo, "renamed", by, changes={"repository": {"name": {"from": old}}})


def archive(github: GitHub, repo: Repository, by: Actor, *, archived: bool = True) -> None:
    """Make a repository read-only, or undo that."""
    repo.archived = archived
    _tell(github, repo, "archived" if archived else "unarchived", by)


def delete(github: GitHub, repo: Repository, by: Actor) -> None:
    """Delete a repository. Tells `repository.deleted`."""
    _tell(github, repo, "deleted", by)
    del github.repositories[repo.id]


def set_role(repo: Repository, account: Account, role: Role | None) -> None:
    """Make somebody a collaborator, or (`None`) no longer one."""
    if role is None:
        repo.collaborators.pop(account.login, None)
    else:
        repo.collaborators[account.login] = role


def role_of(repo: Repository, account: Account) -> Role | None:
    """What somebody may do: the owner everything, a collaborator by role, others read what is public."""
    if account is repo.owner:
        return "admin"
    return repo.collaborators.get(account.login) or (None if repo.private else "read")


def _tell(github: GitHub, repo: Repository, action: str, by: Actor, **subject: object) -> None:
    github.happen(Happening("repository", action, repo, by.account, dict(subject), by.by_workflow_token))
