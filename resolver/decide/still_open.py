"""Which questions are open, as people are told. What was said stands until more is known: that somebody looks at a base
that has moved is no news, an execution that is under way is.
"""

from __future__ import annotations

from resolver.actions import probe_target
from resolver.attribution import Attribution, Undecided, WantBase
from resolver.casework.queue import groups_of
from resolver.state import Pull, RepoState, verdict_key

RUNS = ("rerun:", "enqueue:")
"""Targets of a pull request's actions that execute its checks."""

PROBES = 3
"""So many probes of one commit there may be: the most that the ledger allows."""


def still_open(state: RepoState, pull: Pull, answer: Attribution | None) -> list[Undecided]:
    """Give what attribution has not decided: of what has a verdict that stands, only while something runs for it."""
    found = [each for each in answer.outcomes if isinstance(each, Undecided)] if answer else []
    return [each for each in found if not _said(pull, each) or _runs(state, pull, each)]


def _said(pull: Pull, each: Undecided) -> bool:
    return verdict_key(each.check.key, each.fingerprint, each.item) in pull.verdicts


def _runs(state: RepoState, pull: Pull, each: Undecided) -> bool:
    """Say whether an execution is under way, or being started, that may decide: on the head, in the queue, a probe."""
    commits = [pull.seen.head_sha, *(group.seen.head_sha for group in groups_of(state, pull))]
    if any(run.status != "completed" for sha in commits for run in state.head(sha).runs.values()):
        return True
    begun = {target for target, effect in pull.effects.items() if effect.status == "started"}
    if any(target.startswith(RUNS) for target in begun):
        return True
    probes = (probe for probe in state.probes.values() if probe.removed is None)
    if any(probe.dispatched.check.same_job(each.check) for probe in probes):
        return True
    wanted = {want.commit for want in each.wants if isinstance(want, WantBase)}
    targets = {probe_target(each.check, commit, n + 1) for commit in wanted for n in range(PROBES)}
    return any(target in targets for target, effect in state.effects.items() if effect.status == "started")
