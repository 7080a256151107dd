"""How a check can be executed on a clean base commit: the cheapest way that is valid, and why the others are not. Pure.

The ways in their order (specification, section 5; PROBES.md, section 5): the repository's own `failres-probe.yml`, the
check's workflow where it can be dispatched, the push of a branch, a draft pull request. Existing results come before
all of them and are looked for elsewhere. Everything is read from the files on the base commit before anything starts.
"""

from __future__ import annotations

from typing import Literal

from resolver.config import RepoConfig
from resolver.digest import digest
from resolver.executions import Check
from resolver.ids import Sha
from resolver.records import Record
from resolver.workflow.expressions import render
from resolver.workflow.file import Input, WorkflowFile, WorkflowJob
from resolver.workflow.group import shared_group
from resolver.workflow.hazard import Files, Grounds, dispatch_hazard
from resolver.workflow.run import PlannedRun, jobs_of_run, lookup_of
from resolver.workflow.select import job_selected, selects

PROBE_WORKFLOW = ".github/workflows/failres-probe.yml"
PREFIX = "failres/probe/"
"""Branches of probes begin so; no other branch of anybody's does."""

NONCE = ("nonce", "failres-nonce", "failres_nonce")
"""Names of an input of a check's own workflow that takes the nonce."""

Strategy = Literal["probe-workflow", "own-dispatch"]


class ProbeWanted(Record):
    """What is to be executed, and where. `item` is for a probe workflow that can run one item first."""

    check: Check
    base_sha: Sha
    attempt: int
    probe_id: str
    item: str = ""
    repository: str = ""

    @property
    def branch(self) -> str:
        """The probe's branch, which is also its identity on GitHub."""
        check = digest(self.check.model_dump(mode="json", by_alias=True), 8)
        return f"{PREFIX}{check}-{self.base_sha[:12]}-{self.attempt}"

    @property
    def nonce(self) -> str:
        """What the run carries where it can, so that it is found again. The same probe has the same one."""
        return digest({"probe": self.probe_id, "branch": self.branch}, 12)

    @property
    def shown(self) -> str:
        """The check as a person and `failres-probe.yml` name it: the workflow's path and the job's name."""
        return f"{self.check.workflow}: {self.check.job}"


class ProbePlan(Record):
    """What to dispatch: `workflow` is the file's path, `ref` the branch, `job` the name of the job that decides."""

    strategy: Strategy
    workflow: str
    ref: str
    inputs: tuple[tuple[str, str], ...]
    nonce: str
    job: str


class NoProbe(Record):
    """No way is valid: why not, one reason for each."""

    reasons: tuple[str, ...]


def choose_probe(wanted: ProbeWanted, files: Files, config: RepoConfig) -> ProbePlan | NoProbe:
    """Choose the cheapest valid way. `files` are the workflow files on the base commit that matter, by path."""
    if wanted.check.fork:
        return NoProbe(reasons=("a probe has secrets that a fork's run had not",))
    reasons: list[str] = []
    for way in (_probe_workflow, _own_dispatch):
        found = way(wanted, files, config)
        if isinstance(found, ProbePlan):
            return found
        reasons.append(found)
    return NoProbe(reasons=(*reasons, *_left_out(config)))


def _left_out(config: RepoConfig) -> tuple[str, str]:
    pushed = "not built yet" if config.probes.push_branch else "the configuration does not allow it"
    drafted = "not built yet" if config.probes.draft_pull else "the configuration does not allow it"
    return f"push of a branch: {pushed}", f"draft pull request: {drafted}"


def _probe_workflow(wanted: ProbeWanted, files: Files, config: RepoConfig) -> ProbePlan | str:
    """One job of `failres-probe.yml` must show the check's own name when it is asked for that check."""
    file = files.get(PROBE_WORKFLOW)
    if not isinstance(file, WorkflowFile):
        return "failres-probe.yml: " + (file.reason if file else "the base does not have it")
    trigger = file.trigger("workflow_dispatch")
    declared = {each.name for each in trigger.inputs} if trigger else set()
    if not {"check", "nonce"} <= declared:
        return "failres-probe.yml: it does not declare the inputs `check` and `nonce`"
    given = {"check": wanted.shown, "item": wanted.item, "nonce": wanted.nonce}
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
    reason = _hazards(file, run, wanted, files, config)
    if reason:
        return f"failres-probe.yml: {reason}"
    return _plan("probe-workflow", file, wanted, inputs)


def _shows(file: WorkflowFile, job: WorkflowJob, run: PlannedRun, name: str) -> bool:
    """Say whether a job certainly shows that name in that run; a matrix would add its values."""
    template = job.name or job.id
    return job.matrix == "none" and job.uses is None and render(template, lookup_of(file, run)) == name


def _own_dispatch(wanted: ProbeWanted, files: Files, config: RepoConfig) -> ProbePlan | str:
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
    reason = _hazards(file, run, wanted, files, config)
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


def _hazards(file: WorkflowFile, run: PlannedRun, wanted: ProbeWanted, files: Files, config: RepoConfig) -> str | None:
    grounds = Grounds(shown=(wanted.check.job,), called=files, writes_nothing=config.gate.writes_nothing)
    return dispatch_hazard(file, run, grounds) or shared_group(file, run)


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
