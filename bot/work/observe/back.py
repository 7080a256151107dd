"""Which function looks back at what has landed."""

from __future__ import annotations

from typing import assert_never

from bot.work.observe.landings import read_base_changes, read_landed_changes, read_landing
from bot.work.observe.unseen import read_unseen
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.landings import LandingAction, ReadBaseChanges, ReadLandedChanges, ReadLanding, ReadUnseen


async def look_back(place: Place, action: LandingAction) -> Outcome:
    """Carry out one such read. Raises the errors of `bot.github.errors`."""
    match action:
        case ReadLanding():
            return await read_landing(place, action)
        case ReadLandedChanges():
            return await read_landed_changes(place, action)
        case ReadUnseen():
            return await read_unseen(place, action)
        case ReadBaseChanges():
            return await read_base_changes(place, action)
        case _:
            assert_never(action)
