"""
Breakers: how many resolutions there may be before people are asked (specification, section 10).

Counts are folded from the journal's `resolve.decision` records by the caller, so that a restart changes nothing. The
one `resume` after a flake is not among them. While no breaker has tripped, the table has a cell for the next attempt.
"""

from __future__ import annotations

from typing import Literal

from resolver.config.sections import Budget
from resolver.failure import Scope
from resolver.policy import POLICY, Policy
from resolver.records import Record

Then = Literal["quarantine", "escalate", "pause-run"]
"""What a tripped breaker does: quarantine the task, ask about the run, or pause the run and ask."""


class Resolutions(Record):
    """
    How many there were: of the same (task or run, failure class), and of the whole run.

    One more than `of_class` is the attempt that the table is asked about.
    """

    of_class: int
    of_run: int

    @property
    def attempt(self) -> int:
        """The attempt that comes next, from 1."""
        return self.of_class + 1


class Tripped(Record):
    """A breaker that allows nothing more: which one, how many resolutions there were, how many it allows."""

    breaker: Literal["class", "run"]
    then: Then
    count: int
    limit: int


def tripped(
    fail_class: str, scope: Scope, made: Resolutions, budget: Budget, policy: Policy = POLICY
) -> Tripped | None:
    """
    The breaker that forbids one more resolution, or None.

    The run's breaker is the wider one and is told first. A class gets no more than its row has cells, and no more than
    the budget.
    """
    of_run = budget.max_resolutions_per_run
    if made.of_run >= of_run:
        return Tripped(breaker="run", then="pause-run", count=made.of_run, limit=of_run)
    row = policy.find(fail_class, scope)
    of_class = budget.max_resolutions if row is None else min(budget.max_resolutions, row.reach)
    if made.of_class >= of_class:
        then: Then = "escalate" if scope == "run" else "quarantine"
        return Tripped(breaker="class", then=then, count=made.of_class, limit=of_class)
    return None
