"""
Repairs of the environment on GitHub: what would be removed is found first; what was reported is removed later, as far
as it is unchanged and may still go; or the repository's own job runs.

GitHub: caches that a pull request's runs have left live under `refs/pull/N/merge`, and nobody else finds them.
"""

from __future__ import annotations

from typing import assert_never

from bot.github import PermissionMissing, Refused
from bot.work.act.fresh import Seen, look_to_act
from bot.work.act.probe import dispatch, dispatched_before
from bot.work.act.probe_branch import find_branch, make_branch
from bot.work.act.remove import is_ours, remove
from bot.work.observe.leftovers import caches_of, found_things
from bot.work.observe.workflows import workflows_at
from bot.work.outcome import Outcome
from bot.work.place import Place
from repairs.environment import leftovers, merge_ref, provision, removable
from resolver.actions.repairs import RemoveReported, RepairAction, ReportCaches, ReportLeftovers, StartRepairJob
from resolver.config import RepoConfig
from resolver.facts.repairs import RepairDone, RepairFailed, RepairReported
from resolver.ids import Sha
from resolver.ledger.events import ProbeStarted
from resolver.limits import LIMITS
from resolver.probes import ProbePlan, ProbeWanted
from resolver.repair_job import REPAIR_WORKFLOW, NoJob, choose_job, repair_id, repair_wanted

PROVISION = "provision-deps"


async def repair(place: Place, action: RepairAction) -> Outcome:
    """Carry out one step, after everything that may forbid it was read anew."""
    seen = await look_to_act(place, action.number, action.head_sha, "rerun")
    if isinstance(seen, Outcome):
        return seen
    match action:
        case ReportCaches():
            return await _report_caches(place, action, seen)
        case ReportLeftovers():
            found = [each async for each in found_things(place)] if action.live is not None else []
            mine = [each for each in leftovers(found, action.live) if await is_ours(place, each)]
            things = tuple(mine[: LIMITS.removed_at_once])
            return Outcome((RepairReported(number=action.number, ref_decision_seq=action.seq, things=things),))
        case RemoveReported():
            return await _remove(place, action)
        case StartRepairJob():
            return await _start(place, action, seen.config)
        case _:
            assert_never(action)


async def _report_caches(place: Place, action: ReportCaches, seen: Seen) -> Outcome:
    base = await place.installation.get(place.path("/git/ref/heads/{+name}", name=seen.pull.base_ref))
    sha = Sha(str(base["object"]["sha"]))
    job = await _own_job(place, action, sha, seen.config)
    about = {"number": action.number, "ref_decision_seq": action.seq}
    if isinstance(job, ProbePlan):
        return Outcome((RepairReported(**about, job=job.job, base_sha=sha),))
    if not job.absent:
        return Outcome((RepairFailed(**about, repair=PROVISION, reason=job.reason),))
    ref = merge_ref(action.number)
    listed = [each async for each in caches_of(place, ref=ref)] if action.keys.exact or action.keys.beginnings else []
    things = provision(action.number, action.keys, listed)[: LIMITS.removed_at_once]
    return Outcome((RepairReported(**about, things=things),))


async def _own_job(place: Place, action: ReportCaches, base: Sha, config: RepoConfig) -> ProbePlan | NoJob:
    """The repository's own way, where it has one and lets failres dispatch."""
    if config.mode.probe != "act":
        return NoJob(reason="the configuration does not let failres dispatch", absent=True)
    name = repair_id(action.number, action.seq)
    wanted = repair_wanted(PROVISION, name, base, action.seq, place.repo.full_name)
    return choose_job(wanted, await workflows_at(place, base, (REPAIR_WORKFLOW,)), config)


async def _start(place: Place, action: StartRepairJob, config: RepoConfig) -> Outcome:
    """Run the job on a branch of its own; found again after a lost answer, as a probe is."""
    wanted = repair_wanted(action.job, action.repair_id, action.base_sha, action.seq, place.repo.full_name)
    outcome = await _run(place, wanted, config)
    started = ProbeStarted(id=action.repair_id, at=place.clock.now(), check=wanted.check.key, commit=action.base_sha)
    return Outcome((started, *outcome.facts), result=outcome.result, refused=outcome.refused, maybe=outcome.maybe)


async def _run(place: Place, wanted: ProbeWanted, config: RepoConfig) -> Outcome:
    there = await find_branch(place, wanted, wanted.branch)
    if there is not None:
        return await dispatched_before(place, wanted, there)
    plan = choose_job(wanted, await workflows_at(place, wanted.base_sha, (REPAIR_WORKFLOW,)), config)
    if isinstance(plan, NoJob):
        return Outcome(refused=plan.reason)
    branch = await make_branch(place, wanted, plan)
    if not branch.ours:
        return await dispatched_before(place, wanted, branch)
    return await dispatch(place, wanted, plan, branch)


async def _remove(place: Place, action: RemoveReported) -> Outcome:
    """Remove what may go now; what was reported and is not there any more is gone, whoever removed it."""
    gone: list[str] = []
    try:
        for each in removable(action.things, action.number, action.live):
            gone += [each.name] if await remove(place, each) else []
    except (PermissionMissing, Refused) as problem:
        if not gone:
            raise
        return Outcome(refused=f"{problem}; {', '.join(gone)} went before that")
    return Outcome((RepairDone(number=action.number, ref_decision_seq=action.seq, removed=tuple(gone)),))
