"""
One failing item of one check on the task's head, with everything that bears on it sorted out. Lazily: what the first
classes decide, the later ones never look at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from resolver.attribution.case import Case
from resolver.attribution.sights import Sight, look, passed_beside, passes
from resolver.attribution.suspicion import flaked_before, seen_elsewhere
from resolver.executions import Check, Execution, FailedItem
from resolver.ids import Sha


@dataclass(frozen=True)
class Question:
    """
    Whose is this failure? `all` are the known executions of the same job, distinct and oldest first; `head` those of
    this very check on the task's head.
    """

    case: Case
    check: Check
    item: FailedItem
    all: tuple[Execution, ...]
    head: tuple[Execution, ...]
    _sights: dict[Sha, Sight] = field(default_factory=dict, compare=False)

    @cached_property
    def reds(self) -> tuple[Execution, ...]:
        """The executions on the head that failed so; at least one."""
        return tuple(each for each in self.head if each.fails_with(self.item.fingerprint) is not None)

    @cached_property
    def red(self) -> Execution:
        """The newest of them."""
        return self.reds[-1]

    @cached_property
    def passes(self) -> tuple[Execution, ...]:
        """The executions on identical inputs in which the item passed; before a red only while still fresh then."""
        return tuple(each for each in self.head if any(self._contradicts(each, red) for red in self.reds))

    def _contradicts(self, each: Execution, red: Execution) -> bool:
        passed = passes(each, self.item, red) is not None or passed_beside(each, self.item, red)
        if not passed or not each.same_inputs(red) or each.finished_at is None:
            return False
        began = red.started_at if red.started_at is not None else self.case.now
        return each.finished_at >= began - self.case.rules.freshness

    @cached_property
    def tested(self) -> Sha | None:
        """The base that the newest red was really tested with, where any red tells."""
        return next((red.tested_base for red in reversed(self.reds) if red.tested_base is not None), None)

    @cached_property
    def flaky(self) -> bool:
        """True where this failure is known to come and go on identical inputs, or looks so."""
        return flaked_before(self.case, self.item, self.all, self.reds)

    @cached_property
    def elsewhere(self) -> tuple[Execution, ...]:
        """The same failure on tasks of other people: it is hardly this task's alone."""
        return seen_elsewhere(self.case, self.item, self.all)

    @cached_property
    def need(self) -> int:
        """How many executions of a colour say something of a base commit."""
        rules = self.case.rules
        if self.flaky:
            return rules.flaky_executions
        return rules.job_level_executions if self.item.job_level else 1

    @cached_property
    def need_against_task(self) -> int:
        """The same where the task is to be accused: more where others fail alike."""
        return max(self.need, self.case.rules.flaky_executions) if self.elsewhere else self.need

    @cached_property
    def need_reds(self) -> int:
        """How many reds on the head accuse the task: a second execution, or more."""
        return max(2, self.need_against_task)

    @cached_property
    def greens_after(self) -> float:
        """From when on a green base says something: freshness, or the first red of others with the same failure."""
        fresh = self.case.now - self.case.rules.freshness
        first = min((each.started_at for each in self.elsewhere if each.started_at is not None), default=fresh)
        return max(fresh, first)

    def sight(self, commit: Sha | None) -> Sight:
        """What was seen of this failure on a base commit."""
        if commit is None:
            return Sight()
        if commit not in self._sights:
            there = (each for each in self.all if each.side != "task" and each.commit == commit)
            same = commit == self.tested and self.case.task.diff is not None and self.case.task.diff.leaves_tests_alone
            self._sights[commit] = look(there, self.item, self.red, fresh_from=self.greens_after, same_tests=same)
        return self._sights[commit]

    @cached_property
    def current(self) -> Sha | None:
        """
        The commit that stands for the current base: the base's head where something is known of it, else the newest
        commit after the tested one that ran since this failure did: busy bases always move.
        """
        task = self.case.task
        if self.sight(task.base).state(self.need) != "open":
            return task.base
        for commit in task.newer_than(self.tested):
            sight = self.sight(commit)
            newest = (*sight.reds, *(green.execution for green in sight.greens))
            if any(self._since_red(each) for each in newest) and sight.state(self.need) != "open":
                return commit
        return task.base

    @cached_property
    def chased(self) -> frozenset[Sha]:
        """Commits after the tested one that were probed for this: a base that moves on is not chased for long."""
        probes = [each for each in self.all if each.side == "probe" and self._since_red(each)]
        return frozenset(each.commit for each in probes if each.commit != self.tested)

    def _since_red(self, each: Execution) -> bool:
        """Say whether an execution began after the failure was first met on this base."""
        mine = [red.started_at for red in self.reds if red.tested_base == self.tested and red.started_at is not None]
        return bool(mine) and each.started_at is not None and each.started_at >= min(mine)

    @cached_property
    def hinted(self) -> bool:
        """True where the same failure was seen anywhere that is not the task's: the base is asked first."""
        other = any(each.side != "task" and each.subject != self.case.task.head for each in self._foreign_reds)
        return other or bool(self.elsewhere)

    @cached_property
    def _foreign_reds(self) -> tuple[Execution, ...]:
        return tuple(
            each for each in self.all if each.own == "no" and each.fails_with(self.item.fingerprint) is not None
        )
