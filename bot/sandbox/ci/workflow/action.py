"""Composite actions of a repository: `action.yml` in, a typed `ActionFile` or its problems out. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.sandbox.ci.workflow.document import DocumentError, read_document
from bot.sandbox.ci.workflow.model import InputSpec, Problem, Shelling, StepSpec
from bot.sandbox.ci.workflow.read import read_step
from bot.sandbox.ci.workflow.section import Section


@dataclass(frozen=True)
class ActionFile:
    """A composite action: its inputs, outputs (still with `${{ }}`) and steps."""

    inputs: Mapping[str, InputSpec]
    outputs: Mapping[str, Any]
    steps: tuple[StepSpec, ...]


def read_action(path: str, text: str) -> ActionFile | tuple[Problem, ...]:
    """Read an action's file. GitHub: a `run` step of a composite action must name its shell."""
    try:
        document = read_document(text)
    except DocumentError as error:
        return (Problem(path, error.line, error.key, error.message),)
    problems: list[Problem] = []
    root = Section(path, document, problems, (), document.value)
    root.only(("name", "author", "description", "branding", "inputs", "outputs", "runs"))
    runs = root.section("runs")
    if runs.raw("using") != "composite":
        runs.problem("using" if "using" in runs else None, "only `composite` actions are supported by this sandbox")
        return tuple(problems)
    runs.only(("using", "steps"))
    steps = tuple(_step(section) for section in runs.items("steps"))
    inputs, outputs = root.section("inputs"), root.section("outputs")
    found = ActionFile(
        {name: _input(inputs.section(name)) for name in inputs.keys()},  # noqa: SIM118 - a Section is no mapping
        {name: outputs.section(name).text("value") or "" for name in outputs.keys()},  # noqa: SIM118 - as above
        steps,
    )
    return tuple(sorted(problems, key=lambda problem: problem.line)) or found


def _step(section: Section) -> StepSpec:
    if "run" in section and "shell" not in section:
        section.problem(None, "Required property is missing: shell")
    return read_step(section, Shelling())


def _input(section: Section) -> InputSpec:
    section.only(("description", "required", "default", "deprecationMessage"))
    return InputSpec(required=section.raw("required") is True, default=section.text("default"))
