"""A `failres` block that cannot be used: the table hands it to people, and nothing automatic is done on its run until
then (specification, sections 1, 3 and 10; class `plan-invalid`).
"""

from __future__ import annotations

from collections.abc import Iterator

from resolver.config import ConfigProblem
from resolver.decide.asked_of_run import question_of_run
from resolver.decide.endings import how_it_ended
from resolver.decide.here import Here
from resolver.decide.invalid_plan import plan_problems, words_of
from resolver.decide.paused import run_escalation
from resolver.decide.rights import config_of, managed, silence
from resolver.facts.decisions import DecisionRequested
from resolver.facts.resolve import ResolveDecided
from resolver.state import Pull, RepoState

INVALID = "plan-invalid"


def invalid_plan(state: RepoState, pull: Pull, now: float) -> Iterator[ResolveDecided]:
    """Record that a managed task's block cannot be used: once for each pull request, whatever is wrong with it."""
    found = _asked_of(state, pull)
    if found and not any(each.decided.fail_class == INVALID for each in pull.resolutions.values()):
        yield run_escalation(pull, INVALID, words_of(found), now)


def plan_question(here: Here) -> DecisionRequested | None:
    """Ask whoever wrote the block to correct it; anew once something else is wrong with it."""
    state, pull = here.state, here.pull
    found = _asked_of(state, pull)
    before = [each for each in pull.talk.decisions.values() if each.fail_class == INVALID]
    why = words_of(found)
    if not found or any(each.why == why for each in before):
        return None
    return question_of_run(state, pull, INVALID, why, here.now, earlier=len(before))


def plan_asked(state: RepoState, pull: Pull) -> bool:
    """Say whether the question about the block is open, so that nothing else is asked beside it."""
    mine = (each for each in pull.talk.decisions.values() if each.fail_class == INVALID)
    return any(how_it_ended(state, pull, each) is None for each in mine)


def _asked_of(state: RepoState, pull: Pull) -> tuple[ConfigProblem, ...]:
    if silence(state, pull) is not None or not managed(state, pull, config_of(state, pull)):
        return ()
    return plan_problems(state, pull)
