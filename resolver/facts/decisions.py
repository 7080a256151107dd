"""Questions that were put to people, who was told of them, and what was answered, as the journal keeps them
(specification, section 11).
"""

from __future__ import annotations

from typing import Any, Self

from resolver.answers import Accepted
from resolver.attribution.outcome import Verdict
from resolver.decisions import Decision
from resolver.facts.quarantine import Cause
from resolver.facts.resolve import Proposal
from resolver.ids import PullNumber, Sha
from resolver.records import Record


class DecisionRequested(Decision):
    """
    A question was decided on. `because` is the verdict that led to it, `reds` how many failed executions of its check
    were known: the same matter is asked again only after a further one. `why` is what stands in the way, in words,
    `proposed` what a model that was asked before had to say, `message` what the failure itself says. `quarantined` is
    the cause of the quarantine under which it is asked, which a moved base may lift; what a rebase left (`sync`) is
    what the question is about. `of_action` is the ticket of an action that was interrupted.
    """

    because: Verdict | None = None
    reds: int = 0
    why: str = ""
    proposed: Proposal | None = None
    quarantined: Cause | None = None
    of_action: str = ""
    message: str = ""

    @classmethod
    def of(cls, decision: Decision, **beside: Any) -> Self:
        """Ask a question, with what is known beside it."""
        return cls(**{name: getattr(decision, name) for name in Decision.model_fields}, **beside)

    def decision(self) -> Decision:
        """Give the question alone."""
        return Decision.model_validate({name: getattr(self, name) for name in Decision.model_fields})


class DecisionAnswered(Accepted):
    """A person, or an App where the kind allows it, answered: `login` wrote comment `comment_id` at `at` (seconds)."""

    login: str
    at: float
    command_id: str
    comment_id: int | None = None


class Ended(Record):
    """How a question ended: by an answer, or `why` without one."""

    answer: DecisionAnswered | None = None
    why: str = ""


class HandoffWritten(Record):
    """A handoff bundle stands at `path` on the branch of our records since `at` (seconds). `decision_id` is the
    question's that it leads to, empty where a quarantine has asked none.
    """

    number: PullNumber
    decision_id: str
    path: str
    commit: Sha
    at: float


class HandoffRefused(Record):
    """A handoff bundle could not be written to `path`, for the reason; it is not tried again."""

    number: PullNumber
    decision_id: str
    reason: str
    path: str = ""


DecisionFact = DecisionRequested | DecisionAnswered | HandoffWritten | HandoffRefused
