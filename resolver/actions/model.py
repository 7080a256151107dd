"""What can be asked of a model. It writes nothing on GitHub, yet it shows a log to somebody and costs money."""

from __future__ import annotations

from typing import Literal

from resolver.actions.base import Action
from resolver.facts.model import call_target
from resolver.failure import Failure, Scope
from resolver.ids import PullNumber, Sha


class CallModel(Action):
    """
    Ask the model once what follows from a failure. `failure` is None where the log named none.

    `call` is 1, or 2 after an answer that did not fit. It is never made a second time: what became of a call that was
    cut off is not known, and it is paid for all the same.
    """

    type: Literal["call-model"] = "call-model"
    number: PullNumber
    head_sha: Sha
    fail_class: str
    scope: Scope
    attempt: int
    call: int
    failure: Failure | None = None

    @property
    def target(self) -> str:
        """That call of that question."""
        return call_target(self.number, self.head_sha, self.fail_class, self.attempt, self.call)

    @property
    def key(self) -> str:
        """Identity by the question alone: what else is learnt meanwhile does not make it another one."""
        return f"{self.target}@asked"
