"""What a repository has spent on one day, in UTC: writes on GitHub, and minutes of runners. Bounded, and late news of a
day that is over change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final, Literal

from resolver.records import Record

DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Spent:
    """What a repository has spent on one day (counted from 1970-01-01)."""

    day: int = 0
    writes: int = 0
    minutes: int = 0

    def at(self, now: float) -> Spent:
        """Give what is spent on the day of a time (seconds)."""
        return self if int(now // DAY) <= self.day else Spent(day=int(now // DAY))

    def wrote(self, at: float) -> Spent:
        """Count a write."""
        return self._with(at, writes=1)

    def ran(self, at: float, seconds: float) -> Spent:
        """Count a job that ended at `at` and had run for so many seconds."""
        return self._with(at, minutes=ceil(max(seconds, 0.0) / 60.0))

    def _with(self, at: float, *, writes: int = 0, minutes: int = 0) -> Spent:
        if int(at // DAY) < self.day:
            return self  # of a day that is over, and that nobody asks about any more
        today = self.at(at)
        return Spent(today.day, today.writes + writes, today.minutes + minutes)


class Ceiling(Record):
    """A daily ceiling that holds something back, until a time (seconds)."""

    of: Literal["writes", "runner-minutes"]
    limit: int
    until: float
