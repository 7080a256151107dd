"""The two ways by `workflow_dispatch`: the repository's own `failres-probe.yml`, and the check's own workflow. Pure.

Each gives a plan, or the reason for which it is not valid.
"""

from __future__ import annotations

from resolver.config import RepoConfig
from resolver.probes.beside import hazards, meant_run
from resolver.probes.plan import ProbePlan, ProbeWanted, Strategy
from resolver.workflow.alike import Pair, difference
from resolver.workflow.expressions import render
from resolver.workflow.file import Input, WorkflowFile, WorkflowJob
from resolver.workflow.hazard import Files
from resolver.workflow.names import jobs_named
from resolver.workflow.run import PlannedRun, jobs_of_run, lookup_of
from resolver.workflow.select import job_selected, selects

PROBE_WORKFLOW = ".github/workflows/failres-probe.yml"
NONCE = ("nonce", "failres-nonce", "failres_nonce")
"""Names of an input of a check's own workflow that takes the nonce."""


def probe_workflow(wanted: ProbeWanted, files: Files, config: RepoConfig) -> ProbePlan | str:
    """One job of `failres-probe.yml` must show the check's own name when it is asked for that check."""
    file = files.get(PROBE_WORKFLOW)
    if not isinstance(file, WorkflowFile):
        absent = "the base does not have it (`failres setup workflows` writes it)"
        return "failres-probe.yml: " + (file.reason if file else absent)
    trigger = file.trigger("workflow_dispatch")
    declared = {each.name for each in trigger.inputs} if trigger else set()
    if not {"check", "nonce"} <= declared:
        return "failres-probe.yml: it does not declare the inputs `check` and `nonce`"
    given = {"check": wanted.shown, "item": wanted.plain_item, "nonce": wanted.nonce}
    inputs = tuple((name, value) for name, value in given.items() if name in declared)
    run = _run(wanted, inputs)
    runs = jobs_of_run(file, run, going_well=True)
    jobs = [job for job in file.jobs if runs[job.id] is not False and _shows(file, job, run, wanted.check.job)]
    if len(jobs) != 1:
        how = "more than one job" if jobs else "no job"
        return f"failres-probe.yml: it has {how} for `{wanted.shown}`"
    selection = job_selected(file, jobs[0], wanted.check.job, run, files)
    if selection.answer != "yes":
        return f"failres-probe.yml: {selection.reason}"
    reason = hazards(file, run, wanted, files, config)
    if reason:
        return f"failres-probe.yml: {reason}"
    return _plan("probe-workflow", file, wanted, inputs)


def _shows(file: WorkflowFile, job: WorkflowJob, run: PlannedRun, name: str) -> bool:
    """Say whether a job certainly shows that name in that run; a matrix would add its values."""
    template = job.name or job.id
    return job.matrix == "none" and job.uses is None and render(template, lookup_of(file, run)) == name


def own_dispatch(wanted: ProbeWanted, files: Files, config: RepoConfig) -> ProbePlan | str:
    """Only where every input that the file declares stays as a pull request's run has it, unset, and where nothing
    else makes the job another one by hand.
    """
    file = files.get(wanted.check.workflow)
    if not isinstance(file, WorkflowFile):
        return "dispatch: " + (file.reason if file else f"the base does not have {wanted.check.workflow}")
    trigger = file.trigger("workflow_dispatch")
    if trigger is None:
        return f"dispatch: {file.path} has no `workflow_dispatch`"
    inputs: list[tuple[str, str]] = []
    for each in trigger.inputs:
        if each.name in NONCE:
            inputs.append((each.name, wanted.nonce))
        elif reason := _differs(each):
            return f"dispatch: {reason}"
    run = _run(wanted, tuple(inputs))
    selection = selects(file, wanted.check.job, run, files)
    if selection.answer != "yes":
        return f"dispatch: {selection.reason}"
    (job,) = jobs_named(file, wanted.check.job)
    pair = Pair(run, meant_run(wanted), unread=True)
    reason = difference(file, job, pair, files) or hazards(file, run, wanted, files, config)
    return f"dispatch: {reason}" if reason else _plan("own-dispatch", file, wanted, tuple(inputs))


def _differs(declared: Input) -> str | None:
    """GitHub: a pull request's run has no inputs, so that a probe with a set one is not the same configuration."""
    if declared.default not in (None, "", "false") or (declared.type == "choice" and declared.options):
        return f"its input `{declared.name}` has a value that no run of a pull request has"
    if declared.required and declared.type != "boolean":
        return f"its input `{declared.name}` is required"
    return None


def _run(wanted: ProbeWanted, inputs: tuple[tuple[str, str], ...]) -> PlannedRun:
    return PlannedRun(
        event="workflow_dispatch",
        ref=f"refs/heads/{wanted.branch}",
        sha=f"the child of {wanted.base_sha}",
        repository=wanted.repository,
        inputs=inputs,
    )


def _plan(
    strategy: Strategy, file: WorkflowFile, wanted: ProbeWanted, inputs: tuple[tuple[str, str], ...]
) -> ProbePlan:
    return ProbePlan(
        strategy=strategy,
        workflow=file.path,
        ref=wanted.branch,
        inputs=inputs,
        nonce=wanted.nonce,
        job=wanted.check.job,
    )
