"""
The lines that GitHub's runner itself writes into a job's log: setting up, checking out, cleaning up.

The checkout's last lines name the tested commit; for a pull request `HEAD is now at … Merge HEAD into BASE` is the
only place where a log says which base was tested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.sandbox.ci.expressions.values import to_text
from bot.sandbox.ci.log import JobLog
from bot.sandbox.ci.runner.task import Task
from bot.sandbox.ci.workflow import JobSpec
from bot.sandbox.state import Step

RUNNER_VERSION = "2.328.0"
_CYAN, _PLAIN = "\x1b[36;1m", "\x1b[0m"


def planned_steps(spec: JobSpec, at: float, running: str | None = None) -> list[Step]:
    """The steps of a job that has just begun: set up, the first (or the one of that title) running, the rest queued."""
    steps = [Step(1, "Set up job", "completed", "success", at, at)]
    steps += [Step(number, step.title) for number, step in enumerate(spec.steps, 2)]
    current = next((place for place, step in enumerate(steps) if step.name == running), 1)
    for step in steps[1:current]:
        step.status, step.conclusion, step.started_at, step.completed_at = "completed", "success", at, at
    for step in steps[current : current + 1]:
        step.status, step.started_at = "in_progress", at
    return steps


def set_up(log: JobLog, task: Task, at: float) -> None:
    """Write what comes before the first step."""
    log.add(f"Current runner version: '{RUNNER_VERSION}'", at)
    log.group("Operating System", ["Ubuntu", "24.04.3", "LTS"], at)
    log.group("GITHUB_TOKEN Permissions", ["Contents: read", "Metadata: read", "Packages: read"], at)
    log.add("Secret source: Actions", at)
    log.add("Prepare workflow directory", at)
    log.add("Prepare all required actions", at)
    used = [step.uses for step in task.spec.steps if step.uses]
    if used:
        log.add("Getting action download info", at)
    for action in dict.fromkeys(used):
        log.add(f"Download action repository '{action}'", at)
    log.add(f"Complete job name: {task.name}", at)


def action_header(log: JobLog, uses: str, inputs: Mapping[str, Any], env: Mapping[str, str], at: float) -> None:
    """Write the group that opens a `uses` step."""
    lines = _listing("with", {key: to_text(value) for key, value in inputs.items()}) + _listing("env", env)
    log.group(f"Run {uses}", lines, at)


def script_header(log: JobLog, script: str, command: Sequence[str], env: Mapping[str, str], at: float) -> None:
    """Write the group that opens a `run` step."""
    body = script.rstrip("\n").split("\n")
    shown = [f"{_CYAN}{line}{_PLAIN}" for line in body]
    shell = f"shell: /usr/bin/{' '.join(command)}"
    log.group(f"Run {body[0]}", [*shown, shell, *_listing("env", env)], at)


def checked_out(log: JobLog, task: Task, sha: str, title: str, at: float) -> None:
    """Write what actions/checkout says while it fetches and checks out one commit."""
    target = task.ref.replace("refs/", "refs/remotes/", 1) if task.ref.startswith("refs/pull/") else _branch(task.ref)
    log.add(f"Syncing repository: {task.repository}", at)
    log.group(
        "Getting Git version info",
        [f"Working directory is '{task.shown_workspace}'", "[command]/usr/bin/git version", "git version 2.51.0"],
        at,
    )
    fetch = "/usr/bin/git -c protocol.version=2 fetch --no-tags --prune --no-recurse-submodules --depth=1"
    log.group("Fetching the repository", [f"[command]{fetch} origin +{sha}:{target}"], at)
    log.group(
        "Checking out the ref",
        [
            f"[command]/usr/bin/git checkout --progress --force {target}",
            f"Note: switching to '{target}'.",
            "",
            "You are in 'detached HEAD' state.",
            "",
            f"HEAD is now at {sha[:7]} {title}",
        ],
        at,
    )
    log.add("[command]/usr/bin/git log -1 --format=%H", at)
    log.add(sha, at)


def clean_up(log: JobLog, task: Task, at: float) -> None:
    """Write what comes after the last step."""
    if any((step.uses or "").startswith("actions/checkout@") for step in task.spec.steps):
        log.add("Post job cleanup.", at)
        log.add("[command]/usr/bin/git version", at)
        log.add("git version 2.51.0", at)
    log.add("Cleaning up orphan processes", at)


def exit_line(status: int) -> str:
    """The last line of a failing `run` step."""
    return f"##[error]Process completed with exit code {status}."


def _branch(ref: str) -> str:
    name = ref.removeprefix("refs/heads/")
    return f"refs/remotes/origin/{name}"


def _listing(title: str, values: Mapping[str, str]) -> list[str]:
    return [f"{title}:", *(f"  {key}: {value}" for key, value in values.items())] if values else []
