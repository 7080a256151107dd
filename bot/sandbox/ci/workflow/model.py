"""What a workflow file says, as frozen values. Texts may still hold `${{ }}`; they are filled in when a job runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.sandbox.ci.workflow.filters import Filter


@dataclass(frozen=True)
class Problem:
    """Why a file cannot be run: where and what, one sentence."""

    path: str
    line: int
    key: str
    message: str

    def __str__(self) -> str:
        """`path:line: key: message`."""
        return f"{self.path}:{self.line}: {self.key}: {self.message}"


@dataclass(frozen=True)
class InputSpec:
    """One input of `workflow_dispatch`."""

    required: bool = False
    default: Any = None
    type: str = "string"
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trigger:
    """One event under `on`: its activity types (None: GitHub's default ones), its filters and inputs."""

    types: tuple[str, ...] | None = None
    branches: Filter = field(default_factory=Filter)
    tags: Filter = field(default_factory=Filter)
    paths: Filter = field(default_factory=Filter)
    inputs: Mapping[str, InputSpec] = field(default_factory=dict)


@dataclass(frozen=True)
class Concurrency:
    """A concurrency group; `cancel_in_progress` is true, false or an expression."""

    group: str
    cancel_in_progress: bool | str = False


@dataclass(frozen=True)
class Shelling:
    """`defaults.run`: shell and directory of `run` steps that name none."""

    shell: str | None = None
    working_directory: str | None = None


@dataclass(frozen=True)
class Strategy:
    """A job's matrix (a mapping or an expression that gives one) and whether the first failure ends the others."""

    matrix: Mapping[str, Any] | str
    fail_fast: bool | str = True


@dataclass(frozen=True)
class StepSpec:
    """One step: either `uses` or `run`."""

    line: int
    name: str | None = None
    id: str | None = None
    uses: str | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    run: str | None = None
    shelling: Shelling = Shelling()
    env: Mapping[str, Any] = field(default_factory=dict)
    condition: str = ""
    continue_on_error: bool | str = False
    timeout_minutes: float | str | None = None

    @property
    def title(self) -> str:
        """The name that GitHub shows: the given one, else `Run` with the action or the first line of the script."""
        if self.name:
            return self.name
        first = (self.uses or self.run or "").strip().splitlines()
        return f"Run {first[0] if first else ''}"


@dataclass(frozen=True)
class JobSpec:
    """One job of the file."""

    id: str
    line: int
    name: str | None
    runs_on: tuple[str, ...]
    needs: tuple[str, ...] = ()
    condition: str = ""
    env: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    shelling: Shelling = Shelling()
    timeout_minutes: float | str = 360
    continue_on_error: bool | str = False
    strategy: Strategy | None = None
    concurrency: Concurrency | None = None
    environment: str = ""
    steps: tuple[StepSpec, ...] = ()


@dataclass(frozen=True)
class WorkflowFile:
    """A whole file; `jobs` in the order of the file."""

    path: str
    name: str
    run_name: str | None
    triggers: Mapping[str, Trigger]
    env: Mapping[str, Any]
    concurrency: Concurrency | None
    jobs: Mapping[str, JobSpec]
