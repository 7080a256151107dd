"""What failres says to a command, as a comment: a line for each, with the command that it answers. Pure."""

from __future__ import annotations

from typing import assert_never

from bot.words.comment import LIMIT
from bot.words.inert import code
from bot.words.replies import COMMANDS, help_text, reply_denied, reply_misread, reply_refused
from bot.words.times import utc
from bot.words.verdict import hindered
from resolver.actions.talk import PostReply
from resolver.facts.commands import ReplyLine, Said

LINES = 40
"""So many lines of one reply are shown, the newest."""


def reply_marker(number: int, thread: int) -> str:
    """Give the hidden mark by which failres finds its own reply again, together with its own App id."""
    return f"<!-- failres:reply:{number}:{thread} -->"


def reply(action: PostReply, repo_url: str) -> str:
    """Write the reply, at most 65,536 characters, the newest line last."""
    lines = [_line(line, action.number, repo_url) for line in action.lines[-LINES:]]
    hidden = len(action.lines) - len(lines)
    first = [f"… and {hidden} earlier ones."] if hidden > 0 else []
    mark = reply_marker(action.number, action.thread)
    while lines:
        text = "\n\n".join((mark, *first, *lines))
        if len(text) <= LIMIT:
            return text
        lines.pop(0)
    return mark


def _line(line: ReplyLine, number: int, repo_url: str) -> str:
    name = code(line.to)
    to = name if line.comment_id is None else f"[{name}]({repo_url}/pull/{number}#issuecomment-{line.comment_id})"
    return f"{to}: {said(line.said)}"


def said(what: Said) -> str:
    """Give one answer in words."""
    match what.kind:
        case "help":
            return help_text()
        case "misread" if what.misread is not None:
            return reply_misread(what.misread, what.asked)
        case "denied" if what.denied is not None:
            return reply_denied(what.denied)
        case "refused" if what.refused is not None:
            return reply_refused(what.refused)
        case "misread" | "denied" | "refused" | "not-done":
            return _not_done(what)
        case _:
            assert_never(what.kind)


def _not_done(what: Said) -> str:
    command = code(COMMANDS[what.command].example.split(" scopeFiles", 1)[0]) if what.command else "This"
    until = f" It can be asked again from {utc(what.until)} UTC on." if what.until is not None else ""
    return f"{command} was not carried out: {hindered(what.reason)}.{until}"
