"""What the engine remembers of a run beyond what GitHub shows: its file and event, what is asked for and carried on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bot.sandbox.ci.workflow import Combination, JobSpec, WorkflowFile
from bot.sandbox.state import Account, Job, Repository, WorkflowRun

Instance: TypeAlias = tuple[str, str]
"""A job of the file in one matrix combination: key and the combination as JSON."""


def instance(key: str, matrix: Mapping[str, Any]) -> Instance:
    """Name one instance of a job, the same in every attempt."""
    return key, json.dumps(matrix, sort_keys=True, default=str)


@dataclass(frozen=True)
class Opened:
    """A job that exists in the current attempt: its record and what it will do."""

    job: Job
    spec: JobSpec
    fail_fast: bool
    tolerated: bool
    concurrency: tuple[str, bool] | None = None
    total: int = 1
    index: int = 0
    after_cancel: bool = False
    environment: str = ""


@dataclass(frozen=True)
class Asked:
    """A rerun that was accepted and has not begun: who asked, and for which jobs (None: all)."""

    actor: Account
    chosen: frozenset[Instance] | None


@dataclass
class Plan:
    """
    One run and its current attempt.

    `settled`: no further job can be opened until something ends or is cancelled, so that nobody need ask.
    """

    repo: Repository
    run: WorkflowRun
    file: WorkflowFile
    payload: dict[str, Any]
    base_ref: str
    group: str | None = None
    cancel_in_progress: bool = False
    cancelled: bool = False
    forced: bool = False
    opened: dict[str, list[Opened]] = field(default_factory=dict)
    carried: dict[Instance, Job] = field(default_factory=dict)
    again: frozenset[Instance] | None = None
    stops: dict[int, asyncio.Event] = field(default_factory=dict)
    artifacts: dict[str, bytes] = field(default_factory=dict)
    uploaded: set[str] = field(default_factory=set)
    admitted: bool = False
    settled: bool = False
    waits_for_approval: bool = False
    asked: Asked | None = None
    token: str = ""

    @property
    def done(self) -> bool:
        """Whether the current attempt is over."""
        return self.run.latest.status == "completed"

    def jobs(self) -> list[Opened]:
        """Every job of the current attempt that the engine itself opened."""
        return [one for several in self.opened.values() for one in several]

    def begin_attempt(self) -> None:
        """Forget what belonged to the attempt before."""
        self.cancelled = self.forced = self.admitted = self.settled = False
        self.opened, self.stops, self.uploaded = {}, {}, set()
        self.carried, self.again = {}, None


@dataclass(frozen=True)
class Ready:
    """A job of the file whose time has come: skipped, or to be opened in these combinations; or an error."""

    spec: JobSpec
    combinations: tuple[Combination, ...] = ({},)
    skipped: bool = False
    error: str | None = None
    fail_fast: bool = True
