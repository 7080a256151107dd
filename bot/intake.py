"""Decide what a request to the webhook is: a delivery to store, one to let pass, or a refusal. Pure.

Only sha256 signatures count, and either of two secrets, so that one can be changed (gidgethub accepts sha1 and a single
secret: GITHUB.md 7.8). A delivery is told by its GUID, looked at only after the signature (trap 12). What a signed body
must hold is no more than what tells whose it is and what it is about; the rest is the translation's affair.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic_core import from_json

from bot.store import Delivery

Path: TypeAlias = tuple[str, ...]
REPOSITORY: Final[Path] = ("repository", "id")
ACTION: Final[Path] = ("action",)

# GitHub's events in use, each with the fields without which it says nothing.
EVENTS: Final[Mapping[str, Mapping[Path, type]]] = {
    "check_run": {ACTION: str, REPOSITORY: int, ("check_run", "id"): int, ("check_run", "head_sha"): str},
    "check_suite": {ACTION: str, REPOSITORY: int, ("check_suite", "id"): int, ("check_suite", "head_sha"): str},
    "installation": {ACTION: str, ("installation", "id"): int},
    "installation_repositories": {
        ACTION: str,
        ("installation", "id"): int,
        ("repositories_added",): list,
        ("repositories_removed",): list,
    },
    "issue_comment": {ACTION: str, REPOSITORY: int, ("issue", "number"): int, ("comment", "id"): int},
    "merge_group": {ACTION: str, REPOSITORY: int, ("merge_group", "head_sha"): str},
    "pull_request": {ACTION: str, REPOSITORY: int, ("number",): int, ("pull_request", "head", "sha"): str},
    "push": {REPOSITORY: int, ("ref",): str, ("before",): str, ("after",): str},
    "status": {REPOSITORY: int, ("sha",): str, ("state",): str, ("context",): str},
    "workflow_job": {ACTION: str, REPOSITORY: int, ("workflow_job", "id"): int, ("workflow_job", "run_id"): int},
    "workflow_run": {ACTION: str, REPOSITORY: int, ("workflow_run", "id"): int, ("workflow_run", "head_sha"): str},
}

PRESS: Final = ("check_run", "requested_action")
"""Event and action with which GitHub tells of a pressed button, one among the many of `check_run`."""
PRESSED: Final = ".".join(PRESS)
"""The event under which it is stored: people wait for it, so that the inbox has to know it from the others."""

_SIGNATURE: Final = re.compile(r"sha256=[0-9a-f]{64}")
_GUID: Final = re.compile(r"[0-9A-Za-z-]{8,64}")
_EVENT: Final = re.compile(r"[a-z_]{1,64}")
LARGEST_ID: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class IntakeRules:
    """What is let in. `max_bytes`: GitHub sends no payload over 25 MB."""

    secrets: Sequence[bytes] = field(repr=False)
    events: frozenset[str] = frozenset(EVENTS)
    max_bytes: int = 25 * 1024 * 1024
    body_seconds: float = 10.0  # GitHub waits no longer for the answer to all of it


class Refusal(NamedTuple):
    """Answer with this 4xx and store nothing."""

    status: int
    reason: str


class Ignored(NamedTuple):
    """Signed and sound, but of no use: say thanks and store nothing."""

    event: str


class Envelope(NamedTuple):
    """What the headers say, before the body was read."""

    guid: str
    event: str
    signature: bytes


def read_headers(headers: Mapping[str, str], rules: IntakeRules) -> Envelope | Refusal:
    """The envelope, or why not even the body is read. `headers` is looked up in any case of letters."""
    length = headers.get("Content-Length", "")
    if length.isdecimal() and length.isascii() and (len(length) > 18 or int(length) > rules.max_bytes):
        return too_large(rules)
    if headers.get("Content-Type", "").partition(";")[0].strip().lower() != "application/json":
        return Refusal(415, "the content type must be application/json; choose it in the App's webhook settings")
    if headers.get("Content-Encoding", "identity").lower() != "identity":
        return Refusal(415, "a compressed body is not accepted")
    guid, event = headers.get("X-GitHub-Delivery", ""), headers.get("X-GitHub-Event", "")
    if not _GUID.fullmatch(guid):
        return Refusal(400, "X-GitHub-Delivery must hold the delivery's GUID")
    if not _EVENT.fullmatch(event):
        return Refusal(400, "X-GitHub-Event must name the event")
    signature = headers.get("X-Hub-Signature-256", "")
    if not _SIGNATURE.fullmatch(signature):
        return Refusal(
            401, "X-Hub-Signature-256 must hold a sha256 signature; set a webhook secret in the App's settings"
        )
    return Envelope(guid, event, signature.encode())


def read_body(envelope: Envelope, body: bytes, rules: IntakeRules) -> Delivery | Ignored | Refusal:
    """The delivery, once its signature is proven."""
    if len(body) > rules.max_bytes:
        return too_large(rules)
    if not signed(envelope.signature, body, rules.secrets):
        return Refusal(401, "the signature does not belong to this body and secret")
    try:
        text = body.decode()
        data = from_json(body, allow_inf_nan=False)
    except ValueError:
        return Refusal(400, "the body is not JSON")
    if not isinstance(data, dict):
        return Refusal(400, "the body is not a JSON object")
    if envelope.event not in rules.events:
        return Ignored(envelope.event)
    wanted = EVENTS.get(envelope.event, {REPOSITORY: int})
    for path, kind in wanted.items():
        if not _holds(data, path, kind):
            return Refusal(400, f"{envelope.event}: {'.'.join(path)} is missing or of the wrong type")
    key = f"repo:{data['repository']['id']}" if REPOSITORY in wanted else "app"
    event = PRESSED if (envelope.event, data.get("action")) == PRESS else envelope.event
    return Delivery(envelope.guid, event, key, text)


def signed(signature: bytes, body: bytes, secrets: Sequence[bytes]) -> bool:
    """Whether one of the secrets made this signature. All are tried, each compared in constant time."""
    expected = [b"sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest().encode() for secret in secrets]
    equal = [hmac.compare_digest(signature, one) for one in expected]
    return any(equal)


def too_large(rules: IntakeRules) -> Refusal:
    """GitHub itself would not send it."""
    return Refusal(413, f"the body is over {rules.max_bytes} bytes")


def _holds(data: Any, path: Path, kind: type) -> bool:
    for name in path:
        if not isinstance(data, dict):
            return False
        data = data.get(name)
    if kind is int:
        return type(data) is int and 0 < data <= LARGEST_ID
    return isinstance(data, kind) and data != ""
