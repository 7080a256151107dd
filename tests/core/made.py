"""Facts with good defaults, so that a test says only what matters to it."""

from __future__ import annotations

from typing import Any

from resolver.conclusions import Meaning, meaning
from resolver.facts import (
    ConfigRead,
    Fact,
    JobFinished,
    JobTriaged,
    PullFilesRead,
    PullObserved,
    RepoObserved,
    RunObserved,
    RunsRead,
    StepFinished,
)
from resolver.failure import Failure, Place
from resolver.fold import fold
from resolver.ids import Fingerprint, InstallationId, PullNumber, RepoId, RunId, Sha
from resolver.other_ci import CheckFinished, StatusSeen, check_of_app, check_of_context
from resolver.other_ci.output import Output, read_output
from resolver.people import Person
from resolver.state import RepoState

HEAD = Sha("a" * 40)
NEXT = Sha("b" * 40)
BASE = Sha("0" * 40)


def repo(**changes: Any) -> RepoObserved:
    """A repository with an installation."""
    given = {"repo_id": RepoId(1), "full_name": "acme/shop", "default_branch": "main"}
    return RepoObserved(**{**given, "installation_id": InstallationId(9), **changes})


def pull(number: int = 7, **changes: Any) -> PullObserved:
    """An open pull request by a person, from the repository itself."""
    given: dict[str, Any] = {
        "number": PullNumber(number),
        "title": "Add coupons",
        "author": Person(id=5, login="ana"),
        "head_sha": HEAD,
        "head_ref": "coupons",
        "head_repo_id": RepoId(1),
        "head_owner": "acme",
        "base_ref": "main",
        "state": "open",
        "updated_at": 100.0,
    }
    return PullObserved(**{**given, **changes})


def files(number: int = 7, head: Sha = HEAD, *names: str) -> PullFilesRead:
    """The files that a pull request changes."""
    return PullFilesRead(number=PullNumber(number), head_sha=head, files=names or ("shop/cart.py",))


def config(**changes: Any) -> ConfigRead:
    """A base branch without a configuration file."""
    return ConfigRead(**{"ref": "main", "sha": BASE, "found": False, **changes})


def run(run_id: int = 20, head: Sha = HEAD, **changes: Any) -> RunObserved:
    """A finished workflow run of a pull request."""
    given: dict[str, Any] = {
        "run_id": run_id,
        "attempt": 1,
        "path": ".github/workflows/ci.yml",
        "name": "ci",
        "event": "pull_request",
        "head_sha": head,
        "head_branch": "coupons",
        "head_owner": "acme",
        "status": "completed",
        "conclusion": "failure",
        "url": "https://github.test/runs/20",
        "updated_at": 110.0,
    }
    return RunObserved(**{**given, **changes})


def job(job_id: int = 30, conclusion: str = "failure", head: Sha = HEAD, **changes: Any) -> JobFinished:
    """A finished job of that run."""
    given: dict[str, Any] = {
        "job_id": job_id,
        "run_id": 20,
        "attempt": 1,
        "name": "test",
        "workflow": "ci",
        "head_sha": head,
        "head_branch": "coupons",
        "conclusion": conclusion,
        "started_at": 101.0,
        "completed_at": 109.0,
        "runner": "runner-1",
        "url": "https://github.test/jobs/30",
        "steps": (StepFinished(number=2, name="Test", conclusion=conclusion),),
    }
    return JobFinished(**{**given, **changes})


def check_run(check_run_id: int = 70, conclusion: str = "failure", head: Sha = HEAD, **changes: Any) -> CheckFinished:
    """A finished check run of another App, whose output has a title only."""
    given: dict[str, Any] = {
        "check_run_id": check_run_id,
        "app_id": 44,
        "app": "acme-ci",
        "name": "build",
        "head_sha": head,
        "conclusion": conclusion,
        "started_at": 102.0,
        "completed_at": 108.0,
        "url": "https://ci.test/70",
        "title": "The build broke",
    }
    made = {**given, **changes}
    said = Output(title=made["title"], text=made.get("text", ""))
    red = meaning(conclusion) is Meaning.FAILED
    found = read_output(check_of_app(made["app"], made["name"]), conclusion, said) if red else ()
    return CheckFinished(**{"findings": found, **made})


def status(status_id: int = 80, state: str = "failure", head: Sha = HEAD, **changes: Any) -> StatusSeen:
    """A commit status."""
    given: dict[str, Any] = {"status_id": status_id, "head_sha": head, "context": "ci/coverage", "state": state}
    made = {"description": "2 lines are not covered", "at": 105.0, **given, **changes}
    said = Output(title=made["description"])
    red = meaning(state) is Meaning.FAILED and state != "pending"
    found = read_output(check_of_context(made["context"]), state, said) if red else ()
    return StatusSeen(**{"findings": found, **made})


def failure(item: str | None = "tests/test_cart.py::test_total", **changes: Any) -> Failure:
    """A failing test."""
    given: dict[str, Any] = {
        "fail_class": "gate-red-code",
        "kind": "test",
        "check": ".github/workflows/ci.yml: test (pull_request)",
        "item": item,
        "message": "assert 90 == 100",
        "places": (Place(path="shop/cart.py", line=12, mapped=True),),
        "fingerprint": Fingerprint("v1-0123456789abcdef"),
        "task_head": HEAD,
        "run_id": RunId("pr-7"),
        "workflow_run_id": 20,
        "run_attempt": 1,
    }
    return Failure(**{**given, **changes})


def triaged(job_id: int = 30, *failures: Failure, head: Sha = HEAD, **changes: Any) -> JobTriaged:
    """What that job's log said."""
    given: dict[str, Any] = {"job_id": job_id, "run_id": 20, "attempt": 1, "head_sha": head, "kind": "test"}
    told = failures or (() if changes.get("missing") else (failure(),))
    return JobTriaged(**{**given, "failures": told, **changes})


def state_of(*facts: Fact) -> RepoState:
    """Fold facts from nothing."""
    state = RepoState()
    for fact in facts:
        state = fold(state, fact)
    return state


def red() -> tuple[Fact, ...]:
    """A pull request with one red, triaged check, on a base that was looked at: all that has to be known of it."""
    return repo(), config(), pull(), files(), run(), job(), triaged()


def looked_at_base() -> RunsRead:
    """The base's runs were listed, and there are none."""
    return RunsRead(head_sha=BASE, at=1.0)
