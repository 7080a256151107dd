"""What a job remembers while its steps run: environment, outputs, masks, matchers, its log and its clock."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bot.sandbox.ci.expressions import Status, expand
from bot.sandbox.ci.expressions.values import to_number, to_text
from bot.sandbox.ci.log import JobLog
from bot.sandbox.ci.runner.output import JobMemory, StepOutput
from bot.sandbox.ci.runner.task import Task, Upload
from bot.sandbox.state import Step

Verdict = Literal["success", "failure", "cancelled", "skipped"]


@dataclass
class RunningJob:
    """What a running job remembers."""

    task: Task
    earlier: Mapping[str, bytes]
    log: JobLog = field(default_factory=JobLog)
    memory: JobMemory = field(default_factory=JobMemory)
    steps: list[Step] = field(default_factory=list)
    seen: dict[str, dict[str, Any]] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    uploads: list[Upload] = field(default_factory=list)
    posts: list[tuple[str, Callable[[], tuple[str, ...]]]] = field(default_factory=list)
    status: Verdict = "success"
    begun: float = field(default_factory=time.monotonic)
    depth: int = 0
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def now(self) -> float:
        """The time by the sandbox's clock: the start plus what has really passed."""
        return self.task.started + time.monotonic() - self.begun

    def names(self, env: Mapping[str, str]) -> dict[str, Any]:
        """The contexts as a step sees them."""
        return {**self.task.contexts, "env": dict(env), "steps": self.seen, "job": {"status": self.status}}

    def so_far(self) -> Status:
        """What the status functions answer now."""
        return Status(failed=self.status == "failure", cancelled=self.task.cancelled.is_set())

    def texts(self, values: Mapping[str, Any], env: Mapping[str, str]) -> dict[str, str]:
        """Fill in the expressions of a mapping; every value as text. `ExpressionError` where one has no answer."""
        return {key: to_text(value) for key, value in expand(dict(values), self.names(env), self.so_far()).items()}

    def text(self, value: object, env: Mapping[str, str]) -> str:
        """Fill in one value as text."""
        return to_text(expand(value, self.names(env), self.so_far()))

    def output(self) -> StepOutput:
        """A fresh output for the next step."""
        return StepOutput(self.log, self.memory, self.task.directory, self.task.workspace, self.now)

    @property
    def limit_minutes(self) -> float:
        """The job's `timeout-minutes`."""
        return to_number(expand(self.task.spec.timeout_minutes, self.task.contexts, self.so_far()))

    @property
    def seconds_left(self) -> float:
        """How long the job may still run."""
        return max(0.0, self.limit_minutes * 60 - (time.monotonic() - self.begun))

    def frame_step(self, name: str) -> None:
        """Add one of the runner's own steps, which succeed at once."""
        at = self.now()
        self.steps.append(Step(len(self.steps) + 1, name, "completed", "success", at, at))

    def end_steps(self) -> None:
        """Do what actions do after a job that has succeeded, the last one first, and list it as steps."""
        for title, after in reversed(self.posts) if self.status == "success" else ():
            said = after()
            if said:
                self.log.add("\n".join(("Post job cleanup.", *said)), self.now())
                self.frame_step(f"Post {title}")

    def fail(self, message: str) -> None:
        """Fail the job for a reason outside its steps."""
        self.log.add(f"##[error]{message}", self.now())
        self.status = "failure"
