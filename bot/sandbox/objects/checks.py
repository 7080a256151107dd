"""Check runs, check suites, annotations, commit statuses."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from bot.sandbox.changes.checks import latest, runs_of
from bot.sandbox.objects.accounts import integration, simple_user
from bot.sandbox.objects.commits import simple_commit
from bot.sandbox.objects.nodes import node_id, stamp, stamp_or_none
from bot.sandbox.objects.pulls import pulls_of_commit
from bot.sandbox.objects.repositories import minimal_repository, repo_url, web_url
from bot.sandbox.state import CheckRun, CheckSuite, GitHub, Repository, Status

JSON = dict[str, Any]


def check_run(github: GitHub, repo: Repository, run: CheckRun) -> JSON:
    """GitHub: `check-run`."""
    url = f"{repo_url(github, repo)}/check-runs/{run.id}"
    page = _page(github, repo, run)
    return {
        "id": run.id,
        "node_id": node_id("CheckRun", repo.id, run.id),
        "name": run.name,
        "head_sha": run.head_sha,
        "external_id": run.external_id,
        "url": url,
        "html_url": page,
        "details_url": run.details_url or page,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": stamp(run.started_at),
        "completed_at": stamp_or_none(run.completed_at),
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": len(run.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": run.suite},
        "app": integration(github, run.app),
        "pull_requests": pulls_of_commit(github, repo, run.head_sha),
    }


def check_suite(github: GitHub, repo: Repository, suite: CheckSuite) -> JSON:
    """GitHub: `check-suite`."""
    url = f"{repo_url(github, repo)}/check-suites/{suite.id}"
    return {
        "id": suite.id,
        "node_id": node_id("CheckSuite", repo.id, suite.id),
        "head_branch": suite.head_branch,
        "head_sha": suite.head_sha,
        "status": suite.status,
        "conclusion": suite.conclusion,
        "url": url,
        "before": suite.before,
        "after": suite.after,
        "pull_requests": pulls_of_commit(github, repo, suite.head_sha),
        "app": integration(github, suite.app),
        "repository": minimal_repository(github, repo),
        "created_at": stamp(suite.created_at),
        "updated_at": stamp(suite.updated_at),
        "head_commit": simple_commit(repo.git.commit(suite.head_sha)),
        "latest_check_runs_count": len(latest(runs_of(repo, suite))),
        "check_runs_url": f"{url}/check-runs",
        "rerequestable": True,
        "runs_rerequestable": suite.run_id is None,
    }


def annotation(github: GitHub, repo: Repository, run: CheckRun, one: JSON) -> JSON:
    """GitHub: `check-annotation`, from the one that was sent."""
    return {
        "path": one["path"],
        "blob_href": f"{web_url(github, repo)}/blob/{run.head_sha}/{quote(one['path'])}",
        "start_line": one["start_line"],
        "end_line": one["end_line"],
        "start_column": one.get("start_column"),
        "end_column": one.get("end_column"),
        "annotation_level": one["annotation_level"],
        "title": one.get("title"),
        "message": one["message"],
        "raw_details": one.get("raw_details"),
    }


def status(github: GitHub, repo: Repository, one: Status) -> JSON:
    """GitHub: `status`."""
    return {**simple_status(github, repo, one), "creator": simple_user(github, one.creator)}


def simple_status(github: GitHub, repo: Repository, one: Status) -> JSON:
    """GitHub: `simple-commit-status`."""
    return {
        "id": one.id,
        "node_id": node_id("Status", repo.id, one.id),
        "url": f"{repo_url(github, repo)}/statuses/{one.sha}",
        "avatar_url": f"{github.web_url}/avatars/{one.creator.id}",
        "state": one.state,
        "context": one.context,
        "description": one.description,
        "target_url": one.target_url,
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.created_at),
    }


def _page(github: GitHub, repo: Repository, run: CheckRun) -> str:
    suite = repo.suites[run.suite]
    if run.job_id is not None and suite.run_id is not None:
        return f"{web_url(github, repo)}/actions/runs/{suite.run_id}/job/{run.job_id}"
    return f"{web_url(github, repo)}/runs/{run.id}"
