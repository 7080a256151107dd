"""What people command: each comment's commands are decided on once, and what follows from each is said or started.

`stop` needs no rights and is heard at once; all else waits until the giver's rights have been read for this command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import assert_never

from resolver.actions import AnyAction
from resolver.actions.talk import ReadStanding
from resolver.commands import (
    Answer,
    Command,
    CommandRules,
    Comment,
    Denied,
    Explain,
    Help,
    Ignored,
    Misread,
    Name,
    Permit,
    Permitted,
    Resume,
    Retry,
    Standing,
    Stop,
    Sync,
    permit,
)
from resolver.commands import (
    Verdict as Arbitration,
)
from resolver.decide.answering import take_answer
from resolver.decide.asked import Hindered, Planned, plan_retry, plan_sync
from resolver.decide.endings import how_it_ended
from resolver.decide.here import Here
from resolver.decide.paused import asked_at, pause_of
from resolver.decide.rights import Silence, config_of, silence
from resolver.decisions import Decision
from resolver.facts import Fact
from resolver.facts.commands import CommandGiven, CommandJudged, Judged, Said
from resolver.facts.decisions import DecisionAnswered
from resolver.state import Pull
from resolver.state.talk import Given

PUSHED = "somebody pushed after this was written; write it again where it is still wanted"
NO_STORY = "this pull request belongs to no story"
NOT_STOPPED = "it is not stopped"
NOTHING_TO_TELL = "nothing is known to fail on this commit"


Plain = Retry | Sync | Stop | Resume | Explain | Help | Arbitration
"""All commands but answers."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A comment's commands, judged, with what is started and recorded; `wait` is the read that must come first."""

    judged: CommandJudged | None = None
    actions: tuple[AnyAction, ...] = ()
    facts: tuple[Fact, ...] = ()
    wait: ReadStanding | None = None


def judge(here: Here, given: Given, thread: Callable[[Sequence[Judged]], int | None]) -> Judgement:
    """Decide on all commands of one comment; `thread` says into which reply that what is said goes, if anywhere."""
    fact = given.fact
    permits = [_permit(here, given, command) for command in fact.commands]
    unread = any(isinstance(each, Denied) and each.why == "rights-unread" for each in permits)
    if unread and given.standing is None and fact.by is not None and not _refused(here.pull, fact):
        wait = ReadStanding(number=fact.number, command_id=fact.command_id, user_id=fact.by.id, login=fact.by.login)
        return Judgement(wait=wait)
    steps: list[Step] = []
    for command, allowed in zip(fact.commands, permits, strict=True):
        steps.append(_step(here, given, command, allowed, steps))
    judged = tuple(step.judged for step in steps)
    decided = CommandJudged(
        number=fact.number, command_id=fact.command_id, at=here.now, judged=judged, thread=thread(judged)
    )
    return Judgement(
        judged=decided,
        actions=tuple(action for step in steps for action in step.actions),
        facts=tuple(each for step in steps for each in step.facts),
    )


@dataclass(frozen=True, slots=True)
class Step:
    """One command, judged."""

    judged: Judged
    actions: tuple[AnyAction, ...] = ()
    facts: tuple[Fact, ...] = field(default_factory=tuple)


def _permit(here: Here, given: Given, command: Command | Misread) -> Permit:
    fact = given.fact
    rules = CommandRules(allowed_apps=config_of(here.state, here.pull).commands.allowed_apps)
    return permit(command, Comment(comment_id=fact.comment_id or 0, by=fact.by), _standing(given), rules)


def _standing(given: Given) -> Standing:
    return Standing(permission=given.standing.permission if given.standing else None)


def _refused(pull: Pull, fact: CommandGiven) -> bool:
    """Say whether GitHub refused to tell the giver's rights."""
    effect = pull.effects.get(f"standing:{fact.command_id}")
    return effect is not None and effect.status == "refused"


def _step(here: Here, given: Given, command: Command | Misread, allowed: Permit, before: Sequence[Step]) -> Step:
    name: Name | None = command.command if isinstance(command, Misread) else command.name
    match allowed:
        case Ignored():
            return Step(Judged(command=name, result="ignored"))
        case Denied() | Permitted() if silence(here.state, here.pull) is Silence.DISABLED:
            return Step(Judged(command=name, result="ignored"))
        case Denied():
            return Step(_denied(here, given, name, allowed))
        case Permitted() if isinstance(command, Misread):
            said = Said(kind="misread", misread=command, asked=_asked(here, command))
            return Step(Judged(command=name, result="refused", said=said))
        case Permitted() if isinstance(command, Answer):
            return _answer(here, given, command, before)
        case Permitted():
            twice = any(each.judged.command == name and each.judged.result == "taken" for each in before)
            return Step(Judged(command=name, result="taken")) if twice else _carry_out(here, given, command)
        case _:
            assert_never(allowed)


def _asked(here: Here, misread: Misread) -> Decision | None:
    """The question that a misread answer may have been for: the newest one that is open."""
    if "answer" not in (misread.command, misread.meant):
        return None
    asked = tuple(here.pull.talk.decisions.values())[::-1]
    waiting = (each for each in asked if how_it_ended(here.state, here.pull, each) is None)
    return next((each.decision() for each in waiting), None)


def _denied(here: Here, given: Given, name: Name | None, denied: Denied) -> Judged:
    by = given.fact.by
    told = denied.why == "no-rights" and by is not None and by.id in here.pull.talk.told
    said = None if told else Said(kind="denied", command=name, denied=denied)
    return Judged(command=name, result="refused", said=said)


def _carry_out(here: Here, given: Given, command: Plain) -> Step:
    match command:
        case Help():
            return Step(Judged(command="help", result="taken", said=Said(kind="help")))
        case Explain():
            return _explain(here)
        case Stop():
            return Step(Judged(command="stop", result="taken"))
        case Resume():
            return Step(Judged(command="resume", result="taken")) if here.pull.stopped else _not_stopped(here)
        case Retry() | Sync():
            return _not(command.name, PUSHED) if _pushed_since(here.pull, given) else _start(here, command.name)
        case Arbitration():
            return _not("verdict", NO_STORY)
        case _:
            assert_never(command)


def _not_stopped(here: Here) -> Step:
    """A pause is no stop: say what ends it."""
    if pause_of(here.state, here.pull) is None:
        return _not("resume", NOT_STOPPED)
    at = asked_at(here.state, here.pull)
    ends = f"the answer to the question on #{at} ends that" if at is not None else "a push asks anew about it"
    return _not("resume", f"{NOT_STOPPED}; its run is paused, and {ends}")


def _answer(here: Here, given: Given, answer: Answer, before: Sequence[Step]) -> Step:
    earlier = [fact.decision_id for step in before for fact in step.facts if isinstance(fact, DecisionAnswered)]
    found = take_answer(here, given, answer, _standing(given), earlier)
    if found.said is not None:
        return Step(Judged(command="answer", result="refused", said=found.said))
    if found.action is None:
        return Step(Judged(command="answer", result="taken"), facts=found.facts)
    judged = Judged(command="answer", result="taken", target=found.action.target, effect=found.action.key)
    return Step(judged, (found.action,), found.facts)


def _not(name: Name, reason: str, until: float | None = None) -> Step:
    said = Said(kind="not-done", command=name, reason=reason, until=until)
    return Step(Judged(command=name, result="refused", said=said))


def _explain(here: Here) -> Step:
    quiet = silence(here.state, here.pull)
    if quiet is not None:
        return _not("explain", quiet.value)
    red = here.state.head(here.pull.seen.head_sha).ever_failed() or here.pull.queue_red == here.pull.seen.head_sha
    if here.pull.comment_id is None or not red:
        return _not("explain", NOTHING_TO_TELL)
    return Step(Judged(command="explain", result="taken"))


def _pushed_since(pull: Pull, given: Given) -> bool:
    later = given.fact.at is not None and any(at > given.fact.at for at in pull.pushes)
    return later or given.head != pull.seen.head_sha


def _start(here: Here, name: Name) -> Step:
    planned = _PLANS[name](here)
    if isinstance(planned, Hindered):
        return _not(name, planned.reason, planned.until)
    judged = Judged(command=name, result="taken", target=planned.action.target, effect=planned.action.key)
    return Step(judged, (planned.action,), planned.facts)


_PLANS: Mapping[Name, Callable[[Here], Planned | Hindered]] = MappingProxyType(
    {
        "retry": lambda here: plan_retry(here.state, here.pull, here.lead, here.now, here.limits),
        "sync": lambda here: plan_sync(here.state, here.pull, here.now, here.limits),
    }
)
