"""Pull requests and reviews."""

from __future__ import annotations

from typing import Any

from bot.sandbox.changes.rules import is_behind, lacking
from bot.sandbox.objects.accounts import association, simple_user
from bot.sandbox.objects.comments import label
from bot.sandbox.objects.nodes import node_id, stamp, stamp_or_none
from bot.sandbox.objects.repositories import repo_url, repository, web_url
from bot.sandbox.state import GitHub, Pull, Repository, Review

JSON = dict[str, Any]


def pull_request_simple(github: GitHub, repo: Repository, pull: Pull) -> JSON:
    """GitHub: `pull-request-simple`, as lists hold it."""
    return {
        "id": pull.id,
        "node_id": node_id("PullRequest", repo.id, pull.number),
        "number": pull.number,
        "state": pull.state,
        "locked": pull.locked,
        "title": pull.title,
        "body": pull.body,
        "draft": pull.draft,
        "user": simple_user(github, pull.author),
        "author_association": association(repo, pull.author),
        "labels": [label(github, repo, name) for name in pull.labels],
        "milestone": None,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "active_lock_reason": None,
        "created_at": stamp(pull.created_at),
        "updated_at": stamp(pull.updated_at),
        "closed_at": stamp_or_none(pull.closed_at),
        "merged_at": stamp_or_none(pull.merged_at),
        "merge_commit_sha": pull.merge_commit,
        "auto_merge": pull.auto_merge,
        "head": _side(github, github.repositories.get(pull.head_repo), pull.head_ref, pull.head_sha),
        "base": _side(github, repo, pull.base_ref, pull.base_sha),
        **_addresses(github, repo, pull),
    }


def _addresses(github: GitHub, repo: Repository, pull: Pull) -> JSON:
    url, page = f"{repo_url(github, repo)}/pulls/{pull.number}", f"{web_url(github, repo)}/pull/{pull.number}"
    issue_url = f"{repo_url(github, repo)}/issues/{pull.number}"
    links = {
        "self": url,
        "html": page,
        "issue": issue_url,
        "comments": f"{issue_url}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{repo_url(github, repo)}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{repo_url(github, repo)}/statuses/{pull.head_sha}",
    }
    return {
        "url": url,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        **{f"{name}_url": href for name, href in links.items() if name != "self"},
        "_links": {name: {"href": href} for name, href in links.items()},
    }


def pull_request(github: GitHub, repo: Repository, pull: Pull) -> JSON:
    """GitHub: `pull-request`, with counts and `mergeable` (null until a background job has found out)."""
    start = repo.git.merge_base(pull.base_sha, pull.head_sha)
    changed, added, deleted = repo.git.line_counts(start, pull.head_sha)
    return {
        **pull_request_simple(github, repo, pull),
        "merged": pull.merged_at is not None,
        "mergeable": pull.mergeable,
        "rebaseable": pull.mergeable,
        "mergeable_state": mergeable_state(repo, pull),
        "merged_by": None if pull.merged_by is None else simple_user(github, pull.merged_by),
        "comments": sum(comment.number == pull.number for comment in repo.comments.values()),
        "review_comments": 0,
        "maintainer_can_modify": pull.maintainer_can_modify,
        "commits": len(repo.git.log(pull.head_sha, pull.base_sha)),
        "additions": added,
        "deletions": deleted,
        "changed_files": changed,
    }


def mergeable_state(repo: Repository, pull: Pull) -> str:
    """GitHub: `unknown`, `dirty`, `draft`, `behind`, `blocked`, `unstable` or `clean`."""
    if pull.mergeable is None:
        return "unknown"
    if not pull.mergeable:
        return "dirty"
    if pull.draft:
        return "draft"
    if lacking(repo, pull) is not None:
        return "behind" if is_behind(repo, pull) else "blocked"
    bad = {"failure", "timed_out", "cancelled", "action_required"}
    runs = [run for run in repo.check_runs.values() if run.head_sha == pull.head_sha]
    unstable = any(run.status != "completed" or run.conclusion in bad for run in runs)
    return "unstable" if unstable else "clean"


def pull_request_minimal(github: GitHub, repo: Repository, pull: Pull) -> JSON:
    """GitHub: `pull-request-minimal`, as checks and workflow runs name it."""
    return {
        "id": pull.id,
        "number": pull.number,
        "url": f"{repo_url(github, repo)}/pulls/{pull.number}",
        "head": {"ref": pull.head_ref, "sha": pull.head_sha, "repo": _short(github, repo)},
        "base": {"ref": pull.base_ref, "sha": pull.base_sha, "repo": _short(github, repo)},
    }


def pulls_of_commit(github: GitHub, repo: Repository, sha: str) -> list[JSON]:
    """GitHub: the open pull requests of a commit; those from forks are never named here (5.3)."""
    return [
        pull_request_minimal(github, repo, pull)
        for pull in repo.pulls.values()
        if pull.head_sha == sha and pull.head_repo == repo.id and pull.state == "open"
    ]


def review(github: GitHub, repo: Repository, pull: Pull, one: Review) -> JSON:
    """GitHub: `pull-request-review`."""
    page = f"{web_url(github, repo)}/pull/{pull.number}#pullrequestreview-{one.id}"
    url = f"{repo_url(github, repo)}/pulls/{pull.number}"
    return {
        "id": one.id,
        "node_id": node_id("Review", repo.id, pull.number, one.id),
        "user": simple_user(github, one.author),
        "body": one.body,
        "state": one.state,
        "html_url": page,
        "pull_request_url": url,
        "author_association": association(repo, one.author),
        "_links": {"html": {"href": page}, "pull_request": {"href": url}},
        "submitted_at": stamp(one.submitted_at),
        "commit_id": one.commit,
    }


def _short(github: GitHub, repo: Repository) -> JSON:
    return {"id": repo.id, "url": repo_url(github, repo), "name": repo.name}


def _side(github: GitHub, repo: Repository | None, ref: str, sha: str) -> JSON:
    return {
        "label": f"{repo.owner.login}:{ref}" if repo else f"unknown repository:{ref}",
        "ref": ref,
        "sha": sha,
        "user": simple_user(github, repo.owner) if repo else None,
        "repo": repository(github, repo) if repo else None,
    }
