"""Where nothing may be decided, people are asked: one question for each matter, and one comment for each question.

A matter is asked again only after an answer, and after the failure has come back on a further execution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from resolver.actions import AnyAction
from resolver.actions.talk import PostDecision
from resolver.attribution import Verdict
from resolver.breakers import Tripped, tripped
from resolver.decide.ask_model import ask_model, proposal_of
from resolver.decide.asked import rerun_is_left
from resolver.decide.asked_about import failure_of, message_of, reds_of
from resolver.decide.due import Due, earlier
from resolver.decide.endings import circumstances, how_it_ended
from resolver.decide.flaky import flaky_decision, flaky_matter
from resolver.decide.handoff import awaited_until
from resolver.decide.here import Here
from resolver.decide.interrupted import interrupted_question
from resolver.decide.labels import labels
from resolver.decide.matter import Matter, here_decided, resolutions
from resolver.decide.paused import pause_of, run_question
from resolver.decide.planned import plan_asked, plan_question
from resolver.decide.quarantine import REPEATED, held, held_by_question
from resolver.decide.resolve import escalation, stop, why_escalated
from resolver.decide.rights import config_of, managed, silence
from resolver.decide.sync_question import by_sync, sync_question
from resolver.decide.unanswered import LEFT, WAITS, escalated, unanswered
from resolver.decisions import Asking, Kind, Word, ask, kind_for
from resolver.executions import MERGE_GROUP
from resolver.facts.decisions import DecisionRequested, Ended
from resolver.facts.resolve import Proposal
from resolver.policy import CRASH
from resolver.runs import task_id
from resolver.state import Pull, RepoState

HOUR = 3_600.0
FINAL: tuple[Word, ...] = ("accept", "noted")
"""After these answers the same matter is not asked again until somebody pushes."""


def questions(here: Here, left: int) -> Due:
    """Give the question that the leading verdict asks, and the comments and labels of all questions; `left` is how many
    new comments may be made.
    """
    state, pull, now = here.state, here.pull, here.now
    first_of_all = run_question(here) or plan_question(here) or sync_question(here) or interrupted_question(here)
    asked = first_of_all or _ask(here)
    first = _put(here, asked) if asked is not None else Due()
    facts = first.facts
    waiting = [each for each in pull.talk.decisions.values() if how_it_ended(state, pull, each) is None]
    actions: list[AnyAction] = [*first.actions, *labels(state, pull, waiting, here.limits)]
    again_at = first.again_at
    for decision in pull.talk.decisions.values():
        effect = pull.effects.get(f"decision:{decision.decision_id}")
        posted = _posted(pull, decision) is not None
        ended = how_it_ended(state, pull, decision)
        if not posted and ended is not None:
            continue
        if not posted and left < 1 and effect is None:
            again_at = earlier(again_at, now + HOUR)
            continue
        if ended is None and silence(state, pull) is not None:
            continue
        waits = awaited_until(state, pull, decision, now, here.limits)
        if effect is None and now < waits:
            again_at = earlier(again_at, waits)
            left -= 1  # it is as good as made
            continue
        actions.append(_comment(pull, decision, ended))
        left -= not posted
    return Due(tuple(actions), again_at, facts)


def last_words(state: RepoState, pull: Pull) -> Iterator[PostDecision]:
    """Give the comments of a closed pull request's questions, which say how each has ended."""
    for decision in pull.talk.decisions.values():
        ended = how_it_ended(state, pull, decision)
        if ended is not None and _posted(pull, decision) is not None:
            yield _comment(pull, decision, ended)


def _comment(pull: Pull, decision: DecisionRequested, ended: Ended | None) -> PostDecision:
    return PostDecision(
        number=pull.seen.number,
        head_sha=pull.seen.head_sha,
        decision=decision,
        ended=ended,
        comment_id=_posted(pull, decision),
        handoff=pull.talk.handoffs.get(decision.decision_id),
    )


def _posted(pull: Pull, decision: DecisionRequested) -> int | None:
    """Give the id of a question's comment, None where there is none yet."""
    effect = pull.effects.get(f"decision:{decision.decision_id}")
    return int(effect.result["decisionComment"]) if effect is not None and "decisionComment" in effect.result else None


def _put(here: Here, asked: DecisionRequested) -> Due:
    """Put the question to people, unless the table wants a model asked first; where a breaker allows no further
    decision, say what that comes to instead.
    """
    if asked.because is None or held(here.state, here.pull):
        return Due(facts=(asked,))
    if asked.kind == "fix-flaky-test":
        return _put_flaky(here, asked, asked.because)
    matter = Matter(here.state, here.pull, asked.because.check, asked.fail_class, here.now)
    met = ask_model(matter, here.limits) if asked.kind == "failure" else None
    if met is not None:
        return Due(met.actions, met.again_at, met.facts)
    last = escalation(matter)
    if isinstance(last, Tripped):
        return Due(facts=stop(matter, last))
    return Due(facts=(last, asked) if last is not None else (asked,))


def _put_flaky(here: Here, asked: DecisionRequested, flake: Verdict) -> Due:
    """Put the question about a flaky test with its decision, which the breakers bind like any other."""
    matter = flaky_matter(here.state, here.pull, flake, here.now)
    made = resolutions(here.state, here.pull, matter.fail_class)
    trip = tripped(matter.fail_class, "task", made, matter.config.budget)
    if trip is not None:
        return Due(facts=stop(matter, trip))
    return Due(facts=(flaky_decision(here.state, here.pull, flake, 1, here.now), asked))


def _ask(here: Here) -> DecisionRequested | None:
    state, pull, lead = here.state, here.pull, _for_people(here)
    if lead is None or silence(state, pull) is not None:
        return None
    here = replace(here, lead=lead)
    if pause_of(state, pull) is not None or plan_asked(state, pull):
        return None  # one question is asked for the whole run, and what it may change comes before what has failed
    if by_sync(pull) is not None or held_by_question(pull) is not None:
        return None  # so does what a rebase left, or what was interrupted
    if state.outage.on or not managed(state, pull, config_of(state, pull)):
        return None
    if unanswered(state, pull) in (WAITS, LEFT):
        return None
    fail_class = _class_of(state, pull, lead)
    kind: Kind = "fix-flaky-test" if lead.next_action == "decide" else kind_for(fail_class, "task")
    if kind == "fix-flaky-test" and _asked_elsewhere(state, pull, lead):
        return None
    reasons = (lead.reason, why_escalated(Matter(state, pull, lead.check, fail_class, here.now)))
    told = dict.fromkeys(part for each in reasons for part in each.split("; ") if part)
    proposed = proposal_of(pull, lead.check, fail_class)
    return request(here, kind, fail_class, "; ".join(told), proposed)


def _for_people(here: Here) -> Verdict | None:
    """Give the verdict that people are asked about: the leading one, else one whose class the table has escalated."""
    pull, lead = here.pull, here.lead
    if lead is None or _escalates(pull, lead):
        return lead
    handed = [each.check for each in escalated(pull) if each.check is not None]
    found = (each for each in pull.verdicts.values() if any(check.same_job(each.check) for check in handed))
    return next(found, None)


def _escalates(pull: Pull, lead: Verdict) -> bool:
    """Say whether people come next: by the verdict itself, or by the resolver's row that it leads to."""
    if lead.check.third_party and lead.check.event != MERGE_GROUP:
        return False  # nothing of another CI is ever started, so that there is nothing to decide but a place in a queue
    if pull.quarantine is not None and pull.quarantine.fact.cause == "stop-loss":
        return True  # the table hands it to people, whatever the verdict would lead to
    if lead.next_action == "resolve":
        standing = here_decided(pull, lead.check, "task-stalled")
        return standing is not None and (standing.decided.action == "escalate" or standing.ended is not None)
    return lead.next_action in ("escalate", "decide")


def request(
    here: Here, kind: Kind, fail_class: str, why: str, proposed: Proposal | None = None
) -> DecisionRequested | None:
    """Make a question, unless it stands already, was answered for good, or nothing has happened since its answer."""
    state, pull, lead = here.state, here.pull, here.lead
    now = circumstances(state, pull)
    print_ = lead.fingerprint if lead is not None else None
    before = [
        each
        for each in pull.talk.decisions.values()
        if (each.kind, each.fail_class, each.fingerprint) == (kind, fail_class, print_)
        and each.head.pushed == now.head.pushed
    ]
    reds = reds_of(state, pull, lead)
    ends = [how_it_ended(state, pull, each) for each in before]
    if any(each is None or (each.answer is not None and each.answer.option in FINAL) for each in ends):
        return None
    if before and reds <= before[-1].reds:
        return None
    offered: list[Word] = ["accept", "noted"]
    if rerun_is_left(state, pull, lead, here.now, here.limits):
        offered.append("try-again")
    asking = Asking(
        number=pull.seen.number,
        task_id=task_id(pull.seen.number),
        kind=kind,
        fail_class=fail_class,
        fingerprint=print_,
        protected=now.protected,
        offered=tuple(offered),
        head=now.head,
        base=now.base,
        earlier=len(before),
    )
    decision = ask(asking, here.now)
    message = message_of(state, pull, lead)
    under = pull.quarantine.fact.cause if pull.quarantine is not None and not pull.quarantine.final else None
    return DecisionRequested.of(
        decision, because=lead, reds=reds, why=why, proposed=proposed, message=message, quarantined=under
    )


def _class_of(state: RepoState, pull: Pull, lead: Verdict) -> str:
    if pull.quarantine is not None and pull.quarantine.fact.cause == "stop-loss":
        return REPEATED
    if lead.fingerprint is None and here_decided(pull, lead.check, CRASH) is not None:
        return CRASH
    found = failure_of(state, pull, lead)
    return found.fail_class if found is not None else "unknown"


def _asked_elsewhere(state: RepoState, pull: Pull, lead: Verdict) -> bool:
    """Say whether people are asked about this flaky check on another pull request already."""
    for other in state.pulls.values():
        if other.seen.number == pull.seen.number or other.seen.state != "open":
            continue
        for each in other.talk.decisions.values():
            same = (
                each.kind == "fix-flaky-test" and each.because is not None and each.because.check.same_job(lead.check)
            )
            if same and how_it_ended(state, other, each) is None:
                return True
    return False
