"""The fold of the resolver's decisions: attempts and breakers are counted from these records alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from resolver.facts.model import ModelReplied
from resolver.facts.repairs import RepairDone, RepairFailed, RepairReported
from resolver.facts.resolve import Resolution, ResolveDecided, ResolveEnded, ResolveFact
from resolver.state import Pull, RepoState


def fold_resolve(state: RepoState, fact: ResolveFact) -> RepoState:
    """Give the state after a decision, its outcome or a model's reply; an unknown pull request changes nothing."""
    pull = state.pulls.get(fact.number)
    if pull is None:
        return state
    return replace(state, pulls={**state.pulls, fact.number: _pull(pull, fact)})


def _pull(pull: Pull, fact: ResolveFact) -> Pull:
    match fact:
        case ResolveDecided():
            known: Mapping[int, Resolution] = {**pull.resolutions, fact.seq: Resolution(decided=fact)}
        case ResolveEnded():
            known = _told(pull, fact.ref_decision_seq, "ended", fact)
        case RepairReported():
            known = _told(pull, fact.ref_decision_seq, "reported", fact)
        case RepairDone():
            known = _told(pull, fact.ref_decision_seq, "repaired", fact)
        case RepairFailed():
            known = _told(pull, fact.ref_decision_seq, "failed", fact)
        case ModelReplied():
            return replace(pull, replies={**pull.replies, fact.id: fact})
        case _:
            assert_never(fact)
    return replace(pull, resolutions=known)


def _told(pull: Pull, seq: int, name: str, fact: ResolveFact) -> Mapping[int, Resolution]:
    """Give the decisions with one more thing known of that one; a decision that is not known tells nothing."""
    before = pull.resolutions.get(seq)
    if before is None:
        return pull.resolutions
    return {**pull.resolutions, seq: before.model_copy(update={name: fact})}
