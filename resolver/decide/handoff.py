"""When the handoff bundle of a question or a quarantine is written, and what stands in it.

One branch of a repository takes all bundles, at most one commit in `records_every`: what waits goes out together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resolver.actions import WriteHandoffs
from resolver.decide.compose import compose
from resolver.decide.due import Due
from resolver.decide.endings import how_it_ended
from resolver.decide.here import Here
from resolver.decide.rights import silence
from resolver.decide.syncing import scope_now
from resolver.facts.decisions import DecisionRequested
from resolver.facts.quarantine import TaskQuarantined
from resolver.facts.resolve import Resolution
from resolver.handoff import BRANCH, Attempt, Handoff
from resolver.ledger import Ledger
from resolver.ledger.events import ProbeStarted, RerunEnded, RerunStarted, Synced
from resolver.limits import Limits
from resolver.runs import task_id
from resolver.state import Base, Pull, RepoState

TARGET = f"branch:{BRANCH}"


@dataclass(frozen=True, slots=True)
class Missing:
    """A bundle that is not there: of an open question, a standing quarantine, or both; due from `at` (seconds)."""

    decision: DecisionRequested | None
    quarantine: TaskQuarantined | None
    at: float


def handoffs(here: Here) -> Due:
    """Write the bundles that are missing, of this pull request and, in the same commit, of all others."""
    mine = [each.at for each in _missing(here.state, here.pull, here.limits)]
    if not mine:
        return Due()
    at = max(min(mine), _next_commit(here.state, here.now, here.limits))
    if here.now < at:
        return Due(again_at=at)
    found = [
        bundle(here.state, pull, each.decision, each.quarantine)
        for pull in here.state.pulls.values()
        for each in _missing(here.state, pull, here.limits)
        if each.at <= here.now
    ]
    return Due((WriteHandoffs(bundles=tuple(found[: here.limits.handoffs_at_once])),))


def awaited_until(state: RepoState, pull: Pull, decision: DecisionRequested, now: float, limits: Limits) -> float:
    """Say until when (seconds) a question's comment waits for the link; the past where nothing is to be waited for."""
    if decision.decision_id in pull.talk.handoffs:
        return 0.0
    effect = state.effects.get(TARGET)
    under_way = effect is not None and effect.status == "started" and effect.started_at >= decision.asked_at
    if not under_way and now < _next_commit(state, now, limits):
        return 0.0
    return decision.asked_at + limits.handoff_patience


def _missing(state: RepoState, pull: Pull, limits: Limits) -> Iterator[Missing]:
    """The open questions and the quarantine that have no bundle yet, where anything may be written. A question that is
    asked under the quarantine shares its bundle.
    """
    if pull.stuck or pull.seen.state == "closed" or silence(state, pull) is not None:
        return
    standing = quarantine_without_bundle(pull)
    for decision in pull.talk.decisions.values():
        if decision.decision_id in pull.talk.handoffs or how_it_ended(state, pull, decision) is not None:
            continue
        other = decision.kind in ("run-paused", "plan")
        shared = standing if standing is not None and not other and decision.asked_at >= standing.at else None
        yield Missing(decision, shared, decision.asked_at)
        standing = None if shared is not None else standing
    if standing is not None:
        yield Missing(None, standing, standing.at + limits.quarantine_patience)


def quarantine_without_bundle(pull: Pull) -> TaskQuarantined | None:
    """Give the quarantine under which a task is, where the bundle that its record names is not known of."""
    standing = pull.quarantine
    if standing is None or standing.fact.snapshot_bundle is None:
        return None
    told = {each.path for each in pull.talk.handoffs.values()}
    return None if standing.fact.snapshot_bundle in told else standing.fact


def _next_commit(state: RepoState, now: float, limits: Limits) -> float:
    """When the branch may have its next commit. An order of this very moment has not left: a newer one replaces it."""
    effect = state.effects.get(TARGET)
    times = [] if state.handoff_at is None else [state.handoff_at]
    if effect is not None and effect.status == "started" and effect.started_at < now:
        times.append(effect.started_at)
    return max((each + limits.records_every for each in times), default=0.0)


def bundle(
    state: RepoState, pull: Pull, decision: DecisionRequested | None, quarantine: TaskQuarantined | None = None
) -> Handoff:
    """Give what is known of a question, a quarantine, or both now."""
    base = state.bases.get(pull.seen.base_ref, Base())
    known = base.config
    return Handoff(
        decision=decision,
        quarantine=quarantine,
        report=compose(state, pull),
        title=pull.seen.title,
        author=pull.seen.author.login,
        head_ref=pull.seen.head_ref,
        base_ref=pull.seen.base_ref,
        base_sha=base.sha,
        config=known.settings if known is not None else None,
        config_at=known.sha if known is not None else None,
        tried=tuple(sorted(_tried(state, pull), key=lambda each: each.at)),
        earlier=tuple(each for each in pull.talk.decisions if decision is None or each != decision.decision_id),
        scope=scope_now(pull, base.sha),
    )


def _tried(state: RepoState, pull: Pull) -> Iterator[Attempt]:
    task = task_id(pull.seen.number)
    ledger = state.ledger
    for event in ledger.events.values():
        if isinstance(event, RerunStarted) and event.task == task:
            yield _rerun(ledger, pull, event)
        elif isinstance(event, Synced) and event.task == task:
            why = "drift" if event.drift else "command"
            yield Attempt(kind="sync", at=event.at, what=event.base, why=why, result="helped")
        elif isinstance(event, ProbeStarted) and _asks(state, pull, event):
            yield _probe(state, event)
    yield from _refused(pull)
    yield from (_resolution(each) for each in pull.resolutions.values())


def _rerun(ledger: Ledger, pull: Pull, event: RerunStarted) -> Attempt:
    ended = ledger.events.get(f"{event.id}:ended")
    attempt = Attempt(kind="rerun", at=event.at, what=event.check, why=event.purpose)
    if isinstance(ended, RerunEnded):
        return attempt.model_copy(update={"result": "helped" if ended.passed else "failed"})
    effect = pull.effects.get(event.id.rpartition(":")[0])
    if effect is not None and effect.status == "refused":
        return attempt.model_copy(update={"result": "refused", "reason": effect.reason or ""})
    return attempt


def _asks(state: RepoState, pull: Pull, event: ProbeStarted) -> bool:
    """Say whether a probe asked the base about a check that has failed here."""
    mine = {verdict.check.key.partition(" (")[0] for verdict in pull.verdicts.values()}
    line = state.bases.get(pull.seen.base_ref, Base()).line
    return event.commit in line and event.check.partition(" (")[0] in mine


def _probe(state: RepoState, event: ProbeStarted) -> Attempt:
    attempt = Attempt(kind="probe", at=event.at, what=event.check, why=event.commit)
    effect, probe = state.effects.get(event.id), state.probes.get(event.id)
    if effect is not None and effect.status == "refused":
        return attempt.model_copy(update={"result": "refused", "reason": effect.reason or ""})
    if probe is None:
        return attempt
    jobs = state.head(probe.dispatched.commit).jobs.values()
    told = ", ".join(sorted({f"{job.name}: {job.conclusion}" for job in jobs}))
    return attempt.model_copy(update={"result": "helped" if told else "unknown", "reason": told})


def _refused(pull: Pull) -> Iterator[Attempt]:
    """A synchronisation that was not done leaves no record in the ledger; its action does."""
    effect = pull.effects.get(f"sync:{pull.seen.number}")
    if effect is not None and effect.status == "refused":
        yield Attempt(kind="sync", at=effect.started_at, what="", result="refused", reason=effect.reason or "")


def _resolution(each: Resolution) -> Attempt:
    decided = each.decided
    attempt = Attempt(
        kind="resolution" if decided.proposal is None else "proposal",
        at=decided.at,
        what=f"{decided.fail_class}, attempt {decided.attempt}",
        why=decided.action,
        reason=decided.rationale or "",
    )
    if each.ended is None:
        return attempt
    result = "helped" if each.ended.success else "failed"
    return attempt.model_copy(update={"result": result, "reason": each.ended.reason or attempt.reason})
