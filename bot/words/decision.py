"""The comment that asks people: what happened, the evidence, and the exact reply to copy. Pure."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from bot.words.asking import happened, options, replies
from bot.words.comment import LIMIT
from bot.words.commits import short
from bot.words.evidence import evidence
from bot.words.inert import code, fold_in, reason
from bot.words.model import proposed
from bot.words.plan import block_to_mend
from bot.words.remedies import remedy_for
from bot.words.trouble import stopped
from resolver.actions.talk import PostDecision
from resolver.facts.decisions import Ended, HandoffRefused, HandoffWritten
from resolver.handoff import BRANCH

_ENDS: Final = MappingProxyType(
    {
        "head-moved": "It ended without an answer when somebody pushed.",
        "base-moved": "It ended without an answer when the base moved.",
        "edited": "It ended without an answer: the description was edited.",
        "passed": "It ended without an answer: the check has passed.",
        "closed": "It ended without an answer: the pull request was closed.",
        "merged": "It ended without an answer: the pull request was merged.",
        "goes-on": "It ended without an answer here: the run goes on.",
    }
)


def decision_marker(decision_id: str) -> str:
    """Give the hidden mark by which failres finds its own question again, together with its own App id."""
    return f"<!-- failres:decision:{decision_id} -->"


def render(action: PostDecision, repo_url: str) -> str:
    """Write the question, at most 65,536 characters; `repo_url` is the repository's page."""
    asked = action.decision
    parts = [decision_marker(asked.decision_id)]
    if action.ended is not None:
        parts += [f"**{asked.question}** {_ended(action.ended)}", happened(asked)]
    elif asked.kind == "stopped":
        parts += [f"**{asked.question}**", stopped(asked.why)]
    elif asked.kind == "plan":
        parts += [f"**{asked.question}**", happened(asked), block_to_mend(), options(asked)]
    else:
        parts += [f"**{asked.question}**", happened(asked), replies(asked)]
        helps = remedy_for(asked.fail_class)
        parts[3:3] = [helps] if helps is not None else []
    if asked.proposed is not None:
        parts.insert(3, proposed(asked.proposed))
    if asked.because is not None:
        parts.append(fold_in("Evidence", evidence(asked.because, repo_url)))
    if action.handoff is not None:
        parts.append(_handoff(action.handoff, repo_url, asked.number))
    parts.append(
        f"<sub>failres · question {asked.decision_id} · commit {short(asked.head.sha)} · class {asked.fail_class}</sub>"
    )
    return "\n\n".join(parts)[:LIMIT]


def _handoff(handoff: HandoffWritten | HandoffRefused, repo_url: str, number: int) -> str:
    """Lead to the bundle, or say why there is none, and where else the same is told."""
    if isinstance(handoff, HandoffRefused):
        why = reason(handoff.reason.rstrip("."), 200)
        return f"There is no handoff bundle: {why}. `failres explain {number}` on failres's server shows what is known."
    return f"[Handoff bundle]({repo_url}/blob/{BRANCH}/{handoff.path}): all that is known, for whoever takes over."


def _ended(ended: Ended) -> str:
    if ended.answer is None:
        return _ENDS.get(ended.why, "It ended without an answer.")
    answer = ended.answer
    said = code(answer.option) if answer.option is not None else ", ".join(code(each) for each in answer.scope_files)
    return f"Answered by {code(answer.login)}: {said}."
