"""The fold of the resolver's decisions: attempts and breakers are counted from these records alone."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from resolver.resolve_facts import Resolution, ResolveDecided, ResolveEnded, ResolveFact
from resolver.state import Pull, RepoState


def fold_resolve(state: RepoState, fact: ResolveFact) -> RepoState:
    """Give the state after a decision, or its outcome; nothing changes where the pull request is not known."""
    pull = state.pulls.get(fact.number)
    if pull is None:
        return state
    return replace(state, pulls={**state.pulls, fact.number: _pull(pull, fact)})


def _pull(pull: Pull, fact: ResolveFact) -> Pull:
    match fact:
        case ResolveDecided():
            known = {**pull.resolutions, fact.seq: Resolution(decided=fact)}
        case ResolveEnded():
            before = pull.resolutions.get(fact.ref_decision_seq)
            if before is None:
                return pull
            known = {**pull.resolutions, fact.ref_decision_seq: before.model_copy(update={"ended": fact})}
        case _:
            assert_never(fact)
    return replace(pull, resolutions=known)
