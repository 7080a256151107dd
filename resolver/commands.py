"""
What people may command in a comment, and who may (specification, section 11).

The comment's text is read by the shell; these are the values that come of it. `permit` decides on the person, by
numeric id and rights as they are at the time of reading; `resolver.decisions` decides on an answer's content.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Final, Literal, get_args

from pydantic import Field

from resolver.records import Record

Name = Literal["answer", "retry", "sync", "stop", "resume", "explain", "help", "verdict"]
NAMES: Final[tuple[Name, ...]] = get_args(Name)


class Answer(Record):
    """An answer to a decision: files that the task may also change, or one of the options that were offered."""

    name: Literal["answer"] = "answer"
    scope_files: tuple[str, ...] = ()
    option: str | None = None
    decision: str | None = None


class Retry(Record):
    """One execution within the ledger's limits; it lifts none of them."""

    name: Literal["retry"] = "retry"


class Sync(Record):
    """Synchronise the task's branch with its base now."""

    name: Literal["sync"] = "sync"


class Stop(Record):
    """Disarm, dequeue, cancel fix runs; nothing automatic any more."""

    name: Literal["stop"] = "stop"


class Resume(Record):
    """Undo a stop."""

    name: Literal["resume"] = "resume"


class Explain(Record):
    """Show the evidence chain."""

    name: Literal["explain"] = "explain"


class Help(Record):
    """Show the commands."""

    name: Literal["help"] = "help"


class Verdict(Record):
    """An arbiter's judgement on a story's attempt."""

    name: Literal["verdict"] = "verdict"
    outcome: Literal["approved", "rejected"]
    reasoning: str = ""


Command = Annotated[Answer | Retry | Sync | Stop | Resume | Explain | Help | Verdict, Field(discriminator="name")]

Problem = Literal[
    "unknown", "hidden", "in-quote", "quotes", "markup", "extra", "key", "twice", "nothing", "both", "list", "option",
    "outcome", "too-many", "too-long",
]  # fmt: skip
"""Why a line that begins with `/failres` is no command."""


class Misread(Record):
    """A line that was meant as a command and is none. `word` is what was wrong in it, `meant` what it may have been."""

    problem: Problem
    command: Name | None = None
    word: str = ""
    meant: str | None = None


Permission = Literal["none", "read", "triage", "write", "maintain", "admin"]
_WRITERS = ("write", "maintain", "admin")


class Sender(Record):
    """
    Who wrote a comment. `app_id` is the App that it was written through, or whose bot wrote it (GitHub:
    `performed_via_github_app`); anybody's App may end in `[bot]`, so that the name proves nothing.
    """

    id: int
    login: str
    type: str = "User"
    app_id: int | None = None

    @property
    def is_person(self) -> bool:
        """An account of a person, and no App in between."""
        return self.type == "User" and self.app_id is None


class Comment(Record):
    """A comment as it arrived. Only a created one is read; `by` is None where the account is gone."""

    comment_id: int
    by: Sender | None
    change: Literal["created", "edited", "deleted"] = "created"


class Standing(Record):
    """The sender's rights at the time of reading; None where GitHub did not tell."""

    permission: Permission | None
    arbiter: bool = False

    @property
    def may_write(self) -> bool:
        """Write access or more, proven."""
        return self.permission in _WRITERS


class CommandRules(Record):
    """`allowed_apps` are those that the configuration lets command. What failres wrote itself is no command at all."""

    allowed_apps: tuple[int, ...] = ()


class Permitted(Record):
    """The command may be carried out."""


class Ignored(Record):
    """Nothing happens and nothing is said."""

    why: Literal["edited", "deleted", "gone", "bot"]


class Denied(Record):
    """The sender is told why; an outsider (`no-rights`) once per pull request."""

    why: Literal["no-rights", "rights-unread", "through-app", "not-for-apps", "not-arbiter"]


Permit = Permitted | Ignored | Denied


def permit(command: Command | Misread, comment: Comment, standing: Standing, rules: CommandRules) -> Permit:
    """
    Decide whether a comment's author may give a command (or be told what is wrong with one).

    `stop` is open to every person and allowed App. All else needs write access; a verdict, an arbiter's place as well.
    Apps are ignored unless allowed, and never answer with files.
    """
    by = comment.by
    if comment.change != "created":
        return Ignored(why=comment.change)
    if by is None:
        return Ignored(why="gone")
    if isinstance(command, Stop) and by.type == "User":
        return Permitted()
    if not by.is_person and (why := _app(by, command, rules.allowed_apps)) is not None:
        return why
    if isinstance(command, Stop):
        return Permitted()  # an allowed App's
    if standing.permission is None:
        return Denied(why="rights-unread")
    if not standing.may_write:
        return Denied(why="no-rights")
    if isinstance(command, Verdict) and not standing.arbiter:
        return Denied(why="not-arbiter")
    return Permitted()


def _app(by: Sender, command: Command | Misread, allowed: Collection[int]) -> Permit | None:
    """What keeps an App, or a person's words that came through one, from commanding."""
    if by.app_id is None or by.app_id not in allowed:
        return Denied(why="through-app") if by.type == "User" else Ignored(why="bot")
    if isinstance(command, Verdict) or (isinstance(command, Answer) and command.scope_files):
        return Denied(why="not-for-apps")
    return None
