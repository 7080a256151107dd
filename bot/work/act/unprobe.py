"""Removes a probe's branch once the probe has ended or was given up; one that somebody has moved is left alone.

A draft pull request of a probe is closed before.
"""

from __future__ import annotations

from bot.github import NotFound, Refused
from bot.work.act.fresh import BROKEN, DISABLED, look_at_base
from bot.work.act.probe_pull import close_draft
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import RemoveProbe
from resolver.facts import ProbeRemoved
from resolver.probes import is_probe_branch

GONE = 422
"""GitHub: the status for a ref that does not exist."""


async def remove_probe(place: Place, action: RemoveProbe) -> Outcome:
    """Delete the branch if it still points at the probe's commit."""
    if not is_probe_branch(action.branch):
        return Outcome(refused=f"{action.branch} is no probe's branch")
    config = await look_at_base(place, place.repo.default_branch, "probe")
    if isinstance(config, Outcome) and config.refused in (BROKEN, DISABLED):
        return Outcome(refused=config.refused, retry_at=place.clock.now() + place.pace.refusal_rest)
    removed = Outcome((ProbeRemoved(probe_id=action.probe_id, reason=action.reason),))
    try:
        ref = await place.installation.get(place.path("/git/ref/heads/{+name}", name=action.branch))
    except NotFound:
        ref = None
    if ref is not None and ref["object"]["sha"] != action.commit:
        why = "somebody moved the branch, so that it was left alone"
        return Outcome((ProbeRemoved(probe_id=action.probe_id, reason=why),), refused=why)
    if action.pull is not None:
        await close_draft(place, action.pull, action.commit)
    if ref is None:
        return removed
    try:
        await place.installation.delete(place.path("/git/refs/heads/{+name}", name=action.branch))
    except NotFound:
        return removed
    except Refused as refused:
        if refused.status != GONE:
            raise
    return removed
