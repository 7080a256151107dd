"""
Makes and completes the records of Actions: runs, attempts, jobs with their check runs and suites; each change is told.

GitHub: a job is a check run with the same id; each run has a suite of its own; a new attempt gives new jobs and check
runs and keeps run and suite (GITHUB.md traps 4, 5, 13).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.sandbox.ci.events import Start
from bot.sandbox.ci.runner.task import JobResult
from bot.sandbox.state import (
    Account,
    Act,
    Actor,
    Artifact,
    Attempt,
    CheckRun,
    CheckSuite,
    GitHub,
    Job,
    Repository,
    Step,
    Workflow,
    WorkflowRun,
)

ARTIFACT_DAYS = 90


class Records:
    """The records of Actions in one GitHub; the only code that alters them."""

    def __init__(self, github: GitHub) -> None:
        self._github = github
        self._runner = 0

    def workflow(self, repo: Repository, path: str, name: str) -> Workflow:
        """The registered workflow of a file; its id outlives edits of the file."""
        found = repo.workflows.get(path)
        if found is None:
            found = repo.workflows[path] = Workflow(self._github.new_id(), path, name)
        found.name = name
        return found

    def run(self, start: Start, workflow: Workflow, checkout: str, title: str, inputs: dict[str, Any]) -> WorkflowRun:
        """Make a run with its suite and first attempt, all queued; tells `workflow_run.requested`."""
        repo = start.repo
        app = self._github.actions_app()
        suite = CheckSuite(
            self._github.new_id(), app, start.head, start.head_branch, start.at, start.at, before=start.before
        )
        suite.after = start.head
        run = WorkflowRun(
            id=self._github.new_id(),
            workflow_id=workflow.id,
            path=workflow.path,
            name=workflow.name,
            title=title,
            event=start.event,
            head_branch=start.head_branch,
            head_sha=start.head,
            head_repo=start.head_repo,
            checkout=checkout,
            run_number=1 + sum(other.workflow_id == workflow.id for other in repo.runs.values()),
            actor=start.actor,
            created_at=start.at,
            suite=suite.id,
            pull=start.pull,
            ref=start.ref,
            inputs=inputs,
        )
        suite.run_id = run.id
        repo.suites[suite.id], repo.runs[run.id] = suite, run
        self._tell(repo, start.actor, "check_suite", "requested", suite=suite)
        self.attempt(repo, run, start.actor, start.at)
        return run

    def attempt(self, repo: Repository, run: WorkflowRun, actor: Account, at: float) -> Attempt:
        """Begin an attempt: the run is queued again, its suite too."""
        attempt = Attempt(len(run.attempts) + 1, at, actor, updated_at=at)
        run.attempts.append(attempt)
        suite = repo.suites[run.suite]
        suite.status, suite.conclusion, suite.updated_at = "queued", None, at
        self._tell(repo, actor, "workflow_run", "requested", run=run)
        return attempt

    def run_started(self, repo: Repository, run: WorkflowRun, at: float) -> None:
        """The run's first job begins; tells `workflow_run.in_progress`."""
        run.latest.status, run.latest.updated_at = "in_progress", max(at, run.latest.updated_at)
        suite = repo.suites[run.suite]
        suite.status, suite.updated_at = "in_progress", at
        self._tell(repo, run.latest.triggering_actor, "workflow_run", "in_progress", run=run)

    def requeued(self, repo: Repository, run: WorkflowRun, at: float) -> None:
        """An approved attempt is queued after all; tells `workflow_run.requested` again."""
        run.latest.status, run.latest.conclusion, run.latest.updated_at = "queued", None, at
        suite = repo.suites[run.suite]
        suite.status, suite.conclusion, suite.updated_at = "queued", None, at
        self._tell(repo, run.actor, "workflow_run", "requested", run=run)

    def run_waits(self, run: WorkflowRun, status: str) -> None:
        """The run waits: `pending` behind its concurrency group. No event tells it."""
        run.latest.status = status

    def run_completed(self, repo: Repository, run: WorkflowRun, conclusion: str, at: float) -> None:
        """The attempt is over; tells `workflow_run.completed` and `check_suite.completed`."""
        attempt = run.latest
        attempt.status, attempt.conclusion, attempt.updated_at = "completed", conclusion, max(at, attempt.updated_at)
        suite = repo.suites[run.suite]
        suite.status, suite.conclusion, suite.updated_at = "completed", conclusion, attempt.updated_at
        self._tell(repo, attempt.triggering_actor, "workflow_run", "completed", run=run)
        self._tell(repo, attempt.triggering_actor, "check_suite", "completed", suite=suite)

    def job(
        self,
        repo: Repository,
        run: WorkflowRun,
        *,
        key: str,
        name: str,
        labels: Sequence[str],
        matrix: dict[str, Any],
        at: float,
    ) -> Job:
        """Open a queued job and its check run; tells `check_run.created` and `workflow_job.queued`."""
        job = self._new_job(repo, run, key=key, name=name, labels=labels, matrix=matrix, at=at)
        self._tell_check(repo, run, job, "created")
        self._tell_job(repo, run, job, "queued")
        return job

    def carried_job(self, repo: Repository, run: WorkflowRun, old: Job) -> Job:
        """List a job of the attempt before again: new id, same times, runner and result. No event tells it."""
        job = self._new_job(
            repo, run, key=old.key, name=old.name, labels=old.labels, matrix=old.matrix, at=old.created_at
        )
        for field in ("status", "conclusion", "started_at", "completed_at", "runner_id", "runner_name", "log"):
            setattr(job, field, getattr(old, field))
        job.steps, job.outputs, job.carried_over = old.steps, old.outputs, True
        check, before = repo.check_runs[job.check_run], repo.check_runs[old.check_run]
        for field in ("status", "conclusion", "started_at", "completed_at", "annotations"):
            setattr(check, field, getattr(before, field))
        return job

    def skipped_job(self, repo: Repository, run: WorkflowRun, *, key: str, name: str, at: float) -> Job:
        """List a job that its `if` or its `needs` kept from running; tells that it is completed."""
        job = self._new_job(repo, run, key=key, name=name, labels=(), matrix={}, at=at)
        self._tell_check(repo, run, job, "created")
        self._complete(repo, run, job, "skipped", at)
        return job

    def job_waits(self, job: Job, status: str) -> None:
        """The job waits behind its own concurrency group (`pending`), or no longer (`queued`)."""
        job.status = status

    def job_awaits_review(self, repo: Repository, run: WorkflowRun, job: Job) -> bool:
        """The job waits for its environment's reviewers, and its run with it; tells `workflow_job.waiting` once."""
        if job.status == "waiting":
            return False
        job.status = run.latest.status = "waiting"
        self._tell_job(repo, run, job, "waiting")
        return True

    def job_started(self, repo: Repository, run: WorkflowRun, job: Job, steps: list[Step], at: float) -> None:
        """A runner has taken the job; tells `workflow_job.in_progress`."""
        self._runner += 1
        job.status, job.started_at, job.steps = "in_progress", at, steps
        job.runner_id, job.runner_name = self._runner, f"GitHub Actions {self._runner}"
        check = repo.check_runs[job.check_run]
        check.status, check.started_at = "in_progress", at
        self._tell_job(repo, run, job, "in_progress")

    def job_completed(self, repo: Repository, run: WorkflowRun, job: Job, result: JobResult) -> None:
        """The job is over; tells `workflow_job.completed` and `check_run.completed`."""
        started = job.created_at if job.started_at is None else job.started_at
        job.log, job.outputs = result.log, result.outputs
        if result.steps:
            job.steps = result.steps
        check = repo.check_runs[job.check_run]
        check.annotations = result.annotations
        self._complete(repo, run, job, result.conclusion, started + result.seconds)
        for upload in result.uploads:
            artifact = Artifact(
                self._github.new_id(),
                run.id,
                upload.name,
                upload.data,
                started + result.seconds,
                started + result.seconds + ARTIFACT_DAYS * 86400,
            )
            repo.artifacts[artifact.id] = artifact

    def _new_job(
        self,
        repo: Repository,
        run: WorkflowRun,
        *,
        key: str,
        name: str,
        labels: Sequence[str],
        matrix: dict[str, Any],
        at: float,
    ) -> Job:
        number = self._github.new_id()
        check = CheckRun(number, run.suite, self._github.actions_app(), name, run.head_sha, at, job_id=number)
        check.external_id = f"{run.id}-{len(run.attempts)}-{number}"
        job = Job(number, run.id, len(run.attempts), key, name, run.head_sha, at, list(labels), number, matrix=matrix)
        repo.check_runs[number] = check
        run.latest.jobs.append(job)
        return job

    def _complete(self, repo: Repository, run: WorkflowRun, job: Job, conclusion: str, at: float) -> None:
        job.status, job.conclusion, job.completed_at = "completed", conclusion, at
        if job.started_at is None:
            job.started_at = at
        check = repo.check_runs[job.check_run]
        check.status, check.conclusion, check.completed_at = "completed", conclusion, at
        run.latest.updated_at = max(at, run.latest.updated_at)
        self._tell_job(repo, run, job, "completed")
        self._tell_check(repo, run, job, "completed")

    def _tell_check(self, repo: Repository, run: WorkflowRun, job: Job, action: str) -> None:
        check, suite = repo.check_runs[job.check_run], repo.suites[run.suite]
        self._tell(repo, run.latest.triggering_actor, "check_run", action, check_run=check, suite=suite)

    def _tell_job(self, repo: Repository, run: WorkflowRun, job: Job, action: str) -> None:
        self._tell(repo, run.latest.triggering_actor, "workflow_job", action, run=run, job=job)

    def _tell(self, repo: Repository, actor: Account, event: str, action: str, **subject: Any) -> None:
        Act(self._github, repo, Actor(actor)).tell(event, action, **subject)
