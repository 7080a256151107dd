"""
Group commit: one transaction for all deliveries that arrive while the previous one commits.

Who puts a delivery in gets its answer after the commit that holds it, or that commit's error; a caller that is
cancelled leaves the batch as it is, and an error ends one batch, never the next.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.store.errors import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.store.values import Delivery


@dataclass(frozen=True)
class BatchLimits:
    """How much one transaction takes: beyond it, the next one follows at once."""

    deliveries: int = 256
    characters: int = 32_000_000


class GroupCommit:
    """The queue in front of `commit`, which stores deliveries and gives the GUIDs that were new."""

    def __init__(
        self, commit: Callable[[Sequence[Delivery]], Awaitable[set[str]]], limits: BatchLimits | None = None
    ) -> None:
        self._commit = commit
        self._limits = limits or BatchLimits()
        self._waiting: list[tuple[Delivery, asyncio.Future[bool]]] = []
        self._worker: asyncio.Task[None] | None = None

    async def put(self, delivery: Delivery) -> bool:
        """Return when the delivery is durable: True if it is new."""
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((delivery, answer))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._drain())
        return await answer

    async def finish(self) -> None:
        """Wait until everything that was put in has its answer."""
        while self._worker is not None and not self._worker.done():
            await asyncio.wait([self._worker])

    async def _drain(self) -> None:
        while self._waiting:
            batch = self._next_batch()
            try:
                fresh = await self._commit([delivery for delivery, _ in batch])
            except Exception as error:  # noqa: BLE001 - every caller of the batch gets it
                _fail(batch, error)
            except BaseException as error:
                _fail([*batch, *self._waiting], error)
                self._waiting = []
                if isinstance(error, asyncio.CancelledError | KeyboardInterrupt | SystemExit):
                    raise
                return  # every caller has it; nobody awaits this task
            else:
                _answer(batch, fresh)

    def _next_batch(self) -> list[tuple[Delivery, asyncio.Future[bool]]]:
        size = count = 0
        for delivery, _ in self._waiting[: self._limits.deliveries]:
            size += len(delivery.body)
            if count and size > self._limits.characters:
                break
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch


def _answer(batch: Sequence[tuple[Delivery, asyncio.Future[bool]]], fresh: set[str]) -> None:
    for delivery, answer in batch:
        if not answer.done():
            answer.set_result(delivery.guid in fresh)
        fresh.discard(delivery.guid)  # the same GUID twice in one batch: the first was new


def _fail(batch: Sequence[tuple[Delivery, asyncio.Future[bool]]], error: BaseException) -> None:
    for _, answer in batch:
        if not answer.done():
            answer.set_exception(error.again() if isinstance(error, StoreUnavailable) else error)
