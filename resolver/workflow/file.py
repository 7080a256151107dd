"""A workflow file as far as failres has to understand it before it starts or repeats anything. Pure.

`read_workflow` never raises for a file's content and takes bounded time; a file that it cannot read is
`UnreadableWorkflow`, and then nothing is started. Texts may still hold `${{ }}`. What the file does not say is None or
empty and never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from resolver.config.text import ConfigProblems, TextLimits, Value, read_text
from resolver.records import Record

WORKFLOW_LIMITS = TextLimits(size=256 * 1024, depth=24, values=20_000)
"""Ours, not GitHub's. Larger files are treated as unreadable."""

MOST_JOBS = 400
"""Ours too: the largest real files have some dozens."""

EVERYTHING = "*"
"""Stands among `writes` for `permissions: write-all`."""


class Input(Record):
    """One declared input of a dispatch or of a called workflow."""

    name: str
    required: bool = False
    default: str | None = None
    type: str = "string"
    options: tuple[str, ...] = ()


class Trigger(Record):
    """One event under `on` with its filters; None where a filter is not given."""

    event: str
    types: tuple[str, ...] | None = None
    branches: tuple[str, ...] | None = None
    branches_ignore: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    tags_ignore: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None
    paths_ignore: tuple[str, ...] | None = None
    inputs: tuple[Input, ...] = ()


class Concurrency(Record):
    """A concurrency group; `cancel` is `true`, `false` or an expression."""

    group: str
    cancel: str = "false"


class Step(Record):
    """One step: what it uses or runs, and when. `values` are the texts with an expression in it, its script too."""

    id: str | None = None
    uses: str | None = None
    run: str | None = None
    condition: str = ""
    values: tuple[str, ...] = ()


Matrix = Literal["none", "present", "computed"]
"""`computed`: an expression makes the matrix, or a part of it, so that its cells are known only in a run."""


class WorkflowJob(Record):
    """One job. `name` is the template of what GitHub shows, `uses` the called workflow.

    `writes` are the permission scopes that it may write (`EVERYTHING`: all), None where neither job nor file says so.
    `values` are the texts with an expression that are neither a name, a condition, an output nor a step's.
    """

    id: str
    name: str | None = None
    needs: tuple[str, ...] = ()
    condition: str = ""
    matrix: Matrix = "none"
    runs_on: tuple[str, ...] = ()
    environment: bool = False
    writes: tuple[str, ...] | None = None
    concurrency: Concurrency | None = None
    uses: str | None = None
    outputs: tuple[tuple[str, str], ...] = ()
    steps: tuple[Step, ...] = ()
    values: tuple[str, ...] = ()


class WorkflowFile(Record):
    """A workflow. `writes` are the rights of jobs that declare none, None where the file declares none either; `values`
    the texts with an expression that hold for all of its jobs.
    """

    path: str
    name: str
    run_name: str | None = None
    triggers: tuple[Trigger, ...] = ()
    writes: tuple[str, ...] | None = None
    concurrency: Concurrency | None = None
    jobs: tuple[WorkflowJob, ...] = ()
    values: tuple[str, ...] = ()

    def trigger(self, event: str) -> Trigger | None:
        """Give the trigger of an event, None where the file does not listen to it."""
        return next((each for each in self.triggers if each.event == event), None)

    def job(self, job_id: str) -> WorkflowJob | None:
        """Give a job by its id in the file."""
        return next((each for each in self.jobs if each.id == job_id), None)


class UnreadableWorkflow(Record):
    """A file that is no workflow for us, and why."""

    path: str
    reason: str


class _UnfitError(Exception):
    """Something in the file has a form that this reader does not know; never leaves this module."""


def read_workflow(path: str, text: str, limits: TextLimits = WORKFLOW_LIMITS) -> WorkflowFile | UnreadableWorkflow:
    """Read a workflow file's text."""
    document = read_text(text, limits)
    if isinstance(document, ConfigProblems):
        problem = document.problems[0]
        return UnreadableWorkflow(path=path, reason=f"line {problem.line}: {problem.message}")
    root = document.value
    if not isinstance(root, dict):
        return UnreadableWorkflow(path=path, reason="it is no mapping of keys to values")
    try:
        return _workflow(path, root)
    except _UnfitError as unfit:
        return UnreadableWorkflow(path=path, reason=str(unfit))


def _workflow(path: str, root: Mapping[str, Value]) -> WorkflowFile:
    writes = _writes(root.get("permissions"), "permissions") if "permissions" in root else None
    jobs = _mapping(root.get("jobs"), "jobs")
    if not jobs or root.get("on") is None:
        raise _UnfitError("it has no jobs, or nothing starts it")
    if len(jobs) > MOST_JOBS:
        raise _UnfitError(f"it has more than {MOST_JOBS} jobs")
    ids = {key.casefold(): key for key in jobs}
    return WorkflowFile(
        path=path,
        name=_text(root.get("name")) or path,
        run_name=_text(root.get("run-name")),
        triggers=_triggers(root.get("on")),
        writes=writes,
        concurrency=_concurrency(root.get("concurrency"), "concurrency"),
        jobs=tuple(_job(key, _mapping(body, f"jobs.{key}"), writes, ids) for key, body in jobs.items()),
        values=_values({key: root.get(key) for key in ("env", "defaults")}),
    )


def _triggers(on: Value) -> tuple[Trigger, ...]:
    if isinstance(on, str):
        return (Trigger(event=on),)
    if isinstance(on, tuple):
        return tuple(Trigger(event=str(each)) for each in on)
    return tuple(_trigger(event, body) for event, body in _mapping(on, "on").items())


def _trigger(event: str, body: Value) -> Trigger:
    if not isinstance(body, dict):
        return Trigger(event=event)  # nothing, or the list of a schedule
    filters = {
        name: _texts(body[key], f"on.{event}.{key}")
        for name, key in (
            ("types", "types"),
            ("branches", "branches"),
            ("branches_ignore", "branches-ignore"),
            ("tags", "tags"),
            ("tags_ignore", "tags-ignore"),
            ("paths", "paths"),
            ("paths_ignore", "paths-ignore"),
        )
        if key in body
    }
    declared = _mapping(body.get("inputs"), f"on.{event}.inputs")
    inputs = tuple(_input(name, _mapping(each, f"on.{event}.inputs.{name}")) for name, each in declared.items())
    return Trigger(event=event, inputs=inputs, **filters)


def _input(name: str, body: Mapping[str, Value]) -> Input:
    return Input(
        name=name,
        required=body.get("required") is True,
        default=_text(body.get("default")),
        type=_text(body.get("type")) or "string",
        options=_texts(body.get("options"), name) if "options" in body else (),
    )


def _job(key: str, body: Mapping[str, Value], above: tuple[str, ...] | None, ids: Mapping[str, str]) -> WorkflowJob:
    """Read one job. GitHub: the ids of jobs are alike without regard to case; `ids` gives them as they are declared."""
    at = f"jobs.{key}"
    needs = _texts(body.get("needs"), f"{at}.needs") if "needs" in body else ()
    steps = body.get("steps")
    strategy = _mapping(body.get("strategy"), f"{at}.strategy") if not isinstance(body.get("strategy"), str) else {}
    matrix: Matrix = "computed" if isinstance(body.get("strategy"), str) else _matrix(strategy)
    outputs = _mapping(body.get("outputs"), f"{at}.outputs")
    return WorkflowJob(
        id=key,
        name=_text(body.get("name")),
        needs=tuple(ids.get(each.casefold(), each) for each in needs),
        condition=_text(body.get("if")) or "",
        matrix=matrix,
        runs_on=_runs_on(body.get("runs-on")),
        environment=body.get("environment") is not None,
        writes=_writes(body.get("permissions"), f"{at}.permissions") if "permissions" in body else above,
        concurrency=_concurrency(body.get("concurrency"), f"{at}.concurrency"),
        uses=_text(body.get("uses")),
        outputs=tuple((name, _text(value) or "") for name, value in outputs.items()),
        steps=tuple(_step(_mapping(each, f"{at}.steps")) for each in (steps if isinstance(steps, tuple) else ())),
        values=_values({name: value for name, value in body.items() if name not in NO_VALUES}),
    )


NO_VALUES = frozenset({"name", "if", "needs", "concurrency", "permissions", "environment", "outputs", "steps"})
"""Keys of a job that are judged by themselves, or change nothing of what it does."""


def _values(value: Value) -> tuple[str, ...]:
    """Give all texts with an expression in it; not the conditions and names of steps."""
    found: list[str] = []
    todo: list[Value] = [value]
    while todo:
        each = todo.pop()
        if isinstance(each, str) and "${{" in each:
            found.append(each)
        elif isinstance(each, dict):
            todo.extend(inner for key, inner in each.items() if key not in ("if", "name"))
        elif isinstance(each, tuple):
            todo.extend(each)
    return tuple(found)


def _step(body: Mapping[str, Value]) -> Step:
    return Step(
        id=_text(body.get("id")),
        uses=_text(body.get("uses")),
        run=_text(body.get("run")),
        condition=_text(body.get("if")) or "",
        values=_values(dict(body)),
    )


def _matrix(strategy: Mapping[str, Value]) -> Matrix:
    if strategy.get("matrix") is None:
        return "none"
    todo: list[Value] = [strategy["matrix"]]
    while todo:
        value = todo.pop()
        if isinstance(value, str) and "${{" in value:
            return "computed"
        if isinstance(value, dict | tuple):
            todo.extend(value.values() if isinstance(value, dict) else value)
    return "present"


def _runs_on(value: Value) -> tuple[str, ...]:
    if isinstance(value, dict):  # a group of runners, with or without labels
        return tuple(f"{key}: {_text(each) or ''}" for key, each in value.items())
    return _texts(value, "runs-on") if value is not None else ()


def _concurrency(value: Value, at: str) -> Concurrency | None:
    if value is None:
        return None
    if isinstance(value, dict):
        return Concurrency(
            group=_text(value.get("group")) or "", cancel=_text(value.get("cancel-in-progress")) or "false"
        )
    text = _text(value)
    if text is None:
        raise _UnfitError(f"`{at}` is neither a text nor a mapping")
    return Concurrency(group=text)


def _writes(value: Value, at: str) -> tuple[str, ...]:
    """Give the scopes that may be written. GitHub: a scope that a given mapping leaves out is `none`."""
    if value == "write-all":
        return (EVERYTHING,)
    if value == "read-all" or value is None:
        return ()
    if not isinstance(value, dict) or not all(level in ("read", "write", "none") for level in value.values()):
        raise _UnfitError(f"`{at}` is not understood")
    return tuple(scope for scope, level in value.items() if level == "write")


def _mapping(value: Value, at: str) -> Mapping[str, Value]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _UnfitError(f"`{at}` is no mapping")
    return value


def _texts(value: Value, at: str) -> tuple[str, ...]:
    found = tuple(_text(each) for each in value) if isinstance(value, tuple) else (_text(value),)
    texts = tuple(each for each in found if each is not None)
    if len(texts) != len(found):
        raise _UnfitError(f"`{at}` is neither a text nor a list of texts")
    return texts


def _text(value: Value) -> str | None:
    """Give a scalar as text, None for everything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None or isinstance(value, dict | tuple) else str(value)
