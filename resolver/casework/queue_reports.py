"""What the required checks of a base have told on a merge group: ended, begun, or nothing at all. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from resolver.conclusions import Meaning, meaning
from resolver.other_ci import CheckFinished, ThirdParty
from resolver.state import Base, Head, Pull, RepoState


@dataclass(frozen=True, slots=True)
class Reports:
    """The required checks by how far they have come: `silent` ones told nothing, `open` ones began and have not ended,
    `cancelled` ones ended without a result.
    """

    silent: tuple[str, ...]
    open: tuple[str, ...]
    cancelled: tuple[str, ...]


def reports(head: Head, required: Iterable[str], others: Iterable[str], left_at: float | None = None) -> Reports:
    """Sort the required checks; `others` are those of another CI. What ended only after the pull request had left the
    queue, at `left_at` (seconds), was open then: GitHub lets it go on, or somebody cancels it.

    Which job it is that a run has not come to yet is told nowhere, so that all that tell nothing may be it.
    """
    names = tuple(required)
    ended = {name: conclusion for name, conclusion, at in _ended(head) if left_at is None or at <= left_at}
    began = {name for name, _, _ in _ended(head)} - set(ended)
    began |= {check.name for check in head.begun.values()}
    began |= {status.context for status in head.statuses.values() if status.conclusion is None}
    if any(run.status != "completed" for run in head.runs.values()):
        began |= set(names) - set(others)
    began -= set(ended)
    return Reports(
        silent=tuple(name for name in names if name not in ended and name not in began),
        open=tuple(name for name in names if name in began),
        cancelled=tuple(name for name in names if meaning(ended.get(name)) is Meaning.CANCELLED),
    )


def _ended(head: Head) -> Iterator[tuple[str, str | None, float]]:
    """The names under which something has ended, as rules name them, the newest of each last."""
    for job in sorted(head.current(), key=lambda each: each.completed_at or 0.0):
        yield job.name, job.conclusion, job.completed_at or 0.0
    for told in head.third_party():
        if told.conclusion is not None:
            at = told.completed_at if isinstance(told, CheckFinished) else told.at
            yield required_name(told), told.conclusion, at or 0.0


def required_name(told: ThirdParty) -> str:
    """Name a check of another CI as rules name it: without its App."""
    return told.name if isinstance(told, CheckFinished) else told.context


def of_other_ci(state: RepoState, pull: Pull, names: Iterable[str]) -> tuple[str, ...]:
    """Give those of the names that another CI reports, as far as the head and its base show, and no job has."""
    line = state.bases.get(pull.seen.base_ref, Base()).line
    heads = [state.head(pull.seen.head_sha), *map(state.head, line)]
    others = {required_name(told) for head in heads for told in head.third_party()}
    jobs = {job.name for head in heads for job in head.jobs.values()}
    return tuple(name for name in names if name in others - jobs)


def is_known(state: RepoState, pull: Pull, name: str) -> bool:
    """Say whether it is known on the head who reports a check of that name, or all that reports there was listed."""
    head = state.head(pull.seen.head_sha)
    told = {job.name for job in head.jobs.values()} | {required_name(each) for each in head.third_party()}
    return name in told or head.others_listed
