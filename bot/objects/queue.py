"""GitHub's objects of merge queues as facts, whether a webhook or an answer brought them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bot.objects import Json, seconds
from resolver.facts import PullObserved
from resolver.facts.queue import (
    MergeGroupGone,
    MergeGroupSeen,
    MergeQueueRead,
    PullDequeued,
    PullEnqueued,
    QueueEntry,
    RulesRead,
    group_of,
)
from resolver.ids import PullNumber, Sha


def merge_group(payload: Json) -> tuple[MergeGroupSeen | MergeGroupGone, ...]:
    """Read a `merge_group` delivery. It names no pull request, its branch does (GITHUB.md 3.3)."""
    told = payload["merge_group"]
    at = seconds(told["head_commit"]["timestamp"]) or 0.0
    seen = group_of(str(told["head_ref"]), Sha(str(told["head_sha"])), at)
    if seen is None:
        return ()
    if payload.get("action") != "destroyed":
        return (seen,)
    return (seen, MergeGroupGone(head_sha=seen.head_sha, number=seen.number, reason=str(payload.get("reason") or "")))


def queue_step(payload: Json, seen: PullObserved) -> PullEnqueued | PullDequeued:
    """Read a `pull_request` delivery that says that it was enqueued or dequeued."""
    if payload["action"] == "enqueued":
        return PullEnqueued(number=seen.number, head_sha=seen.head_sha, at=seen.updated_at)
    reason = str(payload.get("reason") or "")
    return PullDequeued(number=seen.number, head_sha=seen.head_sha, at=seen.updated_at, reason=reason)


def rules_read(ref: str, rules: Iterable[Json]) -> RulesRead:
    """Read the active rules of a branch, of all levels; unknown ones say nothing."""
    queue, timeout = False, None
    required: list[str] = []
    for rule in rules:
        parameters: Mapping[str, Any] = rule.get("parameters") or {}
        if rule.get("type") == "merge_queue":
            queue = True
            minutes = parameters.get("check_response_timeout_minutes")
            timeout = 60.0 * float(minutes) if minutes is not None else None
        if rule.get("type") == "required_status_checks":
            required += [str(check["context"]) for check in parameters.get("required_status_checks") or ()]
    return RulesRead(ref=ref, queue=queue, timeout=timeout, required=tuple(sorted(set(required))))


def queue_read(ref: str, queue: Json | None, at: float) -> MergeQueueRead:
    """Read a `MergeQueue` of GraphQL; null where the branch has none."""
    nodes = [] if queue is None else queue["entries"]["nodes"]
    return MergeQueueRead(ref=ref, at=at, entries=tuple(_entry(node) for node in nodes))


def _entry(node: Json) -> QueueEntry:
    group, base = node.get("headCommit") or {}, node.get("baseCommit") or {}
    return QueueEntry(
        number=PullNumber(int(node["pullRequest"]["number"])),
        head_sha=Sha(str(node["pullRequest"]["headRefOid"])),
        enqueued_at=seconds(node["enqueuedAt"]) or 0.0,
        group=Sha(str(group["oid"])) if group.get("oid") else None,
        group_base=Sha(str(base["oid"])) if base.get("oid") else None,
    )


def left_queue(number: PullNumber, head: Sha, entered_at: float, nodes: Iterable[Json]) -> PullDequeued | None:
    """Read the newest `RemovedFromMergeQueueEvent`; None where it tells no reason, or is of an earlier stay."""
    for node in nodes:
        at = seconds(node["createdAt"]) or 0.0
        if node.get("reason") and at >= entered_at:
            return PullDequeued(number=number, head_sha=head, at=at, reason=str(node["reason"]))
    return None
