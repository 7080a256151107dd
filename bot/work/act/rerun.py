"""Runs the failed jobs of a run again, after everything that may forbid it was read anew.

GitHub: a rerun keeps the run's id and its frozen merge commit, raises the attempt, and takes dependents along; it is
refused while the run goes on, after 30 days and after 50 reruns (GITHUB.md traps 13 to 15).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.github import NotFound, Refused
from bot.objects import NotUnderstood, run_observed
from bot.work.act.fresh import Seen, look_to_act
from bot.work.observe.workflows import workflows_at
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import RerunJobs
from resolver.facts import RunObserved
from resolver.workflow.file import WorkflowFile
from resolver.workflow.group import OtherRun, group_collision
from resolver.workflow.hazard import Files, Grounds, rerun_hazard
from resolver.workflow.names import jobs_named
from resolver.workflow.run import PlannedRun

QUEUE_BRANCH = "heads/gh-readonly-queue/{base}/pr-{number}-"
"""GitHub's name of a merge queue's branch for a pull request."""

PULL_EVENTS = ("pull_request", "pull_request_target")

LISTED = 100
"""So many of the newest runs are looked at for one that is in the way."""


async def rerun_jobs(place: Place, action: RerunJobs) -> Outcome:
    """Ask for the next attempt; done as well where somebody else was quicker."""
    seen = await look_to_act(place, action.number, action.head_sha, "rerun", asked=action.asked)
    if isinstance(seen, Outcome):
        return seen
    raw = await place.installation.get(place.path("/actions/runs/{run}", run=action.run_id))
    run = run_observed(raw)
    if run.attempt > action.attempt:
        return _by_somebody(run)
    reason, wait = await _against(place, action, seen, raw, run)
    if reason:
        retry_at = place.clock.now() + wait if wait else None
        return Outcome((seen.pull, run), refused=reason, retry_at=retry_at)
    try:
        await place.installation.post(place.path("/actions/runs/{run}/rerun-failed-jobs", run=action.run_id))
    except Refused as refused:
        return await _refused(place, action, refused)
    return Outcome((run,), result={"attempt": action.attempt + 1})


def _by_somebody(run: RunObserved) -> Outcome:
    return Outcome((run,), result={"attempt": run.attempt, "already": True})


async def _against(
    place: Place, action: RerunJobs, seen: Seen, raw: Mapping[str, Any], run: RunObserved
) -> tuple[str | None, float | None]:
    """Say what speaks against it, and after how many seconds that may be over (None: not by itself)."""
    if run.head_sha != action.head_sha:
        return "the run is not of the pull request's head", None
    if run.status != "completed":
        return "the run is still going on", place.pace.rerun_rest
    landing = await _would_land(place, action, seen)
    if landing:
        return landing, place.pace.refusal_rest
    planned = _planned(place, seen, run)
    files = await workflows_at(place, action.head_sha, (action.path,))
    hazard = await _hazard(place, action, seen, planned, files)
    if hazard:
        return hazard, None
    file = files.get(action.path)
    if not isinstance(file, WorkflowFile):
        return f"{action.path} is not there at the head", None
    meets = await _meets(place, action, file, planned, int(raw["workflow_id"]))
    return meets, place.pace.rerun_rest if meets else None


async def _would_land(place: Place, action: RerunJobs, seen: Seen) -> str | None:
    """A pass would land what is queued or armed; that needs the configuration's word."""
    if seen.config.flake.may_land:
        return None
    if seen.armed:
        return "auto-merge is armed, so that a pass would land it; `flake.mayLand` does not allow that"
    prefix = QUEUE_BRANCH.format(base=seen.pull.base_ref, number=action.number)
    if await place.installation.get(place.path("/git/matching-refs/{+ref}", ref=prefix)):  # it has no pages
        return "it is in the merge queue, so that a pass would land it; `flake.mayLand` does not allow that"
    return None


def _ref(run: RunObserved, pull: int | None) -> str:
    """Give the ref that a run saw; empty where it is not known. GitHub does not name the pull requests of forks."""
    if run.event in PULL_EVENTS:
        return f"refs/pull/{pull}/merge" if pull else ""
    return f"refs/heads/{run.head_branch}" if run.head_branch else ""


def _planned(place: Place, seen: Seen, run: RunObserved) -> PlannedRun:
    of_pull = run.event in PULL_EVENTS
    return PlannedRun(
        event=run.event,
        ref=_ref(run, seen.pull.number),
        head_ref=seen.pull.head_ref if of_pull else "",
        base_ref=seen.pull.base_ref if of_pull else "",
        pull=seen.pull.number if of_pull else None,
        draft=seen.pull.draft if of_pull else None,
        sha=None if of_pull else run.head_sha,
        repository=place.repo.full_name,
        identity=str(run.run_id),
    )


async def _hazard(place: Place, action: RerunJobs, seen: Seen, planned: PlannedRun, files: Files) -> str | None:
    """Judge the file at the head and at its base: GitHub ran the merge of both, which is not shown."""
    head_ref = seen.pull.head_ref
    on_base = planned.ref != f"refs/heads/{head_ref}" or head_ref == place.repo.default_branch
    at_base = await workflows_at(place, seen.pull.base_ref, (action.path,))
    for known, lenient in ((files, False), (at_base, True)):
        file = known.get(action.path)
        if file is None and lenient:
            continue
        if not isinstance(file, WorkflowFile):
            return f"{action.path} cannot be read: {file.reason}" if file else f"{action.path} is not there at the head"
        grounds = Grounds(shown=action.jobs, called=known, writes_nothing=seen.config.gate.writes_nothing)
        hazard = rerun_hazard(file, planned, grounds, on_base=on_base, lenient=lenient)
        if hazard:
            return hazard
    return None


async def _meets(
    place: Place, action: RerunJobs, file: WorkflowFile, planned: PlannedRun, workflow_id: int
) -> str | None:
    """Look for runs in the same concurrency group; nothing is listed where the file has no group."""
    jobs = {job.id for shown in action.jobs for job in jobs_named(file, shown)}
    if file.concurrency is None and not any(job.concurrency for job in file.jobs if job.id in jobs):
        return None
    of_workflow = place.path("/actions/workflows/{id}/runs", id=workflow_id)
    found = [await place.installation.get(of_workflow, per_page=LISTED)]
    branch = planned.head_ref or planned.ref.removeprefix("refs/heads/")
    found.append(await place.installation.get(place.path("/actions/runs"), branch=branch, per_page=LISTED))
    others = {int(raw["id"]): raw for page in found for raw in page["workflow_runs"]}
    others.pop(action.run_id, None)
    seen = [each for raw in others.values() if (each := _other(raw, action, branch)) is not None]
    return group_collision(file, jobs, planned, seen)


def _other(raw: Mapping[str, Any], action: RerunJobs, branch: str) -> OtherRun | None:
    try:
        run = run_observed(raw)
    except NotUnderstood:
        return None
    numbers = [int(pull["number"]) for pull in raw.get("pull_requests") or ()]
    of_pull, pull = run.event in PULL_EVENTS, numbers[0] if numbers else None
    return OtherRun(
        run_id=run.run_id,
        path=run.path.partition("@")[0],
        run=PlannedRun(
            event=run.event,
            ref=_ref(run, pull),
            head_ref=(run.head_branch or "") if of_pull else "",
            pull=pull,
            sha=None if of_pull else run.head_sha,
            identity=str(run.run_id),
        ),
        newer=run.run_id > action.run_id,
        unfinished=run.status != "completed",
        same_branch=run.head_branch == branch,
    )


async def _refused(place: Place, action: RerunJobs, refused: Refused) -> Outcome:
    """GitHub said no: perhaps because the rerun that was asked for before is under way, which the run shows late."""
    try:
        run = run_observed(await place.installation.get(place.path("/actions/runs/{run}", run=action.run_id)))
    except NotFound:
        return Outcome(refused=refused.message)
    if run.attempt > action.attempt or run.status != "completed" or "already running" in refused.message.lower():
        return _by_somebody(run)
    return Outcome((run,), refused=f"GitHub refused it: {refused.message}")
