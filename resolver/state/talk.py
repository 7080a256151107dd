"""The conversation on one pull request as it is known: commands, what was answered, and what people have switched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from resolver.facts.commands import CommandGiven, CommandJudged, ReplyLine, StandingRead
from resolver.facts.decisions import DecisionAnswered, DecisionRequested, HandoffRefused, HandoffWritten
from resolver.ids import Sha
from resolver.records import nothing

KEPT = 100
"""So many commands of one pull request are remembered, the newest."""

BENEATH_KEPT = 20
"""So many lines stand beneath the one comment, the newest."""


@dataclass(frozen=True, slots=True)
class Given:
    """One comment's commands. `head` was the head when it was heard of, `failed` are those whose action failed."""

    fact: CommandGiven
    head: Sha
    standing: StandingRead | None = None
    judged: CommandJudged | None = None
    failed: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Switch:
    """The newest stop (`on`) or resume; `done` once the label says the same."""

    command_id: str
    on: bool
    done: bool = False


@dataclass(frozen=True, slots=True)
class Talk:
    """
    `replies` are the lines of each reply comment, `beneath` those that stand in the one comment since this head has no
    reply for them, `told` the ids of outsiders that were told that they may not command,
    `unfolded` the head for which somebody asked to see all evidence. Comments were looked at until `read_until`; at
    `touched` the regular look found something changed. `pushed` is the newest head that is not our own rebase,
    `pushed_before` the one before; `rebased` is our own rebase of it, while that is the head.
    """

    commands: Mapping[str, Given] = field(default_factory=nothing)
    replies: tuple[tuple[ReplyLine, ...], ...] = ()
    beneath: tuple[ReplyLine, ...] = ()
    told: frozenset[int] = frozenset()
    switch: Switch | None = None
    unfolded: Sha | None = None
    read_until: float | None = None
    touched: float | None = None
    decisions: Mapping[str, DecisionRequested] = field(default_factory=nothing)
    answers: Mapping[str, DecisionAnswered] = field(default_factory=nothing)
    handoffs: Mapping[str, HandoffWritten | HandoffRefused] = field(default_factory=nothing)
    pushed: Sha | None = None
    pushed_before: Sha | None = None
    rebased: Sha | None = None

    def at_head(self, head: Sha) -> Talk:
        """Give the talk after a new head was seen, whoever made it."""
        if head in (self.pushed, self.rebased):
            return self
        return replace(self, pushed=head, pushed_before=self.pushed, rebased=None, beneath=())

    def own_push(self, head: object) -> Talk:
        """Give the talk once it is known that failres itself made that head: a question survives it."""
        mine = head is not None and head == self.pushed and self.pushed_before is not None
        return replace(self, pushed=self.pushed_before, rebased=self.pushed) if mine else self

    @property
    def stopping(self) -> bool:
        """True from a stop until the label stands; from then on the label decides."""
        return self.switch is not None and self.switch.on and not self.switch.done
