"""Accounts, branches and commits as GraphQL objects, and what a commit's checks come to."""

from __future__ import annotations

from collections import Counter
from typing import Any

from bot.sandbox.changes.checks import latest
from bot.sandbox.git import Commit
from bot.sandbox.graphql import files
from bot.sandbox.graphql.connections import connection
from bot.sandbox.graphql.viewing import Viewing
from bot.sandbox.objects.nodes import node_id, stamp
from bot.sandbox.state import Account, CheckSuite, Repository

Node = dict[str, Any]
_INT_MAX = 2**31 - 1
_FAILED = {"failure", "timed_out", "cancelled", "action_required", "startup_failure", "stale"}


def number(value: int) -> int | None:
    """GitHub: `databaseId` is a 32 bit Int and cannot hold newer ids (GITHUB.md 2.3); null then."""
    return value if value <= _INT_MAX else None


def account(one: Account) -> Node:
    """A `User`, `Bot` or `Organization`; GitHub shows a bot's login without `[bot]`."""
    return {
        "__typename": one.type,
        "id": node_id("User", one.id),
        "databaseId": number(one.id),
        "login": one.login.removesuffix("[bot]"),
    }


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
