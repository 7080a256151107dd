"""Repositories."""

from __future__ import annotations

from typing import Any

from bot.sandbox.objects.accounts import simple_user
from bot.sandbox.objects.nodes import node_id, stamp
from bot.sandbox.state import GitHub, Repository

JSON = dict[str, Any]
_URLS = {
    "archive_url": "{archive_format}{/ref}",
    "assignees_url": "assignees{/user}",
    "blobs_url": "git/blobs{/sha}",
    "branches_url": "branches{/branch}",
    "collaborators_url": "collaborators{/collaborator}",
    "comments_url": "comments{/number}",
    "commits_url": "commits{/sha}",
    "compare_url": "compare/{base}...{head}",
    "contents_url": "contents/{+path}",
    "contributors_url": "contributors",
    "deployments_url": "deployments",
    "downloads_url": "downloads",
    "events_url": "events",
    "forks_url": "forks",
    "git_commits_url": "git/commits{/sha}",
    "git_refs_url": "git/refs{/sha}",
    "git_tags_url": "git/tags{/sha}",
    "hooks_url": "hooks",
    "issue_comment_url": "issues/comments{/number}",
    "issue_events_url": "issues/events{/number}",
    "issues_url": "issues{/number}",
    "keys_url": "keys{/key_id}",
    "labels_url": "labels{/name}",
    "languages_url": "languages",
    "merges_url": "merges",
    "milestones_url": "milestones{/number}",
    "notifications_url": "notifications{?since,all,participating}",
    "pulls_url": "pulls{/number}",
    "releases_url": "releases{/id}",
    "stargazers_url": "stargazers",
    "statuses_url": "statuses/{sha}",
    "subscribers_url": "subscribers",
    "subscription_url": "subscription",
    "tags_url": "tags",
    "teams_url": "teams",
    "trees_url": "git/trees{/sha}",
}


def repo_url(github: GitHub, repo: Repository) -> str:
    """The API's address of a repository."""
    return f"{github.api_url}/repos/{repo.full_name}"


def web_url(github: GitHub, repo: Repository) -> str:
    """The address of a repository's page."""
    return f"{github.web_url}/{repo.full_name}"


def minimal_repository(github: GitHub, repo: Repository) -> JSON:
    """GitHub: `minimal-repository`."""
    url = repo_url(github, repo)
    return {
        "id": repo.id,
        "node_id": node_id("Repository", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
        "owner": simple_user(github, repo.owner),
        "html_url": web_url(github, repo),
        "description": repo.description,
        "fork": repo.fork_of is not None,
        "url": url,
        **{name: f"{url}/{rest}" for name, rest in _URLS.items()},
    }


def repository(github: GitHub, repo: Repository) -> JSON:
    """GitHub: `repository` and `repository-webhooks`."""
    page = web_url(github, repo)
    return {
        **minimal_repository(github, repo),
        "git_url": f"{page.replace('http://', 'git://')}.git",
        "ssh_url": f"git@{github.web_url.partition('://')[2]}:{repo.full_name}.git",
        "clone_url": f"{page}.git",
        "svn_url": page,
        "homepage": None,
        "mirror_url": None,
        "language": None,
        "license": None,
        "size": 0,
        "default_branch": repo.default_branch,
        "topics": [],
        "visibility": "private" if repo.private else "public",
        "archived": repo.archived,
        "disabled": False,
        "is_template": False,
        "allow_forking": True,
        "web_commit_signoff_required": False,
        "has_issues": True,
        "has_projects": True,
        "has_wiki": True,
        "has_pages": False,
        "has_discussions": False,
        "has_downloads": True,
        "created_at": stamp(repo.created_at),
        "updated_at": stamp(repo.pushed_at or repo.created_at),
        "pushed_at": stamp(repo.pushed_at or repo.created_at),
        **_counts(github, repo),
    }


def _counts(github: GitHub, repo: Repository) -> JSON:
    opened = sum(pull.state == "open" for pull in repo.pulls.values())
    opened += sum(issue.state == "open" for issue in repo.issues.values())
    forks = sum(one.fork_of == repo.id for one in github.repositories.values())
    return {
        "stargazers_count": 0,
        "watchers_count": 0,
        "watchers": 0,
        "forks": forks,
        "forks_count": forks,
        "open_issues": opened,
        "open_issues_count": opened,
    }


def full_repository(github: GitHub, repo: Repository) -> JSON:
    """GitHub: `full-repository`."""
    made = {
        **repository(github, repo),
        "network_count": 0,
        "subscribers_count": 0,
        "allow_merge_commit": True,
        "allow_squash_merge": True,
        "allow_rebase_merge": True,
        "allow_auto_merge": True,
        "allow_update_branch": True,
        "delete_branch_on_merge": False,
    }
    parent = github.repositories.get(repo.fork_of) if repo.fork_of else None
    if parent is not None:
        made["parent"] = made["source"] = repository(github, parent)
    return made
