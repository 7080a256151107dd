"""What a story decides about jobs: functions in their place, held, kept queued, runners lost, failures once."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.sandbox.ci.runner.function_job import JobFunction, Outcome
from bot.sandbox.state import Job, WorkflowRun


@dataclass
class Controls:
    """
    Decisions by job; a name is the job's as GitHub shows it (`test (3.11)`) or its key in the file (`test`).

    `held` jobs start and do not end, in the step that is named, else in their first; `queued` ones find no runner;
    `lost` ones lose it, so often. `guarded` environments wait for a reviewer, `reviewed` are those of an attempt that
    need not wait any more.
    """

    functions: dict[str, JobFunction] = field(default_factory=dict)
    held: dict[str, str | None] = field(default_factory=dict)
    queued: set[str] = field(default_factory=set)
    lost: dict[str, int] = field(default_factory=dict)
    once: dict[str, list[Outcome]] = field(default_factory=dict)
    guarded: set[str] = field(default_factory=set)
    reviewed: set[tuple[int, int, str]] = field(default_factory=set)

    def function(self, key: str, name: str) -> JobFunction | None:
        """The function that stands for a job; the full name goes before the key."""
        return self.functions.get(name) or self.functions.get(key)

    def holds(self, job: Job) -> bool:
        """Whether the job must not end yet."""
        return job.name in self.held or job.key in self.held

    def held_step(self, job: Job) -> str | None:
        """The step in which a held job stays."""
        return self.held.get(job.name) or self.held.get(job.key)

    def keeps_queued(self, job: Job) -> bool:
        """Whether the job must not begin yet."""
        return job.name in self.queued or job.key in self.queued

    def awaits_review(self, run: WorkflowRun, environment: str) -> bool:
        """Whether a job of the run's newest attempt must wait for its environment's reviewers."""
        return environment in self.guarded and (run.id, run.latest.number, environment) not in self.reviewed

    def take_lost(self, job: Job) -> bool:
        """Whether the job loses its runner now; asked once."""
        for name in (job.name, job.key):
            if self.lost.get(name, 0) > 0:
                self.lost[name] -= 1
                return True
        return False

    def take_once(self, job: Job) -> Outcome | None:
        """The failure prepared for the job's next execution, taken."""
        for name in (job.name, job.key):
            if waiting := self.once.get(name):
                return waiting.pop(0)
        return None
