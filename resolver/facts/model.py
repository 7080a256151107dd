"""What a model was asked and came back with, as the journal keeps it: `model.replied` (specification, section 10).

The reply's text is not kept: it was read by `resolver.llm.read_answer`, and what that made of it is what counts.
"""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from resolver.ids import PullNumber, Sha
from resolver.llm import Broken, LlmAnswer, Reply, Silent
from resolver.records import Record


class Usage(Record):
    """
    What a call cost: the model that answered, tokens as the endpoint counts them, seconds until the answer was there.

    `cost` is what the endpoint itself says that it was, in its own currency; few do.
    """

    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None


class ModelReplied(Record):
    """
    One call to the model has ended, at `at` (seconds): exactly one of `answer`, `broken` and `silent` says how.

    `call` counts from 1 within the question about one failure class at one `attempt` of the resolver on one head.
    """

    number: PullNumber
    head_sha: Sha
    fail_class: str
    attempt: int
    call: int
    at: float
    answer: LlmAnswer | None = None
    broken: Broken | None = None
    silent: Silent | None = None
    usage: Usage = Usage()

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(each is not None for each in (self.answer, self.broken, self.silent)) != 1:
            raise ValueError("a call ends in exactly one way")
        return self

    @property
    def reply(self) -> Reply:
        """How it ended."""
        return self.answer or self.broken or self.silent or Silent(why="nothing is recorded of it")

    @property
    def id(self) -> str:
        """The call's name: the target of the action `resolver.actions.model.CallModel` that made it."""
        return call_target(self.number, self.head_sha, self.fail_class, self.attempt, self.call)


PREFIX = "model:"
"""How the targets of all calls to the model begin."""


def call_target(number: PullNumber, head: Sha, fail_class: str, attempt: int, call: int) -> str:
    """Name one call of the question about a failure class at an attempt on a pull request's head."""
    return f"{PREFIX}{number}:{head[:12]}:{fail_class}:{attempt}:{call}"
