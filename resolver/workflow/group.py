"""Would a run meet another one in a concurrency group? Evaluated from the workflow file as far as it shows. Pure.

GitHub: a group has one run in progress and one pending; a newer one replaces the pending one, and with
`cancel-in-progress` it ends the one in progress too. So nothing is repeated or started into a group that others use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from resolver.workflow.file import Concurrency, WorkflowFile
from resolver.workflow.run import PlannedRun, group_of


@dataclass(frozen=True, slots=True)
class OtherRun:
    """Another run of the repository: of which file, how it looked, and whether it came later or has not ended."""

    run_id: int
    path: str
    run: PlannedRun
    newer: bool
    unfinished: bool
    same_branch: bool


def group_collision(
    file: WorkflowFile, jobs: Iterable[str], mine: PlannedRun, others: Iterable[OtherRun]
) -> str | None:
    """Say which other run is in the way of repeating a run with these jobs (by their ids); None where none is.

    In the way is what has not ended, and in the same group also what came later. A group that cannot be evaluated may
    be that of every run on the same branch.
    """
    wanted = tuple(jobs)
    groups = tuple(_groups(file, wanted))
    if not groups:
        return None
    for other in others:
        if not (other.newer or other.unfinished):
            continue
        for concurrency in groups:
            reason = _meets(file, concurrency, mine, other)
            if reason:
                return reason
    return None


def shared_group(file: WorkflowFile, run: PlannedRun) -> str | None:
    """Say which group a planned run would share with runs on other branches and commits; None where it has its own."""
    another = run.model_copy(
        update={
            "ref": f"{run.ref}-another",
            "head_ref": f"{run.head_ref}-another" if run.head_ref else "",
            "pull": None if run.pull is None else run.pull - 1,
            "sha": "another commit",
            "identity": f"{run.identity}, another",
        }
    )
    for concurrency in _groups(file, tuple(job.id for job in file.jobs)):
        name = group_of(file, concurrency, run)
        if name is None:
            return f"the concurrency group `{concurrency.group}` of {file.path} is known only in the run"
        if name == group_of(file, concurrency, another):
            return f"the concurrency group `{concurrency.group}` of {file.path} is not the run's own"
    return None


def _groups(file: WorkflowFile, jobs: tuple[str, ...]) -> Iterator[Concurrency]:
    if file.concurrency is not None:
        yield file.concurrency
    yield from (job.concurrency for job in file.jobs if job.concurrency is not None and job.id in jobs)


def _meets(file: WorkflowFile, concurrency: Concurrency, mine: PlannedRun, other: OtherRun) -> str | None:
    where = f"run {other.run_id} of {other.path}"
    name = group_of(file, concurrency, mine)
    if other.path != file.path:
        # Another file's groups are not read; a name that holds this workflow's own can hardly be theirs.
        apart = name is not None and file.name.casefold() in name
        meets = other.same_branch and other.unfinished and not apart
        return f"{where} is going on and may be in the same concurrency group" if meets else None
    theirs = group_of(file, concurrency, other.run)
    if name is None or theirs is None:
        known = f"whether {where} is in the concurrency group `{concurrency.group}` is not known"
        return known if other.same_branch else None
    if name == theirs:
        return f"{where} is {'going on' if other.unfinished else 'newer'} in the concurrency group `{name}`"
    return None
