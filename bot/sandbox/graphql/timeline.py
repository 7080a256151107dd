"""The conversation's items of a pull request as GraphQL objects: only those of one kind that clients ask for here.

GitHub: a delivery has the words of its description (`CI_FAILURE`), the conversation has its own in lower case
(`failed_checks`); it keeps the reason also where no delivery arrived.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bot.sandbox.graphql import commits
from bot.sandbox.graphql.connections import connection
from bot.sandbox.graphql.viewing import Viewing
from bot.sandbox.objects.nodes import node_id, stamp
from bot.sandbox.state import Pull, QueueExit, Repository

Node = dict[str, Any]
_KINDS = ["REMOVED_FROM_MERGE_QUEUE_EVENT"]
_WORDS: Mapping[str, str] = MappingProxyType(
    {"CI_FAILURE": "failed_checks", "CI_TIMEOUT": "checks_timed_out", "MERGE": "merged"}
)


def items(viewing: Viewing, repo: Repository, one: Pull, asked: Node) -> Node:
    """One page of the conversation. Asking for other kinds than these is no query that can be answered here."""
    viewing.need(repo, "pull_requests:read")
    if asked.get("itemTypes") != _KINDS or asked.get("since") or asked.get("skip"):
        raise NotImplementedError(f"timelineItems: only itemTypes {_KINDS} are shown here")
    return connection(one.queue_exits, lambda each: _removed(repo, each), **asked)


def _removed(repo: Repository, each: QueueExit) -> Node:
    """A `RemovedFromMergeQueueEvent`. Its `enqueuer` is a `User`, so that an App is none."""
    return {
        "__typename": "RemovedFromMergeQueueEvent",
        "id": node_id("RemovedFromMergeQueueEvent", repo.id, each.id),
        "createdAt": stamp(each.at),
        "reason": _WORDS.get(each.reason, each.reason.lower()),
        "beforeCommit": commits.commit(repo, repo.git.commit(each.commit)),
        "enqueuer": commits.account(each.enqueuer) if each.enqueuer.type == "User" else None,
    }
