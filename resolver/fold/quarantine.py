"""The fold of quarantines: made, accepted, lifted by an answer or by a moved base. A push lifts one by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import assert_never

from resolver.facts.decisions import DecisionAnswered
from resolver.facts.quarantine import QuarantineFact, QuarantineLifted, TaskQuarantined
from resolver.ledger.events import Quarantined, TriedAfresh
from resolver.limits import LIMITS
from resolver.state import Pull, RepoState
from resolver.state.quarantine import Quarantine, ledger_key


def fold_quarantine(state: RepoState, fact: QuarantineFact) -> RepoState:
    """Give the state after a task was quarantined, or taken up again; the ledger counts both."""
    pull = state.pulls.get(fact.number)
    match fact:
        case TaskQuarantined():
            key = ledger_key(fact)
            counted = Quarantined(id=f"quarantined:{fact.task_id}:{fact.seq}", at=fact.at, key=key)
            state = replace(state, ledger=state.ledger.with_event(counted))
            if pull is None or any(each.fact.seq >= fact.seq for each in pull.quarantines):
                return state
            known = (*pull.quarantines[1 - LIMITS.quarantines :], Quarantine(fact, final=fact.final))
            return _with(state, replace(pull, quarantines=known))
        case QuarantineLifted():
            taken = TriedAfresh(id=f"afresh:{fact.task_id}:{fact.seq}", at=fact.at, task=fact.task_id)
            state = replace(state, ledger=state.ledger.with_event(taken))
            lift = partial(_by_base, at=fact.at)
            return _with(state, _change(pull, fact.seq, lift)) if pull is not None else state
        case _:
            assert_never(fact)


def fold_answer(state: RepoState, fact: DecisionAnswered) -> RepoState:
    """Give the state after an answer that was not known before: `accept` makes a quarantine final, `noted` leaves it as
    it is, any other answer lifts it. What a rebase left only the answer to the question about that changes.
    """
    pull = state.pulls.get(fact.number)
    if pull is None or not pull.quarantines:
        return state
    asked = pull.talk.decisions.get(fact.decision_id)
    about = asked.quarantined if asked is not None else None
    if (about == "sync") != (pull.quarantines[-1].fact.cause == "sync"):
        return state
    change = {"accept": _accepted, "noted": _unchanged}.get(fact.option or "", _by_answer)
    return _with(state, _change(pull, pull.quarantines[-1].fact.seq, change))


def _with(state: RepoState, pull: Pull) -> RepoState:
    return replace(state, pulls={**state.pulls, pull.seen.number: pull})


def _change(pull: Pull, seq: int, change: Callable[[Quarantine], Quarantine]) -> Pull:
    return replace(pull, quarantines=tuple(change(each) if each.fact.seq == seq else each for each in pull.quarantines))


def _accepted(quarantine: Quarantine) -> Quarantine:
    return replace(quarantine, final=True)


def _unchanged(quarantine: Quarantine) -> Quarantine:
    return quarantine


def _by_answer(quarantine: Quarantine) -> Quarantine:
    return quarantine if quarantine.lifted else replace(quarantine, lifted="answer")


def _by_base(quarantine: Quarantine, at: float) -> Quarantine:
    return quarantine if quarantine.lifted else replace(quarantine, lifted="base", lifted_at=at)
