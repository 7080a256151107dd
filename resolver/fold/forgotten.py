"""What the fold lets go of, so that a turn costs as much after years as at first: commits that nobody has, probes and
actions that are over, and pull requests closed long ago, which are put away and come back when opened again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from resolver.facts import PullObserved
from resolver.limits import LIMITS
from resolver.runs import PLAN, run_id
from resolver.state import Effect, Pull, RepoState

OF_A_HEAD = ("check:", "log:", "runs:", "job:", "annotations:")
"""Targets that belong to one head; what was done on an earlier one is of no use any more."""


def without_head(pull: Pull) -> Pull:
    """Give a pull request without what was read and decided of its head."""
    effects = {target: effect for target, effect in pull.effects.items() if not target.startswith(OF_A_HEAD)}
    return replace(pull, files=None, config=None, stuck=None, effects=effects, verdicts={}, base_changes=None)


def forget_heads(state: RepoState) -> RepoState:
    """Drop the oldest commits that no open pull request and no base has; a bound, so that a journal may grow."""
    if len(state.heads) <= LIMITS.unowned_heads + len(state.open_at) + LIMITS.base_line * len(state.bases):
        return state
    owned = {pull.seen.head_sha for pull in state.pulls.values() if pull.seen.state == "open"}
    owned |= {sha for base in state.bases.values() for sha in base.line}
    owned |= {probe.dispatched.commit for probe in state.probes.values()}
    owned |= {sha for queue in state.queues.values() for sha in queue.groups}
    loose = [sha for sha in state.heads if sha not in owned]
    gone = set(loose[: max(0, len(loose) - LIMITS.unowned_heads)])
    return replace(state, heads={sha: head for sha, head in state.heads.items() if sha not in gone})


def forget_probes(state: RepoState) -> RepoState:
    """Drop the oldest probes whose branch is gone; what they have cost stays in the ledger."""
    over = [probe_id for probe_id, probe in state.probes.items() if probe.removed is not None]
    gone = set(over[: max(0, len(over) - LIMITS.probes_kept)])
    if not gone:
        return state
    return replace(state, probes={name: probe for name, probe in state.probes.items() if name not in gone})


def forget_effects(effects: Mapping[str, Effect]) -> Mapping[str, Effect]:
    """Drop the oldest of a repository's own actions that are over: each commit of a base brings a few."""
    if len(effects) <= LIMITS.effects_kept:
        return effects
    over = [target for target, effect in effects.items() if effect.status != "started"]
    over.sort(key=lambda target: effects[target].started_at)
    gone = set(over[: len(effects) - LIMITS.effects_kept * 9 // 10])
    return {target: effect for target, effect in effects.items() if target not in gone}


def put_away(state: RepoState, seen: PullObserved) -> RepoState:
    """Set aside what had been closed for long when that pull request was seen; a run's tasks go together."""
    if len(state.pulls) <= len(state.open_at) + LIMITS.closed_pulls:
        return state
    before = seen.updated_at - LIMITS.closed_for
    busy = {run_id(pull.seen) for pull in state.pulls.values() if not _long_closed(pull, before)}
    away = {number: pull for number, pull in state.pulls.items() if run_id(pull.seen) not in busy}
    if not away:
        return state
    closed = {**state.closed, **{number: without_head(pull) for number, pull in away.items()}}
    pulls = {number: pull for number, pull in state.pulls.items() if number not in away}
    return replace(state, pulls=pulls, closed=closed)


def brought_back(state: RepoState, seen: PullObserved) -> RepoState:
    """Give the state with what was put away of that pull request's run, which it may be alone in, among the others."""
    if seen.number in state.pulls or not (seen.number in state.closed or seen.head_ref.startswith(PLAN)):
        return state
    ours = run_id(seen)
    back = {each: pull for each, pull in state.closed.items() if run_id(pull.seen) == ours}
    closed = {each: pull for each, pull in state.closed.items() if each not in back}
    return replace(state, pulls={**state.pulls, **back}, closed=closed)


def _long_closed(pull: Pull, before: float) -> bool:
    return pull.seen.state == "closed" and pull.seen.updated_at < before
