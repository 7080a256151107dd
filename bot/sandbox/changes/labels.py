"""Labels of a repository and on its pull requests and issues."""

from __future__ import annotations

from bot.sandbox.changes.comments import conversation
from bot.sandbox.changes.refusals import Refused, invalid
from bot.sandbox.state import Act, Issue, Pull, Repository

NEW_COLOUR = "ededed"


def create_label(repo: Repository, name: str, colour: str = NEW_COLOUR) -> None:
    """Make a label; 422 where there is one of that name."""
    if name.lower() in (one.lower() for one in repo.labels):
        raise invalid("Label", "name", "already_exists")
    repo.labels[name] = colour


def add_label(act: Act, number: int, name: str) -> None:
    """Label a pull request or issue; an unknown label is made. Tells `labeled` where it is new there."""
    on = conversation(act.repo, number)
    name = next((one for one in act.repo.labels if one.lower() == name.lower()), name)
    act.repo.labels.setdefault(name, NEW_COLOUR)
    if name not in on.labels:
        on.labels.append(name)
        _tell(act, "labeled", on, name)


def remove_label(act: Act, number: int, name: str) -> None:
    """Take a label off; 404 where it is not on it. Tells `unlabeled`."""
    on = conversation(act.repo, number)
    held = next((one for one in on.labels if one.lower() == name.lower()), None)
    if held is None:
        raise Refused(404, "Label does not exist")
    on.labels.remove(held)
    _tell(act, "unlabeled", on, held)


def _tell(act: Act, action: str, on: Pull | Issue, label: str) -> None:
    on.updated_at = act.now
    if isinstance(on, Pull):
        act.tell("pull_request", action, pull=on, label=label)
    else:
        act.tell("issues", action, issue=on, label=label)
