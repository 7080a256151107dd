"""
What the network does to deliveries: the order and number in which queued ones leave. Pure, seeded.

GitHub promises neither order nor arrival (GITHUB.md traps 1, 12): the same story must end the same in every weather.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

T = TypeVar("T")

Weather = Literal["calm", "lost", "vanished", "twice", "late"]
"""
`calm`: as they happened. `lost`: none arrives, each is logged as failed. `vanished`: none arrives, nothing is logged.
`twice`: each arrives twice. `late`: out of order within a window, some only with the next batch.
"""

WINDOW = 8
_KEPT_BACK = 0.3


@dataclass(frozen=True)
class Batch(Generic[T]):
    """What becomes of the queued: sent now, failed without being sent, kept for the next batch."""

    send: Sequence[T] = ()
    fail: Sequence[T] = ()
    keep: Sequence[T] = ()


def arrange(queued: Sequence[T], kept: Sequence[T], weather: Weather, seed: random.Random) -> Batch[T]:
    """Decide over the queued ones; those `kept` from the batch before leave now, after the new ones."""
    if weather == "calm":
        return Batch(send=[*kept, *queued])
    if weather == "lost":
        return Batch(fail=[*kept, *queued])
    if weather == "vanished":
        return Batch()
    if weather == "twice":
        return Batch(send=[one for item in [*kept, *queued] for one in (item, item)])
    later = [item for item in queued if seed.random() < _KEPT_BACK]
    now = [item for item in queued if not any(item is one for one in later)]
    order = sorted(range(len(now)), key=lambda place: place + seed.uniform(0, WINDOW))
    return Batch(send=[*(now[place] for place in order), *kept], keep=later)
