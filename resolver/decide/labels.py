"""The labels of open questions and of quarantined tasks, where the configuration asks for them (section 16)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from resolver.actions.talk import SetLabel
from resolver.config.sections import Label
from resolver.decide.rights import config_of, mode_of, silence
from resolver.facts.decisions import DecisionRequested
from resolver.limits import Limits
from resolver.state import Pull, RepoState

DECISION: Label = "failres:decision"
QUARANTINED: Label = "failres:quarantined"


def labels(state: RepoState, pull: Pull, waiting: Sequence[DecisionRequested], limits: Limits) -> Iterator[SetLabel]:
    """Give the labels to set or to take off; `waiting` are the questions that are open. A label that somebody else set
    stays.
    """
    config = config_of(state, pull)
    if mode_of(config, "labels", limits) != "act" or silence(state, pull) is not None:
        return
    asked = list(pull.talk.decisions)
    if DECISION in config.labels and asked:
        yield from _label(pull, DECISION, waiting[0].decision_id if waiting else None, asked[-1])
    made = [f"{each.fact.task_id}:{each.fact.seq}" for each in pull.quarantines]
    if QUARANTINED in config.labels and made:
        red = bool(state.head(pull.seen.head_sha).failed())
        stands = pull.quarantine is not None and (red or pull.quarantine.fact.cause == "sync")
        yield from _label(pull, QUARANTINED, made[-1] if stands else None, made[-1])


def _label(pull: Pull, name: Label, because: str | None, last: str) -> Iterator[SetLabel]:
    """`because` names what asks for the label; where nothing does, it is taken off again for `last`."""
    has, number = name in pull.seen.labels, pull.seen.number
    if because is not None and not has:
        yield SetLabel(number=number, label=name, present=True, command_id=because)
    elif because is None and has and f"label:{number}:{name}" in pull.effects:
        yield SetLabel(number=number, label=name, present=False, command_id=last)
