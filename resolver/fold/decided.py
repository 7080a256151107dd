"""The fold of what failres and people decided: questions and answers, resolutions, quarantines."""

from __future__ import annotations

from typing import assert_never

from resolver.facts import Decided
from resolver.facts.decisions import DecisionAnswered, DecisionRequested, HandoffRefused, HandoffWritten
from resolver.facts.model import ModelReplied
from resolver.facts.quarantine import QuarantineLifted, TaskQuarantined
from resolver.facts.repairs import RepairDone, RepairFailed, RepairReported
from resolver.facts.resolve import ResolveDecided, ResolveEnded
from resolver.facts.runs import RunPaused
from resolver.fold.quarantine import fold_answer, fold_quarantine
from resolver.fold.resolve import fold_resolve
from resolver.fold.run import fold_resumption, fold_run
from resolver.fold.talk import fold_talk
from resolver.state import RepoState


def fold_decided(state: RepoState, fact: Decided) -> RepoState:
    """Give the state after a decision."""
    match fact:
        case DecisionRequested() | HandoffWritten() | HandoffRefused():
            return fold_talk(state, fact)
        case DecisionAnswered():
            return _answered(state, fact)
        case ResolveDecided() | ResolveEnded() | RepairReported() | RepairDone() | RepairFailed() | ModelReplied():
            return fold_resolve(state, fact)
        case TaskQuarantined() | QuarantineLifted():
            return fold_quarantine(state, fact)
        case RunPaused():
            return fold_run(state, fact)
        case _:
            assert_never(fact)


def _answered(state: RepoState, fact: DecisionAnswered) -> RepoState:
    """The first answer holds, so that only it has an effect."""
    pull = state.pulls.get(fact.number)
    if pull is None or fact.decision_id in pull.talk.answers:
        return state
    asked = pull.talk.decisions.get(fact.decision_id)
    state = fold_talk(state, fact)
    if asked is not None and asked.kind == "run-paused":
        return fold_resumption(state, fact)
    return fold_answer(state, fact)
