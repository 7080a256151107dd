"""A draft pull request with an empty commit: the same event and environment as a task's, on the base's own files. Pure.

It tests the merge with the base of that moment, so that only the base's newest commit can be asked. It runs all CI and
mails watchers: the last way, capped by a day's number.
"""

from __future__ import annotations

from resolver.config import RepoConfig
from resolver.probes.beside import runs_of_a_branch, started_too
from resolver.probes.plan import ProbePlan, ProbeWanted
from resolver.workflow.alike import SAME_EVENT, Pair, difference
from resolver.workflow.file import WorkflowFile
from resolver.workflow.hazard import Files
from resolver.workflow.names import jobs_named
from resolver.workflow.run import PlannedRun
from resolver.workflow.select import selects

STAND_IN = 2**31 - 1
"""Stands for the number that GitHub gives a pull request only when it is opened."""


def by_draft(wanted: ProbeWanted, files: Files, config: RepoConfig) -> ProbePlan | str:
    """Give the plan, or why a draft pull request is not valid. `files` are all workflow files of the base commit."""
    file = files.get(wanted.check.workflow)
    if not isinstance(file, WorkflowFile):
        return file.reason if file else f"the base does not have {wanted.check.workflow}"
    if wanted.check.event != "pull_request":
        return f"a pull request does not make the event `{wanted.check.event}`"
    run = _run(wanted, "pull_request")
    selection = selects(file, wanted.check.job, run, files)
    if selection.answer != "yes":
        return selection.reason
    (job,) = jobs_named(file, wanted.check.job)
    meant = run.model_copy(update={"draft": None})
    runs = (run, _run(wanted, "pull_request_target"), *runs_of_a_branch(wanted, wanted.branch))
    reason = difference(file, job, Pair(run, meant, SAME_EVENT), files) or started_too(wanted, runs, files, config)
    if reason:
        return reason
    return ProbePlan(
        strategy="draft-pull",
        workflow=file.path,
        ref=wanted.branch,
        nonce=wanted.nonce,
        job=wanted.check.job,
        event="pull_request",
    )


def _run(wanted: ProbeWanted, event: str) -> PlannedRun:
    """The run as GitHub would make it for the draft. A run for the target sees the base branch and its commit."""
    ours = event == "pull_request"
    return PlannedRun(
        event=event,
        ref=f"refs/pull/{STAND_IN}/merge" if ours else f"refs/heads/{wanted.base_ref}",
        head_ref=wanted.branch,
        base_ref=wanted.base_ref,
        pull=STAND_IN,
        draft=True,
        sha=f"the merge of an empty child of {wanted.base_sha}" if ours else wanted.base_sha,
        repository=wanted.repository,
    )
