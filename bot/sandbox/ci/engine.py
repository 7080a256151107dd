"""
The CI engine: hears what happens, makes runs, and runs their jobs when told to.

Nothing runs by itself: `await ci.advance()` makes the runs of what has happened and runs every job that is ready, one
after another, until nothing more can move. A job's duration shows in its times; it does not move the clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bot.sandbox.ci import asking
from bot.sandbox.ci.board import Board
from bot.sandbox.ci.events import start_of
from bot.sandbox.ci.records import Records
from bot.sandbox.ci.runner.function_job import JobFunction, Outcome, failed
from bot.sandbox.ci.starting import start_runs, workflow_files
from bot.sandbox.ci.turn import move
from bot.sandbox.ci.workflow import WorkflowFile, read_workflow
from bot.sandbox.state import Act, GitHub, Happening, Job, Repository, Workflow, WorkflowRun

Payload = Callable[[GitHub, Happening], dict[str, Any] | None]


class Ci:
    """One GitHub's Actions. `directory` is where real jobs get their workspaces; it is emptied after each job."""

    def __init__(self, github: GitHub, directory: Path, payload: Payload, *, approvals: bool = False) -> None:
        self._board = Board(github, directory, payload, Records(github), approvals=approvals)
        self._lock = asyncio.Lock()
        self._registered: dict[int, str] = {}
        github.listeners.append(self._heard)

    def _heard(self, happening: Happening) -> None:
        if happening.event not in {"push", "pull_request", "merge_group"} or happening.by_workflow_token:
            return
        if (happening.event, happening.action) == ("merge_group", "destroyed"):
            asking.end_group(self._board, happening.subject["group"].head_sha)
        start = start_of(happening, self._board.payload(self._board.github, happening) or {})
        if start is not None:
            self._board.starts.append(start)

    async def advance(self, jobs: int | None = None) -> bool:
        """Make runs and run jobs (at most that many) until nothing can move; whether anything did."""
        async with self._lock:
            for repo in self._board.github.repositories.values():
                self.register(repo)
            moved = await self._make_runs()
            for plan in self._board.plans.values():
                asking.begin_attempt(self._board, plan)
            ended = 0
            while jobs is None or ended < jobs:
                step = await move(self._board)
                if step == "still":
                    break
                moved = True
                ended += step == "job"
                await self._make_runs()
            return moved

    def register(self, repo: Repository) -> None:
        """Know the workflows of the default branch, as GitHub does once a file has been pushed there."""
        head = repo.git.branch(repo.default_branch)
        if head is None or self._registered.get(repo.id) == head:
            return
        self._registered[repo.id] = head
        for path, text in workflow_files(repo.git, head).items():
            file = read_workflow(path, text)
            self._board.records.workflow(repo, path, file.name if isinstance(file, WorkflowFile) else path)

    async def _make_runs(self) -> bool:
        waiting, self._board.starts = self._board.starts, []
        for start in waiting:
            await start_runs(self._board, start)
        return bool(waiting)

    @property
    def approvals(self) -> bool:
        """Whether runs of first-time contributors from forks await approval."""
        return self._board.approvals

    @approvals.setter
    def approvals(self, wanted: bool) -> None:
        self._board.approvals = wanted

    @property
    def late_reruns(self) -> bool:
        """Whether an accepted rerun shows only at the next `advance` (GITHUB.md trap 14)."""
        return self._board.late_reruns

    @late_reruns.setter
    def late_reruns(self, wanted: bool) -> None:
        self._board.late_reruns = wanted

    # What a story decides. A job's name is the one GitHub shows (`test (3.11)`) or its key in the file (`test`).

    def job(self, name: str, function: JobFunction) -> None:
        """Let a function over the tested tree stand for a job from now on."""
        self._board.controls.functions[name] = function

    def hold(self, name: str, step: str | None = None) -> None:
        """Let a job begin but not end; it stays in its first step, or in the one of that title."""
        self._board.controls.held[name] = step

    def release(self, name: str) -> None:
        """Let a held or queued job go on at the next `advance`."""
        self._board.controls.held.pop(name, None)
        self._board.controls.queued.discard(name)

    def keep_queued(self, name: str) -> None:
        """Let a job find no runner."""
        self._board.controls.queued.add(name)

    def guard(self, environment: str) -> None:
        """Let jobs of an environment wait for its reviewers."""
        self._board.controls.guarded.add(environment)

    def review(self, run: WorkflowRun, environment: str) -> None:
        """Let the jobs of an environment begin that wait in the run's newest attempt."""
        self._board.controls.reviewed.add((run.id, run.latest.number, environment))

    def lose_runner(self, name: str, times: int = 1) -> None:
        """Let the job's runner vanish in its next executions, or in the one that is held."""
        self._board.controls.lost[name] = times
        self._board.controls.held.pop(name, None)

    def fail_once(self, name: str, *lines: str | bytes, outcome: Outcome | None = None) -> None:
        """Let the job's next execution fail, having printed these lines (or end as `outcome` says)."""
        self._board.controls.once.setdefault(name, []).append(outcome or failed(*lines))

    # What the API asks (the protocol `CiEngine`).

    async def rerun(self, act: Act, run: WorkflowRun, *, failed_only: bool) -> None:
        """Begin the next attempt: all jobs, or the failed ones with their dependents."""
        asking.rerun(self._board, act, run, failed_only=failed_only)

    async def rerun_job(self, act: Act, run: WorkflowRun, job: Job) -> None:
        """Begin the next attempt with one job and its dependents."""
        asking.rerun_job(self._board, act, run, job)

    async def cancel(self, act: Act, run: WorkflowRun, *, force: bool) -> None:  # noqa: ARG002 - GitHub does not tell who
        """Cancel a run that goes on."""
        asking.cancel(self._board, run, force=force)

    async def approve(self, act: Act, run: WorkflowRun) -> None:  # noqa: ARG002 - GitHub does not tell who
        """Let a run of a first-time contributor begin."""
        asking.approve(self._board, run)

    async def dispatch(self, act: Act, workflow: Workflow, ref: str, inputs: dict[str, Any]) -> WorkflowRun:
        """Start a workflow by hand on a branch or tag; gives the run."""
        return asking.dispatch(self._board, act, workflow, ref, inputs)

    async def repository_dispatch(self, act: Act, event_type: str, payload: dict[str, Any]) -> None:
        """Start the default branch's workflows that listen to this type."""
        await asking.repository_dispatch(self._board, act, event_type, payload)
