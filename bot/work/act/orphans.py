"""Removes branches of failres's own that nobody owns, if they still are what they were; others are left alone."""

from __future__ import annotations

from bot.work.act.fresh import BROKEN, DISABLED, look_at_base
from bot.work.act.remove import remove
from bot.work.outcome import Outcome
from bot.work.place import Place
from repairs.environment import leftovers
from resolver.actions.repairs import RemoveOrphans
from resolver.facts.orphans import OrphansEnded

LEFT_ALONE = "somebody has moved it, or its commit is none of failres's"


async def remove_orphans(place: Place, action: RemoveOrphans) -> Outcome:
    """Remove what still is as it was seen. A repository that switched failres off keeps what is there."""
    config = await look_at_base(place, place.repo.default_branch, "probe")
    if isinstance(config, Outcome) and config.refused in (BROKEN, DISABLED):
        return Outcome(refused=config.refused, retry_at=place.clock.now() + place.pace.refusal_rest)
    allowed = leftovers(action.things, action.live)
    gone = {each.name for each in allowed if await remove(place, each)}
    left = tuple(each.name for each in action.things if each.name not in gone)
    ended = OrphansEnded(ref_decision_seq=action.seq, success=not left, left=left, reason=LEFT_ALONE if left else "")
    return Outcome((ended,))
