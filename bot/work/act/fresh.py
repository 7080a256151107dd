"""The last look before an effect: head, kill switches and the right to act are read anew (specification, invariant 8).

`look` answers with None where the effect may happen, else with the outcome to hand back: what was seen, and why not.
"""

from __future__ import annotations

from bot.github import NotFound
from bot.objects import pull_observed
from bot.work.observe.base import config_file
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.config import ConfigProblems, RepoConfig
from resolver.ids import PullNumber, Sha
from resolver.state import STOP_LABEL


async def look(place: Place, number: PullNumber, head: Sha, *, broken_config_too: bool = False) -> Outcome | None:
    """Say why nothing may be written on a pull request now; `broken_config_too` lets a broken configuration be told."""
    try:
        pull = pull_observed(await place.installation.get(place.path("/pulls/{n}", n=number)))
    except NotFound:
        return Outcome(refused="the pull request is gone")
    if pull.state != "open":
        return Outcome((pull,), refused="the pull request is closed")
    if pull.head_sha != head:
        return Outcome((pull,), refused="the head moved")
    if STOP_LABEL in pull.labels:
        return Outcome((pull,), refused=f"the label {STOP_LABEL} is set")
    config = await config_file(place, pull.base_ref)
    match config:
        case ConfigProblems():
            return None if broken_config_too else Outcome((pull,), refused="the base's configuration is broken")
        case RepoConfig() if not config.enabled:
            return Outcome((pull,), refused="the configuration says `enabled: false`")
        case _:
            return None
