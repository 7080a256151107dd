"""
A repository's own way to mend a check's surroundings: the job of `failres-repair.yml` that is called like the repair.

It is started as a probe is: on a branch that is an empty child of the base, after the file was read for what it might
deploy or write. Pure.
"""

from __future__ import annotations

from resolver.config import RepoConfig
from resolver.executions import Check
from resolver.ids import PullNumber, Sha
from resolver.probes import ProbePlan, ProbeWanted
from resolver.records import Record
from resolver.workflow.file import WorkflowFile
from resolver.workflow.group import shared_group
from resolver.workflow.hazard import Files, Grounds, dispatch_hazard
from resolver.workflow.run import PlannedRun, jobs_of_run

REPAIR_WORKFLOW = ".github/workflows/failres-repair.yml"
"""Where a repository keeps them, on its base branch."""

INPUTS = ("repair", "nonce")
"""What the workflow must declare: the name of the repair, which its jobs' conditions look at, and the run's mark."""


class NoJob(Record):
    """It is not started, and why not; `absent`: the repository has none, so that the general way is taken."""

    reason: str
    absent: bool = False


def repair_wanted(repair: str, repair_id: str, base_sha: Sha, seq: int, repository: str) -> ProbeWanted:
    """Give the run that carries out a repair for one decision, with its branch and nonce: no other one has them."""
    check = Check(workflow=REPAIR_WORKFLOW, job=repair, matrix=(("decision", str(seq)),), event="workflow_dispatch")
    return ProbeWanted(check=check, base_sha=base_sha, attempt=1, probe_id=repair_id, repository=repository)


def repair_id(number: PullNumber, seq: int) -> str:
    """Name the run of the repair that a decision called for."""
    return f"repair:{number}:{seq}"


def choose_job(wanted: ProbeWanted, files: Files, config: RepoConfig) -> ProbePlan | NoJob:
    """Give what to dispatch, or why nothing is. `files` are the workflow files on the base commit that matter."""
    repair, name = wanted.check.job, REPAIR_WORKFLOW.rpartition("/")[2]
    file = files.get(REPAIR_WORKFLOW)
    if file is None:
        return NoJob(reason=f"the base has no {name}", absent=True)
    if not isinstance(file, WorkflowFile):
        return NoJob(reason=f"{name} cannot be read: {file.reason}")
    if file.job(repair) is None:
        return NoJob(reason=f"{name} has no job `{repair}`", absent=True)
    trigger = file.trigger("workflow_dispatch")
    declared = {each.name for each in trigger.inputs} if trigger else set()
    if not set(INPUTS) <= declared:
        return NoJob(reason=f"{name} does not declare the inputs `repair` and `nonce` of a dispatch")
    inputs = (("repair", repair), ("nonce", wanted.nonce))
    run = PlannedRun(
        event="workflow_dispatch",
        ref=f"refs/heads/{wanted.branch}",
        sha=f"the child of {wanted.base_sha}",
        repository=wanted.repository,
        inputs=inputs,
    )
    if jobs_of_run(file, run, going_well=True)[repair] is False:
        return NoJob(reason=f"the job `{repair}` of {name} does not run when it is asked for")
    grounds = Grounds(shown=(repair,), called=files, writes_nothing=config.gate.writes_nothing)
    reason = dispatch_hazard(file, run, grounds) or shared_group(file, run)
    if reason:
        return NoJob(reason=f"{name}: {reason}")
    return ProbePlan(
        strategy="repair-workflow",
        workflow=file.path,
        ref=wanted.branch,
        inputs=inputs,
        nonce=wanted.nonce,
        job=repair,
    )
