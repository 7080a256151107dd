"""
Rate limits with GitHub's headers, and both limits on demand in both of their shapes.

Primary: 5,000 calls an hour for an installation; over it 403 or 429 with `x-ratelimit-remaining: 0`. Secondary: 403 or
429, with `retry-after` or without it and with calls remaining (GITHUB.md 5.25). GraphQL over its primary limit is 200
with an error of type RATE_LIMITED.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from bot.clock import Clock

Resource = Literal["core", "graphql"]
WINDOW = 3_600.0
WRITES_A_MINUTE = 80
WRITES_AN_HOUR = 500
PER_HOUR = 5_000
ANONYMOUS_PER_HOUR = 60
PRIMARY_MESSAGE = "API rate limit exceeded"
SECONDARY_MESSAGE = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


@dataclass
class _Window:
    limit: int
    used: int
    reset: float


@dataclass(frozen=True)
class Limited:
    """An answer instead of the operation's."""

    status: int
    message: str
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class _Secondary:
    status: int
    retry_after: int | None
    times: int
    writes_only: bool


class Limits:
    """
    Counts calls for each caller and resource. `status` is what exceeding a limit answers.

    With `enforce_writes` more than 80 writes a minute or 500 an hour meet the secondary limit, as at GitHub.
    """

    def __init__(self, clock: Clock, per_hour: int = PER_HOUR) -> None:
        self._clock = clock
        self._windows: dict[tuple[str, Resource], _Window] = {}
        self._secondary: list[_Secondary] = []
        self._writes: dict[str, deque[float]] = {}
        self.enforce_writes = False
        self.per_hour = per_hour
        self.status: Literal[403, 429] = 403

    def exhaust(self, caller: str, resource: Resource = "core", seconds: float = WINDOW, left: int = 0) -> None:
        """Let a caller (`Caller.key`, such as `installation 7`) have no more than that left for so many seconds."""
        window = self._window(caller, resource)
        window.used, window.reset = window.limit - left, self._clock.now() + seconds

    def secondary(
        self,
        *,
        times: int = 1,
        status: Literal[403, 429] = 403,
        retry_after: int | None = None,
        writes_only: bool = False,
    ) -> None:
        """Answer the next calls with the secondary limit."""
        self._secondary.append(_Secondary(status, retry_after, times, writes_only))

    def check(self, caller: str, resource: Resource, *, write: bool) -> Limited | None:
        """Count one call; an answer where it is over a limit."""
        window = self._window(caller, resource)
        if write and self._too_many(caller):
            return Limited(self.status, SECONDARY_MESSAGE, {"Retry-After": "60"})
        for row in self._secondary:
            if row.times > 0 and (write or not row.writes_only):
                row.times -= 1
                retry = {} if row.retry_after is None else {"Retry-After": str(row.retry_after)}
                return Limited(row.status, SECONDARY_MESSAGE, retry)
        if window.used >= window.limit:
            return Limited(self.status, f"{PRIMARY_MESSAGE} for {caller}.")
        window.used += 1
        return None

    def _too_many(self, caller: str) -> bool:
        """Count a write and see whether they come faster than GitHub lets them."""
        now = self._clock.now()
        writes = self._writes.setdefault(caller, deque())
        while writes and writes[0] <= now - WINDOW:
            writes.popleft()
        in_a_minute = sum(at > now - 60 for at in writes)
        if self.enforce_writes and (in_a_minute >= WRITES_A_MINUTE or len(writes) >= WRITES_AN_HOUR):
            return True
        writes.append(now)
        return False

    def writes(self, caller: str) -> list[float]:
        """When a caller wrote within the last hour."""
        return list(self._writes.get(caller, ()))

    def forgive(self, caller: str, resource: Resource) -> None:
        """GitHub: an answer of 304 does not count."""
        self._window(caller, resource).used -= 1

    def headers(self, caller: str, resource: Resource) -> dict[str, str]:
        """The `X-RateLimit-*` headers after the calls so far."""
        window = self._window(caller, resource)
        return {
            "X-RateLimit-Limit": str(window.limit),
            "X-RateLimit-Remaining": str(max(0, window.limit - window.used)),
            "X-RateLimit-Reset": str(math.ceil(window.reset)),
            "X-RateLimit-Used": str(window.used),
            "X-RateLimit-Resource": resource,
        }

    def overview(self, caller: str, resource: Resource) -> dict[str, int]:
        """GitHub: `rate-limit`."""
        window = self._window(caller, resource)
        left = max(0, window.limit - window.used)
        return {"limit": window.limit, "used": window.used, "remaining": left, "reset": math.ceil(window.reset)}

    def _window(self, caller: str, resource: Resource) -> _Window:
        now = self._clock.now()
        window = self._windows.get((caller, resource))
        if window is None or now >= window.reset:
            limit = ANONYMOUS_PER_HOUR if caller == "anonymous" else self.per_hour
            window = self._windows[caller, resource] = _Window(limit, 0, now + WINDOW)
        return window
