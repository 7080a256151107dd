"""What is seen of jobs that have not ended: how far each has come, and that one makes no progress any more."""

from __future__ import annotations

from typing import Literal

from resolver.ids import Sha
from resolver.records import Record

_RANKS = {"requested": 0, "queued": 1, "pending": 2, "waiting": 2, "in_progress": 3}
"""GitHub: a job's deliveries come in any order and with equal times (GITHUB.md 5.1); a later status never goes back."""


class StepSeen(Record):
    """One step of a job that goes on. Times are in seconds; a step that has not begun has none."""

    number: int
    name: str
    status: str
    conclusion: str | None = None
    started_at: float | None = None
    completed_at: float | None = None

    @property
    def running(self) -> bool:
        """True while the step runs."""
        return self.status == "in_progress" and self.started_at is not None


class JobProgressed(Record):
    """
    A job that has not ended, as GitHub showed it at `seen_at` (seconds).

    `status` is GitHub's word: `queued` waits for a runner, `waiting` for an environment, `pending` for its concurrency
    group. `since` is when the job began, or when it was made where it has not begun.
    """

    job_id: int
    run_id: int
    attempt: int
    name: str
    workflow: str
    head_sha: Sha
    status: str
    since: float
    seen_at: float
    url: str = ""
    runner: str | None = None
    runs_on: str = ""
    steps: tuple[StepSeen, ...] = ()

    @property
    def current(self) -> StepSeen | None:
        """The step that runs; None before the first, between two, and while the job waits."""
        return next((step for step in reversed(self.steps) if step.running), None)

    @property
    def unchanged_since(self) -> float:
        """When the last change that is known happened: the running step's start, else the end of the one before."""
        step = self.current
        if step is not None and step.started_at is not None:
            return step.started_at
        return max((step.completed_at for step in self.steps if step.completed_at is not None), default=self.since)

    @property
    def cancelled(self) -> bool:
        """
        True where the job was cancelled and goes on all the same.

        GitHub shows no such state: a cancelled step in a job that has not ended is what tells.
        """
        return any(step.conclusion == "cancelled" for step in self.steps)

    def newer(self, known: JobProgressed | None) -> bool:
        """Say whether this tells more than what is known of the job."""
        if known is None:
            return True
        mine, theirs = (_RANKS.get(each.status, 0) for each in (self, known))
        return (mine, self.seen_at) > (theirs, known.seen_at)


class JobStalled(Record):
    """
    A step of a running job ran past its budget without change. `since` is the step's start, `seen_at` when it was seen
    to run still, `budget` in seconds; `samples` counts the past durations where the budget comes from them.
    """

    job_id: int
    run_id: int
    attempt: int
    name: str
    workflow: str
    head_sha: Sha
    step_number: int
    step: str
    since: float
    seen_at: float
    budget: float
    source: Literal["config", "history"]
    samples: int = 0
    cancelled: bool = False
    url: str = ""
    runner: str | None = None
    runs_on: str = ""
