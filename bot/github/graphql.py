"""Read GitHub's GraphQL replies: trouble comes inside a 200 (GITHUB.md 7.4, traps 25 and 28). Pure.

Shapes: `errors` with `data` (partly carried out), `errors[].type` RATE_LIMITED, "Something went wrong while executing
your query" (passes), neither data nor errors (a time-out inside GitHub), a page instead of JSON.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from bot.github.answers import reset_at, retry_after
from bot.github.errors import GitHubError, PermissionMissing, QueryFailed, Unavailable
from bot.github.values import LimitHit, Reply

_COMMENTS: Final = re.compile(r"^(?:\s|,|#[^\n]*(?:\n|\Z))+")
_PASSES: Final = re.compile(
    r"(?i)^something went wrong while executing your query|^this may be the result of a timeout"
)
_TOO_FAST: Final = re.compile(r"(?i)secondary rate limit|abuse detection|submitted too quickly")
_LACKING: Final = re.compile(r"(?i)resource not accessible by")


class GraphQLReply(NamedTuple):
    """`errors` may stand beside `data`; both are as GitHub sent them."""

    data: dict[str, Any]
    errors: list[Any]


def only_reads(query: str) -> bool:
    """Certainly no mutation, so that sending it twice is harmless. A document that begins with a fragment is not looked
    into.
    """
    start = _COMMENTS.sub("", query)
    return start.startswith("{") or re.match(r"query\b", start) is not None


@dataclass(frozen=True, slots=True)
class Examine:
    """Looks into a 200 for trouble that no caller can use. `now`: seconds since the epoch, when the query was sent."""

    write: bool
    now: float

    def __call__(self, reply: Reply) -> GitHubError | LimitHit | None:
        """None where there are data or errors that say something about the query."""
        body = reply.data
        if not isinstance(body, dict):
            return Unavailable("GraphQL answered something that is not an object", maybe_done=self.write)
        errors, data = errors_of(body), body.get("data")
        if not errors and not isinstance(data, dict):
            return Unavailable("GraphQL answered neither data nor errors", maybe_done=self.write)
        types = {error.get("type") for error in errors if isinstance(error, dict)}
        messages = [str(error.get("message", "")) for error in errors if isinstance(error, dict)]
        if "RATE_LIMITED" in types:
            return LimitHit("primary", retry_after(reply.headers, self.now) or reset_at(reply.headers, self.now))
        if any(_TOO_FAST.search(message) for message in messages):
            return LimitHit("secondary", retry_after(reply.headers, self.now))
        if any(_PASSES.search(message) for message in messages):
            return Unavailable("GraphQL: something went wrong while executing the query", maybe_done=self.write)
        return None


def errors_of(body: dict[str, Any]) -> list[Any]:
    """The list of errors, also where it is not a list."""
    errors = body.get("errors")
    if not errors:
        return []
    return errors if isinstance(errors, list) else [errors]


def complete(reply: GraphQLReply) -> dict[str, Any]:
    """The data of a reply without errors. Raises PermissionMissing or QueryFailed."""
    if not reply.errors:
        return reply.data
    if not any(reply.data.values()) and any(_LACKING.search(str(error)) for error in reply.errors):
        raise PermissionMissing("/graphql")
    raise QueryFailed(reply.errors, reply.data or None)
