"""The fold of actions: how far each has come, what it has cost, and which new comments are on their way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, TypeAlias, assert_never

from resolver.facts import ActionDone, ActionRefused, ActionStarted
from resolver.fold.forgotten import forget_effects
from resolver.fold.spent import fold_spent
from resolver.state import Effect, Pull, RepoState

Ended: TypeAlias = ActionDone | ActionRefused

NEW_COMMENTS: Final = {"post-comment": "commentId", "post-decision": "decisionComment", "post-reply": "replyId"}
"""Types of actions that make a comment unless one is known, and where their results name it."""


def fold_effect(state: RepoState, fact: Ended | ActionStarted) -> RepoState:
    """Give the state after an action was started, was done or was refused."""
    if isinstance(fact, ActionStarted):
        state = fold_spent(state, fact)
    if isinstance(fact, ActionStarted) and fact.spends is not None:
        state = replace(state, ledger=state.ledger.spent(fact.spends))
    if isinstance(fact, ActionRefused) and fact.unspent is not None:
        state = replace(state, ledger=state.ledger.spent(fact.unspent, happened=False))
    if fact.number is None:
        return replace(state, effects=forget_effects(_advance(state.effects, fact)))
    pull = state.pulls.get(fact.number)
    if pull is None:
        return state
    pull = replace(pull, effects=_advance(pull.effects, fact))
    if isinstance(fact, ActionDone) and "commentId" in fact.result:
        pull = replace(pull, comment_id=fact.result["commentId"])
    if isinstance(fact, ActionDone) and fact.target == f"sync:{fact.number}":
        pull = replace(pull, talk=pull.talk.own_push(fact.result.get("head")))
    if isinstance(fact, ActionDone) and "createdAt" in fact.result:
        made = float(fact.result["createdAt"])
        pull = replace(pull, comments_at=(*pull.comments_at, made))
        state = replace(state, comments_at=(*state.comments_at[-99:], made))
    state = replace(state, comments_coming=_coming(state.comments_coming, pull, fact))
    return replace(state, pulls={**state.pulls, fact.number: pull})


def _coming(coming: frozenset[str], pull: Pull, fact: Ended | ActionStarted) -> frozenset[str]:
    """The new comments that were started and not heard of, by their targets."""
    if not isinstance(fact, ActionStarted):
        return coming - {fact.target} if fact.target in coming else coming
    name = NEW_COMMENTS.get(fact.type)
    if name is None:
        return coming
    standing = pull.comment_id is not None if fact.type == "post-comment" else name in pull.effects[fact.target].result
    return coming if standing else coming | {fact.target}


def _advance(effects: Mapping[str, Effect], fact: Ended | ActionStarted) -> Mapping[str, Effect]:
    known = effects.get(fact.target)
    match fact:
        case ActionStarted():
            count = known.count + 1 if known else 1
            last = known.done_key if known else None
            result = known.result if known else {}
            effect = Effect(count, fact.ticket, fact.key, "started", fact.at, done_key=last, result=result)
        case ActionDone():
            before = known or Effect(1, fact.ticket, fact.key, "done", 0.0)
            settled = "done" if before.key == fact.key else before.status
            effect = replace(before, status=settled, done_key=fact.key, result={**before.result, **fact.result})
        case ActionRefused():
            before = known or Effect(1, fact.ticket, fact.key, "refused", 0.0)
            if before.key != fact.key:
                return effects
            effect = replace(before, status="refused", reason=fact.reason, retry_at=fact.retry_at)
            effect = replace(effect, fail_class=fact.fail_class)
        case _:
            assert_never(fact)
    return {**effects, fact.target: effect}
