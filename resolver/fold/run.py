"""The fold of runs: paused by their breaker, resumed by the answer to the one question about it."""

from __future__ import annotations

from dataclasses import replace

from resolver.facts import Fact
from resolver.facts.decisions import DecisionAnswered, DecisionRequested
from resolver.facts.runs import RunPaused
from resolver.ids import PullNumber
from resolver.runs import run_id
from resolver.state import RepoState, Run


def fold_run(state: RepoState, fact: RunPaused) -> RepoState:
    """Give the state after a pause; one that is known changes nothing."""
    run = state.runs.get(fact.run_id, Run())
    if fact.seq <= run.pauses:
        return state
    return replace(state, runs={**state.runs, fact.run_id: replace(run, paused=fact, pauses=fact.seq)})


def fold_resumption(state: RepoState, fact: DecisionAnswered) -> RepoState:
    """Give the state after the question about a paused run was answered: the count begins anew where it goes on."""
    ours = run_id(state.pulls[fact.number].seen)
    run = state.runs.get(ours, Run())
    if run.paused is None or fact.action != "resume":
        return state
    made = (each for pull in state.pulls.values() if run_id(pull.seen) == ours for each in pull.resolutions)
    resumed = replace(run, paused=None, settled=run.settled | frozenset(made))
    return replace(state, runs={**state.runs, ours: resumed})


def also_concerned(state: RepoState, fact: Fact) -> frozenset[PullNumber]:
    """Say which other tasks a decision about one makes due: the rest of a run that is paused, asks or goes on."""
    if not isinstance(fact, RunPaused | DecisionRequested | DecisionAnswered):
        return frozenset()
    ours = run_id(state.pulls[fact.number].seen)
    return frozenset(n for n, pull in state.pulls.items() if n != fact.number and run_id(pull.seen) == ours)
