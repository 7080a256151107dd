"""One time for two processes: it jumps while it is driven by hand, and goes on from there in real time after `run`."""

from __future__ import annotations

import asyncio
import time
from multiprocessing import RawArray
from typing import Any

START = 1_790_000_000.0


class SharedClock:
    """Where it stands, and since when it runs (0: it does not), lie in memory that both processes see."""

    def __init__(self, cell: Any = None) -> None:
        self.cell: Any = RawArray("d", (START, 0.0)) if cell is None else cell

    def now(self) -> float:
        """Seconds since the epoch."""
        at, since = self.cell
        return float(at + (time.perf_counter() - since if since else 0.0))

    def advance(self, seconds: float) -> None:
        """Jump."""
        self.cell[0] += seconds

    def run(self) -> None:
        """From now on, real time."""
        self.cell[1] = time.perf_counter()

    async def sleep(self, seconds: float) -> None:
        """Sleep, or jump."""
        if self.cell[1]:
            await asyncio.sleep(max(0.0, seconds))
        else:
            self.advance(max(0.0, seconds))
            await asyncio.sleep(0)
