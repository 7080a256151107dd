"""`decide`: what is due now, from the whole state. Level-triggered and pure; it never reacts to an event.

The questions are asked in order: may anything be done here at all (`rights`), which evidence is missing (`gate`), and
what is to be said (`speak`); between them, whose failure it is (`attribute`). A question answers with desired actions;
`due` keeps those that are not already under way or done.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from resolver.actions import AnyAction
from resolver.casework import execution_of
from resolver.casework.queue import red_groups
from resolver.decide.attribute import Attributed, attribute_pull
from resolver.decide.ceilings import within_ceilings
from resolver.decide.due import Due, due, earlier
from resolver.decide.follow import follow
from resolver.decide.gate import reads, repository_reads
from resolver.decide.interrupted import interruptions
from resolver.decide.landed import landed
from resolver.decide.leave_queue import leave_queue
from resolver.decide.orphans import orphans
from resolver.decide.outage import outage
from resolver.decide.planned import invalid_plan
from resolver.decide.quarantine import exhausted, stop_loss, taken_up
from resolver.decide.queue_ends import queue_facts
from resolver.decide.queue_reads import base_reads, queue_reads
from resolver.decide.queue_watch import watch_queue
from resolver.decide.reach import out_of_reach
from resolver.decide.rerunning import Met, joined, without_starts
from resolver.decide.reruns import ended_reruns
from resolver.decide.resolve_outcomes import ended
from resolver.decide.rights import Silence, config_of, silence
from resolver.decide.signals import unreadable_config
from resolver.decide.speak import speak
from resolver.decide.stalls import watch_jobs
from resolver.decide.synced import after_sync
from resolver.decide.talk import converse
from resolver.facts import Decided, Fact
from resolver.ids import PullNumber
from resolver.limits import LIMITS, Limits
from resolver.state import Pull, RepoState

__all__ = ["Due", "Silence", "decide_pull", "decide_repository"]


def decide_pull(state: RepoState, number: PullNumber, now: float, limits: Limits = LIMITS) -> Due:
    """Say what is due for one pull request, and when to look again (`again_at`, seconds, or None).

    Where there are `facts` to record, decide again once they are folded: what is said follows from them.
    """
    pull = state.pulls.get(number)
    if pull is None or pull.stuck or not state.active:
        return Due()
    if pull.seen.state == "closed":
        return landed(state, pull, now, limits)
    state = replace(state, ledger=replace(state.ledger, limits=config_of(state, pull).ledger))
    if silence(state, pull) is None:
        spoilt = after_sync(state, pull, now)
        stopped = (spoilt,) if spoilt is not None else stop_loss(state, pull, now, limits)
        if stopped:  # before anything of it is tried afresh
            return Due((), None, stopped)
    desired: list[AnyAction] = [*reads(state, pull, limits), *queue_reads(state, pull, limits)]
    red = state.head(pull.seen.head_sha).ever_failed() or bool(red_groups(state, pull, execution_of))
    cause = attribute_pull(state, pull, now, limits) if red else None
    told = (*unreadable_config(state, pull, now), *invalid_plan(state, pull, now))
    known: tuple[Fact, ...] = (*told, *queue_facts(state, pull, now))
    ends = (*ended_reruns(state, pull, now), *ended(state, pull), *interruptions(state, pull, now))
    facts = (*known, *ends, *(cause.facts if cause else ()))
    stood = _standing(state, pull, cause, now, limits) if silence(state, pull) is None else Due()
    if stood.facts:  # what is done and said follows from them
        return Due((), None, (*without_starts(facts), *stood.facts))
    then = Met()
    if cause is not None and silence(state, pull) is None:
        decided = any(isinstance(fact, Decided) for fact in cause.facts)
        then = Met() if decided else follow(state, pull, cause.answer.lead, now, limits)
        desired.extend((*cause.actions, *then.actions))
        facts = (*facts, *then.facts)
    queue = watch_queue(state, pull, now, limits)
    desired.extend((queue.read,) if queue.read else ())
    desired.extend(leave_queue(pull))
    said = speak(state, pull, now, limits, cause.answer if cause else None, trouble=queue.trouble)
    watched = watch_jobs(state, pull, now, limits, desired) if silence(state, pull) is None else Due()
    desired.extend(watched.actions)
    facts = (*facts, *watched.facts)
    talked = converse(state, pull, now, limits, cause.answer.lead if cause else None)
    desired.extend(talked.actions)
    facts = (*facts, *talked.facts)
    own, shared = split(desired)
    others = (each.again_at for each in (said, watched, stood, then, talked, queue))
    again_at = earlier(cause.again_at if cause else None, *others)
    mine = due(pull.effects, (*own, *said.actions), now, again_at)
    ours = due(state.effects, shared, now, mine.again_at)
    return within_ceilings(state, pull, now, Due((*mine.actions, *ours.actions), ours.again_at, joined(facts)))


def _standing(state: RepoState, pull: Pull, cause: Attributed | None, now: float, limits: Limits) -> Due:
    """Whether the task is to be quarantined now, or taken up again."""
    lifted, again_at = taken_up(state, pull, now)
    spent = exhausted(state, pull, cause.answer.lead if cause else None, now, limits)
    return Due((), again_at, (*lifted, *spent))


def split(actions: Iterable[AnyAction]) -> tuple[list[AnyAction], list[AnyAction]]:
    """Tell a pull request's own actions from those of the repository, which all tasks share."""
    own: list[AnyAction] = []
    shared: list[AnyAction] = []
    for action in actions:
        (shared if action.number is None else own).append(action)
    return own, shared


def decide_repository(state: RepoState, now: float, limits: Limits = LIMITS) -> Due:
    """Say what is due for the repository itself: configuration, unknown heads, and the regular look at everything."""
    if not state.active or state.repo is None:
        return out_of_reach(state, now)
    wanted = repository_reads(state, now, limits)
    facts, calm_at = outage(state, now)
    left = orphans(state, now, limits)
    again_at = earlier(wanted.again_at, calm_at, left.again_at)
    found = due(state.effects, (*wanted.actions, *left.actions, *base_reads(state, now, limits)), now, again_at)
    return Due(found.actions, found.again_at, (*facts, *left.facts))
