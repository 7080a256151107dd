"""`failres why-not PULL`: what would be done on a pull request, and what keeps failres from doing it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace

from bot.cli.known import Found, add_command
from bot.cli.subparsers import Subparsers
from bot.clock import SystemClock
from bot.orders import writes
from bot.store import Store
from resolver.actions import AnyAction
from resolver.config import RepoConfig
from resolver.config_sections import Managed, Modes
from resolver.decide import decide_pull
from resolver.decide.ceilings import asked_ceiling, over
from resolver.decide.rights import config_of, explained_only, managed, silence
from resolver.limits import LIMITS
from resolver.state import Base, Pull, RepoState


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    add_command(subparsers, "why-not", "say what would be done on a pull request, and what keeps it from it", _why_not)


async def _why_not(_store: Store, found: Found, _args: argparse.Namespace) -> Iterator[str]:
    return answer(found, SystemClock().now())


def answer(found: Found, now: float) -> Iterator[str]:
    """Give the lines: what keeps failres from acting, what it has tried, and what it would do if it might."""
    state, pull = found.state, found.pull
    name = state.repo.full_name if state.repo else "?"
    yield f"{name}#{pull.seen.number}  {pull.seen.title}"
    yield from (f"kept from acting: {reason}" for reason in hindrances(state, pull, now))
    for target, effect in sorted({**state.effects, **pull.effects}.items()):
        if effect.status == "refused":
            yield f"was refused: {target}: {effect.reason}"
    would = [action for action in permitted(state, pull, now) if writes(action) and not _says(action)]
    yield from (f"would do, if it might: {action.type} ({action.target})" for action in would)
    if not would:
        yield "would do nothing more now, even if it might"


def hindrances(state: RepoState, pull: Pull, now: float) -> Iterator[str]:
    """Give every reason for which failres does less here than it could."""
    config = config_of(state, pull)
    quiet = silence(state, pull)
    if pull.stuck:
        yield f"it is parked: {pull.stuck}"
    if quiet is not None:
        yield quiet.value
    if explained_only(state, pull):
        yield "pull requests from forks and of Dependabot are explained only"
    elif not managed(state, pull, config):
        yield "the configuration does not name it under `managed`"
    for kind in Modes.model_fields:
        mode = getattr(config.mode, kind)
        if mode != "act":
            yield f"the mode of `{kind}` is `{mode}`"
    ceiling = asked_ceiling(state, config.daily_ceilings, now, runs=True)
    if ceiling is not None:
        yield over(ceiling)
    if state.outage.on:
        yield f"an outage is on: {state.outage.reason}"


def permitted(state: RepoState, pull: Pull, now: float) -> tuple[AnyAction, ...]:
    """Give what would be due if configuration and process allowed everything; limits and safety rules stay."""
    modes = Modes(**dict.fromkeys(Modes.model_fields, "act"))
    free = RepoConfig(mode=modes, managed=Managed(branches=("**",)))
    base = state.bases.get(pull.seen.base_ref, Base())
    config = base.config.model_copy(update={"settings": free, "problems": ()}) if base.config else None
    bases = {**state.bases, pull.seen.base_ref: replace(base, config=config)}
    allowed = replace(state, bases=bases, pulls={**state.pulls, pull.seen.number: replace(pull, verdicts={})})
    limits = LIMITS.model_copy(update={"ceiling": "act"})
    return decide_pull(allowed, pull.seen.number, now, limits).actions


def _says(action: AnyAction) -> bool:
    return action.type in ("post-check", "post-comment")
