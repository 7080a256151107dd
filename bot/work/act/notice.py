"""Sends a notification about a question, unless its pull request was closed or stopped, or failres was switched off,
meanwhile. What concerns no pull request is told in the server's log as well.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from bot.notify import Sent
from bot.words.leftovers import leftovers_in_log, leftovers_notice
from bot.words.notice import notice
from bot.words.trouble import trouble_in_log, trouble_notice
from bot.work.act.fresh import BROKEN, DISABLED, look, look_at_base, soon_again
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.repairs import TellOfOrphans
from resolver.actions.talk import Notify
from resolver.actions.trouble import TellOfTrouble

log = logging.getLogger(__name__)

GIVE_UP: float = 86_400.0
"""A receiver that is out of reach for so long (seconds) after the question is given up."""


class NotYet(Exception):
    """The receiver did not take it and may later; `wait` (seconds) where it said when."""

    def __init__(self, reason: str, wait: float | None) -> None:
        self.wait = wait
        super().__init__(reason)


async def notify(place: Place, action: Notify) -> Outcome:
    """Send it once. Raises NotYet."""
    refused = await look(place, action.number, action.head_sha)
    if refused is not None:
        return soon_again(place, refused)
    body = notice(action, place.repo.full_name, place.repo_url)
    return await _send(place, action.destination, body, action.target, action.decision.asked_at)


async def tell_of_orphans(place: Place, action: TellOfOrphans) -> Outcome:
    """Send it once, or write it into the server's log. Raises NotYet."""
    config = await look_at_base(place, place.repo.default_branch, "probe")
    if isinstance(config, Outcome) and config.refused in (BROKEN, DISABLED):
        return config
    if not action.destination:
        log.warning("%s", leftovers_in_log(action.asked, place.repo.full_name))
        return Outcome()
    body = leftovers_notice(action.asked, place.repo.full_name, place.repo_url)
    return await _send(place, action.destination, body, action.target, action.asked.at)


async def tell_of_trouble(place: Place, action: TellOfTrouble) -> Outcome:
    """The same of a repository in which nothing can be looked at. Raises NotYet."""
    if not action.destination:
        log.error("%s", trouble_in_log(action, place.repo.full_name))
        return Outcome()
    body = trouble_notice(action, place.repo.full_name, place.repo_url)
    return await _send(place, action.destination, body, action.target, action.at)


async def _send(place: Place, destination: str, body: Mapping[str, Any], mark: str, asked_at: float) -> Outcome:
    sent = await place.destinations.send(destination, body, mark)
    if isinstance(sent, Sent):
        return Outcome()
    if sent.final:
        return Outcome(refused=sent.reason)
    if place.clock.now() > asked_at + GIVE_UP:
        return Outcome(refused=f"{sent.reason}, for a day", maybe=True)
    raise NotYet(sent.reason, sent.wait)
