"""Time as a thing that is passed in: seconds since the epoch, and a sleep that tests can shorten to nothing."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """What the shell knows of time."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after that many seconds of this clock."""
        ...


class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        """Seconds since the epoch, from the system."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Sleep in real time."""
        await asyncio.sleep(max(0.0, seconds))


class ManualClock:
    """A clock that moves only when told: `advance`, or a sleep, which jumps."""

    def __init__(self, start: float = 1_790_000_000.0) -> None:
        self._now = start

    def now(self) -> float:
        """Seconds since the epoch, as last set."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move forward; never back."""
        self._now += max(0.0, seconds)

    async def sleep(self, seconds: float) -> None:
        """Jump forward and let other tasks run."""
        self.advance(seconds)
        await asyncio.sleep(0)
