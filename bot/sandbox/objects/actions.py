"""Workflow runs, jobs, workflows, artifacts."""

from __future__ import annotations

import hashlib
from typing import Any

from bot.sandbox.objects.accounts import simple_user
from bot.sandbox.objects.commits import simple_commit
from bot.sandbox.objects.nodes import node_id, stamp, stamp_or_none
from bot.sandbox.objects.pulls import pulls_of_commit
from bot.sandbox.objects.repositories import minimal_repository, repo_url, web_url
from bot.sandbox.state import Artifact, Attempt, Cache, GitHub, Job, Repository, Workflow, WorkflowRun

JSON = dict[str, Any]


def workflow_run(github: GitHub, repo: Repository, run: WorkflowRun, attempt: Attempt | None = None) -> JSON:
    """GitHub: `workflow-run`, at its latest attempt or at a given one."""
    shown = attempt or run.latest
    url = f"{repo_url(github, repo)}/actions/runs/{run.id}"
    head_repo = github.repositories.get(run.head_repo, repo)
    earlier = f"{url}/attempts/{shown.number - 1}" if shown.number > 1 else None
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_id("WorkflowRun", repo.id, run.id),
        "head_branch": run.head_branch,
        "head_sha": run.head_sha,
        "path": run.path,
        "display_title": run.title,
        "run_number": run.run_number,
        "event": run.event,
        "status": shown.status,
        "conclusion": shown.conclusion,
        "workflow_id": run.workflow_id,
        "check_suite_id": run.suite,
        "check_suite_node_id": node_id("CheckSuite", repo.id, run.suite),
        "url": url if attempt is None else f"{url}/attempts/{shown.number}",
        "html_url": f"{web_url(github, repo)}/actions/runs/{run.id}",
        "pull_requests": pulls_of_commit(github, repo, run.head_sha),
        "created_at": stamp(run.created_at),
        "updated_at": stamp(max(shown.updated_at, shown.started_at)),
        "actor": simple_user(github, run.actor),
        "run_attempt": shown.number,
        "referenced_workflows": [],
        "run_started_at": stamp(shown.started_at),
        "triggering_actor": simple_user(github, shown.triggering_actor),
        **{f"{name}_url": f"{url}/{name}" for name in ("jobs", "logs", "artifacts", "cancel", "rerun")},
        "check_suite_url": f"{repo_url(github, repo)}/check-suites/{run.suite}",
        "previous_attempt_url": earlier,
        "workflow_url": f"{repo_url(github, repo)}/actions/workflows/{run.workflow_id}",
        "head_commit": simple_commit(repo.git.commit(run.head_sha)),
        "repository": minimal_repository(github, repo),
        "head_repository": minimal_repository(github, head_repo),
    }


def job(github: GitHub, repo: Repository, run: WorkflowRun, one: Job) -> JSON:
    """GitHub: `job`. A queued one has no steps; a skipped one starts when it ends."""
    actions = f"{repo_url(github, repo)}/actions"
    return {
        "id": one.id,
        "run_id": run.id,
        "workflow_name": run.name,
        "head_branch": run.head_branch,
        "run_url": f"{actions}/runs/{run.id}",
        "run_attempt": one.attempt,
        "node_id": node_id("CheckRun", repo.id, one.check_run),
        "head_sha": one.head_sha,
        "url": f"{actions}/jobs/{one.id}",
        "html_url": f"{web_url(github, repo)}/actions/runs/{run.id}/job/{one.id}",
        "status": one.status,
        "conclusion": one.conclusion,
        "created_at": stamp(one.created_at),
        "started_at": stamp(one.created_at if one.started_at is None else one.started_at),
        "completed_at": stamp_or_none(one.completed_at),
        "name": one.name,
        "steps": [
            {
                "name": step.name,
                "status": step.status,
                "conclusion": step.conclusion,
                "number": step.number,
                "started_at": stamp_or_none(step.started_at),
                "completed_at": stamp_or_none(step.completed_at),
            }
            for step in one.steps
        ],
        "check_run_url": f"{repo_url(github, repo)}/check-runs/{one.check_run}",
        "labels": list(one.labels),
        "runner_id": one.runner_id,
        "runner_name": one.runner_name,
        "runner_group_id": None if one.runner_id is None else 1,
        "runner_group_name": None if one.runner_id is None else "GitHub Actions",
    }


def workflow(github: GitHub, repo: Repository, one: Workflow) -> JSON:
    """GitHub: `workflow`."""
    page = web_url(github, repo)
    return {
        "id": one.id,
        "node_id": node_id("Workflow", repo.id, one.id),
        "name": one.name,
        "path": one.path,
        "state": one.state,
        "created_at": stamp(repo.created_at),
        "updated_at": stamp(repo.created_at),
        "url": f"{repo_url(github, repo)}/actions/workflows/{one.id}",
        "html_url": f"{page}/blob/{repo.default_branch}/{one.path}",
        "badge_url": f"{page}/workflows/{one.name}/badge.svg",
    }


def artifact(github: GitHub, repo: Repository, run: WorkflowRun, one: Artifact) -> JSON:
    """GitHub: `artifact`."""
    url = f"{repo_url(github, repo)}/actions/artifacts/{one.id}"
    return {
        "id": one.id,
        "node_id": node_id("Artifact", repo.id, one.id),
        "name": one.name,
        "size_in_bytes": len(one.data),
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": github.clock.now() >= one.expires_at,
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.created_at),
        "expires_at": stamp(one.expires_at),
        "digest": f"sha256:{hashlib.sha256(one.data).hexdigest()}",
        "workflow_run": {
            "id": run.id,
            "repository_id": repo.id,
            "head_repository_id": run.head_repo,
            "head_branch": run.head_branch or "",
            "head_sha": run.head_sha,
        },
    }


def cache(one: Cache) -> JSON:
    """GitHub: one of `actions-cache-list`."""
    return {
        "id": one.id,
        "ref": one.ref,
        "key": one.key,
        "version": one.version,
        "last_accessed_at": stamp(one.last_accessed_at),
        "created_at": stamp(one.created_at),
        "size_in_bytes": len(one.data),
    }
