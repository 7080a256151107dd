"""Work that goes on beside what began it: kept until it ends, waited for when asked, given up at the close."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Aside:
    """Holds tasks, since asyncio forgets one that nobody holds. `failed` is told what exception has ended one."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, work: Callable[[], Awaitable[None]]) -> None:
        """Let it go on by itself."""
        task = asyncio.create_task(self._told(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settled(self) -> None:
        """Wait for all of it, and for what begins meanwhile."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    async def close(self) -> None:
        """Give it up."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _told(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as problem:  # noqa: BLE001 whatever it is, nobody else is there to be told
            self._failed(problem)
