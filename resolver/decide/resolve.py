"""The resolver's table at work: what a failure class calls for before anybody is blamed, within breakers and ledger.

What can be carried out runs the failed jobs again after a wait, a repair of the environment before that; a limit's own
words can make the wait longer. What cannot be done here escalates and says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from resolver.attribution import Refusal, rerun_asked
from resolver.breakers import Tripped, tripped
from resolver.decide.cases import case_of
from resolver.decide.deciding import resolution
from resolver.decide.matter import Matter, here_decided, resolutions, tripped_reason
from resolver.decide.paused import pause
from resolver.decide.quarantine import failing_of, held, quarantine
from resolver.decide.repairing import mending, preparing
from resolver.decide.rerunning import Met, rerun_of
from resolver.decide.resolve_outcomes import RERUNS, end
from resolver.decide.rights import held_by_mode, managed, mode_of
from resolver.facts import Decided
from resolver.facts.resolve import Resolution, ResolveDecided, ResolveEnded
from resolver.ledger import Allowed
from resolver.limits import Limits
from resolver.policy import CRASH, POLICY, Abilities, Take, rule, rule_crash, within
from resolver.state import Pull

FOR_PEOPLE = "running it again as it is cannot help"


def resolve(matter: Matter, limits: Limits) -> Met | Refusal:
    """Give what the table's action for a failure needs next, or why nothing of it can be done."""
    why_not = forbidden(matter, limits)
    if why_not is not None:
        return _refused(matter, why_not)
    standing = here_decided(matter.pull, matter.check, matter.fail_class)
    if standing is None:
        return _decide(matter)
    decided = standing.decided
    if standing.ended is not None and _dies_again(matter, standing.ended):
        return _decide(matter)
    if standing.ended is not None or decided.action not in RERUNS:
        reason = standing.ended.reason if standing.ended else _why(decided)
        return _refused(matter, reason or FOR_PEOPLE)
    if decided.due_at is not None and matter.now < decided.due_at:
        return replace(preparing(matter, standing, limits) or Met(), again_at=decided.due_at)
    return _carry_out(matter, standing, limits)


def _why(decided: ResolveDecided) -> str | None:
    """Say why it was decided so. A model's words are text of others: they are told as such, and nowhere else."""
    return decided.rationale if decided.proposal is None else None


def _dies_again(matter: Matter, ended: ResolveEnded) -> bool:
    """Say whether what died without a class did so again, and the table has another resume for it."""
    attempt = resolutions(matter.state, matter.pull, matter.fail_class).attempt
    again = matter.fail_class == CRASH and not ended.success
    return again and take_of(CRASH, attempt).action in RERUNS


def hopeless(pull: Pull) -> Iterator[Refusal]:
    """What executing again cannot change: classes that the table hands to people at the first attempt already."""
    for each in pull.resolutions.values():
        decided = each.decided
        row = POLICY.find(decided.fail_class, "task")
        hopeless_row = row is not None and row.cell(1) == "escalate"
        if decided.head_sha == pull.seen.head_sha and decided.check is not None and hopeless_row:
            for kind in ("rerun", "base"):
                yield Refusal(kind=kind, reason=FOR_PEOPLE, commit=None, check=decided.check)


def forbidden(matter: Matter, limits: Limits) -> str | None:
    """Say why nothing of the table may be carried out here: rights and mode; None where it may."""
    if not managed(matter.state, matter.pull, matter.config):
        return "this pull request is not managed"
    reason = held(matter.state, matter.pull)
    if reason is not None:
        return reason
    mode = mode_of(matter.config, "rerun", limits)
    return None if mode == "act" else held_by_mode("rerun", mode)


def _refused(matter: Matter, reason: str) -> Refusal:
    return Refusal(kind="row", reason=reason, commit=matter.pull.seen.head_sha, check=matter.check)


def _decide(matter: Matter) -> Met | Refusal:
    made = resolutions(matter.state, matter.pull, matter.fail_class)
    trip = tripped(matter.fail_class, "task", made, matter.config.budget)
    if trip is not None:
        return Met(facts=stop(matter, trip))
    if matter.job is None:
        return _refused(matter, "no failed job of it is known")
    taken = resolution(matter, possible(take_of(matter.fail_class, made.attempt)), made.attempt)
    if taken.action == "accept-quarantine-continue":
        reason = f"the table ends `{matter.fail_class}` with a quarantine, and the rest of the run goes on"
        return Met(facts=(taken, quarantine(matter, failing_of(matter), "row", reason, final=True)))
    return Met(facts=(taken,))


def take_of(fail_class: str, attempt: int) -> Take:
    """Give the table's action; a death is certain here, since GitHub says that the job has ended."""
    if fail_class == CRASH:
        taken = rule_crash(attempt, certain=True)
        return taken if isinstance(taken, Take) else Take(action="escalate")
    ruling = rule(fail_class, "task", attempt, llm=False)
    return ruling if isinstance(ruling, Take) else Take(action="escalate")


def possible(take: Take) -> Take:
    """The same, or an escalation that says what cannot be done here; never another action instead."""
    able = within(take, Abilities())
    if able.action in (*RERUNS, "escalate", "accept-quarantine-continue"):
        return able
    why = f"`{able.action}` cannot be carried out here"
    return able.model_copy(update={"action": "escalate", "instead_of": able.action, "rationale": why})


def stop(matter: Matter, trip: Tripped) -> tuple[Decided, ...]:
    """Give what a tripped breaker records: the run is paused, or the task is quarantined."""
    if trip.then == "pause-run":
        return pause(matter.state, matter.pull, trip, matter.now)
    return (quarantine(matter, failing_of(matter), "breaker", tripped_reason(trip)),)


def escalation(matter: Matter) -> ResolveDecided | Tripped | None:
    """Give the decision to ask people, where the deterministic action of this failure's class was taken in vain; or the
    breaker that allows no further decision.
    """
    standing = here_decided(matter.pull, matter.check, matter.fail_class)
    if standing is None or standing.ended is None or standing.decided.action == "escalate":
        return None
    made = resolutions(matter.state, matter.pull, matter.fail_class)
    trip = tripped(matter.fail_class, "task", made, matter.config.budget)
    if trip is not None:
        return trip
    take = possible(take_of(matter.fail_class, made.attempt))
    return resolution(matter, take.model_copy(update={"action": "escalate"}), made.attempt)


def why_escalated(matter: Matter) -> str:
    """Say what the resolver made of this failure before people were asked; empty where it had no say."""
    reason = held(matter.state, matter.pull)
    if reason is not None:
        return reason
    standing = here_decided(matter.pull, matter.check, matter.fail_class)
    if standing is not None:
        ended = standing.ended
        return (ended.reason if ended is not None else _why(standing.decided)) or ""
    if not matter.pull.resolutions:
        return ""
    made = resolutions(matter.state, matter.pull, matter.fail_class)
    trip = tripped(matter.fail_class, "task", made, matter.config.budget)
    return tripped_reason(trip) if trip is not None else ""


def _carry_out(matter: Matter, standing: Resolution, limits: Limits) -> Met | Refusal:
    """Mend the surroundings and run the failed jobs again, once; what came of it is recorded by `ended`."""
    state, pull, now, decided = matter.state, matter.pull, matter.now, standing.decided
    job, run = matter.job, matter.head.runs.get(decided.run_id)
    effect = pull.effects.get(f"rerun:{decided.run_id}")
    under_way = effect is not None and effect.status == "started"
    if under_way or job is None or run is None or run.attempt > decided.run_attempt:
        return Met()
    asked = rerun_asked(case_of(state, pull, now), matter.check)
    rerun_id = f"rerun:{decided.run_id}:{decided.run_attempt}"
    tried = rerun_id in state.ledger.events and effect is not None
    if effect is not None and tried and effect.status == "refused" and effect.retry_at is None:
        return Met(facts=(end(decided, success=False, reason=effect.reason or "GitHub refused it"),))
    if not state.ledger.counts(rerun_id):
        answer = state.ledger.rerun(asked, now)
        if not isinstance(answer, Allowed):
            over = (end(decided, success=False, reason=answer.reason),)
            return Met(again_at=answer.until) if answer.until is not None else Met(facts=over)
    return mending(matter, standing, limits) or rerun_of(state, pull, matter.check, job, asked, now=now)
