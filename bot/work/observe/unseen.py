"""Reads whether a check had run on a pull request before that landed, and which filter kept it off."""

from __future__ import annotations

from bot.github import NotFound
from bot.objects import Json, NotUnderstood, job_finished, run_observed
from bot.work.observe.workflows import workflows_at
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.landings import ReadUnseen
from resolver.attribution.beside import Filter
from resolver.conclusions import Meaning, meaning
from resolver.facts.landings import UnseenRead
from resolver.workflow.file import WorkflowFile
from resolver.workflow.unseen import Passed, filters_paths, why_unseen

PAGE = 100


async def read_unseen(place: Place, action: ReadUnseen) -> Outcome:
    """Look at the runs of the head that landed; where the check ran in none, read why from its workflow file."""
    why = None if await _ran(place, action) else await _why(place, action)
    return Outcome((UnseenRead(commit=action.commit, check=action.check, pull=action.landed.pull, why=why),))


async def _ran(place: Place, action: ReadUnseen) -> bool:
    listed = await place.installation.get(place.path("/actions/runs"), head_sha=action.landed.head_sha, per_page=PAGE)
    for item in listed["workflow_runs"]:
        try:
            run = run_observed(item)
        except NotUnderstood:
            continue
        if run.path.partition("@")[0] == action.check.workflow and await _job_ran(place, run.run_id, action):
            return True
    return False


async def _job_ran(place: Place, run_id: int, action: ReadUnseen) -> bool:
    path = place.path("/actions/runs/{run}/jobs", run=run_id)
    async for item in place.installation.pages(path, key="jobs", filter="all"):
        if str(item.get("name")) == action.check.job and _executed(item):
            return True
    return False


def _executed(item: Json) -> bool:
    """Say whether a job was more than skipped; one that has not ended has begun."""
    try:
        job = job_finished(item)
    except NotUnderstood:
        return True
    return job is None or meaning(job.conclusion) is not Meaning.NOTHING


async def _why(place: Place, action: ReadUnseen) -> Filter | None:
    path = action.check.workflow
    file = (await workflows_at(place, action.commit, (path,))).get(path)
    if not isinstance(file, WorkflowFile):
        return None
    files = await _files(place, action) if filters_paths(file) else None
    return why_unseen(file, action.check.job, Passed(base_ref=action.landed.base_ref, files=files))


async def _files(place: Place, action: ReadUnseen) -> tuple[str, ...] | None:
    try:
        listed = place.installation.pages(place.path("/pulls/{n}/files", n=action.landed.pull))
        return tuple([str(item["filename"]) async for item in listed])
    except NotFound:
        return None
