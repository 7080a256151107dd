"""When a task is quarantined and when it is taken up again (specification, sections 1 and 7).

Under a quarantine nothing automatic is done: no rerun, no probe for it, no synchronisation, no resolution. It is read,
explained and asked about as before, and what a person commands is done within the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resolver.attribution import Evidence, Verdict, rerun_asked
from resolver.attribution.outcome import shown
from resolver.casework import check_of, print_name
from resolver.decide.cases import case_of
from resolver.decide.deciding import resolution
from resolver.decide.invalid_plan import held_by_plan
from resolver.decide.matter import Matter, resolutions
from resolver.decide.paused import SPENT, pause_of
from resolver.decide.rerunning import flake_asked
from resolver.decide.rights import config_of, managed, mode_of
from resolver.executions import Check
from resolver.facts import Decided, Fact
from resolver.facts.quarantine import Cause, QuarantinedAt, QuarantineLifted, TaskQuarantined
from resolver.facts.resolve import ResolveDecided
from resolver.failure import Finding
from resolver.handoff import quarantine_path
from resolver.ids import Sha
from resolver.ledger import Allowed, Refused
from resolver.ledger.events import LedgerKey
from resolver.limits import Limits
from resolver.policy import Action, Take, rule
from resolver.runs import run_id, task_id
from resolver.stalls import findings_of
from resolver.state import Base, Pull, RepoState
from resolver.state.quarantine import ledger_key, next_seq, print_of

REPEATED = "repeated-failure-stop"
"""The class of a failure that was quarantined twice in the same way on an unchanged base."""


@dataclass(frozen=True, slots=True)
class Failing:
    """A failure on a pull request's head; without a finding the log of its check told nothing."""

    check: Check
    finding: Finding | None = None

    @property
    def fail_class(self) -> str:
        """Its class in the taxonomy."""
        return self.finding.fail_class if self.finding is not None else "unknown"


def quarantine(
    matter: Matter,
    failing: Failing,
    cause: Cause,
    reason: str,
    evidence: tuple[Evidence, ...] = (),
    *,
    final: bool = False,
) -> TaskQuarantined:
    """Make the record of a quarantine at the heads as they stand; without other evidence the reds of its check are."""
    found = failing.finding
    made = quarantined(matter.state, matter.pull, matter.fail_class, cause, reason, now=matter.now)
    seen = {
        "fingerprint": found.fingerprint if found is not None else None,
        "message": found.message if found is not None else "",
        "evidence": evidence or _reds(matter),
        "check": failing.check,
        "final": final,
    }
    return made.model_copy(update=seen)


def quarantined(
    state: RepoState, pull: Pull, fail_class: str, cause: Cause, reason: str, *, now: float
) -> TaskQuarantined:
    """Make the same where no check is to blame."""
    seq = next_seq(pull.quarantines)
    return TaskQuarantined(
        number=pull.seen.number,
        task_id=task_id(pull.seen.number),
        run_id=run_id(pull.seen),
        seq=seq,
        fail_class=fail_class,
        fingerprint=None,
        message="",
        heads=_heads(state, pull),
        snapshot_bundle=quarantine_path(pull.seen.number, seq),
        cause=cause,
        reason=reason,
        at=now,
    )


def _heads(state: RepoState, pull: Pull) -> QuarantinedAt:
    base = state.bases.get(pull.seen.base_ref, Base()).sha
    return QuarantinedAt(head=pull.seen.head_sha, pushed=pull.pushed, base=base or Sha(""))


def _reds(matter: Matter) -> tuple[Evidence, ...]:
    case = case_of(matter.state, matter.pull, matter.now)
    mine = [each for each in case.executions if each.side == "task" and each.check.same_job(matter.check)]
    red = [each for each in mine if each.result in ("failed", "infrastructure") and each.subject == case.task.head]
    return tuple(shown(each, "red" if each.result == "failed" else "lost", "weak", matter.now) for each in red)


def failing_of(matter: Matter) -> Failing:
    """Give the failure that a matter is about: the first of its class in the newest red execution."""
    job = matter.job
    told = findings_of(job, matter.head.triaged.get(job.job_id), print_name(matter.check)) if job is not None else ()
    return Failing(matter.check, next((each for each in told if each.fail_class == matter.fail_class), None))


def held(state: RepoState, pull: Pull) -> str | None:
    """Say why nothing automatic is done on a task, its own quarantine first; None where it may be."""
    if pull.quarantine is not None:
        return pull.quarantine.fact.reason
    paused = pause_of(state, pull)
    if paused is not None:
        return f"its run is paused: {paused.reason}"
    return held_by_plan(state, pull) or held_by_question(pull)


def held_by_question(pull: Pull) -> str | None:
    """Say why nothing automatic is done while people are asked about an action that was interrupted."""
    for each in pull.talk.decisions.values():
        if each.of_action and each.head.pushed == pull.pushed and each.decision_id not in pull.talk.answers:
            return f"people are asked about what was interrupted here ({each.why})"
    return None


def exhausted(state: RepoState, pull: Pull, lead: Verdict | None, now: float, limits: Limits) -> tuple[Decided, ...]:
    """Quarantine a task whose next attempt a spent limit of the ledger forbids, with all evidence of the verdict. Where
    the whole budget of its head is spent, the row of that class makes it final.
    """
    if lead is None or lead.check.third_party or held(state, pull) or not _may_act(state, pull, limits):
        return ()
    refused = _spent(state, pull, lead, now)
    if refused is None:
        return ()
    known = [each for each in _failing(state, pull) if each.check.same_job(lead.check)]
    named = [each for each in known if each.finding is not None and each.finding.fingerprint == lead.fingerprint]
    failing = (named or known or [Failing(lead.check)])[0]
    matter = Matter(state, pull, lead.check, failing.fail_class, now)
    if refused.kind != "budget":
        return (quarantine(matter, failing, "ledger", refused.reason, lead.evidence),)
    spent = Matter(state, pull, lead.check, SPENT, now)
    taken = () if resolutions(state, pull, SPENT).of_class else (resolution(spent, _row(refused.reason), 1),)
    return (*taken, quarantine(matter, failing, "row", refused.reason, lead.evidence, final=True))


def _row(reason: str) -> Take:
    ruling = rule(SPENT, "task", 1, llm=False)
    action: Action = ruling.action if isinstance(ruling, Take) else "escalate"
    return Take(action=action, rationale=reason)


def _spent(state: RepoState, pull: Pull, lead: Verdict, now: float) -> Refused | None:
    if lead.klass == "unclassified" and lead.next_action == "escalate":
        asked = rerun_asked(case_of(state, pull, now), lead.check)
    elif lead.next_action == "rerun" and lead.fingerprint is not None:
        asked = flake_asked(state, pull, lead, lead.fingerprint, now)
    else:
        return None
    answer = state.ledger.rerun(asked, now)
    spent = isinstance(answer, Refused) and answer.kind in ("spent", "budget") and not state.ledger.under_way(asked)
    return answer if spent and isinstance(answer, Refused) else None


def _may_act(state: RepoState, pull: Pull, limits: Limits) -> bool:
    config = config_of(state, pull)
    return managed(state, pull, config) and mode_of(config, "rerun", limits) == "act" and not state.outage.on


def _failing(state: RepoState, pull: Pull) -> Iterator[Failing]:
    head = state.head(pull.seen.head_sha)
    for job in head.failed():
        check, told = check_of(job, head.runs.get(job.run_id)), head.triaged.get(job.job_id)
        found = findings_of(job, told, print_name(check))
        yield from (Failing(check, each) for each in found)
        if not found and told is not None:
            yield Failing(check)


def stop_loss(state: RepoState, pull: Pull, now: float, limits: Limits) -> tuple[Fact, ...]:
    """Stop a task whose failure was quarantined as often in the same way as an unchanged base allows, before anything
    of it is tried afresh: the table escalates, and people are asked.
    """
    if not pull.quarantines or held(state, pull) or not _may_act(state, pull, limits):
        return ()
    for failing in _failing(state, pull):
        answer = state.ledger.afresh(_key(state, pull, failing), now)
        if isinstance(answer, Refused) and answer.kind == "stop-loss":
            stopped = Matter(state, pull, failing.check, REPEATED, now)
            mine = Matter(state, pull, failing.check, failing.fail_class, now)
            return (*_told(stopped, answer.reason), quarantine(mine, failing, "stop-loss", answer.reason))
    return ()


def _key(state: RepoState, pull: Pull, failing: Failing) -> LedgerKey:
    heads, found = _heads(state, pull), failing.finding
    return LedgerKey(
        run_id=run_id(pull.seen),
        task=task_id(pull.seen.number),
        fail_class=failing.fail_class,
        fingerprint=print_of(found.fingerprint if found is not None else None, failing.check),
        base=heads.base,
        head=heads.head,
    )


def _told(matter: Matter, reason: str) -> Iterator[ResolveDecided]:
    made = resolutions(matter.state, matter.pull, matter.fail_class)
    if made.of_class == 0:
        yield resolution(matter, Take(action="escalate", rationale=reason), made.attempt)


def is_stopped(state: RepoState, pull: Pull, now: float) -> str | None:
    """Say why nothing may be tried afresh even at a person's wish: the stop-loss holds for a failure on this head."""
    if not pull.quarantines:
        return None
    answers = (state.ledger.afresh(_key(state, pull, each), now) for each in _failing(state, pull))
    return next((each.reason for each in answers if isinstance(each, Refused) and each.kind == "stop-loss"), None)


def taken_up(state: RepoState, pull: Pull, now: float) -> tuple[tuple[QuarantineLifted, ...], float | None]:
    """Lift a quarantine because the base moved, as often as a day allows; else the time (seconds) to look again."""
    standing, known = pull.quarantine, state.bases.get(pull.seen.base_ref, Base())
    base = known.sha
    if standing is None or standing.final or pause_of(state, pull) is not None:
        return (), None
    if base is None or base == standing.fact.heads.base:
        return (), None
    if standing.fact.cause == "sync" and standing.fact.heads.base not in known.line:
        return (), None  # the rebase found a base that is newer than what is known here
    answer = state.ledger.afresh(ledger_key(standing.fact).model_copy(update={"base": base}), now)
    if not isinstance(answer, Allowed):
        return (), answer.until
    fact = standing.fact
    lifted = QuarantineLifted(number=fact.number, task_id=fact.task_id, seq=fact.seq, base=base, at=now)
    return (lifted,), None
