"""Sets a label or takes it off again: the one that stops failres, because a person commanded it, or one that the
configuration asks for.
"""

from __future__ import annotations

from bot.github import NotFound
from bot.objects import pull_observed
from bot.work.act.fresh import look_to_act, soon_again
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.talk import SetLabel
from resolver.facts import PullObserved
from resolver.facts.commands import LabelSet
from resolver.state import STOP_LABEL


async def set_label(place: Place, action: SetLabel) -> Outcome:
    """Set or remove the label; done as well where it is as wished already."""
    path = place.path("/pulls/{n}", n=action.number)
    try:
        pull = pull_observed(await place.installation.get(path))
    except NotFound:
        return Outcome(refused="the pull request is gone")
    refused = await _against(place, action, pull) if action.label != STOP_LABEL else None
    if refused is not None:
        return refused
    if (action.label in pull.labels) != action.present:
        await _change(place, action)
        pull = pull_observed(await place.installation.get(path))
    done = LabelSet(number=action.number, label=action.label, present=action.present, command_id=action.command_id)
    return Outcome((pull, done))


async def _against(place: Place, action: SetLabel, pull: PullObserved) -> Outcome | None:
    """Say why no label but the one that stops failres may be changed now; on which tasks, the turn has decided."""
    seen = await look_to_act(place, action.number, pull.head_sha, "labels", asked=True)
    if isinstance(seen, Outcome):
        return soon_again(place, seen)
    if seen.config.mode.labels == "act":
        return None
    again_at = place.clock.now() + place.pace.stop_rest
    return Outcome((seen.pull,), refused=f"the mode of labels is `{seen.config.mode.labels}`", retry_at=again_at)


async def _change(place: Place, action: SetLabel) -> None:
    """GitHub makes a label that is not there yet; one that is gone already need not be removed."""
    labels = place.path("/issues/{n}/labels", n=action.number)
    if action.present:
        await place.installation.post(labels, {"labels": [action.label]})
        return
    try:
        await place.installation.delete(place.path("/issues/{n}/labels/{name}", n=action.number, name=action.label))
    except NotFound:
        return
