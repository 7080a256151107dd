"""Records as GraphQL objects: dictionaries whose callable values are asked only where a query names them.

Each has `__typename`, so that interfaces resolve.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from bot.sandbox.changes.checks import latest
from bot.sandbox.changes.pulls import find_mergeable
from bot.sandbox.git import Commit
from bot.sandbox.graphql import files, queues
from bot.sandbox.graphql.connections import connection
from bot.sandbox.graphql.failures import not_found
from bot.sandbox.graphql.viewing import Viewing
from bot.sandbox.objects.comments import label as label_object
from bot.sandbox.objects.nodes import node_id, stamp, stamp_or_none
from bot.sandbox.objects.pulls import mergeable_state
from bot.sandbox.state import Account, Act, Actor, CheckSuite, Comment, Pull, Repository

Node = dict[str, Any]
_INT_MAX = 2**31 - 1
_FAILED = {"failure", "timed_out", "cancelled", "action_required", "startup_failure", "stale"}


def _number(value: int) -> int | None:
    """GitHub: `databaseId` is a 32 bit Int and cannot hold newer ids (GITHUB.md 2.3); null then."""
    return value if value <= _INT_MAX else None


def account(one: Account) -> Node:
    """A `User`, `Bot` or `Organization`; GitHub shows a bot's login without `[bot]`."""
    return {
        "__typename": one.type,
        "id": node_id("User", one.id),
        "databaseId": _number(one.id),
        "login": one.login.removesuffix("[bot]"),
    }


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
        return ref(viewing, repo, asked["qualifiedName"].removeprefix("refs/heads/"))

    return {
        "__typename": "Repository",
        "id": node_id("Repository", repo.id),
        "databaseId": _number(repo.id),
        "name": repo.name,
        "nameWithOwner": repo.full_name,
        "owner": account(repo.owner),
        "isPrivate": repo.private,
        "isArchived": repo.archived,
        "defaultBranchRef": lambda _info: ref(viewing, repo, repo.default_branch),
        "pullRequests": pulls,
        "pullRequest": one_pull,
        "ref": ref_of,
        "mergeQueue": lambda _info, **asked: queues.merge_queue(viewing, repo, asked.get("branch")),
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


def ref(viewing: Viewing, repo: Repository, branch: str) -> Node | None:
    """A branch as a `Ref`."""
    sha = repo.git.branch(branch)
    if sha is None:
        return None
    viewing.need(repo, "contents:read")
    identity = node_id("Ref", repo.id, f"refs/heads/{branch}")
    return {"__typename": "Ref", "id": identity, "name": branch, "target": commit(repo, repo.git.commit(sha))}


def commit(repo: Repository, one: Commit) -> Node:
    """A `Commit` with what its checks come to."""

    def parents(_info: Any, **asked: Any) -> Node:
        return connection(one.parents, lambda sha: commit(repo, repo.git.commit(sha)), **asked)

    def suites(_info: Any, **asked: Any) -> Node:
        wanted = (asked.get("filterBy") or {}).get("appId")
        found = [each for each in repo.suites.values() if each.head_sha == one.sha and wanted in (None, each.app.id)]
        return connection(found, lambda each: _suite(repo, each), **asked)

    return {
        "__typename": "Commit",
        "checkSuites": suites,
        "file": lambda _info, path: files.entry(repo, one.sha, path),
        "id": node_id("Commit", repo.id, one.sha),
        "oid": one.sha,
        "messageHeadline": one.message.partition("\n")[0],
        "parents": parents,
        "statusCheckRollup": lambda _info: _rollup(repo, one.sha),
    }


def _suite(repo: Repository, one: CheckSuite) -> Node:
    return {
        "__typename": "CheckSuite",
        "id": node_id("CheckSuite", repo.id, one.id),
        "app": {"__typename": "App", "id": node_id("App", one.app.id), "slug": one.app.slug},
        "status": one.status.upper(),
        "conclusion": one.conclusion.upper() if one.conclusion else None,
        "updatedAt": stamp(one.updated_at),
    }


def _rollup(repo: Repository, sha: str) -> Node | None:
    runs = latest([run for run in repo.check_runs.values() if run.head_sha == sha])
    statuses = {one.context: one.state for one in repo.statuses if one.sha == sha}
    if not runs and not statuses:
        return None
    run_states = Counter((run.conclusion or run.status).upper() for run in runs)
    status_states = Counter(state.upper() for state in statuses.values())
    failed = any(run.conclusion in _FAILED for run in runs) or bool(set(statuses.values()) & {"failure", "error"})
    pending = any(run.status != "completed" for run in runs) or "pending" in statuses.values()
    calm = "PENDING" if pending else "SUCCESS"
    contexts = {
        "totalCount": len(runs) + len(statuses),
        "checkRunCount": len(runs),
        "checkRunCountsByState": [{"state": state, "count": count} for state, count in run_states.items()],
        "statusContextCount": len(statuses),
        "statusContextCountsByState": [{"state": state, "count": count} for state, count in status_states.items()],
    }
    return {
        "id": node_id("Commit", repo.id, sha, "rollup"),
        "state": "FAILURE" if failed else calm,
        "contexts": lambda _info, **_asked: contexts,
    }


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
        "author": account(one.author),
        "autoMergeRequest": {"enabledAt": None} if one.auto_merge is not None else None,
        "maintainerCanModify": one.maintainer_can_modify,
        **_sides(viewing, repo, one),
        **_mergeability(viewing, repo, one),
        **_lists(viewing, repo, one),
        **queues.of_pull(viewing, repo, one),
    }


def _sides(viewing: Viewing, repo: Repository, one: Pull) -> Node:
    head_repo = viewing.github.repositories.get(one.head_repo)
    return {
        "headRefName": one.head_ref,
        "headRefOid": one.head_sha,
        "headRef": lambda _info: ref(viewing, head_repo, one.head_ref) if head_repo else None,
        "headRepository": lambda _info: repository(viewing, head_repo) if head_repo else None,
        "headRepositoryOwner": account(head_repo.owner) if head_repo else None,
        "baseRefName": one.base_ref,
        "baseRefOid": repo.git.branch(one.base_ref) or one.base_sha,
        "baseRef": lambda _info: ref(viewing, repo, one.base_ref),
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

    return {"labels": labels, "commits": commits, "comments": comments}


def _pull_commit(repo: Repository, one: Pull, each: Commit) -> Node:
    identity = node_id("Commit", repo.id, each.sha, one.number)
    return {"__typename": "PullRequestCommit", "id": identity, "commit": commit(repo, each)}


def label(viewing: Viewing, repo: Repository, name: str) -> Node:
    """A `Label`."""
    shown = label_object(viewing.github, repo, name)
    return {"__typename": "Label", "id": shown["node_id"], "name": name, "color": shown["color"]}


def comment(repo: Repository, one: Comment) -> Node:
    """An `IssueComment`."""
    return {
        "__typename": "IssueComment",
        "id": node_id("IssueComment", repo.id, one.id),
        "databaseId": _number(one.id),
        "author": account(one.author),
        "body": one.body,
        "createdAt": stamp(one.created_at),
        "updatedAt": stamp(one.updated_at),
        "isMinimized": one.minimized is not None,
        "minimizedReason": None if one.minimized is None else one.minimized.lower(),
    }
