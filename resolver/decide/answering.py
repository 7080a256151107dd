"""What an answer to a question comes to: refused with its reason, or accepted with its real effect. Nothing between.

An option that was offered once and cannot be carried out now is refused, and the question stays open.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from resolver.actions import AnyAction
from resolver.answers import Accepted, Refused, check_answer, choose
from resolver.commands import Answer, Standing
from resolver.decide.asked import Hindered, plan_retry
from resolver.decide.endings import circumstances, how_it_ended
from resolver.decide.here import Here
from resolver.decide.rights import silence
from resolver.decisions import KINDS, OPTIONS, Decision
from resolver.facts import Fact
from resolver.facts.commands import Said
from resolver.facts.decisions import DecisionAnswered, DecisionRequested
from resolver.policy import NEEDS, Abilities, Take, within
from resolver.state.talk import Given

PASSED = "the check has passed meanwhile, so that the question has ended"
LIFTED = "the base has moved meanwhile, so that the question has ended"
SPENT = "no execution of it is left within the limits"
UNNAMED = "{} of the files that the question is about are not named, and with one of them left nothing is lifted"


@dataclass(frozen=True, slots=True)
class Answered:
    """What an answer does: facts and, where something is executed, the action; `said` where it is refused."""

    said: Said | None = None
    action: AnyAction | None = None
    facts: tuple[Fact, ...] = ()


def take_answer(here: Here, given: Given, answer: Answer, standing: Standing, before: Collection[str] = ()) -> Answered:
    """Check an answer against the questions of this pull request; `before` are those that this comment answered."""
    pull, now = here.pull, circumstances(here.state, here.pull)
    now = now.model_copy(update={"answered": now.answered | frozenset(before)})
    quiet = silence(here.state, pull)
    if quiet is not None:
        return _not_done(quiet.value)
    chosen = choose([each.decision() for each in _meant(here, answer)], answer, now)
    if isinstance(chosen, Refused):
        return Answered(Said(kind="refused", command="answer", refused=chosen))
    ended = how_it_ended(here.state, pull, pull.talk.decisions[chosen.decision_id])
    if ended is not None and ended.why == "passed":
        return _not_done(PASSED)
    if ended is not None and ended.why == "base-moved" and chosen.base is None:
        return _not_done(LIFTED)
    missing = _missing(chosen, answer)
    if missing is not None:
        return _not_done(missing)
    by = given.fact.by
    if by is None:
        return _not_done("the account is gone")
    checked = check_answer(chosen, answer, by, standing, now)
    if isinstance(checked, Refused):
        return Answered(Said(kind="refused", command="answer", refused=checked))
    return _effect(here, given, checked, by.login, pull.talk.decisions[chosen.decision_id])


def _meant(here: Here, answer: Answer) -> list[DecisionRequested]:
    """The questions among which the one that is answered is looked for: of several, those that have not ended."""
    asked = list(here.pull.talk.decisions.values())
    if answer.decision is not None:
        return asked
    return [each for each in asked if how_it_ended(here.state, here.pull, each) is None] or asked


def _missing(decision: Decision, answer: Answer) -> str | None:
    """Why an option of the question's kind was not offered here."""
    for word in KINDS[decision.kind].options:
        action = OPTIONS[word]
        if word != answer.option or word in decision.options or action is None:
            continue
        missing = within(Take(action=action), Abilities()).missing
        return NEEDS[missing] if missing is not None else SPENT
    return None


def _effect(here: Here, given: Given, accepted: Accepted, login: str, asked: DecisionRequested) -> Answered:
    fields = {name: getattr(accepted, name) for name in Accepted.model_fields}
    answered = DecisionAnswered(
        **fields,
        login=login,
        at=here.now,
        command_id=given.fact.command_id,
        comment_id=given.fact.comment_id,
    )
    if accepted.scope_files and asked.quarantined == "sync":
        left = len(set(asked.files) - set(accepted.scope_files))
        return _not_done(UNNAMED.format(left)) if left else Answered(facts=(answered,))
    # a run that goes on, what was interrupted, or a task after its rebase, decides anew what is due
    anew = asked.kind in ("run-paused", "interrupted") or asked.quarantined == "sync"
    if accepted.action != "resume" or anew:
        return Answered(facts=(answered,))
    if accepted.scope_files:
        return _not_done("no fix run can be started here that would use the files")
    planned = plan_retry(here.state, here.pull, here.lead, here.now, here.limits)
    if isinstance(planned, Hindered):
        return _not_done(planned.reason)
    return Answered(action=planned.action, facts=(*planned.facts, answered))


def _not_done(reason: str) -> Answered:
    return Answered(Said(kind="not-done", command="answer", reason=reason))
