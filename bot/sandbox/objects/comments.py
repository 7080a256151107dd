"""Issues, comments, labels, reactions."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from bot.sandbox.changes.comments import REACTIONS
from bot.sandbox.objects.accounts import association, integration, simple_user
from bot.sandbox.objects.nodes import node_id, stamp, stamp_or_none
from bot.sandbox.objects.repositories import repo_url, web_url
from bot.sandbox.state import Comment, GitHub, Issue, Pull, Reaction, Repository

JSON = dict[str, Any]


def label(github: GitHub, repo: Repository, name: str) -> JSON:
    """GitHub: `label`."""
    number = repo.id * 1_000 + list(repo.labels).index(name)
    return {
        "id": number,
        "node_id": node_id("Label", repo.id, number),
        "url": f"{repo_url(github, repo)}/labels/{quote(name)}",
        "name": name,
        "color": repo.labels[name],
        "default": False,
        "description": "",
    }


def reaction(github: GitHub, one: Reaction) -> JSON:
    """GitHub: `reaction`."""
    return {
        "id": one.id,
        "node_id": node_id("Reaction", one.id),
        "user": simple_user(github, one.user),
        "content": one.content,
        "created_at": stamp(one.created_at),
    }


def reaction_rollup(url: str, reactions: list[Reaction]) -> JSON:
    """GitHub: `reaction-rollup`."""
    counts = {name: sum(one.content == name for one in reactions) for name in REACTIONS}
    return {"url": f"{url}/reactions", "total_count": len(reactions), **counts}


def issue_comment(github: GitHub, repo: Repository, comment: Comment) -> JSON:
    """GitHub: `issue-comment`."""
    url = f"{repo_url(github, repo)}/issues/comments/{comment.id}"
    kind = "pull" if comment.number in repo.pulls else "issues"
    return {
        "id": comment.id,
        "node_id": node_id("IssueComment", repo.id, comment.id),
        "url": url,
        "html_url": f"{web_url(github, repo)}/{kind}/{comment.number}#issuecomment-{comment.id}",
        "issue_url": f"{repo_url(github, repo)}/issues/{comment.number}",
        "body": comment.body,
        "user": simple_user(github, comment.author),
        "created_at": stamp(comment.created_at),
        "updated_at": stamp(comment.updated_at),
        "author_association": association(repo, comment.author),
        "reactions": reaction_rollup(url, comment.reactions),
        "performed_via_github_app": None if comment.via_app is None else integration(github, comment.via_app),
        "minimized": None if comment.minimized is None else {"reason": comment.minimized.lower()},
    }


def issue(github: GitHub, repo: Repository, one: Issue) -> JSON:
    """GitHub: `issue`."""
    closed_at = one.updated_at if one.state == "closed" else None
    return {**_issue(github, repo, one), "closed_at": stamp_or_none(closed_at)}


def issue_of_pull(github: GitHub, repo: Repository, pull: Pull) -> JSON:
    """GitHub: a pull request seen as an issue: it has the key `pull_request`."""
    page = f"{web_url(github, repo)}/pull/{pull.number}"
    return {
        **_issue(github, repo, pull),
        "html_url": page,
        "draft": pull.draft,
        "closed_at": stamp_or_none(pull.closed_at),
        "pull_request": {
            "url": f"{repo_url(github, repo)}/pulls/{pull.number}",
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "merged_at": stamp_or_none(pull.merged_at),
        },
    }


def _issue(github: GitHub, repo: Repository, one: Issue | Pull) -> JSON:
    url = f"{repo_url(github, repo)}/issues/{one.number}"
    return {
        "id": one.id,
        "node_id": node_id("PullRequest" if isinstance(one, Pull) else "Issue", repo.id, one.number),
        "url": url,
        "repository_url": repo_url(github, repo),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "timeline_url": f"{url}/timeline",
        "html_url": f"{web_url(github, repo)}/issues/{one.number}",
        "number": one.number,
        "title": one.title,
        "body": one.body,
        "user": simple_user(github, one.author),
        "labels": [label(github, repo, name) for name in one.labels],
        "state": one.state,
        "state_reason": None,
        "locked": isinstance(one, Pull) and one.locked,
        "active_lock_reason": None,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": sum(comment.number == one.number for comment in repo.comments.values()),
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.updated_at),
        "author_association": association(repo, one.author),
        "reactions": reaction_rollup(url, one.reactions),
        "performed_via_github_app": None,
    }
