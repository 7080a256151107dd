"""GitHub's jobs that have not ended, as facts, whether a webhook or an answer brought them. Pure."""

from __future__ import annotations

from bot.objects import Json, job_identity, seconds, understood
from resolver.progress import JobProgressed, StepSeen


def job_progressed(job: Json, seen_at: float | None = None) -> JobProgressed | None:
    """
    Read a job that goes on; one that has ended is another fact.

    `seen_at` (seconds) is when GitHub was asked. A delivery does not say when it was made: the latest time that the job
    names stands in for it.
    """
    with understood("job"):
        if job["status"] == "completed":
            return None
        steps = tuple(_step(step) for step in job.get("steps") or ())
        begun = seconds(job.get("started_at"))
        made = seconds(job.get("created_at"))
        waits = job["status"] != "in_progress"
        since = (made if waits and made is not None else begun) or made or 0.0
        times = [at for step in steps for at in (step.started_at, step.completed_at) if at is not None]
        return JobProgressed(
            **job_identity(job),
            status=str(job["status"]),
            since=since,
            seen_at=seen_at if seen_at is not None else max((since, *times)),
            steps=steps,
        )


def _step(step: Json) -> StepSeen:
    return StepSeen(
        number=int(step["number"]),
        name=str(step["name"]),
        status=str(step["status"]),
        conclusion=step.get("conclusion"),
        started_at=seconds(step.get("started_at")),
        completed_at=seconds(step.get("completed_at")),
    )
