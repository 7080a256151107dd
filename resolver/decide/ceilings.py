"""Daily ceilings on what is due: what they hold back is not started, nor recorded as started, before the next day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from resolver.actions import AnyAction
from resolver.ceilings import RUNS, WRITES, ceiling_on, ceiling_on_kind
from resolver.config.sections import DailyCeilings
from resolver.decide.due import Due, earlier
from resolver.decide.minutes import with_running
from resolver.decide.rights import config_of, managed
from resolver.facts import Fact
from resolver.facts.commands import CommandJudged
from resolver.facts.decisions import DecisionAnswered
from resolver.ledger.events import ProbeStarted, RerunStarted
from resolver.report import Standing
from resolver.state import Pull, RepoState
from resolver.state.spent import Ceiling


def within_ceilings(state: RepoState, pull: Pull, now: float, wanted: Due) -> Due:
    """Keep of what is due on a pull request what its repository's ceilings allow."""
    rules = config_of(state, pull).daily_ceilings
    kept: list[AnyAction] = []
    dropped: list[AnyAction] = []
    runs = any(isinstance(action, RUNS) for action in wanted.actions)
    again_at, spent = wanted.again_at, with_running(state, now) if runs else state.spent
    for action in wanted.actions:
        ceiling = ceiling_on(action, spent, rules, now)
        if ceiling is None:
            kept.append(action)
            spent = spent.wrote(now) if isinstance(action, WRITES) else spent
        else:
            again_at = earlier(again_at, ceiling.until)
            dropped.append(action)
    return Due(tuple(kept), again_at, _without(wanted.facts, dropped) if dropped else wanted.facts)


def _without(facts: Iterable[Fact], dropped: Sequence[AnyAction]) -> tuple[Fact, ...]:
    """Leave out what goes with actions that are not started: the ledger's records, and commands that would be taken."""
    spent, keys = {each.spends for each in dropped} - {None}, {each.key for each in dropped}
    given = tuple(facts)
    judged = (fact for fact in given if isinstance(fact, CommandJudged))
    open_ones = {fact.command_id for fact in judged if any(each.effect in keys for each in fact.judged)}
    return tuple(
        fact
        for fact in given
        if not (isinstance(fact, CommandJudged | DecisionAnswered) and fact.command_id in open_ones)
        and not (isinstance(fact, RerunStarted | ProbeStarted) and fact.id in spent)
    )


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
    spent = with_running(state, now) if runs else state.spent
    return ceiling_on_kind("run" if runs else "act", spent, rules, now)


def over(ceiling: Ceiling) -> str:
    """Say why something waits."""
    what = "runner minutes" if ceiling.of == "runner-minutes" else "writes"
    return f"the configuration's daily ceiling of {what} ({ceiling.limit}) is reached"
