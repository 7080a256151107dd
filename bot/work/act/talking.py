"""The last look before failres answers somebody: people are answered also where it is stopped, since they asked.

What else is written on a pull request passes `bot.work.act.fresh`.
"""

from __future__ import annotations

from typing import Any

from bot.github import NotFound
from bot.objects import pull_observed
from bot.work.act.fresh import DISABLED
from bot.work.observe.base import config_file
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.config import RepoConfig
from resolver.ids import PullNumber


async def may_answer(place: Place, number: PullNumber, *, closed_too: bool = False) -> Outcome | None:
    """Say why nothing may be answered on a pull request now; None where it may. `closed_too`: on one that is closed."""
    try:
        raw = await place.installation.get(place.path("/pulls/{n}", n=number))
    except NotFound:
        return Outcome(refused="the pull request is gone")
    pull = pull_observed(raw)
    if pull.state != "open" and not closed_too:
        return Outcome((pull,), refused="the pull request is closed")
    config = await config_file(place, pull.base_ref)
    disabled = isinstance(config, RepoConfig) and not config.enabled
    return Outcome((pull,), refused=DISABLED) if disabled else None


async def own_comment(place: Place, number: PullNumber, mark: str) -> dict[str, Any] | None:
    """Look through all pages for a comment with the marker by this App; anybody can post the marker alone."""
    app = place.github.app_id
    async for comment in place.installation.pages(place.path("/issues/{n}/comments", n=number)):
        by = comment.get("performed_via_github_app") or {}
        if by.get("id") == app and str(comment.get("body") or "").startswith(mark):
            return dict(comment)
    return None
