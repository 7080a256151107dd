"""The contexts of the expression language as GitHub fills them for a run and its jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.sandbox.ci.plan import Plan
from bot.sandbox.ci.runner.task import RUNNER_HOME
from bot.sandbox.ci.workflow import WorkflowFile
from bot.sandbox.state import GitHub, Job, Repository, WorkflowRun


def event_contexts(
    github: GitHub, repo: Repository, file: WorkflowFile, facts: Mapping[str, Any], payload: dict[str, Any]
) -> dict[str, Any]:
    """What is known before a run exists: `github` without run numbers, `inputs`, empty `vars` and `secrets`."""
    ref = str(facts["ref"])
    name = ref.removeprefix("refs/heads/").removeprefix("refs/tags/").removeprefix("refs/pull/")
    context = {
        "api_url": github.api_url,
        "graphql_url": f"{github.api_url}/graphql",
        "server_url": github.web_url,
        "event": payload,
        "ref_name": name,
        "ref_type": "tag" if ref.startswith("refs/tags/") else "branch",
        "ref_protected": False,
        "repository": repo.full_name,
        "repository_id": str(repo.id),
        "repository_owner": repo.owner.login,
        "repositoryUrl": f"git://github.com/{repo.full_name}.git",
        "workflow": file.name,
        "workflow_ref": f"{repo.full_name}/{file.path}@{ref}",
        **facts,
    }
    return {"github": context, "inputs": dict(facts.get("inputs") or {}), "vars": {}, "secrets": {}}


def run_facts(run: WorkflowRun, base_ref: str) -> dict[str, Any]:
    """What `github.*` says of a run at its current attempt."""
    pull = run.event == "pull_request"
    return {
        "ref": run.ref,
        "sha": run.checkout,
        "event_name": run.event,
        "head_ref": (run.head_branch or "") if pull else "",
        "base_ref": base_ref if pull else "",
        "actor": run.actor.login,
        "triggering_actor": run.latest.triggering_actor.login,
        "run_id": str(run.id),
        "run_number": str(run.run_number),
        "run_attempt": str(run.latest.number),
        "inputs": run.inputs,
    }


def run_contexts(github: GitHub, plan: Plan) -> dict[str, Any]:
    """The contexts of a run's jobs, before `needs` and `matrix` are known; the token is the run's own."""
    found = event_contexts(github, plan.repo, plan.file, run_facts(plan.run, plan.base_ref), plan.payload)
    found["github"]["token"] = plan.token
    found["secrets"]["GITHUB_TOKEN"] = plan.token
    return found


def job_contexts(common: Mapping[str, Any], job: Job, needs: dict[str, Any], total: int, index: int) -> dict[str, Any]:
    """The contexts of one job; `total` and `index` place it in its matrix."""
    name = str(common["github"]["repository"]).rpartition("/")[2]
    context = {**common["github"], "job": job.key, "workspace": f"{RUNNER_HOME}/{name}/{name}"}
    return {
        **common,
        "github": context,
        "needs": needs,
        "matrix": job.matrix,
        "strategy": {"job-index": index, "job-total": total, "fail-fast": True, "max-parallel": total},
        "runner": {
            "name": job.runner_name,
            "os": "Linux",
            "arch": "X64",
            "environment": "github-hosted",
            "temp": f"{RUNNER_HOME}/_temp",
            "tool_cache": "/opt/hostedtoolcache",
        },
    }
