"""
What GitHub tells of a happening: the payload by event, built from the state by `objects/` at the moment it happened.

One small function per event. The shapes are checked against the published webhook schemas when they are queued.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from bot.sandbox.git import Commit
from bot.sandbox.git.objects import NO_SHA
from bot.sandbox.objects import accounts, actions, checks, comments, pulls, repositories
from bot.sandbox.objects.commits import commit as commit_object
from bot.sandbox.objects.nodes import node_id, stamp
from bot.sandbox.state import GitHub, Happening, Installation, Repository

JSON: TypeAlias = dict[str, Any]


def payload(github: GitHub, happening: Happening, installation: Installation | None = None) -> JSON | None:
    """Give the payload, or None for an event that GitHub tells nobody of."""
    own = _EVENTS.get(happening.event)
    if own is None:
        return None
    body: JSON = {} if happening.action is None else {"action": happening.action}
    body.update(own(github, happening))
    if happening.repo is not None:
        body["repository"] = _repository(github, happening.repo, happening.event)
        if happening.repo.owner.type == "Organization":
            body["organization"] = _organization(github, happening.repo)
    body["sender"] = accounts.simple_user(github, happening.actor)
    if installation is not None and "installation" not in body:
        body["installation"] = {"id": installation.id, "node_id": node_id("Installation", installation.id)}
    return body


def _subject(happening: Happening) -> tuple[Repository, Mapping[str, Any]]:
    if happening.repo is None:
        raise ValueError(f"{happening.event} happens in a repository")
    return happening.repo, happening.subject


def _push(github: GitHub, happening: Happening) -> JSON:
    repo, subject = _subject(happening)
    commits = [_pushed(github, repo, repo.git.commit(sha)) for sha in subject["commits"]]
    after = subject["after"]
    head = None if after == NO_SHA else _pushed(github, repo, repo.git.commit(after))
    return {
        "ref": subject["ref"],
        "before": subject["before"],
        "after": after,
        "created": subject["created"],
        "deleted": subject["deleted"],
        "forced": subject["forced"],
        "base_ref": None,
        "compare": f"{repositories.web_url(github, repo)}/compare/{subject['before'][:12]}...{after[:12]}",
        "commits": commits,
        "head_commit": head,
        "pusher": {"name": happening.actor.login, "email": happening.actor.email},
    }


def _pushed(github: GitHub, repo: Repository, one: Commit) -> JSON:
    changed = repo.git.names(one.parents[0] if one.parents else None, one.sha)
    account = github.account_of(one.author)
    person: JSON = {"name": one.author.name, "email": one.author.email}
    if account is not None:
        person["username"] = account.login
    return {
        "id": one.sha,
        "tree_id": one.tree,
        "distinct": True,
        "message": one.message,
        "timestamp": stamp(one.author.when),
        "url": f"{repositories.web_url(github, repo)}/commit/{one.sha}",
        "author": person,
        "committer": person,
        **changed,
    }


def _pull_request(github: GitHub, happening: Happening) -> JSON:
    repo, subject = _subject(happening)
    pull = subject["pull"]
    body: JSON = {"number": pull.number, "pull_request": pulls.pull_request(github, repo, pull)}
    body.update({key: subject[key] for key in ("before", "after", "changes", "reason") if key in subject})
    if "label" in subject:
        body["label"] = comments.label(github, repo, subject["label"])
    return body


def _merge_group(_github: GitHub, happening: Happening) -> JSON:
    repo, subject = _subject(happening)
    group = subject["group"]
    one = repo.git.commit(group.head_sha)
    commit = {
        "id": one.sha,
        "tree_id": one.tree,
        "message": one.message,
        "timestamp": stamp(one.author.when),
        "author": {"name": one.author.name, "email": one.author.email},
        "committer": {"name": one.committer.name, "email": one.committer.email},
    }
    body: JSON = {
        "merge_group": {
            "head_sha": group.head_sha,
            "head_ref": f"refs/heads/{group.branch}",
            "base_sha": group.base_sha,
            "base_ref": f"refs/heads/{subject['base_ref']}",
            "head_commit": commit,
        }
    }
    return body | ({"reason": subject["reason"]} if "reason" in subject else {})


def _issue_comment(github: GitHub, happening: Happening) -> JSON:
    repo, subject = _subject(happening)
    on = (
        comments.issue_of_pull(github, repo, subject["pull"])
        if "pull" in subject
        else comments.issue(github, repo, subject["issue"])
    )
    body = {"issue": on, "comment": comments.issue_comment(github, repo, subject["comment"])}
    return body | ({"changes": subject["changes"]} if "changes" in subject else {})


def _issues(github: GitHub, happening: Happening) -> JSON:
    repo, subject = _subject(happening)
    body: JSON = {"issue": comments.issue(github, repo, subject["issue"])}
    if "label" in subject:
        body["label"] = comments.label(github, repo, subject["label"])
    return body | ({"changes": subject["changes"]} if "changes" in subject else {})


def _review(github: GitHub, happening: Happening) -> JSON:
    repo, subject = _subject(happening)
    pull = subject["pull"]
    review = pulls.review(github, repo, pull, subject["review"])
    return {
        "review": {**review, "state": review["state"].lower(), "updated_at": review["submitted_at"]},
        "pull_request": pulls.pull_request_simple(github, repo, pull),
    }


def _check_run(github: GitHub, happening: Happening) -> JSON:
    repo, subject = _subject(happening)
    run = checks.check_run(github, repo, subject["check_run"])
    suite = checks.check_suite(github, repo, subject["suite"])
    # The simple suite that a check run carries has no repository-wide fields.
    kept = ("id", "node_id", "head_branch", "head_sha", "status", "conclusion", "url", "before", "after")
    inner = {key: suite[key] for key in (*kept, "pull_requests", "app", "created_at", "updated_at")}
    body: JSON = {"check_run": {**run, "check_suite": inner}}
    if "requested_action" in subject:
        body["requested_action"] = subject["requested_action"]
    return body


def _check_suite(github: GitHub, happening: Happening) -> JSON:
    repo, subject = _subject(happening)
    suite = checks.check_suite(github, repo, subject["suite"])
    return {"check_suite": {key: value for key, value in suite.items() if key != "repository"}}


def _workflow_run(github: GitHub, happening: Happening) -> JSON:
    repo, subject = _subject(happening)
    run = subject["run"]
    workflow = actions.workflow(github, repo, repo.workflows[run.path])
    return {"workflow": workflow, "workflow_run": actions.workflow_run(github, repo, run)}


def _workflow_job(github: GitHub, happening: Happening) -> JSON:
    repo, subject = _subject(happening)
    return {"workflow_job": actions.job(github, repo, subject["run"], subject["job"])}


def _workflow_dispatch(_github: GitHub, happening: Happening) -> JSON:
    _, subject = _subject(happening)
    return {"inputs": subject["inputs"] or None, "ref": subject["ref"], "workflow": subject["path"]}


def _repository_dispatch(_github: GitHub, happening: Happening) -> JSON:
    _, subject = _subject(happening)
    return {"branch": subject["branch"], "client_payload": subject["client_payload"]}


def _status(github: GitHub, happening: Happening) -> JSON:
    repo, subject = _subject(happening)
    status = subject["status"]
    simple = checks.simple_status(github, repo, status)
    url = f"{repositories.repo_url(github, repo)}/branches"
    branches = [
        {"name": name, "commit": {"sha": sha, "url": f"{url}/{name}"}, "protected": False}
        for name, sha in repo.git.branches().items()
        if sha == status.sha
    ]
    kept = ("id", "avatar_url", "state", "context", "description", "target_url", "created_at", "updated_at")
    return {
        **{key: simple[key] for key in kept},
        "sha": status.sha,
        "name": repo.full_name,
        "branches": branches,
        "commit": commit_object(github, repo, repo.git.commit(status.sha)),
    }


def _repository_event(_github: GitHub, happening: Happening) -> JSON:
    return {"changes": happening.subject["changes"]} if "changes" in happening.subject else {}


def _installation(github: GitHub, happening: Happening) -> JSON:
    subject = happening.subject
    return {
        "installation": accounts.installation(github, subject["installation"]),
        "repositories": [_brief(repo) for repo in subject["repositories"]],
        "requester": None,
    }


def _installation_repositories(github: GitHub, happening: Happening) -> JSON:
    subject = happening.subject
    return {
        "installation": accounts.installation(github, subject["installation"]),
        "repository_selection": "selected",
        "repositories_added": [_brief(repo) for repo in subject["added"]],
        "repositories_removed": [_brief(repo) for repo in subject["removed"]],
        "requester": None,
    }


def _brief(repo: Repository) -> JSON:
    return {
        "id": repo.id,
        "node_id": node_id("Repository", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
    }


def _repository(github: GitHub, repo: Repository, event: str) -> JSON:
    body = repositories.repository(github, repo)
    if event == "push":  # GitHub: a push alone has times as numbers, and the owner's name
        body = {**body, "created_at": int(repo.created_at), "pushed_at": int(repo.pushed_at or repo.created_at)}
        body["owner"] = {**body["owner"], "name": repo.owner.login, "email": None}
    return body


def _organization(github: GitHub, repo: Repository) -> JSON:
    url = f"{github.api_url}/orgs/{repo.owner.login}"
    return {
        "login": repo.owner.login,
        "id": repo.owner.id,
        "node_id": node_id("User", repo.owner.id),
        "url": url,
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events",
        "hooks_url": f"{url}/hooks",
        "issues_url": f"{url}/issues",
        "members_url": f"{url}/members{{/member}}",
        "public_members_url": f"{url}/public_members{{/member}}",
        "avatar_url": f"{github.web_url}/avatars/{repo.owner.id}",
        "description": None,
    }


_EVENTS: Mapping[str, Callable[[GitHub, Happening], JSON]] = {
    "push": _push,
    "pull_request": _pull_request,
    "merge_group": _merge_group,
    "pull_request_review": _review,
    "issue_comment": _issue_comment,
    "issues": _issues,
    "check_run": _check_run,
    "check_suite": _check_suite,
    "workflow_run": _workflow_run,
    "workflow_job": _workflow_job,
    "workflow_dispatch": _workflow_dispatch,
    "repository_dispatch": _repository_dispatch,
    "status": _status,
    "repository": _repository_event,
    "installation": _installation,
    "installation_repositories": _installation_repositories,
}
