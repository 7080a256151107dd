"""
Which happenings start which workflows. Pure: decides, makes nothing.

GitHub: `pull_request` runs test the merge commit of that moment, and there is none on a conflict; `[skip ci]` in the
head commit keeps push and pull_request runs away; what a workflow's own token does starts nothing, what an App does
starts runs (GITHUB.md 4, "who triggers workflows").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bot.sandbox.ci.workflow import Trigger, admits
from bot.sandbox.git import Git
from bot.sandbox.git.objects import NO_SHA
from bot.sandbox.state import Account, Happening, Repository

DEFAULT_TYPES = ("opened", "synchronize", "reopened")
_SKIP = re.compile(r"\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]", re.IGNORECASE)
_SKIP_TRAILER = re.compile(r"\n\n(?:skip-checks:\s*true)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Start:
    """
    Something that may start runs, with all that must be frozen at that moment.

    `head` is the commit that checks are attached to, `base` the base's head of a pull request; `payload` is the
    webhook's, which workflows see as `github.event`.
    """

    repo: Repository
    event: str
    action: str | None
    actor: Account
    at: float
    ref: str
    head: str
    head_branch: str
    head_repo: int
    payload: dict[str, Any]
    title: str
    base: str | None = None
    base_ref: str = ""
    pull: int | None = None
    before: str | None = None
    merge_commit: str | None = None
    author: Account | None = None


def start_of(happening: Happening, payload: dict[str, Any]) -> Start | None:
    """What a happening may start; None for one that starts nothing whatever the workflow files say."""
    if happening.by_workflow_token or happening.repo is None:
        return None
    if happening.event == "push":
        return _push(happening, happening.repo, payload)
    if happening.event == "pull_request":
        return _pull_request(happening, happening.repo, payload)
    if happening.event == "merge_group" and happening.action == "checks_requested":
        return _merge_group(happening, happening.repo, payload)
    return None


def skips(message: str) -> bool:
    """Whether a head commit's message asks for no runs."""
    return bool(_SKIP.search(message) or _SKIP_TRAILER.search(message))


def starts(start: Start, trigger: Trigger) -> bool:
    """Whether a trigger of a workflow file lets this start it."""
    if start.event == "pull_request":
        types = DEFAULT_TYPES if trigger.types is None else trigger.types
        if start.action not in types or not admits(trigger.branches, [start.base_ref]):
            return False
    elif start.event == "merge_group":
        return trigger.types in (None, ("checks_requested",)) and admits(trigger.branches, [start.base_ref])
    elif start.event == "repository_dispatch":
        return trigger.types is None or start.action in trigger.types
    elif not _ref_admitted(start.ref, trigger):
        return False
    return not trigger.paths.given or admits(trigger.paths, changed(start))


def changed(start: Start) -> Iterable[str]:
    """The paths that path filters look at: a push's own changes; a pull request's against the merge base."""
    git = start.repo.git
    old = git.merge_base(start.base, start.head) if start.base else start.before or _fork_point(git, start)
    return [path for paths in git.names(old, start.head).values() for path in paths]


def _push(happening: Happening, repo: Repository, payload: dict[str, Any]) -> Start | None:
    subject = happening.subject
    if subject["deleted"]:
        return None
    ref, after = subject["ref"], subject["after"]
    message = repo.git.commit(after).message
    if skips(message):
        return None
    return Start(
        repo=repo,
        event="push",
        action=None,
        actor=happening.actor,
        at=repo.pushed_at or 0.0,
        ref=ref,
        head=after,
        head_branch=ref.removeprefix("refs/heads/").removeprefix("refs/tags/"),
        head_repo=repo.id,
        payload=payload,
        title=message.partition("\n")[0],
        before=None if subject["before"] == NO_SHA else subject["before"],
    )


def _pull_request(happening: Happening, repo: Repository, payload: dict[str, Any]) -> Start | None:
    pull = happening.subject["pull"]
    base = repo.git.branch(pull.base_ref)
    if base is None or happening.action == "closed" or skips(repo.git.commit(pull.head_sha).message):
        return None
    return Start(
        repo=repo,
        event="pull_request",
        action=happening.action,
        actor=happening.actor,
        at=pull.updated_at,
        ref=f"refs/pull/{pull.number}/merge",
        head=pull.head_sha,
        head_branch=pull.head_ref,
        head_repo=pull.head_repo,
        payload=payload,
        title=pull.title,
        base=base,
        base_ref=pull.base_ref,
        pull=pull.number,
        merge_commit=pull.merge_commit if pull.merge_tested == (base, pull.head_sha) else None,
        author=pull.author,
    )


def _merge_group(happening: Happening, repo: Repository, payload: dict[str, Any]) -> Start:
    """GitHub: the group's own commit is tested, whatever its message says; nothing is merged any more."""
    group = happening.subject["group"]
    return Start(
        repo=repo,
        event="merge_group",
        action=happening.action,
        actor=happening.actor,
        at=group.formed_at,
        ref=f"refs/heads/{group.branch}",
        head=group.head_sha,
        head_branch=group.branch,
        head_repo=repo.id,
        payload=payload,
        title=repo.git.commit(group.head_sha).message.partition("\n")[0],
        base_ref=happening.subject["base_ref"],
    )


def _ref_admitted(ref: str, trigger: Trigger) -> bool:
    """GitHub: with only `branches` given, tags start nothing, and the other way round."""
    tag = ref.startswith("refs/tags/")
    own, other = (trigger.tags, trigger.branches) if tag else (trigger.branches, trigger.tags)
    if not own.given:
        return not other.given
    return admits(own, [ref.removeprefix("refs/tags/" if tag else "refs/heads/")])


def _fork_point(git: Git, start: Start) -> str | None:
    """Where a new branch left the default branch."""
    default = git.branch(start.repo.default_branch)
    return git.merge_base(default, start.head) if default and default != start.head else None
