"""Does anything run without getting anywhere? When to look at a running job again, and which stalls to record.

A running job is read again only when its step could have passed its budget; a step without a budget claims nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from resolver.actions import AnyAction, ReadJob, ReadRuns
from resolver.attribution import Attribution, Undecided, WantBase
from resolver.casework import check_of, print_name
from resolver.config.sections import Stall
from resolver.decide.due import Due, earlier
from resolver.decide.rights import config_of, managed, mode_of
from resolver.executions import Check
from resolver.facts import Fact, GateReattributed
from resolver.ids import Sha
from resolver.limits import Limits
from resolver.progress import JobProgressed, JobStalled, StepSeen
from resolver.stalls import (
    Budget,
    StepName,
    budget_of,
    how_it_ended,
    shortest_rule,
    stall_finding,
    standing,
    stands,
)
from resolver.state import Base, Head, Pull, RepoState
from resolver.state.step_history import StepHistory


def watch_jobs(state: RepoState, pull: Pull, now: float, limits: Limits, desired: Sequence[AnyAction] = ()) -> Due:
    """Give the reads and facts that the jobs running on a pull request's head ask for, and when to look again. What is
    `desired` already is not asked for twice.
    """
    head = state.head(pull.seen.head_sha)
    rules = config_of(state, pull).stall
    actions: list[AnyAction] = []
    facts: list[Fact] = [*_over(state, pull, head)]
    again_at: float | None = None
    for job in sorted(head.progress.values(), key=lambda each: each.job_id):
        stall = _stall(job, rules, state.steps, limits)
        known = head.stalls.get(job.job_id)
        if stall is not None and (known is None or known.step_number != stall.step_number):
            facts.append(stall)
        look_at = next_look(job, rules, state.steps, limits)
        if look_at is not None and look_at <= now:
            actions.append(_read(pull, job))
        elif look_at is not None:
            again_at = earlier(again_at, look_at)
    listed = any(isinstance(each, ReadRuns) for each in desired)
    unseen = Due() if listed else _unseen(pull, head, rules, now)
    return Due((*actions, *unseen.actions), earlier(again_at, unseen.again_at), tuple(facts))


def next_look(job: JobProgressed, rules: Stall, history: StepHistory, limits: Limits) -> float | None:
    """Give the time (seconds) at which a job has to be read again, None for never.

    A step that stalls is looked at again each time it has run twice as long. Where the running step has no budget, the
    next one to have one could have begun right after the last look.
    """
    if job.status != "in_progress":
        return None
    step = job.current
    budget = _budget(job, step.name, rules, history, limits) if step is not None else None
    if step is None or not isinstance(budget, Budget):
        soonest = _soonest(job, step, rules, history, limits)
        return None if soonest is None else job.seen_at + soonest
    started = job.unchanged_since
    if job.seen_at < started + budget.seconds:
        return started + budget.seconds
    return job.seen_at + max(budget.seconds, job.seen_at - started)


def _budget(job: JobProgressed, step: str, rules: Stall, history: StepHistory, limits: Limits) -> Budget | None:
    name = StepName(job.workflow, job.name, step)
    found = budget_of(rules, name, history.past(*name), limits)
    return found if isinstance(found, Budget) else None


def _soonest(
    job: JobProgressed, current: StepSeen | None, rules: Stall, history: StepHistory, limits: Limits
) -> float | None:
    """Give the shortest budget of the steps that may follow. GitHub lists later steps only once they are known."""
    done = {step.name for step in job.steps if step.status == "completed"} | ({current.name} if current else set())
    listed = {step.name for step in job.steps} - done
    names = listed | (set(history.steps_of(job.workflow, job.name)) - done)
    budgets = (_budget(job, name, rules, history, limits) for name in names)
    seconds = [budget.seconds for budget in budgets if budget is not None]
    if not listed:
        rule = shortest_rule(rules, job.workflow, job.name, done)
        seconds += [rule] if rule is not None else []
    return min(seconds, default=None)


def _stall(job: JobProgressed, rules: Stall, history: StepHistory, limits: Limits) -> JobStalled | None:
    step = job.current
    budget = _budget(job, step.name, rules, history, limits) if step is not None else None
    if step is None or step.started_at is None or budget is None or job.status != "in_progress":
        return None
    if job.seen_at < step.started_at + budget.seconds:
        return None
    return JobStalled(
        job_id=job.job_id,
        run_id=job.run_id,
        attempt=job.attempt,
        name=job.name,
        workflow=job.workflow,
        head_sha=job.head_sha,
        step_number=step.number,
        step=step.name,
        since=step.started_at,
        seen_at=job.seen_at,
        budget=budget.seconds,
        source=budget.source,
        samples=budget.samples,
        cancelled=job.cancelled,
        url=job.url,
        runner=job.runner,
        runs_on=job.runs_on,
    )


def _read(pull: Pull, job: JobProgressed) -> ReadJob:
    return ReadJob(number=pull.seen.number, job_id=job.job_id, head_sha=job.head_sha, known_at=job.seen_at)


def _unseen(pull: Pull, head: Head, rules: Stall, now: float) -> Due:
    """Jobs that GitHub counts as running and no delivery told of: listed once GitHub's suites have not changed for so
    long that one of them could have stalled.
    """
    seen = head.rollup
    if seen is None or seen == head.read_for or seen.changed_at is None:
        return Due()
    known = sum(1 for job in head.progress.values() if job.status == "in_progress")
    if seen.running <= known:
        return Due()
    at = seen.changed_at + rules.minimum
    if now < at:
        return Due((), at)
    return Due((ReadRuns(number=pull.seen.number, head_sha=pull.seen.head_sha, rollup=seen),))


def stall_wants(state: RepoState, pull: Pull, answer: Attribution, now: float, limits: Limits) -> Iterator[WantBase]:
    """Ask the clean base whether it stalls there too (specification, section 6), where failres may ask it at all."""
    config, base = config_of(state, pull), state.bases.get(pull.seen.base_ref, Base()).sha
    if base is None or not managed(state, pull, config) or mode_of(config, "probe", limits) != "act":
        return
    for verdict in answer.outcomes:
        if isinstance(verdict, Undecided) or (verdict.klass, verdict.next_action) != ("gate-stalled", "probe"):
            continue
        if not _probed_now(state, verdict.check, base):
            after = now - config.attribution.freshness
            yield WantBase(check=verdict.check, commit=base, item=verdict.item, after=after)


def _probed_now(state: RepoState, check: Check, base: Sha) -> bool:
    """Say whether a probe of that check is under way on that base commit."""
    mine = (probe for probe in state.probes.values() if probe.removed is None and probe.dispatched.base_sha == base)
    return any(
        probe.dispatched.check.same_job(check) and not state.head(probe.dispatched.commit).jobs for probe in mine
    )


def _over(state: RepoState, pull: Pull, head: Head) -> Iterator[GateReattributed]:
    """Take back, or close, what was said of stalls that stand no more."""
    fork = state.repo is not None and pull.seen.head_repo_id != state.repo.repo_id
    still = {_about(stall, head, fork=fork) for stall in standing(head)}
    gone = {_about(each, head, fork=fork): each for each in head.stalls.values() if not stands(head, each)}
    for verdict in pull.verdicts.values():
        about = (verdict.check.key, verdict.fingerprint)
        if verdict.klass != "gate-stalled" or about not in gone or about in still:
            continue
        kind, reason = how_it_ended(head, gone[about])
        yield GateReattributed(
            check=verdict.check,
            fingerprint=verdict.fingerprint,
            was="gate-stalled",
            now="unclassified",
            kind=kind,
            reason=reason,
            evidence=verdict.evidence,
            number=pull.seen.number,
            head_sha=pull.seen.head_sha,
        )


def _about(stall: JobStalled, head: Head, *, fork: bool) -> tuple[str, object]:
    check = check_of(stall, head.runs.get(stall.run_id), fork=fork)
    return check.key, stall_finding(stall, print_name(check)).fingerprint
