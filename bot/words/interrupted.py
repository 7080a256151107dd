"""What was interrupted when people are asked about it, in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from bot.words.inert import reason
from resolver.facts.decisions import DecisionRequested
from resolver.interruptions import CONFLICT
from resolver.taxonomy import TAXONOMY

_DOING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "sync": "This branch was being brought up to date with its base",
        "enqueue": "This pull request was being put into the merge queue again",
        "probe": "The check was being started on the clean base, to see whether it fails there too",
        "journal": "What failres had found out about this pull request was being recorded",
    }
)
"""By the kind of the action's target."""


def interrupted(asked: DecisionRequested) -> str:
    """Say what was being done, what came in between, and that it was tried again before."""
    kind = asked.of_action.partition(":")[0]
    row = TAXONOMY.get(asked.fail_class)
    title = row.title if row is not None else asked.fail_class
    doing = _DOING.get(kind, "Something was being done here")
    if asked.fail_class == CONFLICT:
        return (
            f"{doing}, and the two conflict. By its table failres would begin the task anew, and cannot here: "
            f"{reason(asked.why.rstrip('.'), 300)}."
        )
    return (
        f"{doing}, and it was interrupted: {title[0].lower()}{title[1:]} ({reason(asked.why.rstrip('.'), 300)}). "
        "It was tried again before; whether it is tried once more is for people to decide."
    )
