"""Reads whether a failed job, whose log is gone or names nothing of its own, is red only because of jobs it needs."""

from __future__ import annotations

from bot.github import NotFound
from bot.objects import NotUnderstood, job_finished
from bot.work.observe.workflows import workflow_at
from bot.work.place import Place
from resolver.actions import ReadLog
from resolver.conclusions import Meaning, meaning
from resolver.facts import JobFinished
from resolver.workflow.file import WorkflowFile
from resolver.workflow.needed import has_needs, needed_among, sums_up


async def failed_needs(place: Place, action: ReadLog) -> tuple[str, ...]:
    """Give the failed jobs of the run that the job needs, by the workflow file at its commit: one call, and one for a
    hundred jobs where it needs any.
    """
    file = await _file(place, action)
    if file is None or not has_needs(file, action.job):
        return ()
    return await _red_among(place, action, file)


async def failed_needs_by_file(place: Place, action: ReadLog) -> tuple[str, ...]:
    """The same where there is no log: only of a job that executed nothing, or of which the file tells that it can fail
    by those alone. A missing log excuses nothing else.
    """
    file = await _file(place, action)
    if file is None or not has_needs(file, action.job) or not (action.idle or sums_up(file, action.job)):
        return ()
    return await _red_among(place, action, file)


async def _file(place: Place, action: ReadLog) -> WorkflowFile | None:
    file = await workflow_at(place, action.head_sha, action.workflow)
    return file if isinstance(file, WorkflowFile) else None


async def _red_among(place: Place, action: ReadLog, file: WorkflowFile) -> tuple[str, ...]:
    red = [job.name for job in await _of_run(place, action) if meaning(job.conclusion) is Meaning.FAILED]
    return needed_among(file, action.job, red)


async def _of_run(place: Place, action: ReadLog) -> list[JobFinished]:
    """The newest execution of each job of the run, up to the job's own attempt."""
    path = place.path("/actions/runs/{run}/jobs", run=action.run_id)
    newest: dict[str, JobFinished] = {}
    try:
        async for item in place.installation.pages(path, key="jobs", filter="all"):
            try:
                job = job_finished(item)
            except NotUnderstood:
                continue
            if job is not None and job.attempt <= action.attempt:
                newest[job.name] = max(newest.get(job.name, job), job, key=lambda each: (each.attempt, each.job_id))
    except NotFound:
        return []
    return list(newest.values())
