"""Commits, files of a diff."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from bot.sandbox.git import Commit, Person
from bot.sandbox.git.diff import FileDiff
from bot.sandbox.objects.accounts import simple_user
from bot.sandbox.objects.nodes import node_id, stamp
from bot.sandbox.objects.repositories import repo_url, web_url
from bot.sandbox.state import GitHub, Repository

JSON = dict[str, Any]
UNSIGNED: JSON = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}
MAX_PATCH = 400_000  # beyond it GitHub leaves the patch out; its own figure is not published


def _git_user(person: Person) -> JSON:
    return {"name": person.name, "email": person.email, "date": stamp(person.when)}


def _user(github: GitHub, person: Person) -> JSON | None:
    account = github.account_of(person)
    return None if account is None else simple_user(github, account)


def commit(github: GitHub, repo: Repository, one: Commit, files: list[FileDiff] | None = None) -> JSON:
    """GitHub: `commit`; with its files where they are given."""
    url = f"{repo_url(github, repo)}/commits/{one.sha}"
    page = f"{web_url(github, repo)}/commit"
    made: JSON = {
        "sha": one.sha,
        "node_id": node_id("Commit", repo.id, one.sha),
        "commit": {
            "author": _git_user(one.author),
            "committer": _git_user(one.committer),
            "message": one.message.rstrip("\n"),
            "tree": {"sha": one.tree, "url": f"{repo_url(github, repo)}/git/trees/{one.tree}"},
            "url": f"{repo_url(github, repo)}/git/commits/{one.sha}",
            "comment_count": 0,
            "verification": dict(UNSIGNED),
        },
        "url": url,
        "html_url": f"{page}/{one.sha}",
        "comments_url": f"{url}/comments",
        "author": _user(github, one.author),
        "committer": _user(github, one.committer),
        "parents": [
            {"sha": sha, "url": f"{repo_url(github, repo)}/commits/{sha}", "html_url": f"{page}/{sha}"}
            for sha in one.parents
        ],
    }
    if files is not None:
        added, deleted = sum(file.additions for file in files), sum(file.deletions for file in files)
        made["stats"] = {"total": added + deleted, "additions": added, "deletions": deleted}
        made["files"] = [diff_entry(github, repo, one.sha, file) for file in files]
    return made


def git_commit(github: GitHub, repo: Repository, one: Commit) -> JSON:
    """GitHub: `git-commit`."""
    base = f"{repo_url(github, repo)}/git"
    page = f"{web_url(github, repo)}/commit"
    return {
        "sha": one.sha,
        "node_id": node_id("Commit", repo.id, one.sha),
        "url": f"{base}/commits/{one.sha}",
        "html_url": f"{page}/{one.sha}",
        "author": _git_user(one.author),
        "committer": _git_user(one.committer),
        "tree": {"sha": one.tree, "url": f"{base}/trees/{one.tree}"},
        "message": one.message,
        "parents": [{"sha": sha, "url": f"{base}/commits/{sha}", "html_url": f"{page}/{sha}"} for sha in one.parents],
        "verification": dict(UNSIGNED),
    }


def simple_commit(one: Commit) -> JSON:
    """GitHub: `simple-commit`."""
    return {
        "id": one.sha,
        "tree_id": one.tree,
        "message": one.message,
        "timestamp": stamp(one.committer.when),
        "author": {"name": one.author.name, "email": one.author.email},
        "committer": {"name": one.committer.name, "email": one.committer.email},
    }


def diff_entry(github: GitHub, repo: Repository, sha: str, file: FileDiff) -> JSON:
    """GitHub: `diff-entry`; a big or binary file has no `patch`."""
    path = quote(file.path)
    made: JSON = {
        "sha": file.sha,
        "filename": file.path,
        "status": file.status,
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        "blob_url": f"{web_url(github, repo)}/blob/{sha}/{path}",
        "raw_url": f"{web_url(github, repo)}/raw/{sha}/{path}",
        "contents_url": f"{repo_url(github, repo)}/contents/{path}?ref={sha}",
    }
    if file.patch is not None and len(file.patch) <= MAX_PATCH:
        made["patch"] = file.patch
    if file.previous is not None:
        made["previous_filename"] = file.previous
    return made
