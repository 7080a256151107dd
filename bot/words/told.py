"""One answer to a command, in words: whom it is for, and what is said. Pure."""

from __future__ import annotations

from typing import assert_never

from bot.words.inert import code
from bot.words.replies import COMMANDS, help_text, reply_denied, reply_misread, reply_refused
from bot.words.times import utc
from bot.words.verdict import hindered
from resolver.facts.commands import ReplyLine, Said


def answer_line(line: ReplyLine, number: int, repo_url: str) -> str:
    """Give one line of a reply."""
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
