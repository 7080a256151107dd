"""Daily ceilings on what is due: what they hold back is not started, nor recorded as started, before the next day."""

from __future__ import annotations

from resolver.actions import AnyAction
from resolver.ceilings import WRITES, ceiling_on, ceiling_on_kind
from resolver.config_sections import DailyCeilings
from resolver.decide.due import Due, earlier
from resolver.decide.rights import config_of, managed
from resolver.facts import Fact
from resolver.report import Standing
from resolver.spent import Ceiling
from resolver.state import Pull, RepoState


def within_ceilings(state: RepoState, pull: Pull, now: float, wanted: Due) -> Due:
    """Keep of what is due on a pull request what its repository's ceilings allow."""
    rules = config_of(state, pull).daily_ceilings
    kept: list[AnyAction] = []
    dropped: set[str] = set()
    again_at, spent = wanted.again_at, state.spent
    for action in wanted.actions:
        ceiling = ceiling_on(action, spent, rules, now)
        if ceiling is None:
            kept.append(action)
            spent = spent.wrote(now) if isinstance(action, WRITES) else spent
            continue
        again_at = earlier(again_at, ceiling.until)
        if action.spends is not None:
            dropped.add(action.spends)
    return Due(tuple(kept), again_at, tuple(fact for fact in wanted.facts if not _spent_by(fact, dropped)))


def _spent_by(fact: Fact, dropped: set[str]) -> bool:
    """Say whether a fact is the ledger's record of an action that is not started."""
    return bool(dropped) and getattr(fact, "id", None) in dropped


RUNNING = ("rerun", "base", "row")
FOLLOWING = ("rerun", "probe", "synchronise", "resolve")


def held_back(state: RepoState, pull: Pull, cause: Standing, now: float) -> Ceiling | None:
    """Give the ceiling that people are told of: the first that holds back what failres would do by itself now."""
    config = config_of(state, pull)
    follows = cause.lead is not None and cause.lead.next_action in FOLLOWING
    if not managed(state, pull, config) or not (follows or any(each in RUNNING for each in cause.waiting)):
        return None
    return asked_ceiling(state, config.daily_ceilings, now, runs=True)


def asked_ceiling(state: RepoState, rules: DailyCeilings, now: float, *, runs: bool) -> Ceiling | None:
    """Give the ceiling on what a person asks for: jobs that run, or another act."""
    return ceiling_on_kind("run" if runs else "act", state.spent, rules, now)


def over(ceiling: Ceiling) -> str:
    """Say why something waits."""
    what = "runner minutes" if ceiling.of == "runner-minutes" else "writes"
    return f"the configuration's daily ceiling of {what} ({ceiling.limit}) is reached"
