"""Why a check did not run on a pull request: read from the workflow file, once it is known that it did not. Pure.

Only the three filters that the specification names are told apart (section 5), and only where the file says it; what
keeps a check off for another reason, or for one that only a run decides, is told by nobody.
"""

from __future__ import annotations

from resolver.attribution.beside import Filter
from resolver.records import Record
from resolver.workflow.file import Trigger, WorkflowFile, WorkflowJob
from resolver.workflow.filters import selected
from resolver.workflow.names import jobs_named
from resolver.workflow.run import PlannedRun, jobs_of_run

PULL_EVENTS = ("pull_request", "pull_request_target")
USUAL_TYPES = ("opened", "synchronize", "reopened")
"""GitHub: without `types` a workflow listens to these activities of a pull request."""

MOST_FILES = 300
"""GitHub: a path filter looks at no more files of a diff than these."""


class Passed(Record):
    """A pull request that a check let pass unseen. `files` are those that it changes, None where they are not known."""

    base_ref: str
    files: tuple[str, ...] | None = None


def why_unseen(file: WorkflowFile, shown: str, pull: Passed) -> Filter | None:
    """Say which filter keeps the job that GitHub shows as `shown` off that pull request; None where none is certain."""
    trigger = next((found for event in PULL_EVENTS if (found := file.trigger(event))), None)
    if trigger is None or _other_moment(trigger) or _other_base(trigger, pull.base_ref):
        return "event"
    if _other_paths(trigger, pull.files):
        return "path"
    jobs = jobs_named(file, shown)
    return _skipped(file, jobs[0], trigger.event) if len(jobs) == 1 else None


def filters_paths(file: WorkflowFile) -> bool:
    """Say whether the files of a pull request decide anything."""
    triggers = [file.trigger(event) for event in PULL_EVENTS]
    return any(each is not None and (each.paths or each.paths_ignore) for each in triggers)


def _other_moment(trigger: Trigger) -> bool:
    return trigger.types is not None and not set(trigger.types) & set(USUAL_TYPES)


def _other_base(trigger: Trigger, base: str) -> bool:
    if trigger.branches is not None:
        return selected(trigger.branches, base) is False
    return trigger.branches_ignore is not None and selected(trigger.branches_ignore, base) is True


def _other_paths(trigger: Trigger, files: tuple[str, ...] | None) -> bool:
    """GitHub: one file that `paths` picks starts the workflow; with `paths-ignore` one that it does not ignore."""
    if files is None or len(files) >= MOST_FILES:
        return False
    if trigger.paths is not None:
        patterns = trigger.paths
        return all(selected(patterns, name) is False for name in files)
    if trigger.paths_ignore is not None:
        ignored = trigger.paths_ignore
        return all(selected(ignored, name) is True for name in files)
    return False


def _skipped(file: WorkflowFile, job: WorkflowJob, event: str) -> Filter | None:
    """Look at the conditions of the job and of those that it needs: as a draft, and as none."""
    runs = {draft: _runs(file, job, event, draft=draft) for draft in (True, False)}
    if runs[True] is False:
        return "event" if runs[False] is False else "draft"
    if runs[True] is None and _asks_changes(file, job):
        return "path"
    return None


def _runs(file: WorkflowFile, job: WorkflowJob, event: str, *, draft: bool) -> bool | None:
    return jobs_of_run(file, PlannedRun(event=event, ref="", draft=draft), going_well=True)[job.id]


def _asks_changes(file: WorkflowFile, job: WorkflowJob) -> bool:
    """Say whether a condition asks what an earlier job has found out, which is how changed paths are asked for."""
    asked = [job.condition, *(needed.condition for name in job.needs if (needed := file.job(name)))]
    return any("needs." in text and ".outputs." in text for text in asked)
