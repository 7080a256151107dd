"""The conversation on one pull request as it is known: commands, what was answered, and what people have switched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from resolver.command_facts import CommandGiven, CommandJudged, ReplyLine, StandingRead
from resolver.ids import Sha

KEPT = 100
"""So many commands of one pull request are remembered, the newest."""


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


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
    `replies` are the lines of each reply comment, `told` the ids of outsiders that were told that they may not command,
    `unfolded` the head for which somebody asked to see all evidence. Comments were looked at until `read_until`; at
    `touched` the regular look found something changed.
    """

    commands: Mapping[str, Given] = field(default_factory=_nothing)
    replies: tuple[tuple[ReplyLine, ...], ...] = ()
    told: frozenset[int] = frozenset()
    switch: Switch | None = None
    unfolded: Sha | None = None
    read_until: float | None = None
    touched: float | None = None

    @property
    def stopping(self) -> bool:
        """True from a stop until the label stands; from then on the label decides."""
        return self.switch is not None and self.switch.on and not self.switch.done
