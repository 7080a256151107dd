"""What a probe would start beside the job that is asked, and what speaks against that. Pure.

A dispatch starts one workflow. A push and a pull request start every workflow that listens, so that each of them is
judged by the hazard rules first (specification, section 5). Path filters keep nothing from being judged: what they make
of a commit without changes is not sure enough to let something deploy.
"""

from __future__ import annotations

from collections.abc import Iterable

from resolver.config import RepoConfig
from resolver.probes.plan import ProbeWanted
from resolver.workflow.file import Trigger, WorkflowFile
from resolver.workflow.group import shared_group
from resolver.workflow.hazard import Files, Grounds, dispatch_hazard
from resolver.workflow.run import PlannedRun
from resolver.workflow.select import admits_ref

_WITH_A_BRANCH = ("push", "create", "delete", "workflow_run")
"""What a branch that comes and goes may start. GitHub: `[skip ci]` would keep only the first away; the last follows on
any other, with the rights of the default branch."""

_OF_A_PULL = frozenset({"opened", "closed"})


def hazards(file: WorkflowFile, run: PlannedRun, wanted: ProbeWanted, files: Files, config: RepoConfig) -> str | None:
    """Say why a planned run must not be started: what it may write or deploy, and whom it may meet in a group."""
    grounds = Grounds(shown=(wanted.check.job,), called=files, writes_nothing=config.gate.writes_nothing)
    return dispatch_hazard(file, run, grounds) or shared_group(file, run)


def meant_run(wanted: ProbeWanted) -> PlannedRun:
    """The run whose configuration a probe must have: that of a task's own, by the event that makes the check."""
    ours = wanted.check.event == "pull_request"
    return PlannedRun(
        event=wanted.check.event,
        ref="refs/heads/the task's branch" if wanted.check.event == "push" else "",
        head_ref="the task's branch" if ours else "",
        base_ref=wanted.base_ref if ours else "",
        repository=wanted.repository,
    )


def runs_of_a_branch(wanted: ProbeWanted, branch: str) -> tuple[PlannedRun, ...]:
    """The runs that a probe's branch may make by itself, for its push first."""
    return tuple(
        PlannedRun(
            event=event,
            ref=f"refs/heads/{branch}",
            sha=f"the child of {wanted.base_sha}",
            repository=wanted.repository,
        )
        for event in _WITH_A_BRANCH
    )


def started_too(wanted: ProbeWanted, runs: Iterable[PlannedRun], files: Files, config: RepoConfig) -> str | None:
    """Say which workflow that would be started must not be, and why; None where all may. `files` are all there are."""
    planned = tuple(runs)
    for path, file in sorted(files.items()):
        if not isinstance(file, WorkflowFile):
            return f"{path} may be started too and cannot be read: {file.reason}"
        for run in planned:
            trigger = file.trigger(run.event)
            if trigger is None or not _may_start(trigger, run):
                continue
            reason = hazards(file, _seen_by_run(run), wanted, files, config)
            if reason:
                return f"`{run.event}` starts {path} too, and {reason}" if path != wanted.check.workflow else reason
    return None


def _may_start(trigger: Trigger, run: PlannedRun) -> bool:
    if run.of_pull and trigger.types is not None and _OF_A_PULL.isdisjoint(trigger.types):
        return False
    return admits_ref(trigger, run) is not False


def _seen_by_run(run: PlannedRun) -> PlannedRun:
    """GitHub: `delete` and `workflow_run` run on the default branch, whatever branch they are about."""
    return run.model_copy(update={"ref": "", "sha": None}) if run.event in ("delete", "workflow_run") else run
