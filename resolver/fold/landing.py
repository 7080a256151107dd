"""The fold of what was read about landed changes, and about what the base changed since a head left it."""

from __future__ import annotations

from dataclasses import replace

from resolver.facts.landings import BaseChangesRead, LandingFact
from resolver.state import RepoState


def fold_landing(state: RepoState, fact: LandingFact) -> RepoState:
    """Give the state after one more read; what the base changed for a head that is gone changes nothing."""
    if not isinstance(fact, BaseChangesRead):
        return replace(state, landings=state.landings.take(fact))
    pull = state.pulls.get(fact.number)
    if pull is None or pull.seen.head_sha != fact.head_sha:
        return state
    return replace(state, pulls={**state.pulls, fact.number: replace(pull, base_changes=fact)})
