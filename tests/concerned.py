"""Whether a fact makes something due for a pull request that `touched` leaves out: deciding all, against only those."""

from __future__ import annotations

import json

from resolver.decide import Due, decide_pull
from resolver.decide.rights import config_of, managed
from resolver.facts import BaseMoved, Fact
from resolver.fold.run import also_concerned
from resolver.ids import PullNumber
from resolver.journal import Unreadable
from resolver.ledger.events import GroupFailed, ProbeStarted, RerunEnded, RerunStarted
from resolver.limits import LIMITS
from resolver.state import RepoState
from resolver.touched import touched

ACTING = LIMITS.model_copy(update={"ceiling": "act"})
"""Everything that a configuration may switch on is switched on: so more follows from a fact, not less."""

TIMES = {"at", "asked_at", "evidence"}
"""What differs between two looks at the same thing."""

OWN = GroupFailed | ProbeStarted | RerunStarted | RerunEnded
"""Recorded by a pull request's own decision, which is made again at once."""


def left_out(before: RepoState, state: RepoState, fact: Fact | Unreadable, at: float) -> set[PullNumber]:
    """Give the pull requests for which more is due in `state` than in the one before, and which are not touched."""
    if isinstance(fact, OWN | Unreadable):
        return set()
    marked = touched(state, fact, before)
    rest = set[PullNumber]() if marked is None else set(state.pulls) - marked - also_concerned(state, fact)
    if isinstance(fact, BaseMoved):  # elsewhere failres only explains, and waits for what runs on the new commit
        rest = {number for number in rest if managed(state, pull := state.pulls[number], config_of(state, pull))}
    return {
        number
        for number in rest
        if _more(decide_pull(before, number, at, ACTING), decide_pull(state, number, at, ACTING))
    }


def _more(before: Due, after: Due) -> bool:
    put_off = bool(_content(before) - _content(after))  # what was due at once has to wait: it is looked at anyway
    sooner = after.again_at is not None and (before.again_at is None or after.again_at < before.again_at)
    sooner = sooner and not put_off
    return sooner or bool(_content(after) - _content(before))


def _content(due: Due) -> set[str]:
    actions = {f"{action.target} {action.key}" for action in due.actions}
    return actions | {
        json.dumps([type(fact).__name__, fact.model_dump(mode="json", exclude=TIMES)], sort_keys=True)
        for fact in due.facts
    }
