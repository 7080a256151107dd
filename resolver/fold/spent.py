"""The fold of what is spent in a day: each write that was begun, and each job that ran because of failres."""

from __future__ import annotations

from dataclasses import replace

from resolver.carried import carried_over
from resolver.ceilings import TYPES
from resolver.facts import ActionStarted, JobFinished, ProbeDispatched
from resolver.state import RepoState


def fold_spent(state: RepoState, fact: ActionStarted | JobFinished | ProbeDispatched) -> RepoState:
    """Give the state with what this fact has cost; called before the fact itself is folded."""
    match fact:
        case ActionStarted():
            return replace(state, spent=state.spent.wrote(fact.at)) if fact.type in TYPES else state
        case JobFinished():
            return _ran(state, fact) if _ours(state, fact) else state
        case ProbeDispatched():  # its jobs may have been heard of before
            for job in state.head(fact.commit).jobs.values():
                state = _ran(state, job)
            return state


def _ran(state: RepoState, job: JobFinished) -> RepoState:
    if job.started_at is None or job.completed_at is None:
        return state
    if carried_over(job, state.head(job.head_sha).jobs.values()):
        return state
    return replace(state, spent=state.spent.ran(job.completed_at, job.completed_at - job.started_at))


def _ours(state: RepoState, job: JobFinished) -> bool:
    """Say whether failres made a job run: by a rerun of the attempt before, or as a probe."""
    if state.ledger.counts(f"rerun:{job.run_id}:{job.attempt - 1}"):
        return True
    return any(probe.dispatched.commit == job.head_sha for probe in state.probes.values())
