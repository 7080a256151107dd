"""Records as GraphQL objects: dictionaries whose callable values are asked only where a query names them.

Each has `__typename`, so that interfaces resolve.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.sandbox.changes.pulls import find_mergeable
from bot.sandbox.git import Commit
from bot.sandbox.graphql import commits, queues, timeline
from bot.sandbox.graphql.connections import connection
from bot.sandbox.graphql.failures import not_found
from bot.sandbox.graphql.viewing import Viewing
from bot.sandbox.objects.comments import label as label_object
from bot.sandbox.objects.nodes import node_id, stamp, stamp_or_none
from bot.sandbox.objects.pulls import mergeable_state
from bot.sandbox.state import Act, Actor, Comment, Pull, Repository

Node = dict[str, Any]


def repository(viewing: Viewing, repo: Repository) -> Node:
    """A `Repository`."""

    def pulls(_info: Any, **asked: Any) -> Node:
        viewing.need(repo, "pull_requests:read")
        return connection(_pulls(repo, **asked), lambda one: pull(viewing, repo, one), **asked)

    def one_pull(_info: Any, number: int) -> Node:
        viewing.need(repo, "pull_requests:read")
        if number not in repo.pulls:
            raise not_found(f"a PullRequest with the number of {number}")
        return pull(viewing, repo, repo.pulls[number])

    def ref_of(_info: Any, **asked: Any) -> Node | None:
        return commits.ref(viewing, repo, asked["qualifiedName"].removeprefix("refs/heads/"))

    def refs(_info: Any, **asked: Any) -> Node:
        viewing.need(repo, "contents:read")
        prefix, part = asked["refPrefix"].removeprefix("refs/heads/"), (asked.get("query") or "").lower()
        names = [name for name in sorted(repo.git.branches()) if name.startswith(prefix) and part in name.lower()]
        return connection(names, lambda name: commits.ref(viewing, repo, name), **asked)

    return {
        "__typename": "Repository",
        "id": node_id("Repository", repo.id),
        "databaseId": commits.number(repo.id),
        "name": repo.name,
        "nameWithOwner": repo.full_name,
        "owner": commits.account(repo.owner),
        "isPrivate": repo.private,
        "isArchived": repo.archived,
        "defaultBranchRef": lambda _info: commits.ref(viewing, repo, repo.default_branch),
        "pullRequests": pulls,
        "pullRequest": one_pull,
        "ref": ref_of,
        "refs": refs,
        "mergeQueue": lambda _info, **asked: queues.merge_queue(viewing, repo, asked.get("branch"), pull),
    }


def _pulls(repo: Repository, **asked: Any) -> list[Pull]:
    wanted: dict[str, Callable[[Pull], bool]] = {
        "states": lambda one: _state(one) in asked["states"],
        "baseRefName": lambda one: one.base_ref == asked["baseRefName"],
        "headRefName": lambda one: one.head_ref == asked["headRefName"],
        "labels": lambda one: bool(set(one.labels) & set(asked["labels"])),
    }
    tests = [test for name, test in wanted.items() if asked.get(name) is not None]
    found = [one for one in repo.pulls.values() if all(test(one) for test in tests)]
    order = asked.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
    keys: dict[str, Callable[[Pull], Any]] = {
        "CREATED_AT": lambda one: (one.created_at, one.number),
        "UPDATED_AT": lambda one: (one.updated_at, one.number),
        "COMMENTS": lambda one: sum(comment.number == one.number for comment in repo.comments.values()),
    }
    return sorted(found, key=keys[order["field"]], reverse=order["direction"] == "DESC")


def _state(one: Pull) -> str:
    return "MERGED" if one.merged_at is not None else one.state.upper()


def pull(viewing: Viewing, repo: Repository, one: Pull) -> Node:
    """A `PullRequest`."""
    return {
        "__typename": "PullRequest",
        "id": node_id("PullRequest", repo.id, one.number),
        "fullDatabaseId": str(one.id),
        "number": one.number,
        "title": one.title,
        "body": one.body or "",
        "state": _state(one),
        "isDraft": one.draft,
        "closed": one.state == "closed",
        "merged": one.merged_at is not None,
        "createdAt": stamp(one.created_at),
        "updatedAt": stamp(one.updated_at),
        "closedAt": stamp_or_none(one.closed_at),
        "mergedAt": stamp_or_none(one.merged_at),
        "author": commits.account(one.author),
        "autoMergeRequest": {"enabledAt": None} if one.auto_merge is not None else None,
        "maintainerCanModify": one.maintainer_can_modify,
        **_sides(viewing, repo, one),
        **_mergeability(viewing, repo, one),
        **_lists(viewing, repo, one),
        **queues.of_pull(viewing, repo, one, pull),
    }


def _sides(viewing: Viewing, repo: Repository, one: Pull) -> Node:
    head_repo = viewing.github.repositories.get(one.head_repo)
    return {
        "headRefName": one.head_ref,
        "headRefOid": one.head_sha,
        "headRef": lambda _info: commits.ref(viewing, head_repo, one.head_ref) if head_repo else None,
        "headRepository": lambda _info: repository(viewing, head_repo) if head_repo else None,
        "headRepositoryOwner": commits.account(head_repo.owner) if head_repo else None,
        "baseRefName": one.base_ref,
        "baseRefOid": repo.git.branch(one.base_ref) or one.base_sha,
        "baseRef": lambda _info: commits.ref(viewing, repo, one.base_ref),
        "isCrossRepository": one.head_repo != repo.id,
    }


def _mergeability(viewing: Viewing, repo: Repository, one: Pull) -> Node:
    """Asking for either starts the job that finds out, as in REST."""
    act = Act(viewing.github, repo, Actor(one.author))

    async def mergeable(_info: Any) -> str:
        known = {None: "UNKNOWN", True: "MERGEABLE", False: "CONFLICTING"}[one.mergeable]
        await find_mergeable(act, one)
        return known

    async def merge_state(_info: Any) -> str:
        known = mergeable_state(repo, one).upper()
        await find_mergeable(act, one)
        return known

    return {"mergeable": mergeable, "mergeStateStatus": merge_state}


def _lists(viewing: Viewing, repo: Repository, one: Pull) -> Node:
    def labels(_info: Any, **asked: Any) -> Node:
        return connection(one.labels, lambda name: label(viewing, repo, name), **asked)

    def commits(_info: Any, **asked: Any) -> Node:
        found = list(reversed(repo.git.log(one.head_sha, one.base_sha)))
        return connection(found, lambda each: _pull_commit(repo, one, each), **asked)

    def comments(_info: Any, **asked: Any) -> Node:
        found = [each for each in repo.comments.values() if each.number == one.number]
        return connection(found, lambda each: comment(repo, each), **asked)

    def conversation(_info: Any, **asked: Any) -> Node:
        return timeline.items(viewing, repo, one, asked)

    return {"labels": labels, "commits": commits, "comments": comments, "timelineItems": conversation}


def _pull_commit(repo: Repository, one: Pull, each: Commit) -> Node:
    identity = node_id("Commit", repo.id, each.sha, one.number)
    return {"__typename": "PullRequestCommit", "id": identity, "commit": commits.commit(repo, each)}


def label(viewing: Viewing, repo: Repository, name: str) -> Node:
    """A `Label`."""
    shown = label_object(viewing.github, repo, name)
    return {"__typename": "Label", "id": shown["node_id"], "name": name, "color": shown["color"]}


def comment(repo: Repository, one: Comment) -> Node:
    """An `IssueComment`."""
    return {
        "__typename": "IssueComment",
        "id": node_id("IssueComment", repo.id, one.id),
        "databaseId": commits.number(one.id),
        "author": commits.account(one.author),
        "body": one.body,
        "createdAt": stamp(one.created_at),
        "updatedAt": stamp(one.updated_at),
        "isMinimized": one.minimized is not None,
        "minimizedReason": None if one.minimized is None else one.minimized.lower(),
    }
