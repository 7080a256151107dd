"""Would a job do the same in two runs that different happenings make? Read from the file, and proven or refused. Pure.

A probe that another event makes counts only if the job's configuration is identical (specification, section 5): every
condition and every value of the job, and of the jobs that it needs, comes out alike, or names nothing that tells the
two runs apart. What a local action does is not read, so that it proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from resolver.workflow.expressions import Lookup, render, split, truth
from resolver.workflow.file import WorkflowFile, WorkflowJob
from resolver.workflow.hazard import Files, local_path
from resolver.workflow.run import PlannedRun, jobs_of_run, lookup_for
from resolver.workflow.select import detects

_ANY_RUN = frozenset(
    {"sha", "run_id", "run_number", "run_attempt", "workflow", "repository", "repository_owner", "repository_id"}
    | {"token", "job", "server_url", "api_url", "graphql_url", "workspace", "action", "action_path", "event.repository"}
)
"""What two runs of the same commit may differ in, or never do, without being another configuration."""

SAME_EVENT = frozenset(
    {"event_name", "base_ref", "ref", "ref_name", "ref_type", "event.number"}
    | {"event.pull_request.number", "event.pull_request.base.ref"}
)
"""What is alike for all pull requests into one base, or only says which one it is."""

_CONTEXT = re.compile(r"(?i)(?<![\w.])github((?:\.[\w*-]+)*)")
_SHELL = re.compile(
    r"\bGITHUB_((?:EVENT_NAME|EVENT_PATH|REF|REF_NAME|REF_TYPE|REF_PROTECTED|HEAD_REF|BASE_REF|ACTOR"
    r"|TRIGGERING_ACTOR))\b"
)


@dataclass(frozen=True, slots=True)
class Pair:
    """The run that is planned and the one that it stands for; `allowed` are paths of `github` that may differ.

    `unread`: what cannot be read, a local action or another repository's workflow, is let pass.
    """

    planned: PlannedRun
    meant: PlannedRun
    allowed: frozenset[str] = frozenset()
    unread: bool = False


@dataclass(frozen=True, slots=True)
class Both:
    """A file in both runs, with which of its jobs run in either."""

    file: WorkflowFile
    runs: tuple[tuple[PlannedRun, Mapping[str, bool | None]], ...]

    def seen_by(self, job: WorkflowJob) -> tuple[Lookup, ...]:
        """Give the contexts that a job sees, in the planned run and in the one that is meant."""
        return tuple(lookup_for(self.file, job, run, jobs, going_well=True) for run, jobs in self.runs)


def _both(file: WorkflowFile, pair: Pair) -> Both:
    return Both(file, tuple((run, jobs_of_run(file, run, going_well=True)) for run in (pair.planned, pair.meant)))


def difference(file: WorkflowFile, job: WorkflowJob, pair: Pair, called: Files) -> str | None:
    """Say what makes the job, or one that it needs, another one in the planned run; None where nothing does."""
    needed = _needed(file, job)
    both = _both(file, pair)
    for each in needed:
        found = _of_job(both, each, pair) or _of_outputs(both, each, needed, pair)
        if found:
            return f"{found} in the job `{each.id}` of {file.path}"
    return _of_called([each.uses for each in needed if each.uses], pair, called)


def _needed(file: WorkflowFile, job: WorkflowJob) -> tuple[WorkflowJob, ...]:
    found = {job.id: job}
    todo = [job]
    while todo:
        fresh = [file.job(name) for name in todo.pop().needs if name not in found]
        known = [each for each in fresh if each is not None]
        found |= {each.id: each for each in known}
        todo.extend(known)
    return tuple(found.values())


def _of_job(both: Both, job: WorkflowJob, pair: Pair) -> str | None:
    """Look at what a job does once it runs. Whether it runs is the selection's to say, and the check says that it did.

    Steps that choose what runs are the selection's too: where they are off, more runs than in the run that is meant.
    """
    for step in job.steps:
        if detects(step):
            continue
        found = _told_apart(both, job, pair, (step.condition,), truth) or _told_apart(both, job, pair, step.values)
        shell = next((each[0] for each in _SHELL.finditer(step.run or "") if not _allowed(each[1].lower(), pair)), None)
        if found or shell:
            return f"`{found or shell}` decides what is done"
        if (step.uses or "").startswith("./") and not pair.unread:
            return f"`{step.uses}` is not read"
    found = _told_apart(both, job, pair, (*both.file.values, *job.values))
    return f"`{found}` decides what is done" if found else None


def _of_outputs(both: Both, job: WorkflowJob, among: tuple[WorkflowJob, ...], pair: Pair) -> str | None:
    """Look at what a job hands on, where others do something with it beside asking whether they run."""
    texts = [text for each in among for text in (*each.values, *_texts_of_steps(each))]
    names = (f"needs.{job.id}.", f"needs['{job.id}']")
    if not any(name in text for text in texts for name in names):
        return None
    found = _told_apart(both, job, pair, tuple(text for _, text in job.outputs))
    return f"`{found}` decides what is done" if found else None


def _texts_of_steps(job: WorkflowJob) -> Iterator[str]:
    for step in job.steps:
        yield from (step.condition, *step.values)


def _told_apart(
    both: Both,
    job: WorkflowJob,
    pair: Pair,
    texts: tuple[str, ...],
    judge: Callable[[str, Lookup], object] = render,
) -> str | None:
    """Give what makes a text come out differently, or may do so; None where it certainly comes out alike."""
    suspect = [(text, told) for text in texts if (told := _tells_apart(text, pair, whole=judge is truth))]
    if not suspect:
        return None
    one, other = both.seen_by(job)
    return next((told for text, told in suspect if not _equal(text, judge, one, other)), None)


def _equal(text: str, judge: Callable[[str, Lookup], object], one: Lookup, other: Lookup) -> bool:
    found = judge(text, one)
    return found is not None and found == judge(text, other)


def _tells_apart(text: str, pair: Pair, *, whole: bool) -> str | None:
    """Give the first thing that a text names and that differs between the two runs; `whole`: it is all expression."""
    inside = split(text)[1]
    for expression in (text,) if whole and not inside else inside:
        for found in _CONTEXT.finditer(expression):
            if not _allowed(found[1].lower().removeprefix("."), pair):
                return found[0]
    return None


def _allowed(path: str, pair: Pair) -> bool:
    parts = path.split(".")
    starts = {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
    return path in pair.allowed or not starts.isdisjoint(_ANY_RUN)


def _of_called(calls: list[str], pair: Pair, called: Files) -> str | None:
    """Look once into each called workflow. Its `github` is the caller's; what it is given are values of the caller."""
    todo = list(dict.fromkeys(calls))
    for uses in todo:  # grows by what the called ones call
        inner = called.get(local_path(uses) or "")
        if not isinstance(inner, WorkflowFile):
            if pair.unread:
                continue
            return f"`{uses}` is not read"
        both = _both(inner.model_copy(update={"triggers": ()}), pair)
        for job in inner.jobs:
            found = _of_job(both, job, pair)
            if found:
                return f"{found} in the called {inner.path}"
            todo.extend([job.uses] if job.uses and job.uses not in todo else [])
    return None
