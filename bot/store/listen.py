"""
Between processes on PostgreSQL: a NOTIFY rings the bells of the others.

A lost connection is made again after a pause; until then the loops' slow poll does the work. So a failure here costs
time and never a delivery.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.ext.asyncio import AsyncEngine

    from bot.store.database import Transaction

CHANNEL: Final = "failres"
PAUSE: Final = 2.0
"""Seconds before a lost connection is made again."""

log = logging.getLogger(__name__)


def notify(tx: Transaction) -> None:
    """Ring for the other processes when this transaction commits; on SQLite there are none."""
    if tx.postgresql:
        tx.run(text("SELECT pg_notify(:channel, '')"), {"channel": CHANNEL})


class Listener:
    """A connection of its own that calls `ring` for each NOTIFY, from `start` to `stop`."""

    def __init__(self, engine: AsyncEngine, ring: Callable[[], None]) -> None:
        self._engine, self._ring = engine, ring
        self.pause = PAUSE
        self._task: asyncio.Task[None] | None = None
        self.listening = asyncio.Event()

    def start(self) -> None:
        """Begin to listen, in the background."""
        self._task = asyncio.create_task(self._keep_listening())

    async def stop(self) -> None:
        """End it."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None

    async def _keep_listening(self) -> None:
        while True:
            try:
                await self._listen()
            except Exception as error:  # noqa: BLE001 - whatever the driver raises, the answer is to try again
                log.warning("Listening for wakes of other processes stopped: %s; it is tried again.", error)
            self.listening.clear()
            await asyncio.sleep(self.pause)

    async def _listen(self) -> None:
        gone = asyncio.Event()
        async with self._engine.connect() as connection:
            # The driver's own connection: LISTEN has no place in SQLAlchemy. It is typed by no stubs.
            driver: Any = (await connection.get_raw_connection()).driver_connection
            driver.add_termination_listener(lambda *_: gone.set())
            await driver.add_listener(CHANNEL, self._heard)
            self.listening.set()
            self._ring()  # what was notified before this moment was not heard
            try:
                await gone.wait()
            finally:
                await connection.invalidate()

    def _heard(self, *_: Any) -> None:
        self._ring()
