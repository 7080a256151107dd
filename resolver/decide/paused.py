"""A run whose breaker tripped is paused, and one question is asked for all its tasks (specification, section 10)."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.breakers import Tripped
from resolver.decide.asked_of_run import question_of_run
from resolver.decide.endings import how_it_ended
from resolver.decide.here import Here
from resolver.decide.matter import tripped_reason
from resolver.decide.rights import config_of, managed, silence
from resolver.facts.decisions import DecisionRequested
from resolver.facts.resolve import ResolveDecided, decision_seq
from resolver.facts.runs import RunPaused
from resolver.ids import PullNumber
from resolver.policy import Take, rule
from resolver.runs import run_id
from resolver.state import Pull, RepoState, Run

SPENT = "budget-exceeded"
"""The class of a spent budget; at the scope of a run its row pauses first."""


def pause(state: RepoState, pull: Pull, trip: Tripped, now: float) -> tuple[RunPaused | ResolveDecided, ...]:
    """Pause the run of a task, and record that the table escalates: once for a run, however often it is paused."""
    ours = run_id(pull.seen)
    run = state.runs.get(ours, Run())
    reason = tripped_reason(trip)
    paused = RunPaused(
        run_id=ours,
        number=pull.seen.number,
        seq=run.pauses + 1,
        count=trip.count,
        limit=trip.limit,
        reason=reason,
        at=now,
    )
    return (paused, run_escalation(pull, SPENT, reason, now)) if run.pauses == 0 else (paused,)


def run_escalation(pull: Pull, fail_class: str, reason: str, now: float) -> ResolveDecided:
    """Give the record that a class of the run's scope goes to people; there is one for each run and class."""
    ours, ruling = run_id(pull.seen), rule(fail_class, "run", 1, llm=False)
    take = ruling if isinstance(ruling, Take) else Take(action="escalate")
    return ResolveDecided(
        number=pull.seen.number,
        seq=decision_seq(ours, fail_class, 1),
        head_sha=pull.seen.head_sha,
        scope="run",
        of_run=ours,
        fail_class=fail_class,
        attempt=1,
        action=take.action,
        source=take.source,
        at=now,
        rationale=reason,
    )


def pause_of(state: RepoState, pull: Pull) -> RunPaused | None:
    """Give the pause under which a task's run stands, None where it goes on."""
    run = state.runs.get(run_id(pull.seen))
    return run.paused if run is not None else None


def run_question(here: Here) -> DecisionRequested | None:
    """Ask about the paused run, if this task is the one to ask at and the question does not stand already."""
    state, pull = here.state, here.pull
    paused = pause_of(state, pull)
    if paused is None or _asker(state, paused) != pull.seen.number:
        return None
    if any(_stands(state, other, each) for other, each in _asked(state, paused)):
        return None
    earlier = sum(1 for _ in _asked(state, paused, since=0.0))
    return question_of_run(state, pull, SPENT, paused.reason, here.now, earlier=earlier)


def asked_at(state: RepoState, pull: Pull) -> PullNumber | None:
    """Say on which pull request the question about this task's run stands open."""
    paused = pause_of(state, pull)
    found = _asked(state, paused) if paused is not None else iter(())
    return next((other.seen.number for other, each in found if how_it_ended(state, other, each) is None), None)


def _asker(state: RepoState, paused: RunPaused) -> PullNumber | None:
    """The task at which the breaker tripped, else the oldest that is open and may be spoken on."""
    fit = [
        number
        for number, pull in sorted(state.pulls.items())
        if run_id(pull.seen) == paused.run_id and pull.seen.state == "open" and not pull.stuck
        if silence(state, pull) is None and managed(state, pull, config_of(state, pull))
    ]
    return paused.number if paused.number in fit else next(iter(fit), None)


def _asked(state: RepoState, paused: RunPaused, since: float | None = None) -> Iterator[tuple[Pull, DecisionRequested]]:
    for pull in state.pulls.values():
        if run_id(pull.seen) == paused.run_id:
            for each in pull.talk.decisions.values():
                if each.kind == "run-paused" and each.asked_at >= (paused.at if since is None else since):
                    yield pull, each


def _stands(state: RepoState, pull: Pull, asked: DecisionRequested) -> bool:
    """Say whether a question is open, or was answered with leaving the run paused, until somebody pushes."""
    if pull.seen.state != "open":
        return False
    ended = how_it_ended(state, pull, asked)
    return ended is None or (ended.answer is not None and all(at <= ended.answer.at for at in pull.pushes))
