"""The bell that tells this process's loops that something may be due: an event that several can wait for."""

from __future__ import annotations

import asyncio
import weakref


class Awake(asyncio.Event):
    """
    An event, with further events that ring with it.

    Who clears an event takes the ring from whoever else waits for it; so each loop takes its own by `listen`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._listeners: weakref.WeakSet[asyncio.Event] = weakref.WeakSet()

    def listen(self) -> asyncio.Event:
        """An event of the caller's own, set whenever this one is; it ends with the last reference to it."""
        event = asyncio.Event()
        self._listeners.add(event)
        return event

    def set(self) -> None:
        """Ring for all."""
        super().set()
        for event in list(self._listeners):
            event.set()
