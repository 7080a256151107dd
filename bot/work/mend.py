"""Which function carries out which step of mending what checks stand on."""

from __future__ import annotations

from bot.work.act.notice import tell_of_orphans, tell_of_trouble
from bot.work.act.orphans import remove_orphans
from bot.work.act.repair import repair
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.repairs import RemoveOrphans, RepairAction, TellOfOrphans
from resolver.actions.trouble import TellOfTrouble


async def mend(place: Place, action: RepairAction | RemoveOrphans | TellOfOrphans | TellOfTrouble) -> Outcome:
    """Carry out a step once: of a pull request's repair, or for the repository."""
    if isinstance(action, RemoveOrphans):
        return await remove_orphans(place, action)
    if isinstance(action, TellOfOrphans):
        return await tell_of_orphans(place, action)
    if isinstance(action, TellOfTrouble):
        return await tell_of_trouble(place, action)
    return await repair(place, action)
