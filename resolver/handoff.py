"""What is handed to a person with a question or a quarantine: everything that is known of it at that moment.

The journal's slice and the excerpts are not in it: whoever writes the bundle reads them where they are kept.
"""

from __future__ import annotations

from typing import Final, Literal

from resolver.config import RepoConfig
from resolver.facts.decisions import DecisionRequested
from resolver.facts.quarantine import TaskQuarantined
from resolver.ids import PullNumber, Sha
from resolver.records import Record
from resolver.report import Report
from resolver.task_scope import TaskScope

BRANCH: Final = "failres/state"
"""Our own records in a repository: an orphan branch without workflows, so that nothing runs on it (section 13)."""


class Attempt(Record):
    """
    Something that was tried at `at` (seconds). `what` names the check or commit, `why` says what it was for, and
    `reason` why it was refused or did not help. `result` is `unknown` while nothing was heard of its end.
    """

    kind: Literal["rerun", "probe", "sync", "resolution", "proposal"]
    at: float
    what: str
    why: str = ""
    result: Literal["helped", "failed", "refused", "unknown"] = "unknown"
    reason: str = ""


class Handoff(Record):
    """
    One handoff bundle as values: of a question, of a quarantine, or of both where the one asks about the other.
    `config` is what holds on the base at `config_at`, None where it has no file; `earlier` are the ids of the pull
    request's earlier questions.
    """

    decision: DecisionRequested | None = None
    quarantine: TaskQuarantined | None = None
    report: Report
    title: str
    author: str
    head_ref: str
    base_ref: str
    base_sha: Sha | None = None
    config: RepoConfig | None = None
    config_at: Sha | None = None
    tried: tuple[Attempt, ...] = ()
    earlier: tuple[str, ...] = ()
    scope: TaskScope | None = None

    @property
    def path(self) -> str:
        """The bundle's file: the one that the quarantine's record names, else by the question's id alone."""
        named = self.quarantine.snapshot_bundle if self.quarantine is not None else None
        return named or handoff_path(self.report.number, self.decision_id)

    @property
    def decision_id(self) -> str:
        """The question's id; empty where there is none."""
        return self.decision.decision_id if self.decision is not None else ""


def handoff_path(number: PullNumber, decision_id: str) -> str:
    """Give the path of a question's bundle on `BRANCH`: the same question is always the same file."""
    return f"handoff/pr-{number}/{decision_id}.md"


def quarantine_path(number: PullNumber, seq: int) -> str:
    """Give the path of the bundle of a task's quarantine on `BRANCH`."""
    return f"handoff/pr-{number}/quarantine-{seq}.md"
