"""What the resolver decided on failures, and what came of it (specification, section 10)."""

from __future__ import annotations

from typing import Literal

from resolver.digest import digest
from resolver.executions import Check
from resolver.facts.model import ModelReplied
from resolver.facts.repairs import RepairDone, RepairFact, RepairFailed, RepairReported
from resolver.failure import Scope
from resolver.ids import PullNumber, RunId, Sha
from resolver.policy import Action
from resolver.records import Record


class ResolveDecided(Record):
    """
    The table's action for a failure class of a task, or at scope `run` of `of_run`: `resolve.decision`. `seq` is its
    identity (see `decision_seq`), to which `resolve.outcome` refers. `counts` is False for what is no attempt.

    What is executed begins at `due_at` (seconds) and runs the jobs of `run_id` after its `run_attempt` again.
    `rationale` says what kept the table's own action from being taken, or how long is waited and why. `parked`: for the
    end of a limit that was met. `of_action` is the ticket of the action that was interrupted, empty where a check
    failed.
    """

    number: PullNumber
    seq: int
    head_sha: Sha
    task_id: str | None = None
    check: Check | None = None
    fail_class: str
    attempt: int
    action: Action
    source: Literal["table", "llm"]
    at: float
    due_at: float | None = None
    run_id: int = 0
    run_attempt: int = 0
    rationale: str | None = None
    unreachable: bool = False
    counts: bool = True
    scope: Scope = "task"
    of_run: RunId | None = None
    of_action: str = ""
    parked: bool = False

    @property
    def proposal(self) -> Proposal | None:
        """The model's part in it; None where the table decided."""
        return Proposal(action=self.action, rationale=self.rationale or "") if self.source == "llm" else None


def decision_seq(whose: str, fail_class: str, attempt: int) -> int:
    """Give a decision's identity: there is one for each attempt of a class of a task, or run, whatever is replayed."""
    return int(digest([whose, fail_class, attempt], 12), 16)


class Proposal(Record):
    """What a model was asked for and what came of it. `rationale` is text of others, masked."""

    action: Action
    rationale: str


class ResolveEnded(Record):
    """What came of a decision: `resolve.outcome`. Success is an observed success of the check, nothing less."""

    number: PullNumber
    ref_decision_seq: int
    action: Action
    success: bool
    reason: str = ""


ResolveFact = ResolveDecided | ResolveEnded | RepairFact | ModelReplied


class Resolution(Record):
    """A decision, and how it ended. Of a repair of the environment: what it reported, did, or could not do."""

    decided: ResolveDecided
    reported: RepairReported | None = None
    repaired: RepairDone | None = None
    failed: RepairFailed | None = None
    ended: ResolveEnded | None = None
