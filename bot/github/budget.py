"""What one installation may still ask of GitHub in this hour, and what is kept for commands, kill switches and landing.

GitHub counts REST and GraphQL apart (`x-ratelimit-resource`), tells in each answer what is left, and does not count a
304. A secondary limit stops everything of the installation; without `retry-after` it is waited out for a minute, longer
each time (GITHUB.md 4, trap 25).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.clock import Clock
from bot.github.answers import reset_at
from bot.github.errors import RateLimited
from bot.github.values import LimitHit

HOUR = 3600.0
SAME_WINDOW = 60.0  # GitHub's servers disagree about a window's end by a second or so


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The figures. `reserve`: part of the hour's allowance. `assumed`: calls an hour where no header has told yet
    (GitHub's smallest).
    """

    reserve: float = 0.2
    assumed: int = 5_000
    first_pause: float = 60.0
    longest_pause: float = 900.0


class Spending(NamedTuple):
    """For metrics: one resource of one installation in the current hour. `left` is None before the first answer."""

    resource: str
    calls: int  # sent by this process, redirects and 304 included
    unchanged: int  # of these answered 304
    left: int | None
    limit: int


@dataclass(slots=True)
class _Resource:
    limit: int
    left: int | None = None  # as GitHub last told, for the window that ends at `ends`
    ends: float = 0.0
    in_flight: int = 0
    hour: float = -1.0
    calls: int = 0
    unchanged: int = 0

    def count(self, now: float, calls: int) -> None:
        if now // HOUR != self.hour:
            self.hour, self.calls, self.unchanged = now // HOUR, 0, 0
        self.calls += calls

    def remaining(self, now: float) -> int:
        """GitHub's word while its window lasts; else the whole allowance less what was sent since."""
        if self.left is not None and now < self.ends:
            return self.left - self.in_flight
        return self.limit - (self.calls if self.left is None and now // HOUR == self.hour else self.in_flight)

    def frees_at(self, now: float) -> float:
        return self.ends if self.left is not None and now < self.ends else (now // HOUR + 1) * HOUR

    def learn(self, headers: Mapping[str, str], now: float) -> None:
        ends = reset_at(headers, now)
        try:
            limit, left = int(headers["x-ratelimit-limit"]), int(headers["x-ratelimit-remaining"])
        except (KeyError, ValueError):
            return
        if ends is None or limit <= 0:
            return
        # Answers overtake each other: within one window the smaller figure is the later one.
        same = self.left is not None and abs(ends - self.ends) <= SAME_WINDOW
        if same or ends > self.ends:
            self.left = min(left, self.left) if same and self.left is not None else left
            self.limit, self.ends = limit, ends


@dataclass(slots=True)
class Budget:
    """One installation's. Asked before each request, told after each answer; never waits itself."""

    clock: Clock
    limits: BudgetLimits = field(default_factory=BudgetLimits)
    _resources: dict[str, _Resource] = field(default_factory=dict)
    _quiet_until: float = 0.0
    _pauses: int = 0  # secondary limits in a row that named no time

    def admit(self, resource: str, *, reserve: bool) -> None:
        """Count a request that is about to be sent, or raise RateLimited. Each admitted one must be settled."""
        now = self.clock.now()
        if now < self._quiet_until:
            raise RateLimited(self._quiet_until, "secondary")
        spent = self._resource(resource)
        remaining = spent.remaining(now)
        if remaining <= 0:
            raise RateLimited(spent.frees_at(now), "primary")
        if not reserve and remaining <= spent.limit * self.limits.reserve:
            raise RateLimited(spent.frees_at(now), "reserve")
        spent.in_flight += 1
        spent.count(now, 1)

    def settle(self, resource: str, status: int | None, headers: Mapping[str, str], hops: int) -> None:
        """An admitted request was answered (status None: it was not)."""
        now = self.clock.now()
        spent = self._resource(resource)
        spent.in_flight -= 1
        spent.count(now, max(0, hops - 1))
        spent.unchanged += status == 304
        # Some routes have an allowance of their own, which says nothing of the one asked for.
        self._resource(headers.get("x-ratelimit-resource") or resource).learn(headers, now)
        if status is not None and status < 400:
            self._pauses = 0

    def limited(self, resource: str, hit: LimitHit) -> RateLimited:
        """Take note of a rate limit; the error to raise."""
        now = self.clock.now()
        if hit.kind == "primary" and hit.resume_at is not None:
            spent = self._resource(resource)
            spent.left, spent.ends = 0, hit.resume_at
            return RateLimited(hit.resume_at, "primary")
        pause = min(self.limits.first_pause * 2**self._pauses, self.limits.longest_pause)
        if hit.resume_at is None:
            self._pauses = min(self._pauses + 1, 16)
        self._quiet_until = max(self._quiet_until, hit.resume_at or now + pause)
        return RateLimited(self._quiet_until, hit.kind)

    def spending(self) -> Iterator[Spending]:
        """What was sent and what is left, per resource."""
        now = self.clock.now()
        for name, spent in sorted(self._resources.items()):
            current = now // HOUR == spent.hour
            left = None if spent.left is None else max(0, spent.remaining(now))
            yield Spending(name, spent.calls if current else 0, spent.unchanged if current else 0, left, spent.limit)

    def _resource(self, name: str) -> _Resource:
        return self._resources.setdefault(name, _Resource(self.limits.assumed))
