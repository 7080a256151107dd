"""
A composite action of the checked-out repository (`uses: ./path`): its steps run within the step that uses it.

GitHub: it sees its own `inputs` and `steps`, `github.action_path`, and the environment of the using step; what it adds
to GITHUB_ENV and GITHUB_PATH lasts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from bot.sandbox.ci.runner.running import RunningJob, Verdict
from bot.sandbox.ci.workflow import ActionFile, StepSpec, read_action

MOST_DEPTH = 10
"""GitHub: composite actions nest at most ten deep."""


def is_local(uses: str) -> bool:
    """Whether `uses` names an action of the checked-out repository."""
    return uses.startswith("./")


async def run(
    job: RunningJob,
    uses: str,
    inputs: Mapping[str, str],
    env: Mapping[str, str],
    step: Callable[[RunningJob, StepSpec], Awaitable[Verdict]],
) -> tuple[Verdict, dict[str, str]]:
    """
    Run the action's steps by `step`; gives how it ended and its outputs.

    `ValueError` with a sentence for one that is missing or cannot be run.
    """
    folder = job.task.workspace / uses
    action = _read(folder, uses)
    inner = _inner(job, folder, _inputs(job, action, inputs, env), env)
    for spec in action.steps:
        await step(inner, spec)
    job.env.update({key: value for key, value in inner.env.items() if env.get(key) != value})
    job.paths = inner.paths
    return inner.status, inner.texts(action.outputs, inner.env)


def _read(folder: Path, uses: str) -> ActionFile:
    for name in ("action.yml", "action.yaml"):
        if (folder / name).is_file():
            found = read_action(f"{uses}/{name}", (folder / name).read_text(errors="replace"))
            if isinstance(found, tuple):
                raise ValueError(str(found[0]))
            return found
    raise ValueError(
        f"Can't find 'action.yml' or 'action.yaml' under '{uses}'. Did you forget to run actions/checkout?"
    )


def _inputs(job: RunningJob, action: ActionFile, given: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    """GitHub: a default may hold expressions, which see the caller's contexts (`default: ${{ github.token }}`)."""
    defaults = job.texts({name: spec.default for name, spec in action.inputs.items()}, env)
    known = {name.lower(): name for name in action.inputs}
    return defaults | {known[name.lower()]: value for name, value in given.items() if name.lower() in known}


def _inner(job: RunningJob, folder: Path, inputs: Mapping[str, str], env: Mapping[str, str]) -> RunningJob:
    """The job as the action sees it: log, masks, uploads and numbers are shared, outputs and status are its own."""
    if job.depth == MOST_DEPTH:
        raise ValueError(f"Composite actions nest more than {MOST_DEPTH} deep")
    github = {**job.task.contexts["github"], "action_path": str(folder)}
    task = dataclasses.replace(job.task, contexts={**job.task.contexts, "github": github, "inputs": dict(inputs)})
    return dataclasses.replace(job, task=task, seen={}, env=dict(env), status="success", depth=job.depth + 1)
