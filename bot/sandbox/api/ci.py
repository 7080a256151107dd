"""What the REST API needs of the CI: reruns, cancels, dispatches, and where logs and artifacts are downloaded."""

from __future__ import annotations

from typing import Any, Protocol

from bot.sandbox.state import Act, Artifact, Job, Workflow, WorkflowRun


class CiEngine(Protocol):
    """
    Every verb raises `changes.refusals.Refused` for what GitHub refuses.

    Reruns: 403 while the run goes on, after 30 days, after 50 reruns, for a job of an older attempt. Cancels: 409 for a
    finished run. Dispatch: 422 for a workflow without `workflow_dispatch` or with inputs it does not know.
    """

    async def rerun(self, act: Act, run: WorkflowRun, *, failed_only: bool) -> None:
        """Start the next attempt: all jobs, or the failed ones with their dependents."""
        ...

    async def rerun_job(self, act: Act, run: WorkflowRun, job: Job) -> None:
        """Start the next attempt with one job and its dependents."""
        ...

    async def cancel(self, act: Act, run: WorkflowRun, *, force: bool) -> None:
        """Cancel a run that goes on."""
        ...

    async def approve(self, act: Act, run: WorkflowRun) -> None:
        """Let a run of a first-time contributor begin."""
        ...

    async def dispatch(self, act: Act, workflow: Workflow, ref: str, inputs: dict[str, Any]) -> WorkflowRun:
        """Start a workflow by hand on a branch or tag (its short name); gives the run."""
        ...

    async def repository_dispatch(self, act: Act, event_type: str, payload: dict[str, Any]) -> None:
        """Start the default branch's workflows that listen to this."""
        ...


class Downloads(Protocol):
    """The second origin. Links work for a minute and refuse an `Authorization` header (GITHUB.md 5.19)."""

    def job_log(self, job: Job) -> str:
        """Give the address of a job's log; it answers 404 `BlobNotFound` until the job is completed (5.16)."""
        ...

    def run_logs(self, run: WorkflowRun, attempt: int) -> str:
        """Give the address of a zip with the logs of an attempt."""
        ...

    def artifact(self, artifact: Artifact) -> str:
        """Give the address of an artifact's zip."""
        ...
