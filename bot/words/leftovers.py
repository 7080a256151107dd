"""What people are asked about branches that failres has left behind and could not remove. Pure.

No pull request is concerned, so that there is no comment: it goes to the configured destinations, in Slack's form, and
into the server's log. The names are whatever somebody called them, and stand in code or are escaped.
"""

from __future__ import annotations

from typing import Any, Final

from bot.words.commits import short
from bot.words.inert import one_line
from bot.words.lists import listed, rows
from bot.words.notice import as_code, block
from resolver.facts.orphans import OrphansAsked

QUESTION: Final = "Who removes what failres has left behind?"
SHOWN: Final = 10
HINT: Final = (
    "Delete what nobody needs: failres does nothing more about a branch that stays as it is, "
    "and forgets one that is gone."
)


def leftovers_notice(asked: OrphansAsked, repository: str, repo_url: str) -> dict[str, Any]:
    """Give the body of the request that tells a destination."""
    named = [f"• {as_code(each.name)} at {as_code(short(each.version))}" for each in asked.things]
    lines = (
        f"*{QUESTION}* {as_code(repository)}",
        f"No record owns {_these(asked)} any more, and failres could not remove {_it(asked)}: {as_code(asked.why)}",
        *rows(named, SHOWN),
        f"{HINT} <{repo_url}/branches/all?query=failres|The repository's branches>. ({asked.decision_id})",
    )
    return block("\n".join(lines))


def leftovers_in_log(asked: OrphansAsked, repository: str) -> str:
    """Say the same on one line of the server's log."""
    named = listed([one_line(each.name, 120) for each in asked.things], SHOWN)
    return f"{repository}: {QUESTION} {named}: {one_line(asked.why, 200)}. {HINT} ({asked.decision_id})"


def _these(asked: OrphansAsked) -> str:
    return "this branch" if len(asked.things) == 1 else f"these {len(asked.things)} branches"


def _it(asked: OrphansAsked) -> str:
    return "it" if len(asked.things) == 1 else "them"
