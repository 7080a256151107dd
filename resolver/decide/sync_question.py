"""What people are asked about a task that its synchronisation quarantined (specification, sections 9 and 11).

Files outside its scope may be added to it by name, each of them or none; one that is protected may not. Where commits
are gone, whoever knows the branch says whether it may go on.
"""

from __future__ import annotations

from resolver.decide.endings import circumstances
from resolver.decide.here import Here
from resolver.decide.paused import pause_of
from resolver.decide.planned import plan_asked
from resolver.decide.rights import config_of, managed, silence
from resolver.decide.synced import left_outside
from resolver.decisions import ANSWER_LIMITS, Asking, Decision, Word, ask
from resolver.facts.decisions import DecisionRequested
from resolver.runs import task_id
from resolver.state import Pull
from resolver.state.quarantine import Quarantine

FILES = "May this branch also change these files?"
PROTECTED = "not all of them may be allowed by an answer, so that a push has to take them out"


def sync_question(here: Here) -> DecisionRequested | None:
    """Ask about the quarantine that a synchronisation has made, once, whether a check is red or not."""
    state, pull = here.state, here.pull
    standing = by_sync(pull)
    if standing is None or standing.final or silence(state, pull) is not None or pause_of(state, pull) is not None:
        return None
    if plan_asked(state, pull):
        return None  # what it may change is asked first
    if not managed(state, pull, config_of(state, pull)) or any(_asks(each, standing) for each in _asked(pull)):
        return None
    now, outside = circumstances(state, pull), left_outside(pull)
    lost = standing.fact.fail_class == "base-moved"
    asking = Asking(
        number=pull.seen.number,
        task_id=task_id(pull.seen.number),
        kind="synced" if lost else "scope",
        fail_class=standing.fact.fail_class,
        files=outside,
        protected=now.protected,
        head=now.head,
        base=now.base,
        earlier=len(_asked(pull)),
    )
    made, reason = ask(asking, here.now), standing.fact.reason
    if not lost and set(made.files) == set(outside):
        return _requested(made.model_copy(update={"question": FILES}), reason)
    shown = made.model_copy(update={"files": outside[: ANSWER_LIMITS.files]})  # to be read; no answer names them
    if lost:
        return _requested(shown, reason)
    only: tuple[Word, ...] = ("accept",)
    return _requested(shown.model_copy(update={"kind": "synced", "options": only}), f"{reason}; {PROTECTED}")


def by_sync(pull: Pull) -> Quarantine | None:
    """Give the quarantine that a synchronisation made, while the task is under it."""
    standing = pull.quarantine
    return standing if standing is not None and standing.fact.cause == "sync" else None


def _requested(made: Decision, why: str) -> DecisionRequested:
    return DecisionRequested.of(made, why=why, quarantined="sync")


def _asked(pull: Pull) -> list[DecisionRequested]:
    return [each for each in pull.talk.decisions.values() if each.quarantined == "sync"]


def _asks(asked: DecisionRequested, standing: Quarantine) -> bool:
    return asked.asked_at >= standing.fact.at
