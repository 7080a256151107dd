"""Sets the label that stops failres, or takes it off again, because a person commanded it."""

from __future__ import annotations

from bot.github import NotFound
from bot.objects import pull_observed
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.command_facts import LabelSet
from resolver.talk_actions import SetLabel


async def set_label(place: Place, action: SetLabel) -> Outcome:
    """Set or remove the label; done as well where it is as wished already."""
    path = place.path("/pulls/{n}", n=action.number)
    try:
        pull = pull_observed(await place.installation.get(path))
    except NotFound:
        return Outcome(refused="the pull request is gone")
    if (action.label in pull.labels) != action.present:
        await _change(place, action)
        pull = pull_observed(await place.installation.get(path))
    done = LabelSet(number=action.number, label=action.label, present=action.present, command_id=action.command_id)
    return Outcome((pull, done))


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
