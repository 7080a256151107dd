"""Which settings and limits hold an action back on a pull request: each is tried as it is, with all others loosened.

What would be done then, and is not, is held back by that one. Nothing here is ever done: `failres why-not` tells it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from resolver.actions import AnyAction
from resolver.attribution import OutageMode
from resolver.config import RepoConfig
from resolver.config.sections import Managed
from resolver.decide import decide_pull
from resolver.facts import ConfigRead, Fact
from resolver.facts.quarantine import QuarantineLifted
from resolver.fold import fold
from resolver.ids import PullNumber
from resolver.interruptions import started
from resolver.limits import LIMITS, Limits
from resolver.state import Base, Pull, RepoState

MANY = 1_000_000

SWITCHES: Mapping[str, object] = MappingProxyType(
    {
        "enabled": True,
        "mode.rerun": "act",
        "mode.probe": "act",
        "mode.sync": "act",
        "mode.labels": "act",
        "managed": Managed(branches=("**",)),
        "flake.mayLand": True,
        "labels": ("failres:quarantined", "failres:waiting-base", "failres:decision"),
    }
)
"""Settings that allow something or do not, by their names in the file, each with what allows the most."""

COUNTS: Mapping[str, object] = MappingProxyType(
    {
        "flake.window": 0,
        "ledger.flakeReruns": MANY,
        "ledger.syncsPerHeads": MANY,
        "ledger.driftSyncEvery": 0,
        "ledger.evidenceRuns": MANY,
        "ledger.workflowReruns": MANY,
        "ledger.rerunPause": 1,
        "ledger.failingJobs": MANY,
        "ledger.identicalQuarantines": MANY,
        "ledger.baseMovesPerDay": MANY,
        "ledger.stopLoss": "off",
        "budget.maxResolutions": MANY,
        "budget.maxResolutionsPerRun": MANY,
        "budget.backoff": 0,
        "comments.perPullAndDay": MANY,
        "comments.perRepositoryAndHour": MANY,
        "llm.callsPerDay": MANY,
        "dailyCeilings.writes": MANY,
        "dailyCeilings.runnerMinutes": MANY,
    }
)
"""Limits, the same way."""

LLM = "llm.enabled"
"""A model that is asked answers before anything else is done, so that it is tried on by itself."""

TOGETHER: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ledger.stopLoss": ("ledger.identicalQuarantines",),
        "ledger.identicalQuarantines": ("ledger.stopLoss",),
        "ledger.baseMovesPerDay": ("ledger.stopLoss",),
    }
)
"""What holds back only together with others."""

PARK = "budget.parkFor"
"""How long is waited where a limit names no time. It shapes a wait that is told by itself."""

ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Holding:
    """A setting with its value, and the types of the actions that it holds back now."""

    key: str
    value: object
    actions: tuple[str, ...]


def holding(state: RepoState, number: PullNumber, now: float) -> tuple[Holding, ...]:
    """Give the settings and limits that hold something back, in the order of the tables above."""
    config = _config(state, number)
    every = {**SWITCHES, **COUNTS}
    loose = _loosened(config, every)
    found: dict[str, Holding] = {}
    for view in (state, _freed(state, number)):
        most = _wanted(view, number, loose, now)
        for key in every:
            real = {name: _value(config, name) for name in (key, *TOGETHER.get(key, ()))}
            held = most - _wanted(view, number, _loosened(loose, real), now)
            if held and key not in found:
                found[key] = Holding(key, _value(config, key), tuple(sorted({kind for kind, _ in held})))
        asked = _wanted(view, number, _loosened(loose, {LLM: True}), now)
        if not config.llm.enabled and any(kind == "call-model" for kind, _ in asked):
            found[LLM] = Holding(LLM, False, ("call-model",))
    return tuple(found[key] for key in (*every, LLM) if key in found)


def permitted(state: RepoState, number: PullNumber, now: float) -> tuple[AnyAction, ...]:
    """Give what would be due if configuration and process allowed everything; limits and safety rules stay."""
    allowed = _with(state, number, _loosened(_config(state, number), SWITCHES))
    return tuple(_rounds(allowed, number, now)[0])


def _config(state: RepoState, number: PullNumber) -> RepoConfig:
    base = state.bases.get(state.pulls[number].seen.base_ref, Base()).config
    return base.settings if base is not None and base.settings is not None else RepoConfig()


def _loosened(config: RepoConfig, values: Mapping[str, object]) -> RepoConfig:
    for key, value in values.items():
        config = _set(config, key.split("."), value)
    return config


def _set(part: Any, path: list[str], value: object) -> Any:
    name = _name(part, path[0])
    inner = value if len(path) == 1 else _set(getattr(part, name), path[1:], value)
    return part.model_copy(update={name: inner})


def _value(config: RepoConfig, key: str) -> object:
    found: Any = config
    for part in key.split("."):
        found = getattr(found, _name(found, part))
    return found


def _name(part: BaseModel, alias: str) -> str:
    fields = type(part).model_fields
    return next(name for name, field in fields.items() if (field.alias or name) == alias)


def _with(state: RepoState, number: PullNumber, config: RepoConfig) -> RepoState:
    """The state under another configuration, without an outage; what was concluded under the real one is forgotten."""
    pull = state.pulls[number]
    base = state.bases.get(pull.seen.base_ref, Base())
    known = base.config or ConfigRead(ref=pull.seen.base_ref, sha=base.sha, found=False)
    read = known.model_copy(update={"settings": config, "problems": ()})
    bases = {**state.bases, pull.seen.base_ref: replace(base, config=read)}
    pulls = {**state.pulls, number: replace(pull, verdicts={}, effects=_unrefused(pull))}
    return replace(state, bases=bases, pulls=pulls, outage=OutageMode())


def _unrefused(pull: Pull) -> dict[str, Any]:
    """What GitHub or the last look refused is told by itself: here it counts as not tried."""
    return {target: effect for target, effect in pull.effects.items() if effect.status != "refused"}


def _freed(state: RepoState, number: PullNumber) -> RepoState:
    """The state as if no quarantine and no pause stood: which limit had led there is then seen."""
    pull = state.pulls[number]
    lifted = tuple(replace(each, lifted=each.lifted or "answer") for each in pull.quarantines)
    runs = {ours: replace(run, paused=None) for ours, run in state.runs.items()}
    return replace(state, runs=runs, pulls={**state.pulls, number: replace(pull, quarantines=lifted)})


def _wanted(state: RepoState, number: PullNumber, config: RepoConfig, now: float) -> frozenset[tuple[str, str]]:
    """What would be done under a configuration: actions by type and target, and quarantines that would be lifted."""
    actions, facts = _rounds(_with(state, number, config), number, now)
    lifted = {("take-up", str(each.seq)) for each in facts if isinstance(each, QuarantineLifted)}
    return frozenset({(str(getattr(each, "type", "")), each.target) for each in actions} | lifted)


def _rounds(state: RepoState, number: PullNumber, now: float) -> tuple[list[AnyAction], list[Fact]]:
    limits: Limits = LIMITS.model_copy(update={"ceiling": "act", "model_calls_per_day": MANY})
    actions: dict[str, AnyAction] = {}
    facts: list[Fact] = []
    for _ in range(ROUNDS):
        due = decide_pull(state, number, now, limits)
        begun = [started(each, n, now) for n, each in enumerate(due.actions, len(actions))]
        actions.update({each.key: each for each in due.actions})
        facts += due.facts
        if not due.facts:
            break
        for fact in (*due.facts, *begun):
            state = fold(state, fact)
    return list(actions.values()), facts
