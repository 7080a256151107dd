"""
Breakers: how many resolutions there may be before people are asked (specification, section 10).

Counts are folded from the journal's `resolve.decision` records by the caller, so that a restart changes nothing. The
one `resume` after a flake is not among them.
"""

from __future__ import annotations

from typing import Literal

from resolver.config_sections import Budget
from resolver.failure import Scope
from resolver.records import Record

Then = Literal["quarantine", "escalate", "pause-run"]
"""What a tripped breaker does: quarantine the task, ask about the run, or pause the run and ask."""


class Tripped(Record):
    """A breaker that allows nothing more: which one, how many resolutions there were, how many it allows."""

    breaker: Literal["class", "run"]
    then: Then
    count: int
    limit: int


def tripped(scope: Scope, of_class: int, of_run: int, budget: Budget) -> Tripped | None:
    """
    The breaker that forbids one more resolution, or None.

    `of_class` counts the earlier resolutions of the same (task or run, failure class), `of_run` those of the whole run.
    The run's breaker is the wider one and is told first.
    """
    if of_run >= budget.max_resolutions_per_run:
        return Tripped(breaker="run", then="pause-run", count=of_run, limit=budget.max_resolutions_per_run)
    if of_class >= budget.max_resolutions:
        then: Then = "escalate" if scope == "run" else "quarantine"
        return Tripped(breaker="class", then=then, count=of_class, limit=budget.max_resolutions)
    return None
