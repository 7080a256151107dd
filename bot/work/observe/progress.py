"""Reads of a job that runs: how far it has come, or that it has ended meanwhile."""

from __future__ import annotations

from bot.objects import job_finished
from bot.objects.progress import job_progressed
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import ReadJob


async def read_job(place: Place, action: ReadJob) -> Outcome:
    """Read one job, in one call. GitHub gives a new id to a rerun's job, so this is always the same execution."""
    job = await place.installation.get(place.path("/actions/jobs/{job}", job=action.job_id))
    told = job_finished(job) or job_progressed(job, place.clock.now())
    return Outcome((told,) if told is not None else ())
