"""What is known about a log before it is read."""

from __future__ import annotations

from resolver.log.matchers import ProblemMatcher
from resolver.records import Record


class StepWindow(Record):
    """
    A failed step of the job, as GitHub lists it. Times are seconds since the epoch, whole seconds, as GitHub gives
    them.
    """

    number: int
    name: str
    started_at: float | None = None
    completed_at: float | None = None


class LogContext(Record):
    """
    The log's surroundings.

    `check` goes into fingerprints. `failed_steps`: only their part of the log counts, where the lines have times.
    `own_workflow`: the log is of failres's own workflow, so its last structured line may name any class.
    `repo_paths`: files at the head, to map places to. `matchers`: problem matchers of the repository that are always
    on.
    """

    check: str = ""
    failed_steps: tuple[StepWindow, ...] = ()
    own_workflow: bool = False
    repo_paths: frozenset[str] | None = None
    matchers: tuple[ProblemMatcher, ...] = ()
