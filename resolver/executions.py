"""
One observation of one check: what ran, on which commit and base, and how it ended. Attribution reads nothing else.

An execution is one job of one run and attempt. GitHub lists a job again in later attempts that did not run it, so
`distinct` counts it once, by (check, started at, runner). What it proves is `result`, never its raw conclusion: an
infrastructure outcome is neither red nor green, and skipped, neutral or empty jobs prove nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal, assert_never

from resolver.conclusions import Meaning, meaning
from resolver.failure import Finding, Place
from resolver.ids import Fingerprint, Sha
from resolver.records import Record

Side = Literal["task", "base", "probe", "group"]
"""On what it ran: a task's head, a base commit by any event, a base commit by our own wish, a merge queue's group."""

_SEPARATORS = re.compile(r"::| [\u203a\u00bb>] |[#/.:\[]| \(")
"""What stands between an item's name and what holds it, in the ways of test runners."""

ToldBy = Literal["job", "check-run", "status"]
"""What told of it: a job of Actions, or what another CI reported."""

Result = Literal["passed", "failed", "infrastructure", "cancelled", "nothing", "running"]
"""What an execution proves. `nothing`: it ended without executing the deciding step (skipped, neutral, stale)."""

Own = Literal["no", "earlier-merge", "same-author", "unread"]
"""Whether it is the accused's own: an earlier merge commit of the task, or another task of its author. `unread`: whose
change the base commit is, has not been read yet."""

LogState = Literal["read", "unread", "missing", "died"]

INFRASTRUCTURE_KINDS = frozenset({"network", "runner-lost", "quota", "rate-limit"})
"""Kinds of failure that are neither red nor green (specification, section 5)."""

DETERMINISTIC_KINDS = frozenset({"build", "type", "lint"})
"""Kinds whose outcome follows from the tree alone: compilers, type checkers, linters, formatters."""


MERGE_GROUP = "merge_group"
"""GitHub's name of the event that a group's runs have."""


class Check(Record):
    """
    A check's identity (specification, section 1). `workflow` is the file's path, `job` the name as the file makes it
    without matrix values, `fork` says that it ran as for a fork: without secrets.
    """

    workflow: str
    job: str
    matrix: tuple[tuple[str, str], ...] = ()
    event: str = "pull_request"
    fork: bool = False

    @property
    def third_party(self) -> bool:
        """True for a check of another CI: it has no workflow, and no event but that it reported on a merge group."""
        return not self.workflow and self.event in ("", MERGE_GROUP)

    @property
    def key(self) -> str:
        """The identity as one line of text, for journals and people."""
        if self.third_party:
            beside = ", ".join([*(["merge group"] if self.event else []), *(["fork"] if self.fork else [])])
            return f"{self.job} ({beside})" if beside else self.job
        cell = ", ".join(f"{name}={value}" for name, value in self.matrix)
        where = f"{self.event}, fork" if self.fork else self.event
        return f"{self.workflow}: {self.job}{f' [{cell}]' if cell else ''} ({where})"

    @property
    def cell(self) -> tuple[str, str, tuple[tuple[str, str], ...]]:
        """The job and its cell, whatever event made it and with whatever secrets."""
        return (self.workflow, self.job, self.matrix)

    def same_job(self, other: Check) -> bool:
        """Say whether both run the same job and cell."""
        return self.cell == other.cell


class FailedItem(Record):
    """
    What failed in an execution. `item` is the test or check item where one is known; `container` what holds it (a
    package, a suite), where the log says so and the item's own name does not; `job_level` says that neither an item nor
    a place is known, so that the fingerprint is weaker. `stalled`: it was ended for want of progress; `step`:
    the item is a step of the job, which passed wherever the job did.
    """

    fingerprint: Fingerprint
    item: str | None = None
    container: str = ""
    job_level: bool = False
    kind: str = "test"
    fail_class: str = "gate-red-code"
    places: tuple[Place, ...] = ()
    stalled: bool = False
    step: bool = False

    @classmethod
    def of(cls, finding: Finding) -> FailedItem:
        """Take from a finding what attribution needs."""
        return cls(
            fingerprint=finding.fingerprint,
            item=finding.item,
            container=finding.container,
            job_level=finding.job_level,
            kind=finding.kind,
            fail_class=finding.fail_class,
            places=finding.places,
            stalled=finding.attribution == "gate-stalled" or finding.fail_class == "task-stalled",
            step=finding.attribution == "gate-stalled" and finding.source == "api" and finding.item is not None,
        )

    @cached_property
    def holders(self) -> frozenset[str]:
        """Names that, seen to pass as a whole, show that the item was executed: its container, its file, its suites."""
        name = self.item or ""
        starts = {name[: found.start()] for found in _SEPARATORS.finditer(name)}
        return frozenset({self.container, *(place.path or "" for place in self.places), *starts} - {""})

    @property
    def counts(self) -> bool:
        """False where it is only the surroundings that failed, or a cancellation: neither red nor green."""
        return self.kind not in INFRASTRUCTURE_KINDS and self.kind != "cancelled"


class Execution(Record):
    """
    One execution. Times are seconds since the epoch.

    `commit` is what ran: the task's head, the base commit, the group's commit. `tested_base` is the base that was
    really tested with it, None where the run did not tell; in a merge group it is what stands before the task: the base
    or the group ahead. `head` is the task's head in a group, where the commit is GitHub's own.
    `task` names whose head it is, None on a base. `configuration` is what else makes two executions comparable: the
    runner's labels, the inputs. `passed_items` are names that a log, report or progress record showed executed and
    passed: items, or what contains them (a test file, a suite). `tests` is how many items the runner counted.
    `step_ran` is False where the deciding step did not run although the job is green: one of its `skipped_steps` is
    among another's `failed_steps`. `told_item` is the item that the
    job was told to run first: where it ran nothing else, it did not run as a whole. `run` is a check run's or a
    status's id where `told_by` says so.
    """

    check: Check
    commit: Sha
    tested_base: Sha | None = None
    head: Sha | None = None
    side: Side
    task: str | None = None
    run: int
    attempt: int = 1
    job_id: int = 0
    runner: str = ""
    started_at: float | None = None
    finished_at: float | None = None
    result: Result
    items: tuple[FailedItem, ...] = ()
    passed_items: tuple[str, ...] = ()
    tests: int | None = None
    step_ran: bool = True
    failed_steps: tuple[str, ...] = ()
    skipped_steps: tuple[str, ...] = ()
    told_item: str = ""
    log: LogState = "read"
    configuration: str = ""
    own: Own = "no"
    told_by: ToldBy = "job"

    @property
    def conclusive(self) -> bool:
        """True where it is a red or a green at all."""
        return self.result in ("passed", "failed")

    @property
    def subject(self) -> Sha:
        """The commit that is judged: the task's head also where a merge group ran, else what ran."""
        return self.head or self.commit

    @property
    def base_commit(self) -> Sha | None:
        """The base commit that it says something about."""
        return self.commit if self.side in ("base", "probe") else self.tested_base

    def fails_with(self, fingerprint: Fingerprint) -> FailedItem | None:
        """Give the failure of that fingerprint, where it is a red that counts."""
        if self.result != "failed":
            return None
        return next((each for each in self.items if each.fingerprint == fingerprint and each.counts), None)

    def same_inputs(self, other: Execution) -> bool:
        """
        Say whether both ran the same check, commit, tested base and configuration.

        GitHub: a rerun keeps the run's id and its frozen merge commit, so two attempts of one run are alike even where
        the tested base is not known. Two unknown bases of different runs are not.
        """
        if (self.check, self.subject, self.configuration) != (other.check, other.subject, other.configuration):
            return False
        if self.run == other.run:
            return True
        mine, theirs = self.base_commit, other.base_commit
        return mine is not None and mine == theirs


def result_of(conclusion: str | None, items: Sequence[FailedItem]) -> Result:
    """Say what a job proves, from its conclusion and what its log told. No conclusion yet: it is running."""
    if conclusion is None:
        return "running"
    match meaning(conclusion):
        case Meaning.PASSED:
            return "passed"
        case Meaning.NOTHING:
            return "nothing"
        case Meaning.CANCELLED:
            return "cancelled"
        case Meaning.FAILED:
            if not items or any(item.counts for item in items):
                return "failed"
            return "cancelled" if all(item.kind == "cancelled" for item in items) else "infrastructure"
        case _ as never:
            assert_never(never)


def distinct(executions: Iterable[Execution]) -> tuple[Execution, ...]:
    """Give each execution once, oldest first, in an order that does not depend on the order of arrival."""
    found: dict[tuple[object, ...], Execution] = {}
    for each in sorted(executions, key=_order):
        found.setdefault(_identity(each), each)
    return tuple(found.values())


def _order(each: Execution) -> tuple[object, ...]:
    unfinished = each.result == "running"
    prints = tuple(item.fingerprint for item in each.items)
    place = (each.run, each.attempt, each.job_id, each.side, each.commit, each.check.job, each.check.event)
    return (each.started_at or 0.0, unfinished, *place, each.result, prints, each.passed_items)


def _identity(each: Execution) -> tuple[object, ...]:
    if each.started_at is None:
        return (each.check, each.commit, each.run, each.attempt, each.job_id)
    return (each.check, each.commit, each.run, each.started_at, each.runner)
