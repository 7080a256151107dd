"""`failres why-not PULL`: what would be done on a pull request, and what keeps failres from doing it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from bot.cli.known import Found, add_command
from bot.cli.subparsers import Subparsers
from bot.clock import SystemClock
from bot.orders import writes
from bot.store import Store
from bot.words.times import utc_minute
from resolver.actions import AnyAction
from resolver.config import CONFIG_PATH, duration
from resolver.config.sections import Modes
from resolver.decide.ceilings import asked_ceiling, over
from resolver.decide.gates import PARK, holding, permitted
from resolver.decide.quarantine import held
from resolver.decide.reach import lost
from resolver.decide.rights import config_of, explained_only, managed, silence
from resolver.decide.unanswered import unanswered
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
    yield from (f"kept from acting: {reason}" for reason in (*_of_server(), *hindrances(state, pull, now)))
    for target, effect in sorted({**state.effects, **pull.effects}.items()):
        if effect.status == "refused":
            yield f"was refused: {target}: {effect.reason}"
    would = [action for action in permitted(state, pull.seen.number, now) if writes(action) and not _says(action)]
    yield from (f"would do, if it might: {action.type} ({action.target})" for action in would)
    if not would:
        yield "would do nothing more now, even if it might"


def _of_server() -> Iterator[str]:
    """The most that the server lets any repository switch on, as far as this command's environment tells."""
    mode = os.environ.get(SERVER_MODE)
    if mode is None:
        yield f"no mode counts for more than the server's own, which is `observe` unless `{SERVER_MODE}` is set there"
    elif mode != "act":
        yield f"no mode counts for more than the server's own: `{SERVER_MODE}` is `{mode}` here"


SERVER_MODE = "FAILRES_MODE"


def hindrances(state: RepoState, pull: Pull, now: float) -> Iterator[str]:
    """Give every reason for which failres does less here than it could."""
    config = config_of(state, pull)
    quiet, gone = silence(state, pull), lost(state)
    if gone is not None:
        yield f"the repository is out of reach: {gone}"
    if pull.stuck:
        yield f"it is parked: {pull.stuck}"
    if quiet is not None:
        yield quiet.value
    base = state.bases.get(pull.seen.base_ref, Base()).config
    if base is not None and base.misnamed:
        yield f"failres does not read `{base.misnamed[0]}` on the base; it reads `{CONFIG_PATH}` alone"
    if explained_only(state, pull):
        yield "pull requests from forks and of Dependabot are explained only"
    elif not managed(state, pull, config):
        yield "the configuration does not name it under `managed`"
    for kind in Modes.model_fields:
        mode = getattr(config.mode, kind)
        if mode != "act":
            yield f"the mode of `{kind}` is `{mode}`"
    reason = held(state, pull)
    if reason is not None:
        yield f"nothing automatic is done on it: {reason}"
    elif (waits_for := unanswered(state, pull)) is not None:
        yield waits_for
    yield from _waits(pull, now)
    ceiling = asked_ceiling(state, config.daily_ceilings, now, runs=True)
    if ceiling is not None:
        yield over(ceiling)
    if state.outage.on:
        yield f"an outage is on (`outage`): {state.outage.reason}"
    if not pull.stuck and not explained_only(state, pull) and pull.seen.state == "open":
        for each in holding(state, pull.seen.number, now):
            if each.key not in TOLD:
                yield f"`{each.key}` is {_written(each.key, each.value)}, which holds back {', '.join(each.actions)}"


TOLD = ("enabled", "managed", "mode.rerun", "mode.probe", "mode.sync", "mode.labels")
"""Told in words of their own, whether they hold anything back now or not."""


def _waits(pull: Pull, now: float) -> Iterator[str]:
    """What the resolver has decided to do and waits with."""
    for each in pull.resolutions.values():
        decided, due_at = each.decided, each.decided.due_at
        if each.ended is None and due_at is not None and due_at > now and decided.head_sha == pull.seen.head_sha:
            why = (
                f"the limit that was met, or `{PARK}` where that named no time"
                if decided.parked
                else "`budget.backoff`"
            )
            at = utc_minute(due_at)
            yield f"`{decided.action}` waits until {at}: {why}"


DURATIONS = ("flake.window", "ledger.driftSyncEvery", "ledger.rerunPause", "budget.backoff")


def _written(key: str, value: object) -> str:
    """A value as the file writes it."""
    if key in DURATIONS and isinstance(value, int):
        return f"`{duration(value)}`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`[{', '.join(map(str, value))}]`"
    return f"`{value}`"


def _says(action: AnyAction) -> bool:
    return action.type in ("post-check", "post-comment")
