"""What is known of commands: who gave which, the giver's rights, what was decided, and what is said about it.

A command arrives as a line of a comment or as a press on a button of failres's own check run. `command_id` names it:
`c` and the comment's id, or `b` and the delivery's.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import field_serializer

from resolver.answers import Refused
from resolver.commands import Command, Denied, Misread, Name, Permission, Sender
from resolver.decisions import Decision
from resolver.ids import PullNumber, Sha
from resolver.records import Record

Button = Literal["rerun", "sync", "explain"]
"""The identifiers of the check run's buttons (GitHub: at most 20 characters)."""


class CommandGiven(Record):
    """
    Somebody wrote a new comment with commands, or pressed a button. `at` is in seconds, by GitHub's clock; None for a
    button, of which GitHub tells no time. `head_sha` is the head that a button's check run stands on.
    """

    number: PullNumber
    command_id: str
    by: Sender | None
    commands: tuple[Command | Misread, ...]
    comment_id: int | None = None
    at: float | None = None
    head_sha: Sha | None = None

    @field_serializer("commands")
    def _whole(self, commands: tuple[Command | Misread, ...]) -> list[dict[str, Any]]:
        """A command's name is a default, and without it a command could not be read back."""
        return [each.model_dump(mode="json", by_alias=True) for each in commands]


class StandingRead(Record):
    """The rights of a command's giver, read for it; None where GitHub showed another account, or none, by that name."""

    number: PullNumber
    command_id: str
    permission: Permission | None


class Said(Record):
    """
    What is said about a command, as values. `command` is the command meant, `reason` words that came from a limit or
    from GitHub, `until` (seconds) when the reason ends by itself, `asked` the open question that may have been meant.
    """

    kind: Literal["misread", "denied", "refused", "help", "not-done"]
    command: Name | None = None
    misread: Misread | None = None
    denied: Denied | None = None
    refused: Refused | None = None
    reason: str = ""
    until: float | None = None
    asked: Decision | None = None


class ReplyLine(Record):
    """One line of a reply: to whom, about which comment (None for a button), and what."""

    to: str
    comment_id: int | None = None
    said: Said


Result = Literal["taken", "refused", "ignored"]


class Judged(Record):
    """
    What was decided about one command of a comment. `effect` is the key of the action that carries it out, where there
    is one, and `target` what that action is about.
    """

    command: Name | None = None
    result: Result
    said: Said | None = None
    target: str | None = None
    effect: str | None = None


BENEATH: Final = -1
"""The thread of what stands beneath the one comment, where no reply may be made today and there is none to add to."""


class CommandJudged(Record):
    """
    All commands of one comment, or one press, were decided on. `thread` is the reply that what is said goes into, or
    `BENEATH`; None: it could be said nowhere.
    """

    number: PullNumber
    command_id: str
    at: float
    judged: tuple[Judged, ...]
    thread: int | None = None


class CommandFailed(Record):
    """The action of a command that was taken (the `index`-th of its comment) was not carried out, for the reason."""

    number: PullNumber
    command_id: str
    index: int
    reason: str
    thread: int | None = None


class LabelSet(Record):
    """A label was set on, or taken from, a pull request because of a command."""

    number: PullNumber
    label: str
    present: bool
    command_id: str


class CommentsRead(Record):
    """All comments of a pull request that were changed until `until` (seconds, by GitHub's clock) were looked at."""

    number: PullNumber
    until: float


class PullTouched(Record):
    """The regular look found a pull request changed at `at` (seconds): its comments may hold what no webhook told."""

    number: PullNumber
    at: float


CommandFact = CommandGiven | StandingRead | CommandJudged | CommandFailed | LabelSet | CommentsRead | PullTouched
