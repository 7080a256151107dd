"""What failres says to a command, as a comment: a line for each, with the command that it answers. Pure."""

from __future__ import annotations

from bot.words.comment import LIMIT
from bot.words.told import answer_line
from resolver.actions.talk import PostReply

LINES = 40
"""So many lines of one reply are shown, the newest."""


def reply_marker(number: int, thread: int) -> str:
    """Give the hidden mark by which failres finds its own reply again, together with its own App id."""
    return f"<!-- failres:reply:{number}:{thread} -->"


def reply(action: PostReply, repo_url: str) -> str:
    """Write the reply, at most 65,536 characters, the newest line last."""
    lines = [answer_line(line, action.number, repo_url) for line in action.lines[-LINES:]]
    hidden = len(action.lines) - len(lines)
    first = [f"… and {hidden} earlier ones."] if hidden > 0 else []
    mark = reply_marker(action.number, action.thread)
    while lines:
        text = "\n\n".join((mark, *first, *lines))
        if len(text) <= LIMIT:
            return text
        lines.pop(0)
    return mark
