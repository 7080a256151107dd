"""Looks for commands in comments that webhooks did not tell of, so that a lost command is only late."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.commands import command_in
from bot.objects import seconds
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.talk import ReadComments
from resolver.facts import Fact
from resolver.facts.commands import CommandGiven, CommentsRead


async def read_comments(place: Place, action: ReadComments) -> Outcome:
    """Read the comments that were changed since; one that was edited, or is too old by now, holds no command."""
    oldest = place.clock.now() - place.pace.command_age
    since = {"since": _stamp(max(oldest, action.since or 0.0))}
    own = place.github.app_id
    facts: list[Fact] = []
    async for comment in place.installation.pages(place.path("/issues/{n}/comments", n=action.number), **since):
        written = seconds(comment.get("created_at")) or 0.0
        if comment.get("updated_at") != comment.get("created_at") or written < oldest:
            continue
        given: CommandGiven | None = command_in(comment, action.number)
        if given is not None and not (given.by is not None and given.by.app_id == own):
            facts.append(given)
    return Outcome((*facts, CommentsRead(number=action.number, until=action.until)))


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
