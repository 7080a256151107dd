"""Which jobs of an attempt were not executed in it."""

from __future__ import annotations

from collections.abc import Iterable

from resolver.facts import JobFinished


def carried_over(job: JobFinished, known: Iterable[JobFinished]) -> bool:
    """Say whether a job is one from before. GitHub: a rerun of failed jobs lists the others again, with a new id and
    their old times and runner.
    """
    mine = (job.run_id, job.name, job.started_at, job.runner)
    alike = (each for each in known if (each.run_id, each.name, each.started_at, each.runner) == mine)
    return any(each.job_id < job.job_id for each in alike)
