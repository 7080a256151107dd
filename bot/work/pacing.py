"""When an installation may write again: a second apart, so many a minute and an hour (GitHub's content limits). A part
of minute and hour is kept for answers to people, kill switches and landing (specification, section 18).
"""

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
        return max(ready, self._frees_at(lane, 0.0))

    def rests_until(self, lane: str, now: float) -> float | None:
        """Say until when (seconds) nothing is written that nobody waits for; None where it may be."""
        until = self._frees_at(lane, self._pace.reserve)
        return until if until > now else None

    def _frees_at(self, lane: str, kept: float) -> float:
        """When one more write is within the limits, of which that part is kept."""
        writes, until = self._writes[lane], 0.0
        for limit, seconds in ((self._pace.writes_a_minute, 60.0), (self._pace.writes_an_hour, 3_600.0)):
            most = max(1, int(limit * (1.0 - kept)))
            if len(writes) >= most:
                until = max(until, writes[-most] + seconds)
        return until
