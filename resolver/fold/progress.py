"""The fold of what runs: progress of jobs that have not ended, and their stalls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from resolver.progress import JobProgressed, JobStalled
from resolver.state import RepoState, check_id

V = TypeVar("V")


def fold_progress(state: RepoState, fact: JobProgressed | JobStalled) -> RepoState:
    """Give the state after one more look at a job. What has ended never goes back to running (GITHUB.md 5.1)."""
    head = state.head(fact.head_sha)
    match fact:
        case JobProgressed():
            if fact.job_id in head.jobs or not fact.newer(head.progress.get(fact.job_id)):
                return state
            head = replace(head, progress={**head.progress, fact.job_id: fact})
        case JobStalled():
            head = replace(head, stalls={**head.stalls, fact.job_id: fact})
            state = _note_red(state, fact)
    return replace(state, heads={**state.heads, fact.head_sha: head})


def _note_red(state: RepoState, fact: JobStalled) -> RepoState:
    """A stalled check was red: once it passes, what was said is resolved."""
    red = check_id(fact, state.head(fact.head_sha).runs.get(fact.run_id))
    pulls = {n: replace(state.pulls[n], reds=state.pulls[n].reds | {red}) for n in state.pulls_of(fact.head_sha)}
    return replace(state, pulls={**state.pulls, **pulls})


def without(mapping: Mapping[int, V], key: int) -> Mapping[int, V]:
    """Give a mapping without a key; the very same one where it has none."""
    if key not in mapping:
        return mapping
    left = dict(mapping)
    del left[key]
    return left
