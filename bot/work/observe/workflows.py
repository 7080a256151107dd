"""Reads of workflow files at a commit, with the workflows of the same repository that they call."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable

from bot.github import NotFound
from bot.work.place import Place
from resolver.workflow.file import WORKFLOW_LIMITS, UnreadableWorkflow, WorkflowFile, read_workflow
from resolver.workflow.hazard import local_path

DIRECTORY = ".github/workflows"

MOST_FILES = 12
"""So many files are read for one judgement; what is called beyond them counts as not read."""


async def workflows_at(place: Place, ref: str, paths: Iterable[str]) -> dict[str, WorkflowFile | UnreadableWorkflow]:
    """Give the workflow files at a commit or branch by path; one that is not there is left out."""
    found: dict[str, WorkflowFile | UnreadableWorkflow] = {}
    todo = list(dict.fromkeys(paths))
    for path in todo:  # grows by what the files call
        file = await workflow_at(place, ref, path) if len(found) < MOST_FILES else None
        if file is None:
            continue
        found[path] = file
        if isinstance(file, WorkflowFile):
            called = [local_path(job.uses) for job in file.jobs if job.uses]
            todo.extend(each for each in dict.fromkeys(called) if each and each not in todo)
    return found


MOST_LISTED = 60
"""Of a commit with more workflow files nobody says what a push would start: each costs a call."""


async def every_workflow_at(place: Place, ref: str) -> dict[str, WorkflowFile | UnreadableWorkflow] | None:
    """Give all workflow files at a commit by path; None where there are too many. One that cannot be read is among
    them, as unreadable.
    """
    try:
        listed = await place.installation.get(place.path("/contents/{+path}", path=DIRECTORY), ref=ref)
    except NotFound:
        return {}
    if not isinstance(listed, list):
        return None
    paths = [str(item["path"]) for item in listed if str(item["name"]).endswith((".yml", ".yaml"))]
    if len(paths) > MOST_LISTED:
        return None
    found: dict[str, WorkflowFile | UnreadableWorkflow] = {}
    for path in paths:
        file = await workflow_at(place, ref, path)
        found[path] = file or UnreadableWorkflow(path=path, reason="it is listed and cannot be read")
    return found


async def workflow_at(place: Place, ref: str, path: str) -> WorkflowFile | UnreadableWorkflow | None:
    """Give one workflow file at a commit or branch; None where it is not there."""
    try:
        item = await place.installation.get(place.path("/contents/{+path}", path=path), ref=ref)
    except NotFound:
        return None
    if not isinstance(item, dict) or item.get("type") != "file" or item.get("encoding") != "base64":
        return UnreadableWorkflow(path=path, reason="it is no file, or too large to be shown")
    data = base64.b64decode(item["content"])
    if len(data) > WORKFLOW_LIMITS.size:
        return UnreadableWorkflow(path=path, reason=WORKFLOW_LIMITS.too_large)
    # A large file takes a second to read, in which other work must go on.
    return await asyncio.to_thread(read_workflow, path, data.decode("utf-8", "replace"))
