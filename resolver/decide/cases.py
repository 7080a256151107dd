"""The case of a pull request, made once for a decision: all who decide on it ask the same one."""

from __future__ import annotations

from resolver.attribution import Case
from resolver.casework import make_case
from resolver.decide.rights import config_of
from resolver.ids import PullNumber
from resolver.state import Pull, RepoState


def case_of(state: RepoState, pull: Pull, now: float) -> Case:
    """Give the case of one of the state's pull requests under its base's configuration, with nothing refused."""
    return state.once(_case_of, pull.seen.number, now)


def _case_of(state: RepoState, number: PullNumber, now: float) -> Case:
    pull = state.pulls[number]
    return make_case(state, pull, now, config_of(state, pull))
