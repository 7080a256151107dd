"""Which of the desired actions are due: not under way, not done, not refused for the same content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from resolver.actions import AnyAction
from resolver.facts import Fact
from resolver.state import Effect


@dataclass(frozen=True, slots=True)
class Due:
    """Actions to start now, facts to record with them, and the time (seconds) at which to decide again without a new
    fact.
    """

    actions: tuple[AnyAction, ...] = ()
    again_at: float | None = None
    facts: tuple[Fact, ...] = ()


def due(effects: Mapping[str, Effect], desired: Iterable[AnyAction], now: float, again_at: float | None = None) -> Due:
    """Keep what has to be started, of several for one target the last; a refused action comes back at its `retry_at`,
    or with other content.
    """
    start: dict[str, AnyAction] = {}
    for action in desired:
        known = effects.get(action.target)
        if known is None or _may_start(known, action.key, now):
            start[action.target] = action
        elif known.status == "refused" and known.key == action.key and known.retry_at is not None:
            again_at = earlier(again_at, known.retry_at)
    return Due(tuple(start.values()), again_at)


def _may_start(known: Effect, key: str, now: float) -> bool:
    if known.key == key and known.status == "started":
        return False
    if known.status == "refused" and known.key == key:
        return known.retry_at is not None and known.retry_at <= now
    return known.done_key != key or known.key != key


def earlier(*times: float | None) -> float | None:
    """Give the earliest of the times, None meaning never."""
    return min((time for time in times if time is not None), default=None)
