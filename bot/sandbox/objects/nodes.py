"""Node ids (opaque to clients, readable here) and time stamps."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

_PREFIXES = {
    "User": "U",
    "App": "A",
    "Installation": "IN",
    "Repository": "R",
    "PullRequest": "PR",
    "Issue": "I",
    "IssueComment": "IC",
    "CheckRun": "CR",
    "CheckSuite": "CS",
    "WorkflowRun": "WFR",
    "Workflow": "W",
    "Artifact": "AR",
    "Label": "LA",
    "Status": "SC",
    "Reaction": "REA",
    "Review": "PRR",
    "Commit": "C",
    "Ref": "REF",
    "Blob": "B",
    "MergeQueue": "MQ",
    "MergeQueueEntry": "MQE",
    "RemovedFromMergeQueueEvent": "RFMQE",
}
_KINDS = {prefix: kind for kind, prefix in _PREFIXES.items()}


def node_id(kind: str, *parts: object) -> str:
    """Make the node id of a record: `node_id("PullRequest", repository id, number)`."""
    inner = ":".join(str(part) for part in parts)
    return f"{_PREFIXES[kind]}_{base64.urlsafe_b64encode(inner.encode()).decode().rstrip('=')}"


def read_node(value: str) -> tuple[str, tuple[str, ...]] | None:
    """Take a node id apart; `None` for what is none of ours."""
    prefix, _, packed = value.partition("_")
    if prefix not in _KINDS:
        return None
    try:
        inner = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode()
    except ValueError:
        return None
    return _KINDS[prefix], tuple(inner.split(":"))


def stamp(seconds: float) -> str:
    """A time as GitHub writes it: UTC, whole seconds, `Z`."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def stamp_or_none(seconds: float | None) -> str | None:
    """A time that may not have come yet."""
    return None if seconds is None else stamp(seconds)
