"""Reads a workflow file. The only place that knows GitHub's keys and which of them this sandbox leaves out."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from bot.sandbox.ci.workflow.document import DocumentError, read_document
from bot.sandbox.ci.workflow.filters import Filter
from bot.sandbox.ci.workflow.model import (
    Concurrency,
    InputSpec,
    JobSpec,
    Problem,
    Shelling,
    StepSpec,
    Strategy,
    Trigger,
    WorkflowFile,
)
from bot.sandbox.ci.workflow.section import Section

STARTING = frozenset({"push", "pull_request", "merge_group", "workflow_dispatch", "repository_dispatch"})
"""The events that start a workflow here."""

SILENT = frozenset(
    {
        "schedule", "workflow_call", "workflow_run", "pull_request_target",
        "pull_request_review", "pull_request_review_comment", "issues", "issue_comment", "release", "create", "delete",
        "check_run", "check_suite", "deployment", "deployment_status", "discussion", "discussion_comment", "fork",
        "gollum", "label", "milestone", "page_build", "public", "registry_package", "status", "watch",
        "branch_protection_rule", "image_version",
    }
)  # fmt: skip
"""Events that GitHub knows and that start nothing here."""

SHELLS = ("bash", "sh", "python")
_FILTERS = ("branches", "branches-ignore", "tags", "tags-ignore", "paths", "paths-ignore")


@lru_cache(maxsize=128)
def read_workflow(path: str, text: str) -> WorkflowFile | tuple[Problem, ...]:
    """Read the file at `path` of a repository; problems come in the order of the file. Many commits share one text."""
    try:
        document = read_document(text)
    except DocumentError as error:
        return (Problem(path, error.line, error.key, error.message),)
    problems: list[Problem] = []
    root = Section(path, document, problems, (), document.value)
    workflow = _workflow(path, root)
    return tuple(sorted(problems, key=lambda problem: problem.line)) or workflow


def read_triggers(path: str, text: str) -> dict[str, Trigger]:
    """The triggers of a file that has problems, as far as they can be read."""
    try:
        document = read_document(text)
    except DocumentError:
        return {}
    problems: list[Problem] = []
    found = _triggers(Section(path, document, problems, (), document.value))
    return {} if problems else found


def _workflow(path: str, root: Section) -> WorkflowFile:
    root.only(("name", "run-name", "on", "permissions", "env", "defaults", "concurrency", "jobs"))
    defaults = _defaults(root)
    jobs = root.section("jobs")
    if not list(jobs.keys()):
        root.problem("jobs" if "jobs" in root else None, "The workflow must contain at least one job")
    specs = {key: _job(key, jobs.section(key), defaults) for key in jobs.keys()}  # noqa: SIM118 - a Section is no mapping
    _check_needs(jobs, specs)
    return WorkflowFile(
        path=path,
        name=root.text("name") or path,
        run_name=root.text("run-name"),
        triggers=_triggers(root),
        env=root.values("env"),
        concurrency=_concurrency(root),
        jobs=specs,
    )


def _triggers(root: Section) -> dict[str, Trigger]:
    value = root.raw("on")
    if value is None:
        root.problem("on" if "on" in root else None, "No event triggers defined in `on`")
        return {}
    if isinstance(value, (str, list)):
        names = [value] if isinstance(value, str) else [str(item) for item in value]
        found = {name: Trigger() for name in names}
    else:
        events = root.section("on")
        found = {name: _trigger(name, events) for name in events.keys()}  # noqa: SIM118 - a Section is no mapping
    for name in found:
        if name not in STARTING | SILENT:
            root.problem("on", f"Unexpected value '{name}'")
    return found


def _trigger(name: str, events: Section) -> Trigger:
    if name not in STARTING or events.raw(name) is None:
        return Trigger()
    section = events.section(name)
    if name == "workflow_dispatch":
        section.only(("inputs",))
        inputs = section.section("inputs")
        return Trigger(inputs={key: _input(inputs.section(key)) for key in inputs.keys()})  # noqa: SIM118 - as above
    known = {
        "pull_request": (*_FILTERS, "types"),
        "merge_group": ("types", "branches", "branches-ignore"),
        "repository_dispatch": ("types",),
    }
    section.only(known.get(name, _FILTERS))
    for kind in ("branches", "tags", "paths"):
        if kind in section and f"{kind}-ignore" in section:
            section.problem(kind, f"you may only define one of `{kind}` and `{kind}-ignore` for a single event")
    return Trigger(
        types=section.texts("types"),
        branches=Filter(section.texts("branches"), section.texts("branches-ignore")),
        tags=Filter(section.texts("tags"), section.texts("tags-ignore")),
        paths=Filter(section.texts("paths"), section.texts("paths-ignore")),
    )


def _input(section: Section) -> InputSpec:
    section.only(("description", "required", "default", "type", "options", "deprecationMessage"))
    return InputSpec(
        required=section.raw("required") is True,
        default=section.raw("default"),
        type=section.text("type") or "string",
        options=section.texts("options") or (),
    )


def _job(key: str, section: Section, above: Shelling) -> JobSpec:
    section.only(
        ("name", "needs", "if", "runs-on", "permissions", "env", "outputs", "defaults", "timeout-minutes",
         "continue-on-error", "strategy", "concurrency", "environment", "steps"),
        unsupported=("uses", "with", "secrets", "container", "services"),
    )  # fmt: skip
    if "uses" not in section:
        for wanted in ("runs-on", "steps"):
            if wanted not in section:
                section.problem(None, f"Required property is missing: {wanted}")
    own = _defaults(section)
    shelling = Shelling(own.shell or above.shell, own.working_directory or above.working_directory)
    timeout = section.number("timeout-minutes")
    return JobSpec(
        id=key,
        line=section.line,
        name=section.text("name"),
        runs_on=_runs_on(section),
        needs=section.texts("needs") or (),
        condition=section.condition(),
        env=section.values("env"),
        outputs=section.values("outputs"),
        shelling=shelling,
        timeout_minutes=360 if timeout is None else timeout,
        continue_on_error=section.flag("continue-on-error", False),
        strategy=_strategy(section),
        concurrency=_concurrency(section),
        environment=_environment(section),
        steps=tuple(read_step(step, shelling) for step in section.items("steps")),
    )


def _runs_on(section: Section) -> tuple[str, ...]:
    value = section.raw("runs-on")
    if isinstance(value, dict):
        return section.section("runs-on").texts("labels") or ()
    section.expressions("runs-on", value)
    return section.texts("runs-on") or ()


def _strategy(section: Section) -> Strategy | None:
    if "strategy" not in section:
        return None
    strategy = section.section("strategy")
    strategy.only(("matrix", "fail-fast", "max-parallel"))
    matrix: Any = strategy.raw("matrix")
    strategy.expressions("matrix", matrix)
    if matrix is None:
        return None
    if not isinstance(matrix, dict) and not (isinstance(matrix, str) and "${{" in matrix):
        strategy.problem("matrix", "must be a mapping or an expression")
        return None
    return Strategy(matrix, strategy.flag("fail-fast", True))


def _concurrency(section: Section) -> Concurrency | None:
    value = section.raw("concurrency")
    if value is None:
        return None
    if not isinstance(value, dict):
        return Concurrency(section.text("concurrency") or "")
    inner = section.section("concurrency")
    inner.only(("group", "cancel-in-progress"))
    return Concurrency(inner.text("group") or "", inner.flag("cancel-in-progress", False))


def _environment(section: Section) -> str:
    """The name of the environment that a job deploys to; empty where there is none."""
    if not isinstance(section.raw("environment"), dict):
        return section.text("environment") or ""
    inner = section.section("environment")
    inner.only(("name", "url"))
    return inner.text("name") or ""


def _defaults(section: Section) -> Shelling:
    if "defaults" not in section:
        return Shelling()
    section.section("defaults").only(("run",))
    run = section.section("defaults").section("run")
    run.only(("shell", "working-directory"))
    return Shelling(_shell(run), run.text("working-directory"))


def _shell(section: Section) -> str | None:
    shell = section.text("shell")
    if shell is not None and "${{" not in shell and shell not in SHELLS:
        section.problem("shell", f"'{shell}' is not supported by this sandbox; {', '.join(SHELLS)} are")
    return shell


def read_step(section: Section, above: Shelling) -> StepSpec:
    """Read one step, of a job or of a composite action."""
    section.only(
        ("id", "if", "name", "uses", "run", "with", "env", "shell", "working-directory", "continue-on-error",
         "timeout-minutes")
    )  # fmt: skip
    if ("uses" in section) == ("run" in section):
        section.problem(None, "There must be exactly one of `uses` and `run`")
    return StepSpec(
        line=section.line,
        name=section.text("name"),
        id=section.text("id"),
        uses=section.text("uses"),
        inputs=section.values("with"),
        run=section.text("run"),
        shelling=Shelling(_shell(section) or above.shell, section.text("working-directory") or above.working_directory),
        env=section.values("env"),
        condition=section.condition(),
        continue_on_error=section.flag("continue-on-error", False),
        timeout_minutes=section.number("timeout-minutes"),
    )


def _check_needs(jobs: Section, specs: dict[str, JobSpec]) -> None:
    for key, spec in specs.items():
        for needed in spec.needs:
            if needed not in specs:
                jobs.section(key).problem("needs", f"Job '{key}' depends on unknown job '{needed}'.")
    done: set[str] = set()
    waiting = dict(specs)
    while ready := [key for key, spec in waiting.items() if all(n in done or n not in specs for n in spec.needs)]:
        done.update(ready)
        for key in ready:
            del waiting[key]
    for key in waiting:
        jobs.section(key).problem("needs", f"Job '{key}' is part of a cycle of needs.")
