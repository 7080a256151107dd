"""The input of attribution: one task at one head, every execution that is known, and what can not be had."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from resolver.attribution.beside import Claim, NeverRan, OwnMerge
from resolver.attribution.diff import Diff
from resolver.attribution.outcome import Refusal
from resolver.config.sections import Attribution
from resolver.executions import Check, Execution
from resolver.ids import Fingerprint, Sha
from resolver.records import Record

_DEFAULTS = Attribution()


class DriftVerdict(Record):
    """An earlier verdict `base-drift` on this task, so that it is not given twice between two pushes of people."""

    fingerprint: Fingerprint
    at: float


class TaskFacts(Record):
    """
    What is known of the task beside its executions.

    `base` is the base branch's current commit, None where it has not been read; `base_line` its newest commits by first
    parent, oldest first, `base` last. `base_only` are files of the diff whose changes are only the base's; while
    `base_unread` that has not been read yet.
    `people_pushed_at` are the times of pushes by people. `stacked_runs`: the task is of a `plan/…` run; together with
    `drift: strict` its base moves only by the run's own landings.
    """

    task: str
    head: Sha
    base: Sha | None
    base_line: tuple[Sha, ...] = ()
    diff: Diff | None = None
    base_only: tuple[str, ...] = ()
    base_unread: bool = False
    people_pushed_at: tuple[float, ...] = ()
    stacked_runs: bool = False
    drift: Literal["proven", "strict"] = "proven"
    drift_verdicts: tuple[DriftVerdict, ...] = ()

    def drifted_before(self, fingerprint: Fingerprint) -> bool:
        """Say whether this failure was called drift since a person last pushed."""
        pushed = max(self.people_pushed_at, default=float("-inf"))
        return any(each.fingerprint == fingerprint and each.at >= pushed for each in self.drift_verdicts)

    def newer_than(self, commit: Sha | None) -> tuple[Sha, ...]:
        """Give the base's commits after one on its line, the newest first; none where it is not known there."""
        if commit is None or commit not in self.base_line:
            return ()
        return self.base_line[: self.base_line.index(commit) : -1]


@dataclass(frozen=True, slots=True)
class Case:
    """
    One task to be attributed at `now` (seconds).

    `executions`: of the task's head, of its base, of probes, of its merge groups, and of other tasks where they show
    one of the same fingerprints; the order does not matter. `flaked`: fingerprints that have been red and green on
    identical inputs before. `flakes_in_window`: how often a check was a flake inside `flake.window`, this one not
    counted. `outage`: outage mode is on.
    `found_now` are those of the refusals that were found while it was asked: they hold for this asking.
    `never_ran`, `own_merges` and `claims` are told beside the verdict and decide nothing.
    """

    task: TaskFacts
    executions: tuple[Execution, ...]
    now: float
    rules: Attribution = _DEFAULTS
    refusals: tuple[Refusal, ...] = ()
    flaked: frozenset[Fingerprint] = frozenset()
    flakes_in_window: frozenset[Check] = frozenset()
    never_ran: tuple[NeverRan, ...] = ()
    own_merges: tuple[OwnMerge, ...] = ()
    claims: tuple[Claim, ...] = ()
    outage: bool = False
    found_now: frozenset[Refusal] = frozenset()

    def refusing(self, refusals: tuple[Refusal, ...]) -> Case:
        """Give the case with further wants known to be impossible now, whatever their times: none is wanted again."""
        return replace(self, refusals=(*self.refusals, *refusals), found_now=self.found_now.union(refusals))

    def refusal(self, kind: str, check: Check, commit: Sha) -> Refusal | None:
        """Give why such a want can not be met now, a refusal for ever before one that passes."""
        against = [
            each
            for each in self.refusals
            if each.kind == kind
            and each.commit in (None, commit)
            and each.check in (None, check)
            and (each.until is None or each.until > self.now or each in self.found_now)
        ]
        return min(against, key=lambda each: (each.until is not None, -(each.until or 0.0), each.reason), default=None)
