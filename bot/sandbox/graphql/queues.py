"""Merge queues as GraphQL objects. Reading one needs `merge_queues: read` of an App.

A queue's entry shows its pull request, and that shows its queue: how a pull request is shown is handed in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from bot.sandbox.changes.queue import entry_of, queue_rule
from bot.sandbox.changes.rules import required_state
from bot.sandbox.graphql import commits
from bot.sandbox.graphql.connections import connection
from bot.sandbox.graphql.viewing import Viewing
from bot.sandbox.objects.nodes import node_id, stamp
from bot.sandbox.state import Pull, QueueEntry, Repository

Node = dict[str, Any]
ShowPull: TypeAlias = Callable[[Viewing, Repository, Pull], Node]
_READ = "merge_queues:read"


def merge_queue(viewing: Viewing, repo: Repository, branch: str | None, show_pull: ShowPull) -> Node | None:
    """The `MergeQueue` of a branch (by default the default branch), or None."""
    viewing.need(repo, _READ)
    name = branch or repo.default_branch
    rule = queue_rule(repo, name)
    if rule is None:
        return None
    waiting = repo.queues.get(name, [])

    def entries(_info: Any, **asked: Any) -> Node:
        return connection(waiting, lambda one: entry(viewing, repo, one, show_pull), **asked)

    return {
        "__typename": "MergeQueue",
        "id": node_id("MergeQueue", repo.id, name),
        "url": f"{viewing.github.web_url}/{repo.full_name}/queue/{name}",
        "entries": entries,
        "configuration": {
            "checkResponseTimeout": rule["check_response_timeout_minutes"],
            "maximumEntriesToBuild": rule["max_entries_to_build"],
            "maximumEntriesToMerge": rule["max_entries_to_merge"],
            "mergeMethod": rule["merge_method"],
            "mergingStrategy": rule["grouping_strategy"],
            "minimumEntriesToMerge": rule["min_entries_to_merge"],
            "minimumEntriesToMergeWaitTime": rule["min_entries_to_merge_wait_minutes"],
        },
    }


def entry(viewing: Viewing, repo: Repository, one: QueueEntry, show_pull: ShowPull) -> Node:
    """A `MergeQueueEntry`; one that has just left its queue stands at position 0."""
    pull = repo.pulls[one.pull]
    waiting = repo.queues.get(pull.base_ref, [])
    group = one.group
    state = "QUEUED"
    if group is not None:
        known = {"passed": "MERGEABLE", "failed": "UNMERGEABLE", "waiting": "AWAITING_CHECKS"}
        state = known[required_state(repo, pull.base_ref, group.head_sha)]
    return {
        "__typename": "MergeQueueEntry",
        "id": node_id("MergeQueueEntry", repo.id, one.id),
        "position": waiting.index(one) + 1 if one in waiting else 0,
        "state": state,
        "jump": one.jump,
        "enqueuedAt": stamp(one.enqueued_at),
        "enqueuer": commits.account(one.enqueuer),
        "baseCommit": None if group is None else commits.commit(repo, repo.git.commit(group.base_sha)),
        "headCommit": None if group is None else commits.commit(repo, repo.git.commit(group.head_sha)),
        "pullRequest": lambda _info: show_pull(viewing, repo, pull),
    }


def of_pull(viewing: Viewing, repo: Repository, one: Pull, show_pull: ShowPull) -> Node:
    """What a `PullRequest` says of its queue."""

    def mine(_info: Any) -> Node | None:
        viewing.need(repo, _READ)
        found = entry_of(repo, one)
        return None if found is None else entry(viewing, repo, found, show_pull)

    return {
        "isInMergeQueue": entry_of(repo, one) is not None,
        "isMergeQueueEnabled": queue_rule(repo, one.base_ref) is not None,
        "mergeQueue": lambda _info: merge_queue(viewing, repo, one.base_ref, show_pull),
        "mergeQueueEntry": mine,
    }
