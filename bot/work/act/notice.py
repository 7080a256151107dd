"""Sends a notification about a question, unless the question's pull request was closed or stopped meanwhile."""

from __future__ import annotations

from bot.notify import Sent
from bot.words.notice import notice
from bot.work.act.fresh import look, soon_again
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.talk_actions import Notify

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
    sent = await place.destinations.send(action.destination, body, action.target)
    if isinstance(sent, Sent):
        return Outcome()
    if sent.final:
        return Outcome(refused=sent.reason)
    if place.clock.now() > action.decision.asked_at + GIVE_UP:
        return Outcome(refused=f"{sent.reason}, for a day", maybe=True)
    raise NotYet(sent.reason, sent.wait)
