"""What may not be repeated or dispatched: deployments and whatever writes (specification, section 5). Pure.

Each judgement is None where nothing speaks against it, else the reason in grounds. Jobs that certainly do not run are
left out; what a file does not say counts as writing unless the configuration's `gate.writesNothing` names the job.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from resolver.config import matches
from resolver.workflow.file import EVERYTHING, UnreadableWorkflow, WorkflowFile, WorkflowJob
from resolver.workflow.names import jobs_named
from resolver.workflow.run import PlannedRun, jobs_of_run

Files = Mapping[str, WorkflowFile | UnreadableWorkflow]
"""Workflow files of one commit by path; one that is not in it is not there."""

RISKY = frozenset({"contents", "packages", "id-token", EVERYTHING})
"""Scopes with which a job publishes or deploys."""

REPEATABLE = frozenset({"pull_request", "push", "merge_group", "workflow_dispatch"})
"""Events whose runs may be repeated; a push only off the bases and tags. Every other event may deploy or release."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a judgement rests on beside the file: how the judged jobs are shown, the called workflows of the same
    commit, and patterns of checks of which a person says that they write nothing.

    `judged` holds what was said of called workflows, so that each is looked into once however often it is called.
    """

    shown: tuple[str, ...] = ()
    called: Files = field(default_factory=dict)
    writes_nothing: tuple[str, ...] = ()
    judged: dict[tuple[str, tuple[str, ...] | None, bool], str | None] = field(default_factory=dict, compare=False)

    def vouch_for(self, file: WorkflowFile, job: WorkflowJob, shown: Iterable[str]) -> bool:
        """Say whether one of the job's names is among them."""
        own = job.name or job.id
        names = {*shown, own, job.id, f"{file.name} / {own}", *(f"{file.name} / {each}" for each in shown)}
        return any(matches(pattern, name) for pattern in self.writes_nothing for name in names)


def rerun_hazard(
    file: WorkflowFile, run: PlannedRun, grounds: Grounds, *, on_base: bool, lenient: bool = False
) -> str | None:
    """Say why a run's failed jobs (`grounds.shown`) must not run again.

    GitHub repeats the dependents of a failed job as well. `on_base`: the run is of a base branch or a tag. `lenient`
    passes over a job that the file does not have.
    """
    if run.event not in REPEATABLE:
        return f"the event `{run.event}` may deploy or release"
    if run.event == "push" and on_base:
        return "the run is of a push to a base branch or a tag"
    chosen: dict[str, set[str]] = {}
    for shown in grounds.shown:
        found = jobs_named(file, shown)
        if not found and not lenient:
            return f"{file.path} has no job that shows `{shown}`"
        for job in found:
            chosen.setdefault(job.id, set()).add(shown)
    again = chosen.keys() | _following(file, chosen, jobs_of_run(file, run, going_well=False))
    for job in file.jobs:
        reason = _hazard(file, job, chosen.get(job.id, ()), grounds) if job.id in again else None
        if reason:
            return reason
    return None


def dispatch_hazard(file: WorkflowFile, run: PlannedRun, grounds: Grounds) -> str | None:
    """Say why a workflow must not be dispatched. A dispatch starts all of its jobs, not only the one that is asked."""
    runs = jobs_of_run(file, run, going_well=False)
    asked = {job.id: shown for shown in grounds.shown for job in jobs_named(file, shown)}
    for job in file.jobs:
        if runs[job.id] is False:
            continue
        shown = (asked[job.id],) if job.id in asked else ()
        reason = _hazard(file, job, shown, grounds)
        if reason:
            return reason
    return None


def _following(file: WorkflowFile, first: Iterable[str], runs: Mapping[str, bool | None]) -> frozenset[str]:
    """Give the jobs that need one of these, directly or not, and that may run."""
    needing: dict[str, list[str]] = {}
    for job in file.jobs:
        for needed in job.needs:
            needing.setdefault(needed, []).append(job.id)
    found: set[str] = set()
    todo = list(first)
    while todo:
        fresh = [each for each in needing.get(todo.pop(), ()) if each not in found]
        found.update(fresh)
        todo.extend(fresh)
    return frozenset(each for each in found if runs[each] is not False)


def _hazard(file: WorkflowFile, job: WorkflowJob, shown: Iterable[str], grounds: Grounds) -> str | None:
    where = f"the job `{job.id}` of {file.path}"
    if job.environment:
        return f"{where} has an environment"
    vouched = grounds.vouch_for(file, job, shown)
    if job.writes is None and not vouched:
        return f"{where} does not declare its permissions, and `gate.writesNothing` does not name it"
    risky = sorted(RISKY & set(job.writes or ()))
    if risky:
        return f"{where} may write `{'`, `'.join(risky)}`"
    return _called_hazard(job, grounds, vouched=vouched) if job.uses else None


def _called_hazard(job: WorkflowJob, grounds: Grounds, *, vouched: bool) -> str | None:
    """Look into a called workflow. GitHub: it has no more rights than its caller, but environments of its own."""
    path = local_path(job.uses or "") or ""
    inner = grounds.called.get(path)
    if not isinstance(inner, WorkflowFile):
        return None if vouched else f"the job `{job.id}` calls `{job.uses}`, which is not read"
    known = (path, job.writes, vouched)
    if known not in grounds.judged:
        words = ("**",) if vouched else grounds.writes_nothing
        deeper = replace(grounds, writes_nothing=words, called=without(grounds.called, path))
        reasons = (_inner(job, inner, each, deeper) for each in inner.jobs)
        grounds.judged[known] = next((reason for reason in reasons if reason), None)
    return grounds.judged[known]


def _inner(caller: WorkflowJob, inner: WorkflowFile, job: WorkflowJob, grounds: Grounds) -> str | None:
    narrowed = job if caller.writes is None else job.model_copy(update={"writes": caller.writes})
    return _hazard(inner, narrowed, (), grounds)


def without(files: Files, path: str) -> Files:
    """Leave a file out, so that workflows that call each other come to an end."""
    return {name: file for name, file in files.items() if name != path}


def local_path(uses: str) -> str | None:
    """Give the path of a called workflow of the same repository and commit; None for one from elsewhere."""
    return uses.removeprefix("./") if uses.startswith("./") else None
