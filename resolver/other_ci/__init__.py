"""Checks of another CI, as facts: check runs of Apps other than Actions, and commit statuses.

They are executions like jobs. What they lack is told nowhere: which base they were tested with, and what makes two of
them comparable; so they prove a base's or a task's defect only by agreeing executions, and never a flake. failres can
not start them.
"""

from __future__ import annotations

from resolver.executions import MERGE_GROUP, Check
from resolver.failure import Finding
from resolver.ids import Sha
from resolver.records import Record

NOT_STARTED = "checks of another CI cannot be started by failres"
"""Why one of them is never run again and never asked of the base by failres."""


class CheckFinished(Record):
    """A check run of another App has ended. Times are in seconds.

    `title`, `summary` and `text` are its output, capped and masked, and `findings` what that output says; all are kept
    of failures only. `annotations` is how many GitHub holds.
    """

    check_run_id: int
    app_id: int
    app: str
    name: str
    external_id: str = ""
    head_sha: Sha
    conclusion: str
    started_at: float | None
    completed_at: float | None
    url: str = ""
    title: str = ""
    summary: str = ""
    text: str = ""
    annotations: int = 0
    findings: tuple[Finding, ...] = ()

    @property
    def label(self) -> str:
        """Its name: the App's and the one that the App gave it."""
        return f"{self.app} / {self.name}"

    @property
    def check(self) -> Check:
        """Its identity."""
        return check_of_app(self.app, self.name)

    @property
    def order(self) -> tuple[float, float, int]:
        """Newer ones are greater. GitHub: several runs of one name stand side by side, the newest start counts."""
        return (self.started_at or 0.0, self.completed_at or 0.0, self.check_run_id)


class CheckBegun(Record):
    """A check run of another App is there and has not ended. Kept of merge groups alone, which wait for it."""

    check_run_id: int
    app_id: int
    app: str
    name: str
    head_sha: Sha


class StatusSeen(Record):
    """A commit status as it stood at `at` (seconds). GitHub shows the newest of a context, and only that counts."""

    status_id: int
    head_sha: Sha
    context: str
    state: str
    description: str = ""
    url: str = ""
    at: float
    findings: tuple[Finding, ...] = ()

    @property
    def label(self) -> str:
        """Its name: the context."""
        return self.context

    @property
    def check(self) -> Check:
        """Its identity."""
        return check_of_context(self.context)

    @property
    def conclusion(self) -> str | None:
        """The state in the words of conclusions: pending is none, an error is a failure."""
        return _CONCLUSIONS.get(self.state, self.state)

    @property
    def order(self) -> tuple[float, int]:
        """Newer ones are greater; GitHub's times are whole seconds, its ids rise."""
        return (self.at, self.status_id)


_CONCLUSIONS = {"pending": None, "error": "failure"}


class AnnotationsRead(Record):
    """The annotations of a failed check run were read, as findings; `capped` counts those beyond. `completed_at` says
    which end of the check run they belong to.
    """

    check_run_id: int
    head_sha: Sha
    completed_at: float | None
    findings: tuple[Finding, ...] = ()
    capped: int = 0


ThirdParty = CheckFinished | StatusSeen
"""What another CI reported."""


def check_of_app(app: str, name: str) -> Check:
    """Name a check run's check."""
    return Check(workflow="", job=f"{app} / {name}", event="")


def check_of_context(context: str) -> Check:
    """Name a status's check."""
    return Check(workflow="", job=context, event="")


def in_group(check: Check) -> Check:
    """Name what a check says of a merge group: that is told apart from what it says of the head itself."""
    return check.model_copy(update={"event": MERGE_GROUP})


def third_party_id(told: ThirdParty) -> str:
    """Name a check as `resolver.state.check_id` names a job's: no workflow, so nothing stands before the colon."""
    return f": {told.label}"
