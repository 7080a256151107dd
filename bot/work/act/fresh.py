"""The last look before an effect: head, kill switches and the right to act are read anew (specification, invariant 8).

`look` answers with None where the effect may happen, else with the outcome to hand back: what was seen, and why not.
`look_to_act` and `look_at_base` are for more than words: they read mode and management anew and give what was seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.github import NotFound
from bot.objects import pull_observed
from bot.work.observe.base import config_file
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.config import ActionKind, ConfigProblems, RepoConfig
from resolver.decide.rights import explained_only, managed
from resolver.facts import PullObserved
from resolver.ids import PullNumber, Sha
from resolver.state import STOP_LABEL, Pull, RepoState

MOVED = "the head moved"
BROKEN = "the base's configuration is broken"
DISABLED = "the configuration says `enabled: false`"


@dataclass(frozen=True, slots=True)
class Seen:
    """A pull request and its base's configuration as they are now; `raw` is GitHub's own object."""

    pull: PullObserved
    raw: Mapping[str, Any]
    config: RepoConfig


async def look(place: Place, number: PullNumber, head: Sha, *, broken_config_too: bool = False) -> Outcome | None:
    """Say why nothing may be written on a pull request now; `broken_config_too` lets a broken configuration be told."""
    seen = await _look(place, number, head)
    if isinstance(seen, Outcome):
        return None if broken_config_too and seen.refused == BROKEN else seen
    return None


async def look_to_act(
    place: Place, number: PullNumber, head: Sha, kind: ActionKind, *, asked: bool = False
) -> Seen | Outcome:
    """Give what stands there now, or why that kind of action may not happen on it.

    `asked`: a person who may has asked for it, so that the task need not be managed and the mode `propose` is enough.
    """
    seen = await _look(place, number, head)
    if isinstance(seen, Outcome):
        return seen
    state, pull = RepoState(repo=place.repo), Pull(seen=seen.pull)
    if explained_only(state, pull):
        return Outcome((seen.pull,), refused="forks and Dependabot are explained only")
    mode = seen.config.mode.of(kind)
    if mode != "act" and not (asked and mode == "propose"):
        return _later(place, _mode(seen.config, kind), seen.pull)
    if not asked and not managed(state, pull, seen.config):
        return _later(place, "this pull request is not managed", seen.pull)
    return seen


async def look_at_base(place: Place, ref: str, kind: ActionKind) -> RepoConfig | Outcome:
    """Give a base branch's configuration as it is now, or why that kind of action may not happen beside it."""
    config = await config_file(place, ref) or RepoConfig()
    if isinstance(config, ConfigProblems):
        return _later(place, BROKEN)
    if not config.enabled:
        return _later(place, DISABLED)
    return config if config.mode.of(kind) == "act" else _later(place, _mode(config, kind))


def _later(place: Place, reason: str, *seen: PullObserved) -> Outcome:
    """Refuse for now: a person can change the reason at any time, and then the same action is right again."""
    return Outcome(seen, refused=reason, retry_at=place.clock.now() + place.pace.stop_rest)


def _mode(config: RepoConfig, kind: ActionKind) -> str:
    return f"the configuration says `mode.{kind}: {config.mode.of(kind)}`"


async def _look(place: Place, number: PullNumber, head: Sha) -> Seen | Outcome:
    try:
        raw = await place.installation.get(place.path("/pulls/{n}", n=number))
    except NotFound:
        return Outcome(refused="the pull request is gone")
    pull = pull_observed(raw)
    if pull.state != "open":
        return Outcome((pull,), refused="the pull request is closed")
    if pull.head_sha != head:
        return Outcome((pull,), refused=MOVED)
    if STOP_LABEL in pull.labels:
        return _later(place, f"the label {STOP_LABEL} is set", pull)
    config = await config_file(place, pull.base_ref) or RepoConfig()
    if isinstance(config, ConfigProblems):
        return _later(place, BROKEN, pull)
    return Seen(pull, raw, config) if config.enabled else _later(place, DISABLED, pull)
