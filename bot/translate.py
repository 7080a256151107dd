"""Deliveries and outcomes → facts. Pure, and the last place that sees GitHub's JSON.

A result of Actions arrives as `workflow_job`, `workflow_run`, `check_run` and `check_suite`: the first two are read,
its check runs are dropped here, as are failres's own and all suites. Those of other Apps are another CI's results.
What cannot be understood is a value with its reason, so that the rest goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.commands import command_in, press_in
from bot.intake import PRESS, PRESSED
from bot.objects import (
    Json,
    NotUnderstood,
    job_finished,
    person,
    pull_observed,
    repo_observed,
    run_observed,
    understood,
)
from bot.objects.progress import job_progressed
from bot.objects.queue import merge_group, queue_step
from bot.objects.third_party import check_begun, check_finished, status_seen
from resolver.config import CONFIG_PATH
from resolver.config.misnamed import misnamed
from resolver.facts import BaseMoved, CommentGone, Fact, HeadPushed, InstallationChanged
from resolver.facts.commands import CommandGiven
from resolver.ids import InstallationId, PullNumber, RepoId, Sha
from resolver.journal import Unreadable, from_json
from resolver.other_ci import CheckBegun, CheckFinished

OUTCOME = "outcome"
"""The event under which a worker's outcome, or a regular look at GitHub, goes through the inbox."""

COMMANDS = ("issue_comment", PRESSED)
"""Commands and pressed buttons are taken in before everything else."""

AWAITED = ("pull_request", OUTCOME)
"""What people wait for is taken in before a backlog of jobs: labels that stop failres, and what was read."""

HEADS = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Translation:
    """The facts of one delivery, and why it brought none, or not all of them."""

    facts: tuple[Fact, ...] = ()
    ignored: str | None = None


def translate(event: str, payload: Json, own_app: int | None = None, guid: str = "") -> Translation:
    """Give the facts that a delivery for one repository brings; `own_app` is the App whose check runs and comments are
    failres's, `guid` the delivery's, by which a press on a button is known.
    """
    try:
        if event == OUTCOME:
            return _outcome(payload)
        reader = _READERS.get(PRESS[0] if event == PRESSED else event)
        if reader is None:
            return Translation(ignored=f"`{event}` is not used")
        known = _repository(payload)
        pressed = event == PRESSED or (event, payload.get("action")) == PRESS  # those stored by earlier versions
        told = _pressed(payload, guid) if pressed else reader(payload)
        return Translation((*known, *(each for each in told if not _own(each, own_app))))
    except NotUnderstood as problem:
        return Translation(ignored=str(problem))


def _pressed(payload: Json, guid: str) -> tuple[Fact, ...]:
    with understood("press on a button"):
        given = press_in(payload, guid)
        return (given,) if given else ()


def _own(fact: Fact, own_app: int | None) -> bool:
    """Say whether failres itself did it."""
    if isinstance(fact, CheckBegun | CheckFinished):
        return fact.app_id == own_app
    return isinstance(fact, CommandGiven) and fact.by is not None and fact.by.app_id == own_app is not None


def _outcome(payload: Json) -> Translation:
    with understood("worker's outcome"):
        read = [from_json(str(item["kind"]), item["data"]) for item in payload["facts"]]
    bad = [f"its {fact.kind} cannot be read: {fact.why}" for fact in read if isinstance(fact, Unreadable)]
    return Translation(tuple(fact for fact in read if not isinstance(fact, Unreadable)), "; ".join(bad) or None)


def _repository(payload: Json) -> tuple[Fact, ...]:
    if not payload.get("repository"):
        return ()
    with understood("installation"):
        number = (payload.get("installation") or {}).get("id")
        installation = InstallationId(int(number)) if number else None
    return (repo_observed(payload["repository"], installation),)


def _pull_request(payload: Json) -> tuple[Fact, ...]:
    with understood("pull_request delivery"):
        seen = pull_observed(payload["pull_request"])
        if payload.get("action") in ("enqueued", "dequeued"):
            return (seen, queue_step(payload, seen))
        if payload.get("action") not in ("opened", "synchronize", "reopened"):
            return (seen,)
        by = person(payload.get("sender"))
        return (seen, HeadPushed(number=seen.number, head_sha=seen.head_sha, by=by, at=seen.updated_at))


def _repository_changed(payload: Json) -> tuple[Fact, ...]:
    """What the repository is now, is told with every delivery; that it is gone, only here."""
    with understood("repository delivery"):
        if payload.get("action") != "deleted" or not payload.get("installation"):
            return ()
        installation = InstallationId(int(payload["installation"]["id"]))
        return (InstallationChanged(installation_id=installation, active=False, at=0.0),)


def _merge_group(payload: Json) -> tuple[Fact, ...]:
    with understood("merge_group delivery"):
        return merge_group(payload)


def _workflow_run(payload: Json) -> tuple[Fact, ...]:
    with understood("workflow_run delivery"):
        return (run_observed(payload["workflow_run"]),)


def _workflow_job(payload: Json) -> tuple[Fact, ...]:
    with understood("workflow_job delivery"):
        job = payload["workflow_job"]
        told = job_finished(job) if payload.get("action") == "completed" else job_progressed(job)
        return (told,) if told else ()


def _check_run(payload: Json) -> tuple[Fact, ...]:
    with understood("check_run delivery"):
        run = payload["check_run"]
        told = {"completed": check_finished, "created": check_begun}.get(str(payload.get("action")))
        check = told(run) if told else None
        return (check,) if check else ()


def _status(payload: Json) -> tuple[Fact, ...]:
    with understood("status delivery"):
        return (status_seen(payload, str(payload["sha"])),)


def _push(payload: Json) -> tuple[Fact, ...]:
    with understood("push delivery"):
        ref = str(payload["ref"])
        if payload.get("deleted") or not ref.startswith(HEADS):
            return ()
        return (
            BaseMoved(ref=ref.removeprefix(HEADS), sha=Sha(str(payload["after"])), config_touched=_touches(payload)),
        )


def _touches(payload: Json) -> bool | None:
    """Say whether a push touched the configuration; None for a forced one or one whose commits are not all listed."""
    commits = payload.get("commits") or []
    if payload.get("forced") or payload.get("created") or not 0 < len(commits) < LISTED_COMMITS:
        return None
    touched: set[str] = set()
    for commit in commits:
        for change in ("added", "modified", "removed"):
            touched.update(commit.get(change) or ())
    return CONFIG_PATH in touched or bool(misnamed(touched))


LISTED_COMMITS = 20
"""A push delivery with this many commits or more may have left files out."""


def _issue_comment(payload: Json) -> tuple[Fact, ...]:
    with understood("issue_comment delivery"):
        if not payload["issue"].get("pull_request"):
            return ()
        number = PullNumber(int(payload["issue"]["number"]))
        if payload.get("action") == "deleted":
            return (CommentGone(number=number, comment_id=int(payload["comment"]["id"])),)
        given = command_in(payload["comment"], number) if payload.get("action") == "created" else None
        return (given,) if given else ()


def _nothing(_: Json) -> tuple[Fact, ...]:
    return ()


_READERS: Mapping[str, Callable[[Json], tuple[Fact, ...]]] = {
    "pull_request": _pull_request,
    "workflow_run": _workflow_run,
    "workflow_job": _workflow_job,
    "push": _push,
    "issue_comment": _issue_comment,
    "check_run": _check_run,
    "status": _status,
    "merge_group": _merge_group,
    "check_suite": _nothing,
    "repository": _repository_changed,
}


USED_EVENTS = frozenset({*_READERS, "installation", "installation_repositories"})
"""What intake has to store; everything else is let pass."""


def translate_installation(event: str, payload: Json) -> Mapping[RepoId, Fact]:
    """Give, for a delivery that names no single repository, what it says of each repository that it lists."""
    if event not in ("installation", "installation_repositories"):
        return {}
    try:
        with understood(f"{event} delivery"):
            return _installation(payload)
    except NotUnderstood:
        return {}


def _installation(payload: Json) -> Mapping[RepoId, Fact]:
    installation = InstallationId(int(payload["installation"]["id"]))
    changed_at = float(payload.get("at") or 0.0)
    gone = payload.get("action") in ("deleted", "suspend")
    listed: list[Any] = [*(payload.get("repositories") or ()), *(payload.get("repositories_added") or ())]
    facts: dict[RepoId, Fact] = {}
    for repo in listed:
        key = RepoId(int(repo["id"]))
        facts[key] = (
            InstallationChanged(installation_id=installation, active=False, at=changed_at)
            if gone
            else repo_observed(repo, installation)
        )
    for repo in payload.get("repositories_removed") or ():
        facts[RepoId(int(repo["id"]))] = InstallationChanged(installation_id=installation, active=False, at=changed_at)
    return facts
