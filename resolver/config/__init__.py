"""
`.github/failres.yml` as a value, or its problems with their lines (specification, section 17).

`parse_config` never raises for a file's content and takes bounded time. The parts, with all defaults and limits, stand
in `sections`; this module joins them and says in words what is wrong with a file.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from pydantic import BaseModel, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from resolver.config import sections as part
from resolver.config.sections import ActionKind, Label, Mode
from resolver.config.text import (
    TEXT_LIMITS,
    ConfigProblem,
    ConfigProblems,
    Document,
    Key,
    TextLimits,
    problem_at,
    read_text,
    shorten,
    show_path,
)
from resolver.config.values import FROM_FILE, Flag, Path, Pattern, duration, matches

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

CONFIG_PATH = ".github/failres.yml"
"""Where a repository's configuration lives; what counts is the file on the base branch."""

__all__ = [
    "CONFIG_PATH",
    "ActionKind",
    "ConfigProblem",
    "ConfigProblems",
    "Label",
    "Mode",
    "RepoConfig",
    "config_schema",
    "duration",
    "matches",
    "parse_config",
    "parse_config_bytes",
]


class RepoConfig(part.Section):
    """
    A repository's configuration; without a file, all defaults.

    `drift: strict` suits runs whose base moves only by their own landings (section 5). `labels` names those that may be
    set, since App events start workflows. `protected_paths` come on top of `.github/**`, which is always protected.
    `junit` are names of artifacts with JUnit reports, `problem_matchers` files in GitHub's format.
    """

    enabled: Flag = True
    mode: part.Modes = part.Modes()
    managed: part.Managed = part.Managed()
    gate: part.Gate = part.Gate()
    protected_paths: tuple[Path, ...] = Field((), max_length=200)
    scope: tuple[part.ScopeRule, ...] = Field((), max_length=100)
    comments: part.Comments = part.Comments()
    labels: tuple[Label, ...] = Field((), max_length=3)
    attribution: part.Attribution = part.Attribution()
    drift: Literal["proven", "strict"] = "proven"
    outage: part.Outage = part.Outage()
    probes: part.Probes = part.Probes()
    flake: part.Flake = part.Flake()
    ledger: part.Ledger = part.Ledger()
    repair: part.Repair = part.Repair()
    stall: part.Stall = part.Stall()
    budget: part.Budget = part.Budget()
    adapters: tuple[part.Adapter, ...] = Field((), max_length=20)
    landing: part.Landing = part.Landing()
    story: part.Story = part.Story()
    llm: part.Llm = part.Llm()
    notifications: part.Notifications = part.Notifications()
    daily_ceilings: part.DailyCeilings = part.DailyCeilings()
    commands: part.Commands = part.Commands()
    junit: tuple[Pattern, ...] = Field((), max_length=50)
    problem_matchers: tuple[Path, ...] = Field((), max_length=50)

    @property
    def protected(self) -> tuple[str, ...]:
        """Patterns of the paths that no task may change: the configured ones and, always, `.github/**`."""
        return (".github/**", *self.protected_paths)

    @model_validator(mode="after")
    def _adapters_differ(self) -> Self:
        seen: set[str] = set()
        for index, adapter in enumerate(self.adapters):
            if adapter.id in seen:
                raise PydanticCustomError("twice", "is used by an earlier adapter", {"at": ["adapters", index, "id"]})
            seen.add(adapter.id)
        return self


def parse_config(text: str, limits: TextLimits = TEXT_LIMITS) -> RepoConfig | ConfigProblems:
    """A file's text (at most 64 KiB) as a configuration, or what is wrong with it. An empty file gives the defaults."""
    document = read_text(text, limits)
    if isinstance(document, ConfigProblems):
        return document
    if not isinstance(document.value, dict):
        return problem_at((1, 1), "", "the file must be a mapping of keys to values")
    try:
        return RepoConfig.model_validate(document.value, context=FROM_FILE, by_alias=True, by_name=False)
    except ValidationError as fault:
        return _problems(fault.errors(include_url=False, include_input=False), document, limits)


def parse_config_bytes(data: bytes, limits: TextLimits = TEXT_LIMITS) -> RepoConfig | ConfigProblems:
    """The same for a file's bytes, which must be UTF-8."""
    if len(data) > limits.size:
        return problem_at((1, 1), "", limits.too_large)
    try:
        return parse_config(data.decode(), limits)
    except UnicodeDecodeError as fault:
        before = data[: fault.start]
        column = fault.start - before.rfind(b"\n")
        return problem_at((before.count(b"\n") + 1, column), "", "the file is not UTF-8")


def config_schema() -> dict[str, Any]:
    """The JSON schema of the file, for editors. `parse_config` decides: it is stricter where a schema has no words."""
    schema = RepoConfig.model_json_schema(by_alias=True)
    title = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": CONFIG_PATH}
    return {**schema, **title}


def _problems(errors: list[ErrorDetails], document: Document, limits: TextLimits) -> ConfigProblems:
    # A list whose only entry is wrong also counts as too short: the entry's own problem says enough.
    own = [error for error in errors if error["type"] != "too_short" or not document.at(error["loc"])]
    placed = [(_place(_key(error), document), error) for error in own]
    placed.sort(key=lambda pair: pair[0])
    shown = placed[: limits.problems]
    told = [
        ConfigProblem(line=line, column=column, path=show_path(_key(error)), message=_message(error, document))
        for (line, column), error in shown
    ]
    if len(placed) > len(shown):
        last = told[-1]
        more = f"{last.message}; {len(placed) - len(shown)} more problems are not shown"
        told[-1] = last.model_copy(update={"message": more})
    return ConfigProblems(problems=tuple(told))


def _key(error: ErrorDetails) -> Key:
    at = error.get("ctx", {}).get("at")
    return tuple(at) if at else error["loc"]


def _place(key: Key, document: Document) -> tuple[int, int]:
    """Where the key stands, or the nearest thing around it: a missing key stands nowhere."""
    while key not in document.places:
        key = key[:-1]
    return document.places[key]


def _message(error: ErrorDetails, document: Document) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden":
            return _unknown(error["loc"])
        case "literal_error":
            return f"must be {context['expected']}"
        case "value_error":
            return str(context["error"])
        case kind if kind in _SENTENCES:
            written = document.at(error["loc"])
            bounds = {
                name: duration(bound) for name, bound in context.items() if kind in _BOUNDS and isinstance(written, str)
            }
            return _SENTENCES[kind].format(**{**context, **bounds})
        case _:
            return error["msg"]


_BOUNDS = ("greater_than_equal", "less_than_equal")
"""Of a value that the file holds as text, these are about a duration."""

_SENTENCES = {
    "missing": "is missing",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "string_type": "must be text; put it in quotes",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "tuple_type": "must be a list",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must not be empty",
    "model_type": "must be a mapping of keys to values",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
}
"""Pydantic's kinds of error in the words of a person who edits a file."""


def _unknown(key: Key) -> str:
    name = str(key[-1])
    known = sorted(_aliases(key[:-1]))
    near = get_close_matches(name, known, n=1) or [
        each for each in known if each.lower() == name.lower().replace("_", "")
    ]
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
    return f"unknown key {shorten(name)}; {hint}"


def _aliases(key: Key) -> set[str]:
    """The names of the keys that the mapping at this path may have."""
    model: type[BaseModel] = RepoConfig
    for name in key:
        if isinstance(name, int):
            continue
        field = next(field for field in model.model_fields.values() if field.alias == name)
        kinds = (field.annotation, *get_args(field.annotation))
        model = next(kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel))
    return {field.alias or name for name, field in model.model_fields.items()}
