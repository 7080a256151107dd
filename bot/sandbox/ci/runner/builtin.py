"""
The actions that this runner knows: checkout, setup-*, cache, upload- and download-artifact; no other is fetched.

An action gets its inputs, does its work in the job's directory, and says how it ended.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from bot.sandbox.ci.runner import archive, caching, checkout
from bot.sandbox.ci.runner.output import StepOutput
from bot.sandbox.ci.runner.task import Task, Upload


@dataclass
class ActionCall:
    """One use of an action: its inputs as texts, and the job's uploads so far."""

    task: Task
    inputs: Mapping[str, str]
    output: StepOutput
    uploads: list[Upload]
    earlier: Mapping[str, bytes]

    def say(self, text: str) -> None:
        """Write lines to the log."""
        for line in text.split("\n"):
            self.output.take(line.encode())


@dataclass(frozen=True)
class ActionEnd:
    """
    How an action ended: `error` None for success; outputs and what it puts on the path.

    `after` is done once the job has succeeded, and gives the lines that it says then.
    """

    error: str | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    after: Callable[[], tuple[str, ...]] | None = None


Action: TypeAlias = Callable[[ActionCall], Awaitable[ActionEnd]]


def find(uses: str) -> Action | None:
    """The action that `uses` names, whatever its version; None when this sandbox has none."""
    name, at, _ = uses.partition("@")
    return ACTIONS.get(name.lower()) if at else None


async def _checkout(call: ActionCall) -> ActionEnd:
    error = await checkout.check_out(call.task, call.inputs, call.output)
    return ActionEnd(error)


async def _setup_python(call: ActionCall) -> ActionEnd:
    """The interpreter that runs the sandbox is the only one here; another version is refused, not pretended."""
    here = platform.python_version()
    wanted = call.inputs.get("python-version", "").strip() or here
    if wanted not in {here, "3", "3.x", ".".join(here.split(".")[:2])}:
        return ActionEnd(f"The version '{wanted}' was not found; this sandbox has Python {here} only")
    call.say(f"Successfully set up CPython ({here})")
    end = _with_cache(call, "actions/setup-python")
    return replace(end, outputs={"python-version": here, **end.outputs}, paths=(str(Path(sys.executable).parent),))


def _setup_tool(name: str) -> Action:
    async def action(call: ActionCall) -> ActionEnd:
        found = shutil.which(name, path=os.environ.get("PATH", os.defpath))
        if found is None:
            return ActionEnd(f"This machine has no {name}")
        call.say(f"Found {name} on the machine")
        return replace(_with_cache(call, f"actions/setup-{name}"), paths=(str(Path(found).parent),))

    return action


def _cache(name: str) -> Action:
    async def action(call: ActionCall) -> ActionEnd:
        return _with_cache(call, name)

    return action


def _with_cache(call: ActionCall, name: str) -> ActionEnd:
    """Restore the cache that a step asks for, if any, and have it saved after the job."""
    task = call.task
    want = caching.wanted(name, call.inputs, lambda path: _bytes_of(task.workspace / path))
    if want is None:
        return ActionEnd()
    use = caching.look(want, task.caches)
    if use.found is not None:
        archive.unpack(use.found[1], task.directory)
    for line in caching.restored(use):
        call.say(line)
    hit = "" if use.key is None else str(use.key == want.keys[0]).lower()
    pack = partial(archive.pack_paths, task.directory, task.workspace, want.paths)
    return ActionEnd(None, {"cache-hit": hit}, after=partial(caching.leave, use, task.caches, pack))


def _bytes_of(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


async def _upload(call: ActionCall) -> ActionEnd:
    name = call.inputs.get("name") or "artifact"
    patterns = [line.strip() for line in call.inputs.get("path", "").splitlines() if line.strip()]
    files = archive.collect(call.task.workspace, patterns)
    if not files:
        text = f"No files were found with the provided path: {' '.join(patterns)}. No artifacts will be uploaded."
        when_none = call.inputs.get("if-no-files-found") or "warn"
        if when_none == "error":
            return ActionEnd(text)
        call.say(text if when_none == "ignore" else f"::warning::{text}")
        return ActionEnd()
    if any(upload.name == name for upload in call.uploads) or name in call.task.taken:
        return ActionEnd("Failed to CreateArtifact: (409) Conflict: an artifact with this name already exists")
    call.uploads.append(Upload(name, archive.pack(files)))
    call.say(f"With the provided path, there will be {len(files)} file(s) uploaded")
    call.say(f"Artifact {name} has been successfully uploaded!")
    return ActionEnd()


async def _download(call: ActionCall) -> ActionEnd:
    have = {**call.earlier, **{upload.name: upload.data for upload in call.uploads}}
    target = call.task.workspace / (call.inputs.get("path") or ".")
    wanted = call.inputs.get("name")
    if wanted and wanted not in have:
        return ActionEnd(f"Unable to download artifact(s): Artifact not found for name: {wanted}")
    for name in [wanted] if wanted else sorted(have):
        archive.unpack(have[name], target if wanted else target / name)
        call.say(f"Artifact download completed: {name}")
    return ActionEnd(None, {"download-path": str(target)})


ACTIONS: Mapping[str, Action] = {
    "actions/checkout": _checkout,
    "actions/setup-python": _setup_python,
    "actions/setup-node": _setup_tool("node"),
    "actions/setup-go": _setup_tool("go"),
    "actions/cache": _cache("actions/cache"),
    "actions/cache/restore": _cache("actions/cache/restore"),
    "actions/upload-artifact": _upload,
    "actions/download-artifact": _download,
}
