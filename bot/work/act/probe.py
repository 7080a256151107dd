"""Starts a probe: an execution of one check on a clean base commit, on a branch of its own.

The branch is an empty child of the base whose message has `[skip ci]`, so that push workflows stay quiet and the base's
own commit is not reddened. Its name and its fresh commit are the probe's identity: what is there already is found, and
where nobody can say whether a dispatch reached GitHub it is not sent again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bot.github import GitHubError, NotFound, PermissionMissing, Refused, Unavailable
from bot.work.act.fresh import look_at_base
from bot.work.observe.workflows import workflows_at
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import StartProbe
from resolver.facts import ProbeDispatched
from resolver.ids import Sha
from resolver.probes import PROBE_WORKFLOW, NoProbe, ProbePlan, ProbeWanted, choose_probe

DISPATCH = "/actions/workflows/{file}/dispatches"


@dataclass(frozen=True, slots=True)
class Branch:
    """A probe's branch. `ours` where this call has made it, so that certainly nothing was dispatched on it before."""

    commit: Sha
    ours: bool


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
        repository=place.repo.full_name,
    )
    there = await _branch(place, wanted.branch)
    if there is not None:
        return await _found(place, wanted, there)
    files = await workflows_at(place, action.base_sha, (PROBE_WORKFLOW, action.check.workflow))
    plan = choose_probe(wanted, files, config)
    if isinstance(plan, NoProbe):
        return Outcome(refused="; ".join(plan.reasons))
    branch = await _make_branch(place, wanted)
    if not branch.ours:
        return await _found(place, wanted, branch.commit)
    return await _dispatch(place, wanted, plan, branch.commit)


async def _branch(place: Place, name: str) -> Sha | None:
    try:
        ref = await place.installation.get(place.path("/git/ref/heads/{+name}", name=name))
    except NotFound:
        return None
    return Sha(str(ref["object"]["sha"]))


async def _found(place: Place, wanted: ProbeWanted, commit: Sha) -> Outcome:
    """Take up a probe that an earlier call has begun. Its commit is its own, so that any run on it is the probe's."""
    run_id = await _run_on(place, commit)
    fact = _dispatched(wanted, commit, run_id)
    if run_id is not None:
        return Outcome((fact,), result={"runId": run_id, "found": True})
    why = f"the branch {wanted.branch} is there and no run on it; whether one was asked for is not known"
    return Outcome((fact,), refused=f"{why}, so that it is not sent again", maybe=True)


async def _make_branch(place: Place, wanted: ProbeWanted) -> Branch:
    """Make the empty child and the branch. A lost answer is looked up at once: only we make branches of this name."""
    base = await place.installation.get(place.path("/git/commits/{sha}", sha=wanted.base_sha))
    message = f"failres: probe {wanted.nonce} of {wanted.base_sha[:12]} [skip ci]"
    body = {"message": message, "tree": base["tree"]["sha"], "parents": [wanted.base_sha]}
    commit = Sha(str((await place.installation.post(place.path("/git/commits"), body))["sha"]))
    try:
        ref = {"ref": f"refs/heads/{wanted.branch}", "sha": commit}
        await place.installation.post(place.path("/git/refs"), ref)
    except (Unavailable, Refused) as problem:
        there = await _branch(place, wanted.branch)
        if there is None:
            raise problem from None
        return Branch(there, ours=there == commit)
    return Branch(commit, ours=True)


async def _dispatch(place: Place, wanted: ProbeWanted, plan: ProbePlan, commit: Sha) -> Outcome:
    body = {"ref": plan.ref, "inputs": dict(plan.inputs), "return_run_details": True}
    path = place.path(DISPATCH, file=plan.workflow.rpartition("/")[2])
    try:
        answer = await _post(place, path, body)
    except GitHubError as problem:
        if not (isinstance(problem, Unavailable) and problem.maybe_done):
            await _take_back(place, wanted.branch)  # nothing began, so that the next try begins anew
            if isinstance(problem, NotFound | Refused | PermissionMissing):
                return Outcome(refused=f"GitHub did not start it: {problem}")
            raise
        answer = None
    run_id = int(answer["workflow_run_id"]) if isinstance(answer, dict) and "workflow_run_id" in answer else None
    run_id = run_id if run_id is not None else await _run_on(place, commit)
    result = {"strategy": plan.strategy, "runId": run_id, "workflow": plan.workflow}
    return Outcome((_dispatched(wanted, commit, run_id),), result=result)


async def _post(place: Place, path: str, body: dict[str, Any]) -> Any:
    """Dispatch; an older server that does not know `return_run_details` is asked again without it."""
    try:
        return await place.installation.post(path, body)
    except Refused as refused:
        if "return_run_details" not in str(refused):
            raise
        return await place.installation.post(path, {key: body[key] for key in ("ref", "inputs")})


async def _run_on(place: Place, commit: Sha) -> int | None:
    """Find the run on the probe's own commit."""
    listed = await place.installation.get(place.path("/actions/runs"), head_sha=commit, event="workflow_dispatch")
    runs = listed["workflow_runs"]
    return int(runs[0]["id"]) if runs else None


async def _take_back(place: Place, branch: str) -> None:
    """Remove a branch on which nothing was started; where that fails the branch stays and is found the next time."""
    try:
        await place.installation.delete(place.path("/git/refs/heads/{+name}", name=branch))
    except GitHubError:
        return


def _dispatched(wanted: ProbeWanted, commit: Sha, run_id: int | None) -> ProbeDispatched:
    return ProbeDispatched(
        probe_id=wanted.probe_id,
        check=wanted.check,
        base_sha=wanted.base_sha,
        commit=commit,
        branch=wanted.branch,
        run_id=run_id,
        nonce=wanted.nonce,
    )
