"""The model rung: where the table says so, a model is asked before people are (specification, section 10).

Where it is off this module has no say, and what follows is the table's alone. Asking is an action and the reply a
fact; what the model proposes passes the same breakers, modes and ledger as the table's own action. Each question ends
in one `resolve.decision`. Where that is to escalate, cannot be carried out, or did not help, people are asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from resolver.actions.model import CallModel
from resolver.attribution import Refusal
from resolver.breakers import tripped
from resolver.decide.deciding import resolution
from resolver.decide.matter import Matter, here_decided, resolutions
from resolver.decide.quarantine import failing_of, quarantine
from resolver.decide.rerunning import Met
from resolver.decide.resolve import forbidden, possible, resolve
from resolver.decide.resolve_outcomes import RERUNS
from resolver.executions import Check
from resolver.facts.model import PREFIX, call_target
from resolver.facts.resolve import Proposal
from resolver.failure import Failure
from resolver.limits import Limits
from resolver.llm import Reply, affordable, judge
from resolver.policy import NEEDS, AskModel, Take, rule
from resolver.runs import run_id
from resolver.state import Effect, Pull

DAY = 86_400.0

ACCEPTED = "a model proposed to leave it as it is, and the rest of the run goes on"

SPENT = "the model was not asked: the calls that a day or a run may cost are spent"


def ask_model(matter: Matter, limits: Limits) -> Met | None:
    """
    Give what the rung makes due before people are asked about a failure; None where it has no say, or none any more.

    A `Met` without anything in it means that the question, or the action that came of it, is under way.
    """
    standing = here_decided(matter.pull, matter.check, matter.fail_class)
    if standing is not None and standing.ended is None:
        if standing.decided.source == "table" or standing.decided.action not in RERUNS:
            return None
        met = resolve(matter, limits)
        return None if isinstance(met, Refusal) else met
    if not offered(matter, limits) or forbidden(matter, limits) is not None or matter.job is None:
        return None
    made = resolutions(matter.state, matter.pull, matter.fail_class)
    if tripped(matter.fail_class, "task", made, matter.config.budget) is not None:
        return None
    ruling = rule(matter.fail_class, "task", made.attempt, llm=True)
    return _ask(matter, limits, ruling) if isinstance(ruling, AskModel) else None


def proposal_of(pull: Pull, check: Check, fail_class: str) -> Proposal | None:
    """Give what came of asking the model about a failure on this head, where that was the last thing decided."""
    standing = here_decided(pull, check, fail_class)
    return standing.decided.proposal if standing is not None else None


def under_way(pull: Pull) -> Proposal | None:
    """Give the model's proposal that is being carried out on this head."""
    for each in tuple(pull.resolutions.values())[::-1]:
        if each.ended is None and each.decided.head_sha == pull.seen.head_sha and each.decided.action in RERUNS:
            return each.decided.proposal
    return None


def offered(matter: Matter, limits: Limits) -> bool:
    """Say whether the repository asks for a model and the server has one for it."""
    return matter.config.llm.enabled and limits.model_calls_per_day > 0


def _ask(matter: Matter, limits: Limits, asked: AskModel) -> Met:
    replies = tuple(_replies(matter, asked))
    ruling = judge(replies)
    if isinstance(ruling, Take):
        return _decided(matter, asked, ruling)
    action = _call(matter, asked, len(replies) + 1)
    effect = matter.pull.effects.get(action.target)
    if effect is None and not _affordable(matter, limits, len(replies)):
        return _decided(matter, asked, Take(action="escalate", rationale=SPENT))
    if effect is not None and effect.status == "refused" and effect.retry_at is None:
        why = f"the model was not asked: {effect.reason or 'it was refused'}"
        return _decided(matter, asked, Take(action="escalate", rationale=why))
    return Met((action,))


def _replies(matter: Matter, asked: AskModel) -> Iterator[Reply]:
    """What the question's calls came to, in their order."""
    call = 1
    while (replied := matter.pull.replies.get(_target(matter, asked, call))) is not None:
        yield replied.reply
        call += 1


def _target(matter: Matter, asked: AskModel, call: int) -> str:
    seen = matter.pull.seen
    return call_target(seen.number, seen.head_sha, asked.fail_class, asked.attempt, call)


def _call(matter: Matter, asked: AskModel, call: int) -> CallModel:
    return CallModel(
        number=matter.pull.seen.number,
        head_sha=matter.pull.seen.head_sha,
        fail_class=asked.fail_class,
        scope=asked.scope,
        attempt=asked.attempt,
        call=call,
        failure=_failure(matter),
    )


def _failure(matter: Matter) -> Failure | None:
    """The failure of that class in the newest failed execution's log."""
    told = matter.head.triaged.get(matter.job.job_id) if matter.job is not None else None
    mine = (each for each in (told.failures if told else ()) if each.fail_class == matter.fail_class)
    return next(mine, None)


def _decided(matter: Matter, asked: AskModel, take: Take) -> Met:
    """The decision's record. What the model proposed and what cannot be done here are both in its rationale."""
    able = possible(take)
    rationale = take.rationale
    if able.instead_of is not None:
        why = NEEDS[able.missing] if able.missing is not None else able.rationale
        rationale = f"it proposed {able.instead_of}, but {why}: {take.rationale}"
    record = resolution(matter, able, asked.attempt).model_copy(update={"rationale": rationale})
    if record.action == "accept-quarantine-continue":
        return Met(facts=(record, quarantine(matter, failing_of(matter), "row", ACCEPTED, final=True)))
    return Met(facts=(record,))


def _affordable(matter: Matter, limits: Limits, made: int) -> bool:
    """Count the calls from the journal: each counts from its start, whatever became of it."""
    ours = run_id(matter.pull.seen)
    pulls = matter.state.pulls.values()
    today = sum(each.started_at > matter.now - DAY for pull in pulls for each in _calls(pull))
    of_run = sum(1 for pull in pulls if run_id(pull.seen) == ours for _ in _calls(pull))
    a_day = min(matter.config.llm.calls_per_day, limits.model_calls_per_day)
    return affordable(today, of_run, a_day, made=made)


def _calls(pull: Pull) -> Iterator[Effect]:
    """The calls that were sent; one that was refused before never was."""
    for target, effect in pull.effects.items():
        if target.startswith(PREFIX) and effect.status != "refused":
            yield effect
