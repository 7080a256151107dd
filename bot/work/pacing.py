"""When an installation may write again: a second apart, so many a minute and an hour (GitHub's content limits)."""

from __future__ import annotations

from collections import defaultdict, deque

from bot.work.place import Pace


class Pacing:
    """Remembers this process's writes for each lane. A restart forgets them; GitHub's own limits then still hold."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._writes: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=pace.writes_an_hour))

    def wrote(self, lane: str, now: float) -> float:
        """Note a write; returns when the lane may write again (seconds)."""
        writes = self._writes[lane]
        writes.append(now)
        ready = now + self._pace.write_every
        if len(writes) >= self._pace.writes_a_minute:
            ready = max(ready, writes[-self._pace.writes_a_minute] + 60.0)
        if len(writes) >= self._pace.writes_an_hour:
            ready = max(ready, writes[0] + 3_600.0)
        return ready
