"""What a planned or existing run of a workflow would see: its contexts, which of its jobs run, its concurrency groups.

Pure. Nothing is guessed: a value or a job that only the run itself decides is unknown (None).
"""

from __future__ import annotations

from collections.abc import Mapping

from resolver.records import Record
from resolver.workflow.expressions import (
    UNKNOWN,
    Lookup,
    Unknown,
    Value,
    as_text,
    evaluate,
    only_expression,
    render,
    truth,
)
from resolver.workflow.file import Concurrency, WorkflowFile, WorkflowJob

Outputs = dict[tuple[str, str], Value]
"""What jobs give on, by job and output, each worked out once: outputs may be made of each other."""


class PlannedRun(Record):
    """A run as GitHub would make it. `ref` is the full one, empty where it is not known; `head_ref`, `base_ref`, `pull`
    and `draft` are a pull request's. `sha` is what it checks out, None where not known; `identity` stands for the run's
    own id.
    """

    event: str
    ref: str
    head_ref: str = ""
    base_ref: str = ""
    pull: int | None = None
    draft: bool | None = None
    sha: str | None = None
    repository: str = ""
    inputs: tuple[tuple[str, str], ...] = ()
    identity: str = "this run"

    @property
    def of_pull(self) -> bool:
        """True where a pull request made it."""
        return self.event in ("pull_request", "pull_request_target")


def lookup_of(file: WorkflowFile, run: PlannedRun) -> Lookup:
    """Give the contexts that a whole workflow sees; status functions are unknown."""
    known = {**_github(file, run), **_inputs(file, run)}

    def lookup(path: str) -> Value:
        if path in known:
            return known[path]
        if path.startswith("github.event.pull_request") and not run.of_pull:
            return None
        if path.startswith("github.event.merge_group") and run.event != "merge_group":
            return None
        if path.startswith(("inputs.", "github.event.inputs.")) and file.trigger(run.event) is not None:
            return None  # not declared; a called workflow, which does not listen to the event itself, is given its own
        return UNKNOWN

    return lookup


def _github(file: WorkflowFile, run: PlannedRun) -> dict[str, Value]:
    owner, _, name = run.repository.partition("/")
    number: Value = float(run.pull) if run.pull is not None else None
    kind, _, short = run.ref.removeprefix("refs/").partition("/")
    found: dict[str, Value] = {
        "github.event_name": run.event,
        "github.workflow": file.name,
        "github.ref": run.ref or UNKNOWN,
        "github.ref_name": short or UNKNOWN,
        "github.ref_type": "tag" if kind == "tags" else "branch",
        "github.head_ref": run.head_ref,
        "github.base_ref": run.base_ref,
        "github.run_id": run.identity,
        "github.run_number": run.identity,
        "github.event.number": number,
        "github.sha": run.sha if run.sha is not None else UNKNOWN,
    }
    if name:
        found |= {"github.repository": run.repository, "github.repository_owner": owner}
    if run.of_pull:
        found |= {
            "github.event.pull_request.number": number if number is not None else UNKNOWN,
            "github.event.pull_request.draft": run.draft if run.draft is not None else UNKNOWN,
            "github.event.pull_request.head.ref": run.head_ref,
            "github.event.pull_request.base.ref": run.base_ref,
        }
    return found


def _inputs(file: WorkflowFile, run: PlannedRun) -> dict[str, Value]:
    """GitHub: `inputs` keeps a boolean input a boolean, `github.event.inputs` has texts only."""
    trigger = file.trigger(run.event)
    if run.event != "workflow_dispatch" or trigger is None:
        return {}
    given = dict(run.inputs)
    found: dict[str, Value] = {}
    for declared in trigger.inputs:
        text = given.get(declared.name, declared.default or "")
        typed: Value = text == "true" if declared.type == "boolean" else text
        found[f"inputs.{declared.name.lower()}"] = typed
        found[f"github.event.inputs.{declared.name.lower()}"] = text
    return found


def jobs_of_run(file: WorkflowFile, run: PlannedRun, *, going_well: bool) -> Mapping[str, bool | None]:
    """Say for each job whether it runs. `going_well`: every job before it succeeds; else how they end is not known."""
    runs: dict[str, bool | None] = {}
    outputs: Outputs = {}
    waiting = {job.id: job for job in file.jobs}
    while ready := [job for job in waiting.values() if all(needed in runs for needed in job.needs)]:
        for job in ready:
            lookup = lookup_for(file, job, run, runs, going_well=going_well, outputs=outputs)
            runs[job.id] = _runs(job, runs, truth(job.condition, lookup), going_well=going_well)
            del waiting[job.id]
    return {**dict.fromkeys(waiting), **runs}


def _runs(job: WorkflowJob, before: Mapping[str, bool | None], holds: bool | None, *, going_well: bool) -> bool | None:
    text = job.condition.lower()
    if any(f"{name}(" in text for name in ("always", "failure", "cancelled")):
        return holds
    needed = [before.get(each) for each in job.needs]
    if holds is False or any(each is False for each in needed):
        return False
    return True if holds and all(needed) and (going_well or not needed) else None


def lookup_for(
    file: WorkflowFile,
    job: WorkflowJob,
    run: PlannedRun,
    before: Mapping[str, bool | None],
    *,
    going_well: bool,
    outputs: Outputs | None = None,
) -> Lookup:
    """Give the contexts that one job sees, with what is known of the jobs that it needs."""
    common = lookup_of(file, run)
    ids = {each.lower(): each for each in job.needs}
    known: Outputs = {} if outputs is None else outputs
    well: Mapping[str, Value] = {"success()": True, "always()": True, "failure()": False, "cancelled()": False}

    def lookup(path: str) -> Value:
        if path.endswith("()"):
            return well[path] if going_well or path == "always()" else UNKNOWN
        context, _, rest = path.partition(".")
        if context != "needs":
            return common(path)
        needed, _, what = rest.partition(".")
        other = file.job(ids.get(needed, ""))
        if other is None:
            return UNKNOWN
        if what == "result":
            return _result(before.get(other.id), going_well=going_well)
        if before.get(other.id) is False:
            return None
        return output_of(other, what.removeprefix("outputs."))

    def output_of(other: WorkflowJob, name: str) -> Value:
        place = (other.id, name)
        if place not in known:
            known[place] = UNKNOWN  # stands while it is worked out, so that a circle comes to an end
            template = {each.lower(): text for each, text in other.outputs}.get(name, "")
            theirs = lookup_for(file, other, run, before, going_well=going_well, outputs=known)
            known[place] = _output(template, theirs)
        return known[place]

    return lookup


def _result(runs: bool | None, *, going_well: bool) -> Value:
    if runs is False:
        return "skipped"
    return "success" if runs and going_well else UNKNOWN


def _output(template: str, lookup: Lookup) -> Value:
    """GitHub: an output is a text, so that `false` counts as true. Where only its truth is known, that is kept."""
    only = only_expression(template)
    if only is not None:
        value = evaluate(only, lookup)
        if isinstance(value, Unknown):
            return value if value.truth else UNKNOWN
        return as_text(value)
    rendered = render(template, lookup)
    return UNKNOWN if rendered is None else rendered


def group_of(file: WorkflowFile, concurrency: Concurrency, run: PlannedRun) -> str | None:
    """Give the name of a concurrency group for a run; None where only the run will show. GitHub ignores case."""
    name = render(concurrency.group, lookup_of(file, run))
    return None if name is None else name.casefold()
