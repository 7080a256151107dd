"""
What was started and did not come to its end for no reason of the task's: a ref moved under it, GitHub does not show
what became of it, or the store refused its record. The table says what follows (specification, sections 3 and 10).

`resume` waits and lets the same thing be wanted again, on heads that were read anew; then people are asked, and until
they answer nothing automatic is done on the task. The classes are what the action's refusal says.
"""

from __future__ import annotations

from collections.abc import Iterator

from resolver.backoff import backoff
from resolver.breakers import Tripped, tripped
from resolver.decide.endings import circumstances
from resolver.decide.here import Here
from resolver.decide.matter import resolutions, tripped_reason
from resolver.decide.paused import pause
from resolver.decide.quarantine import held, quarantined
from resolver.decide.rerunning import Met
from resolver.decide.resolve_outcomes import end
from resolver.decide.rights import config_of, managed, silence
from resolver.decisions import Asking, ask
from resolver.digest import digest
from resolver.facts import Decided
from resolver.facts.decisions import DecisionRequested
from resolver.facts.resolve import Resolution, ResolveDecided, ResolveEnded, decision_seq
from resolver.interruptions import JOURNAL, PROBE, started_later
from resolver.policy import NEEDS, Abilities, Take, rule, within
from resolver.runs import task_id
from resolver.state import Effect, Pull, RepoState

_DRAW = 1 << 32


def interruptions(state: RepoState, pull: Pull, now: float) -> tuple[Decided, ...]:
    """Give what the table makes of the task's own actions that were interrupted, one at a time, and how those ended
    that were done again.
    """
    over = tuple(_ended(state, pull))
    for effect in pull.effects.values():
        if effect.status == "refused" and effect.fail_class:
            found = interruption(state, pull, effect, now)
            if found:
                return (*over, *found)
    return over


def interruption(state: RepoState, pull: Pull, effect: Effect, now: float) -> tuple[Decided, ...]:
    """Give what the table makes of one interrupted action; nothing where that is known, or nothing may be done."""
    if silence(state, pull) is not None or not managed(state, pull, config_of(state, pull)) or held(state, pull):
        return ()
    ticket, fail_class = effect.ticket, effect.fail_class
    if _of(pull, ticket) is not None or _stopped(pull, effect):
        return ()
    made = resolutions(state, pull, fail_class)
    trip = tripped(fail_class, "task", made, config_of(state, pull).budget)
    if trip is not None:
        return _stop(state, pull, fail_class, trip, now)
    ruling = rule(fail_class, "task", made.attempt, llm=False)
    take = within(ruling if isinstance(ruling, Take) else Take(action="escalate"), Abilities())
    task = task_id(pull.seen.number)
    drawn = int(digest([ticket, pull.seen.head_sha], 8), 16) / _DRAW
    wait = backoff(made.attempt, drawn, config_of(state, pull).budget)
    decided = ResolveDecided(
        number=pull.seen.number,
        seq=decision_seq(task, fail_class, made.attempt),
        head_sha=pull.seen.head_sha,
        task_id=task,
        fail_class=fail_class,
        attempt=made.attempt,
        action=take.action,
        source=take.source,
        at=now,
        due_at=now + wait if take.action == "resume" else None,
        rationale=NEEDS[take.missing] if take.missing is not None else effect.reason,
        unreachable=take.unreachable,
        of_action=ticket,
    )
    return (decided,)


def _stop(state: RepoState, pull: Pull, fail_class: str, trip: Tripped, now: float) -> tuple[Decided, ...]:
    if trip.then == "pause-run":
        return pause(state, pull, trip, now)
    return (quarantined(state, pull, fail_class, "breaker", tripped_reason(trip), now=now),)


def _stopped(pull: Pull, effect: Effect) -> bool:
    """Say whether a breaker has stopped the task for that very interruption already."""
    return any(
        each.fact.fail_class == effect.fail_class and each.fact.at >= effect.started_at for each in pull.quarantines
    )


def waits(pull: Pull, effect: Effect | None, now: float) -> Met | str | None:
    """Say what an interrupted action waits for before it may be started again: its time, or people for the reason that
    is given; None where it may be.
    """
    if effect is None or effect.status != "refused" or not effect.fail_class:
        return None
    standing = _of(pull, effect.ticket)
    if standing is None:
        return Met()
    decided = standing.decided
    if decided.action == "resume":
        due_at = max(decided.due_at or 0.0, effect.retry_at or 0.0)
        return Met(again_at=due_at) if now < due_at else None
    if decided.head_sha != pull.seen.head_sha or _answered(pull, decided) == "try-again":
        return None
    return effect.reason or "it was interrupted"


def interrupted_question(here: Here) -> DecisionRequested | None:
    """Ask about an action that was interrupted more often than the table allows, once for each time."""
    state, pull = here.state, here.pull
    asked = {each.of_action for each in pull.talk.decisions.values()}
    open_ones = [
        each.decided
        for each in pull.resolutions.values()
        if each.decided.of_action and each.decided.action == "escalate" and each.decided.of_action not in asked
        if each.decided.head_sha == pull.seen.head_sha
    ]
    if not open_ones or silence(state, pull) is not None:
        return None
    decided, now = open_ones[0], circumstances(state, pull)
    asking = Asking(
        number=pull.seen.number,
        task_id=task_id(pull.seen.number),
        kind="interrupted",
        fail_class=decided.fail_class,
        head=now.head,
        base=now.base,
        earlier=sum(each.fail_class == decided.fail_class for each in pull.talk.decisions.values()),
    )
    decision = ask(asking, here.now)
    return DecisionRequested.of(decision, why=decided.rationale or "", of_action=decided.of_action)


def _answered(pull: Pull, decided: ResolveDecided) -> str | None:
    for each in pull.talk.decisions.values():
        answer = pull.talk.answers.get(each.decision_id)
        if each.of_action == decided.of_action and answer is not None:
            return answer.option
    return None


def _of(pull: Pull, ticket: str) -> Resolution | None:
    return next((each for each in pull.resolutions.values() if each.decided.of_action == ticket), None)


def _ended(state: RepoState, pull: Pull) -> Iterator[ResolveEnded]:
    """What was resumed and has come to an end since, as the action's next start shows."""
    for each in pull.resolutions.values():
        decided = each.decided
        if each.ended is not None or decided.action != "resume" or not decided.of_action:
            continue
        target = decided.of_action.rpartition("#")[0]
        if target.startswith(JOURNAL):
            yield end(decided, success=True)  # this very record proves it: the journal was folded and written again
            continue
        effect = _next_start(state, pull, target, decided.of_action)
        if effect is not None and effect.status != "started":
            yield end(decided, success=effect.status == "done", reason=effect.reason or "")


def _next_start(state: RepoState, pull: Pull, target: str, ticket: str) -> Effect | None:
    """The action's start after that one; of a probe each attempt has a target of its own."""
    if target.startswith(PROBE):
        stem, _, attempt = target.rpartition(":")
        return state.effects.get(f"{stem}:{int(attempt) + 1}")
    effect = pull.effects.get(target)
    return effect if effect is not None and started_later(effect, ticket) else None
