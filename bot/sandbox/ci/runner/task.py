"""What a runner is given and what it gives back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.sandbox.ci.caches import Shelf
from bot.sandbox.ci.workflow import Combination, JobSpec
from bot.sandbox.state import Step

RUNNER_HOME = "/home/runner/work"
"""Where jobs appear to run; a job's directory on this machine does not show in its log."""


@dataclass(frozen=True)
class Task:
    """
    One job, ready to run.

    `checkout` is the tested commit, `ref` its ref (`refs/pull/7/merge`); `contexts` are those of the expression
    language that are known before the first step; `env` is the workflow's and job's, not yet filled in; `taken` are
    the names of artifacts that this attempt has already uploaded; `steps` is the list that the API shows meanwhile;
    `caches` are those that the run may use, None for none.
    """

    repository: str
    name: str
    spec: JobSpec
    matrix: Combination
    contexts: Mapping[str, Any]
    env: tuple[Mapping[str, Any], ...]
    git_dir: Path
    checkout: str
    ref: str
    checkout_title: str
    directory: Path
    started: float
    token: str
    runner_name: str
    taken: frozenset[str] = frozenset()
    steps: list[Step] = field(default_factory=list)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    caches: Shelf | None = None

    @property
    def workspace(self) -> Path:
        """GITHUB_WORKSPACE on this machine."""
        name = self.repository.rpartition("/")[2]
        return self.directory / "work" / name / name

    @property
    def event_path(self) -> Path:
        """The file that holds the event's payload."""
        return self.directory / "temp" / "event.json"

    @property
    def shown_workspace(self) -> str:
        """GITHUB_WORKSPACE as the log shows it."""
        name = self.repository.rpartition("/")[2]
        return f"{RUNNER_HOME}/{name}/{name}"


@dataclass(frozen=True)
class Upload:
    """An artifact that a job made: a name and a zip."""

    name: str
    data: bytes


@dataclass
class JobResult:
    """How a job went. `log` None means that no log was ever written (a lost runner)."""

    conclusion: str
    seconds: float
    steps: list[Step]
    log: bytes | None
    annotations: list[dict[str, Any]] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    uploads: list[Upload] = field(default_factory=list)
