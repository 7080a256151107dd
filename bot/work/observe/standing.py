"""Reads the rights of somebody who commands, at the time at which the command is read (specification, section 11)."""

from __future__ import annotations

from typing import get_args

from bot.github import NotFound
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.talk import ReadStanding
from resolver.commands import Permission
from resolver.facts.commands import StandingRead


async def read_standing(place: Place, action: ReadStanding) -> Outcome:
    """Ask by login, since GitHub offers no other way, and believe the answer only for the same numeric id."""
    try:
        told = await place.installation.get(place.path("/collaborators/{login}/permission", login=action.login))
    except NotFound:
        return Outcome((_read(action, None),))
    same = (told.get("user") or {}).get("id") == action.user_id
    return Outcome((_read(action, told.get("permission") if same else None),))


def _read(action: ReadStanding, word: object) -> StandingRead:
    """A word that is none of GitHub's own gives no rights."""
    permission: Permission | None = next((each for each in get_args(Permission) if each == word), None)
    return StandingRead(number=action.number, command_id=action.command_id, permission=permission)
