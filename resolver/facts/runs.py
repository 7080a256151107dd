"""What happens to a whole run, as the journal keeps it (specification, section 10)."""

from __future__ import annotations

from resolver.ids import PullNumber, RunId
from resolver.records import Record


class RunPaused(Record):
    """
    A run's breaker tripped: nothing automatic on any of its tasks until the one question about it is answered.

    `number` is the task at which it tripped, `seq` counts the run's pauses from 1; `count` resolutions were made since
    the last pause, and no more than `limit` may be. `at` is in seconds.
    """

    run_id: RunId
    number: PullNumber
    seq: int
    count: int
    limit: int
    reason: str
    at: float


RunFact = RunPaused
