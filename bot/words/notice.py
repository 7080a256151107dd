"""A notification in Slack's form, which others take as well: what is asked, where, and the mark of the question. Pure.

Words of people and logs stand in code, where no destination follows a link or calls anybody.
"""

from __future__ import annotations

from typing import Any, Final

from bot.words.inert import one_line, visible
from resolver.actions.talk import Notify
from resolver.facts.decisions import DecisionRequested
from resolver.secrets import mask
from resolver.taxonomy import TAXONOMY

FILES: Final = 5
LIMIT: Final = 3_000
"""Slack: the most characters of a section's text."""

_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def notice(action: Notify, repository: str, repo_url: str) -> dict[str, Any]:
    """Give the body of the request: `text` for all, and the same in a block for Slack."""
    return block(_text(action, repository, repo_url))


def block(text: str) -> dict[str, Any]:
    """Give a body with that text, cut to what Slack takes."""
    shown = text[:LIMIT]
    return {"text": shown, "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": shown}}]}


def _text(action: Notify, repository: str, repo_url: str) -> str:
    asked = action.decision
    page = f"{repo_url}/pull/{asked.number}"
    if action.comment_id is not None:
        page = f"{page}#issuecomment-{action.comment_id}"
    lines = (
        f"*{asked.question}* {as_code(f'{repository}#{asked.number}')} {as_code(action.title)}",
        _happened(asked),
        f"<{page}|Answer on the pull request>. Nothing automatic follows there until then. ({asked.decision_id})",
    )
    return "\n".join(lines)


def _happened(asked: DecisionRequested) -> str:
    if asked.quarantined == "sync":
        left = asked.why.partition("; ")[0]
        files = f": {', '.join(as_code(each) for each in asked.files[:FILES])}" if asked.files else ""
        return f"{left[:1].upper()}{left[1:]}{files}"
    row = TAXONOMY.get(asked.fail_class)
    title = row.title if row is not None else "It failed"
    what = f": {as_code(asked.because.item or asked.because.check.job)}" if asked.because is not None else ""
    return f"{title}{what}"


def as_code(text: str) -> str:
    """Give text as code for Slack; a backtick in it would end it, and Slack has no way to write one."""
    return f"`{one_line(mask(visible(text)), 120).replace('`', chr(39)).translate(_ENTITIES)}`"
