"""Would a run execute the job at all? Read from the workflow file before anything is started. Pure.

Three shapes of change detection differ (PROBES.md, section 5, rule 4): opened for the planned event, compared with the
default branch, compared with the parent. An empty child commit selects nothing in the last two, so that detection which
is not certainly off for the planned run makes the answer `unknown`.
"""

from __future__ import annotations

from typing import Literal

import re2

from resolver.records import Record
from resolver.workflow.expressions import truth
from resolver.workflow.file import Step, Trigger, WorkflowFile, WorkflowJob
from resolver.workflow.filters import selected
from resolver.workflow.hazard import Files, local_path, without
from resolver.workflow.names import inner_names, jobs_named
from resolver.workflow.run import PlannedRun, jobs_of_run, lookup_for


class Selection(Record):
    """Whether a planned run executes a job, and why not or why nobody can say."""

    answer: Literal["yes", "no", "unknown"]
    reason: str = ""


YES = Selection(answer="yes")

_DETECTING_ACTIONS = re2.compile(
    r"(?i)paths?-filter|changed-files|files-changed|path-changes|changes-action|nx-set-shas|turbo-ignore|affected"
)
_DETECTING_COMMANDS = re2.compile(
    r"(?i)git\s+(?:--\S+\s+)*(?:diff|merge-base)\b|\bnx\s+affected|--affected\b|\baffected:|--changed-?since\b"
    r"|--only-?changed\b|--filter[= ]\S*\[|HEAD[~^]|-Dgib\b|gitflow-incremental|pass-?with-?no-?tests"
)
"""Steps that choose what runs by comparing commits, or that are green when they ran nothing (PROBES.md, section 1)."""


def selects(file: WorkflowFile, shown: str, run: PlannedRun, called: Files) -> Selection:
    """Say whether a run executes the job that GitHub shows by that name, down to the steps that decide it."""
    trigger = file.trigger(run.event)
    if trigger is None:
        return Selection(answer="no", reason=f"{file.path} does not listen to `{run.event}`")
    started = _started(file, trigger, run)
    if started.answer != "yes":
        return started
    jobs = jobs_named(file, shown)
    if not jobs:
        return Selection(answer="no", reason=f"{file.path} has no job that shows `{shown}`")
    if len(jobs) > 1:
        names = ", ".join(f"`{job.id}`" for job in jobs)
        return Selection(answer="unknown", reason=f"`{shown}` may be any of {names} of {file.path}")
    return job_selected(file, jobs[0], shown, run, called)


def _started(file: WorkflowFile, trigger: Trigger, run: PlannedRun) -> Selection:
    """Look at the filters of the trigger. A probe's commit changes no file, which path filters do not let pass."""
    if run.event == "workflow_dispatch":
        return YES
    if run.of_pull and trigger.types is not None and "opened" not in trigger.types:
        return Selection(answer="no", reason=f"{file.path} does not listen to pull requests that are opened")
    if trigger.paths is not None or trigger.paths_ignore is not None:
        answer: Literal["no", "unknown"] = "no" if trigger.paths is not None else "unknown"
        return Selection(answer=answer, reason=f"{file.path} filters `{run.event}` by path, and a probe changes none")
    picked = admits_ref(trigger, run)
    if picked:
        return YES
    name = run.base_ref if run.of_pull else run.ref.removeprefix("refs/heads/")
    tags_only = trigger.branches is None and trigger.branches_ignore is None
    why = "listens to tags only" if tags_only else f"does not let the branch `{name}` pass its filter"
    return Selection(answer="unknown" if picked is None else "no", reason=f"{file.path} {why}")


def admits_ref(trigger: Trigger, run: PlannedRun) -> bool | None:
    """Say whether the branch filters let a run begin: the base of a pull request, else the branch itself. None: a
    pattern that cannot be read.
    """
    name = run.base_ref if run.of_pull else run.ref.removeprefix("refs/heads/")
    if trigger.branches is not None:
        return selected(trigger.branches, name)
    if trigger.branches_ignore is not None:
        ignored = selected(trigger.branches_ignore, name)
        return None if ignored is None else not ignored
    return run.event != "push" or (trigger.tags is None and trigger.tags_ignore is None)


def job_selected(file: WorkflowFile, job: WorkflowJob, shown: str, run: PlannedRun, called: Files) -> Selection:
    """Say whether a run that has begun executes this job, down to the steps that decide it."""
    runs = jobs_of_run(file, run, going_well=True)
    where = f"the job `{job.id}` of {file.path}"
    if runs[job.id] is not True:
        answer: Literal["no", "unknown"] = "no" if runs[job.id] is False else "unknown"
        verb = "is skipped" if answer == "no" else "may be skipped"
        return Selection(answer=answer, reason=f"{where} {verb} for `{run.event}` on `{run.ref}`")
    if job.matrix == "computed":
        return Selection(answer="unknown", reason=f"the matrix of {where} is computed in the run")
    lookup = lookup_for(file, job, run, runs, going_well=True)
    for step in job.steps:
        found = detects(step)
        if found and truth(step.condition, lookup) is not False:
            return Selection(answer="unknown", reason=f"{where} chooses what it runs (`{found}`)")
    return _called_selected(job, shown, run, called) if job.uses else YES


def detects(step: Step) -> str | None:
    """Give what in a step chooses what runs by comparing commits, where something does."""
    found = _DETECTING_ACTIONS.search(step.uses or "") or _DETECTING_COMMANDS.search(step.run or "")
    return str(found[0]) if found else None


def _called_selected(job: WorkflowJob, shown: str, run: PlannedRun, called: Files) -> Selection:
    """Look into a called workflow: the event stays the caller's, its inputs are the caller's to give."""
    path = local_path(job.uses or "") or ""
    inner = called.get(path)
    if not isinstance(inner, WorkflowFile):
        return Selection(answer="unknown", reason=f"the job `{job.id}` calls `{job.uses}`, which is not read")
    asked = [(name, other) for name in inner_names(job, shown) for other in jobs_named(inner, name)]
    if len(asked) != 1:
        return Selection(answer="unknown", reason=f"which job of {inner.path} shows `{shown}` is not certain")
    ((name, other),) = asked
    # GitHub: in a called workflow the event is the caller's; what it is given as inputs is not looked up here.
    return job_selected(_without_inputs(inner), other, name, run, without(called, path))


def _without_inputs(file: WorkflowFile) -> WorkflowFile:
    """Take the triggers away, so that no input of the caller's event is mistaken for one of the call."""
    return file.model_copy(update={"triggers": ()})
