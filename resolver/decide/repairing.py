"""
Repairs of the environment, carried out: a report at once, what it named after the wait, then the jobs run anew.

A repair that fails is recorded as that, and the decision ends without success, so that the table's next column follows.
"""

from __future__ import annotations

from resolver.actions.repairs import RemoveReported, RepairAction, ReportCaches, ReportLeftovers, StartRepairJob
from resolver.conclusions import Meaning, meaning
from resolver.decide.leftovers import live_branches
from resolver.decide.matter import Matter
from resolver.decide.rerunning import Met
from resolver.decide.resolve_outcomes import end
from resolver.facts import ProbeDispatched
from resolver.facts.repairs import RepairDone, RepairFailed, RepairReported
from resolver.facts.resolve import Resolution
from resolver.limits import Limits
from resolver.log.cache_keys import CacheKeys
from resolver.policy import ENV_REPAIR
from resolver.repair_job import REPAIR_WORKFLOW, repair_id

PROVISION, GARBAGE = "env-repair:provision-deps", "env-repair:gc-dry-then-tmp-clean"


def preparing(matter: Matter, standing: Resolution, limits: Limits) -> Met | None:
    """Give the report that comes before a decision's repair; None where it is there, or there is no repair."""
    decided = standing.decided
    if standing.reported is not None or standing.failed is not None:
        return None
    if decided.action == PROVISION:
        keys = _keys(matter, decided.run_id)
        report: RepairAction = ReportCaches(
            number=decided.number, head_sha=decided.head_sha, seq=decided.seq, keys=keys
        )
        return _step(matter, standing, report, limits)
    if decided.action == GARBAGE:
        live = live_branches(matter.state)
        report = ReportLeftovers(number=decided.number, head_sha=decided.head_sha, seq=decided.seq, live=live)
        return _step(matter, standing, report, limits)
    return None


def mending(matter: Matter, standing: Resolution, limits: Limits) -> Met | None:
    """Give what a decision's repair needs before the jobs run anew; None where it is done, or there is no repair."""
    decided = standing.decided
    if decided.action not in (PROVISION, GARBAGE) or standing.repaired is not None:
        return None
    if standing.failed is not None:
        reason = f"the repair `{standing.failed.repair}` failed: {standing.failed.reason}"
        return Met(facts=(end(decided, success=False, reason=reason),))
    if standing.reported is None:
        return preparing(matter, standing, limits)
    if standing.reported.job is not None:
        return _job(matter, standing, standing.reported, limits)
    if not standing.reported.things:
        return Met(facts=(RepairDone(number=decided.number, ref_decision_seq=decided.seq),))
    remove = RemoveReported(
        number=decided.number,
        head_sha=decided.head_sha,
        seq=decided.seq,
        things=standing.reported.things,
        live=live_branches(matter.state),
    )
    return _step(matter, standing, remove, limits)


def _keys(matter: Matter, run_id: int) -> CacheKeys:
    """The caches that the run's failed jobs used: they all run anew."""
    keys = CacheKeys()
    for job in matter.head.failed():
        told = matter.head.triaged.get(job.job_id)
        if job.run_id == run_id and told is not None:
            keys = keys.joined(told.caches)
    return keys


def _step(matter: Matter, standing: Resolution, action: RepairAction, limits: Limits) -> Met:
    """Start a step, unless it was refused for good, or for longer than a repair may take."""
    effect, decided = matter.pull.effects.get(action.target), standing.decided
    until = (decided.at if decided.due_at is None else decided.due_at) + limits.repair_patience
    if effect is not None and effect.status == "refused" and (effect.retry_at is None or effect.retry_at > until):
        return Met(facts=(_failed(standing, effect.reason or "GitHub refused it"),))
    return Met((action,))


def _failed(standing: Resolution, reason: str) -> RepairFailed:
    decided = standing.decided
    repair = decided.action.removeprefix(ENV_REPAIR)
    return RepairFailed(number=decided.number, ref_decision_seq=decided.seq, repair=repair, reason=reason)


def _job(matter: Matter, standing: Resolution, reported: RepairReported, limits: Limits) -> Met:
    """Run the repository's own job, and wait for its end as long as a repair may take."""
    decided, state = standing.decided, matter.state
    run = repair_id(decided.number, decided.seq)
    probe = state.probes.get(run)
    if probe is None:
        job, base = reported.job or "", reported.base_sha
        if base is None:
            return Met(facts=(_failed(standing, "the base's commit is not known"),))
        action = StartRepairJob(
            number=decided.number, head_sha=decided.head_sha, seq=decided.seq, job=job, repair_id=run, base_sha=base
        )
        return _step(matter, standing, action, limits)
    ended = _ended(matter, probe.dispatched)
    if ended == "success":
        done = RepairDone(number=decided.number, ref_decision_seq=decided.seq, job=reported.job)
        return Met(facts=(done,))
    name = f"the job `{reported.job}` of {REPAIR_WORKFLOW.rpartition('/')[2]}"
    if ended is not None:
        return Met(facts=(_failed(standing, f"{name} ended as `{ended}`"),))
    started = state.ledger.events.get(run)
    until = (started.at if started is not None else matter.now) + limits.repair_patience
    if matter.now >= until:
        return Met(facts=(_failed(standing, f"{name} did not end within {limits.repair_patience / 60:.3g} min"),))
    return Met(again_at=until)


def _ended(matter: Matter, dispatched: ProbeDispatched) -> str | None:
    """Say how the job's run ended; success is an executed job that passed, nothing less."""
    head = matter.state.head(dispatched.commit)
    runs = list(head.runs.values())
    if not runs or any(run.status != "completed" for run in runs):
        return None
    bad = next((run.conclusion for run in runs if run.conclusion != "success"), None)
    if bad is not None:
        return bad
    jobs = list(head.jobs.values())
    if not jobs:
        return None
    return "success" if any(meaning(job.conclusion) is Meaning.PASSED for job in jobs) else "skipped"
