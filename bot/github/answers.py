"""Read an answer that is no success: which error it is, and whether it is one of the shapes of a rate limit. Pure.

The two limits and their shapes: GITHUB.md 4 and trap 25. A primary limit is 403 or 429 with `x-ratelimit-remaining: 0`;
a secondary one is 403 or 429 with or without `retry-after`, often with allowance left, told only by its message.
"""

from __future__ import annotations

import http
import json
import math
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final

from bot.github.errors import GitHubError, NotFound, PermissionMissing, Refused, Unavailable
from bot.github.values import Answer, LimitHit

LONGEST_WAIT: Final = 24 * 3600.0
LONGEST_RESET: Final = 3600.0 + 60.0  # allowances are per hour; a clock that is wrong must not stop the bot for longer
_TOO_FAST: Final = re.compile(
    r"(?i)rate limit|abuse detection|submitted too quickly|temporarily blocked from content creation|wait a few minutes"
)
_LACKING: Final = "resource not accessible by"


def decoded(answer: Answer) -> Any:
    """The body of an error as JSON, or None: proxies answer with pages."""
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        return None


def message_of(data: Any) -> str:
    """GitHub's sentence in an error's body, or an empty text."""
    message = data.get("message") if isinstance(data, dict) else None
    return message if isinstance(message, str) else ""


def limit_hit(status: int, headers: Mapping[str, str], message: str, now: float) -> LimitHit | None:
    """Whether this answer is a rate limit, primary or secondary."""
    if status not in {403, 429} or message.lower().startswith(_LACKING):
        return None
    spent = headers.get("x-ratelimit-remaining", "").strip() == "0"
    after = retry_after(headers, now)
    if status == 403 and not spent and after is None and not _TOO_FAST.search(message):
        return None
    if spent:
        reset = reset_at(headers, now)
        return LimitHit("primary", max((moment for moment in (after, reset) if moment is not None), default=None))
    return LimitHit("secondary", after)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """The moment that `retry-after` names (seconds or a date), within sane bounds; None where it is absent or
    unreadable.
    """
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - now
        except ValueError:
            return None
    return None if math.isnan(seconds) else now + min(max(seconds, 1.0), LONGEST_WAIT)


def reset_at(headers: Mapping[str, str], now: float) -> float | None:
    """A second after the moment that `x-ratelimit-reset` names, within sane bounds; None where it is absent or
    unreadable.
    """
    try:
        reset = float(headers["x-ratelimit-reset"])
    except (KeyError, ValueError):
        return None
    return None if math.isnan(reset) else min(max(reset, now) + 1.0, now + LONGEST_RESET)


def trouble(answer: Answer, path: str, *, write: bool) -> GitHubError:
    """The error for an answer that is neither a success nor a rate limit."""
    data = decoded(answer)
    message = message_of(data)
    status = answer.status
    if status >= 500:
        return Unavailable(f"{path} answered {_status(status)}", maybe_done=write)
    if status == 404:
        return NotFound(path, message)
    if status == 403 and message.lower().startswith(_LACKING):
        return PermissionMissing(path, accepted_permissions(answer.headers))
    if status >= 400:
        return Refused(status, message or f"{path} answered {_status(status)}", _errors(data))
    if status >= 300:
        return Refused(status, f"{path} has moved; a {status} is not followed here")
    return Unavailable(f"{path} answered {_status(status)} with a body that cannot be read", maybe_done=write)


def accepted_permissions(headers: Mapping[str, str]) -> tuple[str, ...]:
    """`X-Accepted-GitHub-Permissions`: alternatives are separated by `;`, what belongs together by `,`."""
    text = headers.get("x-accepted-github-permissions", "")
    return tuple(part.strip() for part in text.split(";") if part.strip())


def _errors(data: Any) -> Any:
    return (data.get("errors") or ()) if isinstance(data, dict) else ()


def _status(status: int) -> str:
    try:
        return f"{status} {http.HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
