"""What a model proposed, in words. Its own words are text of others: they stand in a code span and do nothing. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from bot.words.inert import code
from resolver.facts.resolve import Proposal
from resolver.policy import Action

RATIONALE = 400

PROPOSES: Final[Mapping[Action, str]] = MappingProxyType(
    {
        "resume": "to run the failed job once more",
        "redo-task": "to have the task done anew",
        "env-repair:provision-deps": "to run the failed job once more with its dependencies provisioned anew",
        "env-repair:adapter-restart": "to see whether the fixer's command works again",
        "env-repair:gc-dry-then-tmp-clean": "to remove what failres left behind, and to run the failed job once more",
        "reroute": "to give the task to another fixer",
        "park-retry": "to wait, and to run the failed job then",
        "accept-quarantine-continue": "to leave this as it is and to go on with the rest",
        "escalate": "to ask people",
    }
)


def proposed(proposal: Proposal) -> str:
    """Say that a model was asked, and what came of it; a decision to ask people may be its own or follow from none."""
    why = code(proposal.rationale.rstrip("."), RATIONALE)
    if proposal.action == "escalate":
        return f"A model was asked about it, and people have to decide: {why}."
    return f"A model proposed {PROPOSES[proposal.action]}: {why}."
