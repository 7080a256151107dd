"""Reads whether a failed job, whose log names nothing of its own, is red only because of jobs that it needs."""

from __future__ import annotations

from bot.github import NotFound
from bot.objects import NotUnderstood, job_finished
from bot.work.observe.workflows import workflow_at
from bot.work.place import Place
from resolver.actions import ReadLog
from resolver.conclusions import Meaning, meaning
from resolver.facts import JobFinished
from resolver.workflow.file import WorkflowFile
from resolver.workflow.needed import has_needs, needed_among


async def failed_needs(place: Place, action: ReadLog) -> tuple[str, ...]:
    """Give the failed jobs of the run that the job needs, by the workflow file at its commit: one call, and one for a
    hundred jobs where it needs any.
    """
    file = await workflow_at(place, action.head_sha, action.workflow)
    if not isinstance(file, WorkflowFile) or not has_needs(file, action.job):
        return ()
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
