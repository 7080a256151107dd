"""Whose failure is it? The verdicts to record, and what is done to obtain the evidence that is missing.

Attribution says what it wants; here each want becomes a read, a rerun or a probe where mode, rights and ledger allow
it, else a refusal with its reason, and attribution is asked again with that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import assert_never

from resolver.actions import AnyAction
from resolver.attribution import (
    Attribution,
    Outcome,
    Refusal,
    Undecided,
    Verdict,
    Want,
    WantBase,
    WantLog,
    WantRerun,
    WantRow,
    WantWait,
    as_it_stands,
    attribute_within,
    rerun_asked,
    settle,
)
from resolver.config import RepoConfig
from resolver.decide.base_evidence import base_evidence, lenient
from resolver.decide.beside import beside_reads
from resolver.decide.cases import case_of
from resolver.decide.drafts import with_drafts
from resolver.decide.due import earlier
from resolver.decide.matter import Matter
from resolver.decide.quarantine import held
from resolver.decide.queue_wants import in_queue
from resolver.decide.rerunning import Met, rerun_action, rerun_of
from resolver.decide.resolve import hopeless, resolve
from resolver.decide.rights import config_of, held_by_mode, managed, mode_of
from resolver.decide.stalls import stall_wants
from resolver.decide.third_party import not_started
from resolver.decide.unanswered import unless_asked
from resolver.executions import MERGE_GROUP
from resolver.facts import Decided, Fact, GateAttributed, GateReattributed
from resolver.limits import Limits
from resolver.runs import task_id
from resolver.state import Pull, RepoState, verdict_key

ROUNDS = 20
"""Each round refuses at least one want; there are never more wants than failing items times their kinds."""


@dataclass(frozen=True, slots=True)
class Attributed:
    """What attribution comes to now: facts to record, actions to start, and the time to look again."""

    answer: Attribution
    facts: tuple[Fact, ...] = ()
    actions: tuple[AnyAction, ...] = ()
    again_at: float | None = None


def attribute_pull(state: RepoState, pull: Pull, now: float, limits: Limits) -> Attributed:
    """Attribute what is red on a pull request's head, as far as the evidence at hand goes."""
    config = config_of(state, pull)
    refusals = _standing_refusals(state, pull, config, limits)
    case = case_of(state, pull, now)
    case = replace(case, refusals=(*refusals, *case.refusals))
    ledger = lenient(state)
    for _ in range(ROUNDS):
        found = attribute_within(case, ledger)
        answer = as_it_stands(found, lambda outcome: _standing(pull, outcome))
        actions: list[AnyAction] = []
        facts: list[Fact] = []
        again_at: float | None = None
        refused: list[Refusal] = []
        for want in (*answer.wants, *stall_wants(state, pull, answer, now, limits)):
            met = unless_asked(state, pull, want, _meet(state, pull, want, now, limits), now)
            if isinstance(met, Refusal):
                refused.append(met)
                continue
            if _decides(met.facts) and _decides(facts):
                continue  # one decision at a time: what the next one may be follows from it
            actions.extend(met.actions)
            facts.extend(met.facts)
            again_at = earlier(again_at, met.again_at)
        if not refused:
            actions.extend(beside_reads(state, pull, case, answer, limits))
            started = with_drafts(state, config, actions, now)
            return Attributed(answer, (*_verdict_facts(pull, found, now), *facts), started, again_at)
        case = case.refusing(tuple(refused))
    return Attributed(answer, _verdict_facts(pull, found, now))


def _standing(pull: Pull, outcome: Outcome) -> Verdict | None:
    return pull.verdicts.get(verdict_key(outcome.check.key, outcome.fingerprint, outcome.item))


def _decides(facts: Iterable[Fact]) -> bool:
    return any(isinstance(fact, Decided) for fact in facts)


def _meet(state: RepoState, pull: Pull, want: Want, now: float, limits: Limits) -> Met | Refusal:
    match want:
        case WantWait():
            return Met(again_at=want.until)
        case WantLog():
            return Met()  # the reads ask for the logs of all failed jobs already
        case WantRow() | WantRerun() if want.check.event == MERGE_GROUP:
            return in_queue(state, pull, want, now, limits)
        case WantRow():
            return resolve(Matter(state, pull, want.check, want.fail_class, now), limits)
        case WantRerun() if want.check.third_party:
            return not_started(want)
        case WantRerun():
            return _rerun(state, pull, want, now)
        case WantBase():
            found = base_evidence(state, pull, want, now, limits)
            return found if isinstance(found, Refusal) else Met(found.actions, found.facts, found.again_at)
        case _:
            assert_never(want)


def _standing_refusals(state: RepoState, pull: Pull, config: RepoConfig, limits: Limits) -> tuple[Refusal, ...]:
    """What mode and rights rule out from the start."""
    if not managed(state, pull, config):
        return (Refusal(kind="rerun", reason="this pull request is not managed"),)
    reason = held(state, pull)
    if reason is not None:
        return (Refusal(kind="rerun", reason=reason),)
    mode = mode_of(config, "rerun", limits)
    if mode == "act":
        return tuple(hopeless(pull))
    return (Refusal(kind="rerun", reason=held_by_mode("rerun", mode)),)


def _rerun(state: RepoState, pull: Pull, want: WantRerun, now: float) -> Met | Refusal:
    """Run the failed jobs of the newest red run of that check again, once for all that are wanted of it."""
    head = state.head(want.commit)
    mine = [
        job
        for job in head.failed()
        if job.name == want.check.job
        and (run := head.runs.get(job.run_id))
        and run.path.startswith(want.check.workflow)
    ]
    if not mine:
        return Refusal(kind="rerun", reason="no failed job of it is known", commit=want.commit, check=want.check)
    asked = rerun_asked(case_of(state, pull, now), want.check)
    action = rerun_action(state, pull, want.check, mine[-1])
    effect = pull.effects.get(action.target)
    refused = effect is not None and effect.key == action.key and effect.status == "refused"
    if effect is not None and refused and (effect.retry_at is None or effect.retry_at > now):
        why = f"the failed job is not run again, since {effect.reason or 'GitHub refused it'}"
        return Refusal(kind="rerun", reason=why, commit=want.commit, until=effect.retry_at)
    return rerun_of(state, pull, want.check, mine[-1], asked, now=now)


def _verdict_facts(pull: Pull, answer: Attribution, now: float) -> tuple[Fact, ...]:
    """What is new against the verdicts that stand: given, changed, or withdrawn."""
    facts: list[Fact] = []
    for outcome in answer.outcomes:
        standing = _standing(pull, outcome)
        settled = settle(standing, outcome)
        if isinstance(settled.outcome, Undecided) or settled.outcome is standing:
            continue
        if settled.change is not None:
            changed = settled.change.model_dump()
            facts.append(GateReattributed(**changed, number=pull.seen.number, head_sha=pull.seen.head_sha))
        if standing is None or _says_more(standing, settled.outcome):
            facts.append(_attributed(pull, settled.outcome, now))
    return tuple(facts)


def _says_more(standing: Verdict, new: Verdict) -> bool:
    """A verdict is recorded again only when it says something else; evidence that only grows older does not."""
    return _said(standing) != _said(new)


def _said(verdict: Verdict) -> tuple[object, ...]:
    beside = (verdict.causes, verdict.claims)
    return (verdict.klass, verdict.next_action, verdict.strength, verdict.reason, *beside)


def _attributed(pull: Pull, verdict: Verdict, now: float) -> GateAttributed:
    return GateAttributed(
        **{name: getattr(verdict, name) for name in Verdict.model_fields},
        number=pull.seen.number,
        head_sha=pull.seen.head_sha,
        task_id=task_id(pull.seen.number),
        at=now,
    )
