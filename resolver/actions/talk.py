"""What can be done in a conversation: read rights and comments, react, reply, set a label, ask, notify."""

from __future__ import annotations

from typing import Literal

from resolver.actions.base import Action
from resolver.digest import digest
from resolver.facts.commands import ReplyLine
from resolver.facts.decisions import DecisionRequested, Ended, HandoffRefused, HandoffWritten
from resolver.ids import PullNumber, Sha

Emoji = Literal["+1", "-1", "confused", "eyes"]
"""GitHub's contents of a reaction."""


class ReadStanding(Action):
    """Read the rights that a command's giver has now."""

    type: Literal["read-standing"] = "read-standing"
    number: PullNumber
    command_id: str
    user_id: int
    login: str

    @property
    def target(self) -> str:
        """The rights of that command's giver."""
        return f"standing:{self.command_id}"


class ReadComments(Action):
    """Look for commands in the comments that were changed since then: what webhooks may not have told."""

    type: Literal["read-comments"] = "read-comments"
    number: PullNumber
    since: float | None
    until: float

    @property
    def target(self) -> str:
        """The comments of that pull request."""
        return f"comments:{self.number}"


class React(Action):
    """React to a comment; GitHub keeps one reaction of a kind by each account."""

    type: Literal["react"] = "react"
    number: PullNumber
    comment_id: int
    content: Emoji

    @property
    def target(self) -> str:
        """That reaction to that comment."""
        return f"reaction:{self.comment_id}:{self.content}"


class PostReply(Action):
    """Write a reply to commands, or edit it where it stands already. `reply_id` is the comment, as far as known."""

    type: Literal["post-reply"] = "post-reply"
    number: PullNumber
    thread: int
    lines: tuple[ReplyLine, ...]
    reply_id: int | None = None

    @property
    def target(self) -> str:
        """The reply comment, counted from 0 on its pull request."""
        return f"reply:{self.number}:{self.thread}"

    @property
    def key(self) -> str:
        """Identity by what is said; which comment says it does not matter."""
        return f"{self.target}@{digest(self.model_dump(mode='json', by_alias=True, exclude={'reply_id'}))}"


class SetLabel(Action):
    """Set a label, or take it off, as a command asks."""

    type: Literal["set-label"] = "set-label"
    number: PullNumber
    label: str
    present: bool
    command_id: str

    @property
    def target(self) -> str:
        """That label on that pull request."""
        return f"label:{self.number}:{self.label}"


class PostDecision(Action):
    """Ask people in a comment of its own, or say in it how the question ended.

    `comment_id` and `handoff` are what is known of the comment and of the question's bundle.
    """

    type: Literal["post-decision"] = "post-decision"
    number: PullNumber
    head_sha: Sha
    decision: DecisionRequested
    ended: Ended | None = None
    comment_id: int | None = None
    handoff: HandoffWritten | HandoffRefused | None = None

    @property
    def target(self) -> str:
        """The question's comment."""
        return f"decision:{self.decision.decision_id}"

    @property
    def key(self) -> str:
        """Identity by what is said; which comment says it, and on which head, does not matter."""
        unknown = {"handoff"} if self.handoff is None else set()
        said = self.model_dump(mode="json", by_alias=True, exclude={"comment_id", "head_sha", *unknown})
        return f"{self.target}@{digest(said)}"


class Notify(Action):
    """Tell a destination outside of GitHub of a question, once. `destination` is a name in the server's settings."""

    type: Literal["notify"] = "notify"
    number: PullNumber
    head_sha: Sha
    title: str
    decision: DecisionRequested
    destination: str
    comment_id: int | None = None

    @property
    def target(self) -> str:
        """That question at that destination."""
        return f"notify:{self.decision.decision_id}:{self.destination}"

    @property
    def key(self) -> str:
        """Identity by the question and the destination alone: nothing makes it worth telling twice."""
        return f"{self.target}@{digest(self.target)}"


TalkAction = ReadStanding | ReadComments | React | PostReply | SetLabel | PostDecision | Notify
