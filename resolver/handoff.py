"""What is handed to a person with a question: everything that is known of it at the moment when it is asked.

The journal's slice and the excerpts are not in it: whoever writes the bundle reads them where they are kept.
"""

from __future__ import annotations

from typing import Final, Literal

from resolver.config import RepoConfig
from resolver.decision_facts import DecisionRequested
from resolver.ids import Sha
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
    One handoff bundle as values. `config` is what holds on the base at `config_at`, None where it has no file;
    `earlier` are the ids of the pull request's earlier questions.
    """

    decision: DecisionRequested
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
        """The bundle's file, by the question's id alone: the same question is always the same file."""
        return handoff_path(self.decision)


def handoff_path(decision: DecisionRequested) -> str:
    """Give the path of a question's bundle on `BRANCH`."""
    return f"handoff/pr-{decision.number}/{decision.decision_id}.md"
