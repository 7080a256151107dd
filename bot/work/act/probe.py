"""Starts a probe: an execution of one check on a clean base commit, on a branch of its own.

The branch is an empty child of the base, so that the base's own commit is not reddened. Its name and its fresh commit
are the probe's identity: what is there already is found and taken up, and where nobody can say whether a dispatch
reached GitHub it is not sent again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_never

from bot.github import GitHubError, NotFound, PermissionMissing, Refused, Unavailable
from bot.words.probe import no_way
from bot.work.act.fresh import look_at_base
from bot.work.act.probe_branch import Branch, find_branch, make_branch, run_on, take_back
from bot.work.act.probe_pull import base_of, find_draft, moved_base, number_of, open_draft
from bot.work.observe.workflows import every_workflow_at, workflows_at
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import StartProbe
from resolver.config import RepoConfig
from resolver.facts import ProbeDispatched
from resolver.probes import PROBE_WORKFLOW, NoProbe, ProbePlan, ProbeWanted, choose_probe

DISPATCH = "/actions/workflows/{file}/dispatches"
NO = (NotFound, Refused, PermissionMissing)
"""GitHub's answers that say that nothing was started."""


@dataclass(frozen=True, slots=True)
class Job:
    """One order to start a probe, with the base's configuration as it is now."""

    place: Place
    action: StartProbe
    wanted: ProbeWanted
    config: RepoConfig


async def start_probe(place: Place, action: StartProbe) -> Outcome:
    """Find the probe that is there, else start one the cheapest valid way."""
    config = await look_at_base(place, action.base_ref, "probe")
    if isinstance(config, Outcome):
        return config
    wanted = ProbeWanted(
        check=action.check,
        base_sha=action.base_sha,
        attempt=action.attempt,
        probe_id=action.probe_id,
        item=action.item,
        repository=place.repo.full_name,
        base_ref=action.base_ref,
    )
    job = Job(place, action, wanted, config)
    there = await find_branch(place, wanted, wanted.branch)
    if there is not None:
        return await _take_up(job, there)
    plan = await _plan(job)
    if isinstance(plan, NoProbe):
        return Outcome(refused=no_way(plan), retry_at=action.draft_again_at if plan.later else None)
    if plan.strategy == "draft-pull" and (moved := await moved_base(place, wanted)) is not None:
        return Outcome(refused=moved)
    branch = await make_branch(place, wanted, plan)
    if not branch.ours or branch.how != "dispatch":
        return await _take_up(job, branch)
    outcome = await dispatch(place, wanted, plan, branch)
    return _not_known(outcome, branch) if outcome.result.get("unheard") else outcome


def _not_known(outcome: Outcome, branch: Branch) -> Outcome:
    """Nobody can say whether a run was asked for. One that shows up later is the probe's all the same."""
    why = f"GitHub's answer was lost and no run is on the branch {branch.name}, so that nobody knows whether one begins"
    told = f"{why}; it is not sent again"
    return Outcome(outcome.facts, refused=told, maybe=True, fail_class="journal-state-unknown")


async def _plan(job: Job) -> ProbePlan | NoProbe:
    """Choose among the dispatches first, which need few files; the other ways need all that the base has."""
    place, wanted, config = job.place, job.wanted, job.config
    files = await workflows_at(place, wanted.base_sha, (PROBE_WORKFLOW, wanted.check.workflow))
    plan = choose_probe(wanted, files, config)
    if isinstance(plan, ProbePlan) or not (config.probes.push_branch or config.probes.draft_pull):
        return plan
    every = await every_workflow_at(place, wanted.base_sha)
    if every is None:
        return plan
    return choose_probe(wanted, every, config, whole=True, draft=job.action.draft)


async def _take_up(job: Job, branch: Branch) -> Outcome:
    """Go on with a probe whose branch is there. Its commit is its own, so that any run on it is the probe's."""
    match branch.how:
        case "dispatch" | "not-ours":
            return await dispatched_before(job.place, job.wanted, branch)
        case "push":
            workflow = job.wanted.check.workflow
            run_id = await run_on(job.place, branch.commit, "push", workflow)
            fact = _dispatched(job.wanted, branch, run_id, event="push", workflow=workflow)
            return Outcome((fact,), result=_result("push", run_id, workflow, branch))
        case "draft-pull":
            return await _draft(job, branch)
        case _:
            assert_never(branch.how)


async def dispatched_before(place: Place, wanted: ProbeWanted, branch: Branch) -> Outcome:
    """Take up a dispatch that an earlier call may have sent.

    Which item it was told is not known for sure, so that the most is asked of its green.
    """
    if branch.how == "not-ours":
        return Outcome(refused=f"somebody else's commit is on the branch {branch.name}, so that it proves nothing")
    run_id = await run_on(place, branch.commit, "workflow_dispatch")
    fact = _dispatched(wanted, branch, run_id, item=wanted.plain_item)
    if run_id is not None:
        return Outcome((fact,), result={"runId": run_id, "found": True})
    return _not_known(Outcome((fact,)), branch)


async def _draft(job: Job, branch: Branch) -> Outcome:
    """Find the pull request, else open it, as long as that is still right."""
    place, probes = job.place, job.config.probes
    pull = await find_draft(place, branch)
    if pull is None:
        allowed = probes.draft_pull and job.action.draft
        why = await moved_base(place, job.wanted) if allowed else "draft pull request: it is not allowed any more"
        if why is not None:
            await take_back(place, branch.name)
            return Outcome(refused=why)
        try:
            pull = await open_draft(place, job.wanted, branch, probes.draft_pulls_per_day)
        except NO as problem:
            await take_back(place, branch.name)
            return Outcome(refused=f"GitHub did not open a draft pull request: {problem}")
    workflow = job.wanted.check.workflow
    run_id = await run_on(place, branch.commit, "pull_request", workflow)
    fact = _dispatched(job.wanted, branch, run_id, event="pull_request", workflow=workflow)
    fact = fact.model_copy(update={"pull": number_of(pull), "base_sha": base_of(pull)})
    return Outcome((fact,), result={**_result("draft-pull", run_id, workflow, branch), "pull": number_of(pull)})


async def dispatch(place: Place, wanted: ProbeWanted, plan: ProbePlan, branch: Branch) -> Outcome:
    """Dispatch on a branch that was just made; it is taken back where certainly nothing began."""
    body = {"ref": plan.ref, "inputs": dict(plan.inputs), "return_run_details": True}
    path = place.path(DISPATCH, file=plan.workflow.rpartition("/")[2])
    unheard = False
    try:
        answer = await _post(place, path, body)
    except GitHubError as problem:
        if not (isinstance(problem, Unavailable) and problem.maybe_done):
            await take_back(place, branch.name)  # nothing began, so that the next try begins anew
            if isinstance(problem, NO):
                return Outcome(refused=f"GitHub did not start it: {problem}")
            raise
        answer, unheard = None, True
    run_id = int(answer["workflow_run_id"]) if isinstance(answer, dict) and "workflow_run_id" in answer else None
    run_id = run_id if run_id is not None else await run_on(place, branch.commit, "workflow_dispatch")
    fact = _dispatched(wanted, branch, run_id, workflow=plan.workflow, item=dict(plan.inputs).get("item", ""))
    told = {"strategy": plan.strategy, "runId": run_id, "workflow": plan.workflow}
    return Outcome((fact,), result={**told, "unheard": True} if unheard and run_id is None else told)


async def _post(place: Place, path: str, body: dict[str, Any]) -> Any:
    """Dispatch; an older server that does not know `return_run_details` is asked again without it."""
    try:
        return await place.installation.post(path, body)
    except Refused as refused:
        if "return_run_details" not in str(refused):
            raise
        return await place.installation.post(path, {key: body[key] for key in ("ref", "inputs")})


def _result(strategy: str, run_id: int | None, workflow: str, branch: Branch) -> dict[str, Any]:
    return {"strategy": strategy, "runId": run_id, "workflow": workflow, "found": not branch.ours}


def _dispatched(
    wanted: ProbeWanted,
    branch: Branch,
    run_id: int | None,
    *,
    event: str = "workflow_dispatch",
    workflow: str = "",
    item: str = "",
) -> ProbeDispatched:
    return ProbeDispatched(
        probe_id=wanted.probe_id,
        check=wanted.check,
        base_sha=wanted.base_sha,
        commit=branch.commit,
        branch=branch.name,
        run_id=run_id,
        nonce=wanted.nonce,
        event=event,
        workflow=workflow,
        item=item,
    )
