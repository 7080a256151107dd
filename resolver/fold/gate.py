"""The fold of attribution: pushes, verdicts and probes."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from resolver.attribution.case import DriftVerdict
from resolver.facts import GateAttributed, GateReattributed, HeadPushed, ProbeDispatched, ProbeRemoved
from resolver.fold.forgotten import forget_probes
from resolver.limits import LIMITS
from resolver.state import Probe, RepoState, verdict_key


def fold_gate(state: RepoState, fact: HeadPushed | GateAttributed | GateReattributed) -> RepoState:
    """Give the state after a push or a verdict; one on a head that is gone changes nothing."""
    pull = state.pulls.get(fact.number)
    if pull is None:
        return state
    match fact:
        case HeadPushed():
            if not fact.by.is_bot:
                pull = replace(pull, pushes=(*pull.pushes[-LIMITS.pushes :], fact.at))
        case GateAttributed():
            if fact.head_sha != pull.seen.head_sha:
                return state
            key = verdict_key(fact.check.key, fact.fingerprint, fact.item)
            pull = replace(pull, verdicts={**pull.verdicts, key: fact})
            if fact.klass == "base-drift" and fact.fingerprint is not None:
                drift = DriftVerdict(fingerprint=fact.fingerprint, at=fact.at)
                pull = replace(pull, drifts=(*pull.drifts[-LIMITS.pushes :], drift))
            if fact.klass == "flake":
                state = replace(state, flakes=(*state.flakes[-LIMITS.flakes :], fact))
        case GateReattributed():  # what holds instead, where anything does, is recorded with it
            if fact.head_sha != pull.seen.head_sha:
                return state
            about = (fact.check.key, fact.fingerprint)
            left = {key: each for key, each in pull.verdicts.items() if (each.check.key, each.fingerprint) != about}
            pull = replace(pull, verdicts=left)
        case _:
            assert_never(fact)
    return replace(state, pulls={**state.pulls, fact.number: pull})


def fold_probe(state: RepoState, fact: ProbeDispatched | ProbeRemoved) -> RepoState:
    """Give the state after a probe was started, or its branch removed."""
    known = state.probes.get(fact.probe_id)
    match fact:
        case ProbeDispatched():
            probe = Probe(fact)
        case ProbeRemoved():
            if known is None:
                return state
            probe = replace(known, removed=fact.reason)
        case _:
            assert_never(fact)
    return forget_probes(replace(state, probes={**state.probes, fact.probe_id: probe}))
