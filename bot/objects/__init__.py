"""GitHub's objects as facts, whether a webhook or an answer brought them. Pure.

Objects are read tolerantly: what GitHub may leave out is None, and what must be there and is not raises
`NotUnderstood`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from bot.plan_block import plan_in
from resolver.facts import JobFinished, PullObserved, RepoObserved, RunObserved, StepFinished
from resolver.ids import InstallationId, PullNumber, RepoId, Sha
from resolver.people import Person

Json = Mapping[str, Any]


class NotUnderstood(Exception):
    """An object lacks what a fact needs; the message says which object and what."""


def seconds(value: str | float | None) -> float | None:
    """Read GitHub's time (ISO 8601; an integer in old payloads) as seconds since the epoch."""
    if value is None:
        return None
    if isinstance(value, int | float):
        return float(value)
    return datetime.fromisoformat(value).timestamp()


def understood(what: str) -> _Understood:
    """Turn whatever goes wrong while an object is read into `NotUnderstood`."""
    return _Understood(what)


class _Understood:
    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, KeyError | TypeError | ValueError | AttributeError | ValidationError):
            raise NotUnderstood(f"a {self._what} without what it must have: {type(error).__name__}") from error


def repo_observed(repo: Json, installation: InstallationId | None) -> RepoObserved:
    """Read a repository, full or minimal."""
    with understood("repository"):
        return RepoObserved(
            repo_id=RepoId(int(repo["id"])),
            full_name=str(repo["full_name"]),
            default_branch=str(repo.get("default_branch") or "main"),
            installation_id=installation,
            private=bool(repo.get("private")),
            archived=bool(repo.get("archived")),
        )


def person(user: Json | None) -> Person:
    """Read a user; GitHub shows a deleted one as null, its own name for that is `ghost` (id 10137)."""
    if user is None:
        return Person(id=10137, login="ghost")
    return Person(id=int(user["id"]), login=str(user["login"]), type=str(user.get("type") or "User"))


def pull_observed(pull: Json) -> PullObserved:
    """Read a pull request. A fork that was deleted has no head repository."""
    with understood("pull request"):
        head = pull["head"]
        home = head.get("repo") or {}
        return PullObserved(
            number=PullNumber(int(pull["number"])),
            title=str(pull["title"]),
            author=person(pull.get("user")),
            head_sha=Sha(str(head["sha"])),
            head_ref=str(head["ref"]),
            head_repo_id=RepoId(int(home["id"])) if home.get("id") else None,
            head_owner=(head.get("user") or {}).get("login"),
            base_ref=str(pull["base"]["ref"]),
            state=pull["state"],
            updated_at=seconds(pull["updated_at"]) or 0.0,
            draft=bool(pull.get("draft")),
            merged=bool(pull.get("merged") or pull.get("merged_at")),
            labels=tuple(sorted(str(label["name"]) for label in pull.get("labels") or ())),
            plan=plan_in(pull.get("body")),
        )


def run_observed(run: Json) -> RunObserved:
    """Read a workflow run; `path` may carry `@ref`, `head_branch` is null for some events."""
    with understood("workflow run"):
        return RunObserved(
            run_id=int(run["id"]),
            attempt=int(run.get("run_attempt") or 1),
            path=str(run.get("path") or ""),
            name=str(run.get("name") or run.get("path") or ""),
            event=str(run["event"]),
            head_sha=Sha(str(run["head_sha"])),
            head_branch=run.get("head_branch"),
            head_owner=((run.get("head_repository") or {}).get("owner") or {}).get("login"),
            status=str(run.get("status") or ""),
            conclusion=run.get("conclusion"),
            url=str(run.get("html_url") or ""),
            updated_at=seconds(run.get("updated_at")) or 0.0,
        )


def job_finished(job: Json) -> JobFinished | None:
    """Read a job; one that has not ended is no fact."""
    with understood("job"):
        if job["status"] != "completed" or not job.get("conclusion"):
            return None
        return JobFinished(
            **job_identity(job),
            head_branch=job.get("head_branch"),
            conclusion=str(job["conclusion"]),
            started_at=seconds(job.get("started_at")),
            completed_at=seconds(job.get("completed_at")),
            steps=tuple(_step(step) for step in job.get("steps") or ()),
            check_run_id=_last_number(job.get("check_run_url")),
        )


def job_identity(job: Json) -> dict[str, Any]:
    """Read what every job has, whether it has ended or not, as the fields of its facts."""
    return {
        "job_id": int(job["id"]),
        "run_id": int(job["run_id"]),
        "attempt": int(job.get("run_attempt") or 1),
        "name": str(job["name"]),
        "workflow": str(job.get("workflow_name") or ""),
        "head_sha": Sha(str(job["head_sha"])),
        "runner": job.get("runner_name"),
        "runs_on": ", ".join(sorted(str(label) for label in job.get("labels") or ())),
        "url": str(job.get("html_url") or ""),
    }


def _last_number(address: object) -> int | None:
    """Read the id at the end of an API address."""
    last = str(address or "").rpartition("/")[2]
    return int(last) if last.isascii() and last.isdecimal() else None


def _step(step: Json) -> StepFinished:
    return StepFinished(
        number=int(step["number"]),
        name=str(step["name"]),
        conclusion=step.get("conclusion"),
        started_at=seconds(step.get("started_at")),
        completed_at=seconds(step.get("completed_at")),
    )
