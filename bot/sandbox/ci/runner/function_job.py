"""
A job as a Python function over the tested commit's tree: stories are fast, and the outcome follows from the tree.

The function says what its `run` step prints and how it ends; the frame around it is that of a real job. Workflow
commands in the printed lines (`::error file=…::`) annotate as they do in a real one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from bot.sandbox.ci.expressions import ExpressionError, Status, evaluate_condition, expand
from bot.sandbox.ci.expressions.values import to_text
from bot.sandbox.ci.log import JobLog
from bot.sandbox.ci.runner import archive, caching, frame
from bot.sandbox.ci.runner.output import JobMemory, StepOutput
from bot.sandbox.ci.runner.script import command_line
from bot.sandbox.ci.runner.task import JobResult, Task, Upload
from bot.sandbox.ci.workflow import StepSpec
from bot.sandbox.git import Git
from bot.sandbox.state import Step


@dataclass(frozen=True)
class Tree:
    """
    The files of the tested commit, and which job of which attempt looks at them.

    `restored` are the keys of the caches that the job's steps have restored.
    """

    git: Git
    commit: str
    job: str
    matrix: Mapping[str, Any]
    event: str
    attempt: int
    restored: tuple[str, ...] = ()

    def __contains__(self, path: str) -> bool:
        return self.git.read(self.commit, path) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.git.files(self.commit)))

    def read(self, path: str, default: str = "") -> str:
        """A file's text; `default` where there is none."""
        content = self.bytes_of(path)
        return default if content is None else content.decode("utf-8", "replace")

    def bytes_of(self, path: str) -> bytes | None:
        """A file's bytes, None where there is none."""
        return self.git.read(self.commit, path)


@dataclass(frozen=True)
class Outcome:
    """
    How a job ends: its conclusion, what its step printed, how long it took, what it gives on.

    `step` names the step that printed (by default the last `run` step); `artifacts` are files by artifact name.
    """

    conclusion: str = "success"
    lines: tuple[str | bytes, ...] = ()
    step: str | None = None
    seconds: float = 10.0
    exit_status: int = 1
    outputs: Mapping[str, str] = field(default_factory=dict)
    artifacts: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)


def passed(*lines: str | bytes, seconds: float = 10.0) -> Outcome:
    """Succeed, having printed lines."""
    return Outcome("success", lines, seconds=seconds)


def failed(*lines: str | bytes, step: str | None = None, seconds: float = 10.0, exit_status: int = 1) -> Outcome:
    """Fail, having printed lines."""
    return Outcome("failure", lines, step=step, seconds=seconds, exit_status=exit_status)


JobFunction: TypeAlias = Callable[[Tree], Outcome]


def cache_uses(task: Task, tree: Tree) -> dict[int, caching.Use]:
    """Look for the caches that the job's steps ask for, by the step's line in the file."""
    uses: dict[int, caching.Use] = {}
    for spec in task.spec.steps:
        want = caching.wanted(spec.uses or "", _inputs(task, spec), tree.bytes_of)
        if want is not None:
            uses[spec.line] = caching.look(want, task.caches)
    return uses


def _inputs(task: Task, spec: StepSpec) -> dict[str, str]:
    try:
        filled = expand(dict(spec.inputs), {**task.contexts, "env": {}, "steps": {}}, Status())
    except ExpressionError:
        filled = spec.inputs
    return {name: to_text(value) for name, value in filled.items()}


def at_ref(task: Task, git: Git) -> Task:
    """The task with the commit that its first checkout asks for: `ref` may name a branch or a commit."""
    spec = next((each for each in task.spec.steps if (each.uses or "").startswith("actions/checkout@")), None)
    wanted = _inputs(task, spec).get("ref") if spec is not None else None
    commit = (git.refs.read(f"refs/heads/{wanted.removeprefix('refs/heads/')}") or wanted) if wanted else task.checkout
    title = git.commit(commit).message.partition("\n")[0]
    return replace(task, checkout=commit, checkout_title=title)


def play(task: Task, outcome: Outcome, uses: Mapping[int, caching.Use] | None = None) -> JobResult:
    """Turn an outcome into what a real job would leave behind: steps, a framed log, annotations, caches."""
    return _Play(task, outcome, uses or {}).result()


class _Play:
    """One outcome being told as a job."""

    def __init__(self, task: Task, outcome: Outcome, uses: Mapping[int, caching.Use]) -> None:
        self._task = task
        self._outcome = outcome
        self._uses = uses
        self._log = JobLog()
        self._memory = JobMemory(masks=[task.token])
        self._steps: list[Step] = []
        self._at = task.started
        self._failed = False
        self._acting = self._find_acting()

    def result(self) -> JobResult:
        """Tell the whole job."""
        self._add("Set up job", "success", self._at)
        frame.set_up(self._log, self._task, self._at)
        for spec in self._task.spec.steps:
            self._step(spec)
        self._leave_caches()
        frame.clean_up(self._log, self._task, self._at)
        for spec in reversed(self._task.spec.steps):
            if (spec.uses or "").startswith("actions/checkout@"):
                self._add(f"Post {spec.title}", "success", self._at)
        self._add("Complete job", "success", self._at)
        return JobResult(
            conclusion=self._outcome.conclusion,
            seconds=self._outcome.seconds,
            steps=self._steps,
            log=self._log.content(),
            annotations=self._memory.annotations,
            outputs=dict(self._outcome.outputs),
            uploads=[Upload(name, archive.pack(files.items())) for name, files in self._outcome.artifacts.items()],
        )

    def _leave_caches(self) -> None:
        if self._outcome.conclusion != "success":
            return
        for spec in reversed(self._task.spec.steps):
            use = self._uses.get(spec.line)
            said = caching.leave(use, self._task.caches, lambda: b"what was installed") if use is not None else ()
            if said:
                self._log.add("\n".join(("Post job cleanup.", *said)), self._at)
                self._add(f"Post {spec.title}", "success", self._at)

    def _find_acting(self) -> StepSpec | None:
        steps = self._task.spec.steps
        if self._outcome.step is not None:
            return next(spec for spec in steps if spec.title == self._outcome.step)
        return next((spec for spec in reversed(steps) if spec.run is not None), steps[-1] if steps else None)

    def _step(self, spec: StepSpec) -> None:
        acting = spec is self._acting
        if not acting and not self._wanted(spec):
            self._add(spec.title, "skipped", self._at)
            return
        begun = self._at
        self._header(spec)
        if acting:
            self._act()
        failed = acting and self._outcome.conclusion != "success"
        self._failed = self._failed or failed
        ended = "cancelled" if self._outcome.conclusion == "timed_out" else self._outcome.conclusion
        self._add(spec.title, ended if failed else "success", begun)

    def _wanted(self, spec: StepSpec) -> bool:
        names = {**self._task.contexts, "env": {}, "steps": {}, "job": {"status": "success"}}
        try:
            return evaluate_condition(spec.condition, names, Status(failed=self._failed))
        except ExpressionError:
            return False

    def _header(self, spec: StepSpec) -> None:
        if spec.run is not None:
            frame.script_header(self._log, spec.run, command_line(spec.shelling.shell, "{0}"), {}, self._at)
            return
        frame.action_header(self._log, spec.uses or "", spec.inputs, {}, self._at)
        if (spec.uses or "").startswith("actions/checkout@"):
            frame.checked_out(self._log, self._task, self._task.checkout, self._task.checkout_title, self._at)
        use = self._uses.get(spec.line)
        for line in caching.restored(use) if use is not None else ():
            self._log.add(line, self._at)

    def _act(self) -> None:
        lines = self._outcome.lines
        begun, seconds = self._at, self._outcome.seconds
        output = StepOutput(self._log, self._memory, self._task.directory, self._task.workspace, lambda: self._at)
        for number, line in enumerate(lines, 1):
            self._at = begun + seconds * number / (len(lines) + 1)
            output.take(line.encode() if isinstance(line, str) else line)
        self._at = begun + seconds
        if self._outcome.conclusion == "failure":
            self._log.add(frame.exit_line(self._outcome.exit_status), self._at)
            output.annotate("failure", f"Process completed with exit code {self._outcome.exit_status}.")
        elif self._outcome.conclusion != "success":
            output.take(b"::error::The operation was canceled.")

    def _add(self, name: str, conclusion: str, begun: float) -> None:
        self._steps.append(Step(len(self._steps) + 1, name, "completed", conclusion, begun, self._at))
