"""The variables that GitHub sets for every step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.sandbox.ci.expressions.values import to_text
from bot.sandbox.ci.runner.task import Task

_FROM_GITHUB = (
    "action", "action_path", "actor", "api_url", "base_ref", "event_name", "graphql_url", "head_ref", "job", "ref",
    "ref_name", "ref_type", "repository", "repository_id", "repository_owner", "run_attempt", "run_id", "run_number",
    "server_url", "sha", "triggering_actor", "workflow", "workflow_ref",
)  # fmt: skip


def github_variables(task: Task) -> dict[str, str]:
    """`CI`, `GITHUB_*` and `RUNNER_*` as texts, and a home and locale of the job's own."""
    github: Mapping[str, Any] = task.contexts["github"]
    runner: Mapping[str, Any] = task.contexts["runner"]
    return {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        **{f"GITHUB_{name.upper()}": to_text(github.get(name)) for name in _FROM_GITHUB},
        **{f"RUNNER_{name.upper()}": to_text(value) for name, value in runner.items()},
        "GITHUB_EVENT_PATH": str(task.event_path),
        "GITHUB_WORKSPACE": str(task.workspace),
        "RUNNER_TEMP": str(task.directory / "temp"),
        "RUNNER_WORKSPACE": str(task.workspace.parent),
        "HOME": str(task.directory),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
