"""Which jobs of a workflow file may stand behind a name that GitHub shows. Pure.

GitHub: a job shows its name, or its id; matrix values follow in brackets unless the name holds an expression; a called
workflow's jobs show `caller / called`. Names prove nothing by themselves, so that several jobs may fit.
"""

from __future__ import annotations

import re

from resolver.workflow.expressions import split
from resolver.workflow.file import WorkflowFile, WorkflowJob


def jobs_named(file: WorkflowFile, shown: str) -> tuple[WorkflowJob, ...]:
    """Give the jobs that may show that name; those that show exactly it, where there are such."""
    exact = tuple(job for job in file.jobs if job.uses is None and (job.name or job.id) == shown)
    return exact or tuple(job for job in file.jobs if fits(job, shown))


def fits(job: WorkflowJob, shown: str) -> bool:
    """Say whether a job may show that name."""
    return any(_fits(job, part) for part in _parts(job, shown))


def inner_names(job: WorkflowJob, shown: str) -> tuple[str, ...]:
    """Give what may be the called job's own name, where a job calls a workflow."""
    return tuple(
        shown[at.end() :]
        for at in re.finditer(" / ", shown)
        if job.uses is not None and _fits(job, shown[: at.start()])
    )


def _parts(job: WorkflowJob, shown: str) -> tuple[str, ...]:
    """A caller's own name ends at one of the slashes."""
    if job.uses is None:
        return (shown,)
    return tuple(shown[: at.start()] for at in re.finditer(" / ", shown))


def _fits(job: WorkflowJob, shown: str) -> bool:
    template = job.name or job.id
    if len(split(template)[0]) > 1:
        return _fits_template(split(template)[0], shown)
    if shown == template:
        return True
    return job.matrix != "none" and shown.startswith(f"{template} (") and shown.endswith(")")


def _fits_template(pieces: tuple[str, ...], shown: str) -> bool:
    """Say whether the fixed pieces stand in the name in their order, the first in front and the last at the end."""
    if len(shown) < sum(len(piece) for piece in pieces):
        return False
    if not shown.startswith(pieces[0]) or not shown.endswith(pieces[-1]):
        return False
    at, end = len(pieces[0]), len(shown) - len(pieces[-1])
    for piece in pieces[1:-1]:
        found = shown.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return at <= end
