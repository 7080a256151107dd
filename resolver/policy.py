"""
The resolver's table: what follows from a failure class, its scope and the attempt (specification, section 10).

The table is `policy.toml`, read and checked once; people change it, failres never does. `lookup` raises `Unreachable`
at a cell that a breaker should have kept anybody from; `rule` is for production, where such a cell escalates and says
so.
`within` turns an action that cannot be carried out here into an escalation that names what was missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from tomllib import loads
from types import MappingProxyType
from typing import Annotated, Final, Literal, Self, assert_never, get_args

from pydantic import Field, model_validator

from resolver.failure import Scope
from resolver.records import Record
from resolver.taxonomy import TAXONOMY

Action = Literal[
    "resume",
    "redo-task",
    "env-repair:provision-deps",
    "env-repair:adapter-restart",
    "env-repair:gc-dry-then-tmp-clean",
    "reroute",
    "park-retry",
    "accept-quarantine-continue",
    "escalate",
]
"""The closed set. None of them weakens a gate; a repair of the environment is named by its whole string everywhere."""

ACTIONS: Final[tuple[Action, ...]] = get_args(Action)
ENV_REPAIR: Final = "env-repair:"
REPAIR_IDS: Final = tuple(action.removeprefix(ENV_REPAIR) for action in ACTIONS if action.startswith(ENV_REPAIR))

Cell = Action | Literal["LLM", "—"]
Columns = tuple[Cell, Cell, Cell]
Before = Literal["pause-run"]
Also = Literal["degrade-adapter"]
Missing = Literal["fix-runs", "disposable-branch", "adapter"]
"""What an action needed and did not have."""


CRASH: Final = "crash"
"""Stands for the class of what died without leaving one: a check of which GitHub has neither log nor annotation."""


class Unreachable(Exception):
    """A `—` cell was reached: a breaker that should have tripped before did not."""

    def __init__(self, fail_class: str, scope: str, attempt: int) -> None:
        super().__init__(f"{fail_class} ({scope}) has no cell for attempt {attempt}")
        self.fail_class = fail_class
        self.scope = scope
        self.attempt = attempt


class Row(Record):
    """One row; `before` comes first, `also` goes with the action of attempt 1."""

    fail_class: Annotated[str, Field(alias="class")]
    scope: Scope
    attempts: Columns
    before: Before | None = None
    also: Also | None = None

    def cell(self, attempt: int) -> Cell:
        """The cell of an attempt, counted from 1; the last column is for all that follow."""
        if attempt < 1:
            raise ValueError(f"attempts count from 1, not from {attempt}")
        return self.attempts[min(attempt, len(self.attempts)) - 1]

    @property
    def reach(self) -> int:
        """How many attempts have a cell: the breaker trips before the next one, so that a `—` is never met."""
        return sum(cell != "—" for cell in self.attempts)


class CrashRow(Record):
    """What follows from a dead runner or workflow that left no class."""

    attempts: tuple[Action, Action, Action]


class FlakyRow(Record):
    """What follows from a check that failed and passed on an identical tree."""

    first: Action
    second: Action
    kind: Literal["fix-flaky-test"]


class Policy(Record):
    """The whole table, checked: known classes at known scopes, each once, and every class of the taxonomy has a row."""

    row: tuple[Row, ...]
    crash: CrashRow
    flaky: FlakyRow

    @model_validator(mode="after")
    def _complete(self) -> Self:
        told = [(row.fail_class, row.scope) for row in self.row]
        known = {(key, scope) for key, row in TAXONOMY.items() for scope in row.scopes}
        if len(set(told)) != len(told):
            raise ValueError("a class has two rows at one scope")
        if set(told) != known:
            raise ValueError(f"rows and taxonomy differ: {sorted(set(told) ^ known)}")
        return self

    def find(self, fail_class: str, scope: Scope) -> Row | None:
        """The exact row, or None."""
        return next((row for row in self.row if (row.fail_class, row.scope) == (fail_class, scope)), None)


def read_policy(text: str) -> Policy:
    """A policy file's text as a checked table. Raises `ValueError` for anything else."""
    return Policy.model_validate(loads(text), strict=False)


POLICY: Final = read_policy(resources.files("resolver").joinpath("policy.toml").read_text("utf-8"))


class Take(Record):
    """
    An action to take, as the journal's `resolve.decision` has it.

    `counts` is False for the one `resume` after a flake, which is no attempt. `kind` is the kind of decision that an
    escalation asks, where it is not the general one. `unreachable` marks a `—` cell, which is journaled by itself;
    `unlisted` a class without a row at that scope; `missing` what kept the table's own action (`instead_of`) from
    being taken.
    """

    action: Action
    source: Literal["table", "llm"] = "table"
    rationale: str | None = None
    counts: bool = True
    kind: str | None = None
    before: Before | None = None
    also: Also | None = None
    unreachable: bool = False
    unlisted: bool = False
    instead_of: Action | None = None
    missing: Missing | None = None


class AskModel(Record):
    """The cell says LLM and the model is on: its answer, checked by `resolver.llm`, is the action."""

    fail_class: str
    scope: Scope
    attempt: int


class NotYet(Record):
    """A runner is late, which is not dead: nothing is decided until its death is certain."""


Ruling = Take | AskModel


def lookup(fail_class: str, scope: Scope, attempt: int, llm: bool, policy: Policy = POLICY) -> Ruling:
    """
    Rule on a failure: the exact row, else escalate; an `LLM` cell is for the model where it is on, else escalate.

    `attempt` is 1 plus the earlier `resolve.decision` records of this class for the same task or run. Raises
    `Unreachable` at a `—` cell.
    """
    row = policy.find(fail_class, scope)
    if row is None:
        return Take(action="escalate", unlisted=True)
    cell = row.cell(attempt)
    match cell:
        case "—":
            raise Unreachable(fail_class, scope, attempt)
        case "LLM":
            asked = AskModel(fail_class=fail_class, scope=scope, attempt=attempt)
            return asked if llm else Take(action="escalate", before=row.before)
        case _:
            return Take(action=cell, before=row.before, also=row.also if attempt == 1 else None)


def rule(fail_class: str, scope: Scope, attempt: int, llm: bool, policy: Policy = POLICY) -> Ruling:
    """The same for production: a `—` cell escalates and is marked, so that it is journaled as `resolve.unreachable`."""
    try:
        return lookup(fail_class, scope, attempt, llm, policy)
    except Unreachable:
        return Take(action="escalate", unreachable=True)


def rule_crash(attempt: int, certain: bool, policy: Policy = POLICY) -> Take | NotYet:
    """Rule on a dead runner or workflow without a class; one that is merely late is not dead."""
    if attempt < 1:
        raise ValueError(f"attempts count from 1, not from {attempt}")
    if not certain:
        return NotYet()
    return Take(action=policy.crash.attempts[min(attempt, 3) - 1])


def rule_flaky(earlier_flakes: int, policy: Policy = POLICY) -> Take:
    """
    Rule on an identical tree with an identical earlier failure and then a pass; `earlier_flakes` counts those of the
    same check before this one, inside the configured window.
    """
    if earlier_flakes == 0:
        return Take(action=policy.flaky.first, counts=False)
    return Take(action=policy.flaky.second, kind=policy.flaky.kind)


class Abilities(Record):
    """What can be done here and now. `disposable` is about the task's branch, `adapter_left` about the chain."""

    fix_runs: bool = False
    disposable: bool = False
    adapter_left: bool = False


def within(take: Take, abilities: Abilities) -> Take:
    """The same, or an escalation that names what the action would have needed. Never another action instead."""
    missing = _missing(take.action, abilities)
    if missing is None:
        return take
    return take.model_copy(update={"action": "escalate", "instead_of": take.action, "missing": missing})


def _missing(action: Action, abilities: Abilities) -> Missing | None:
    match action:
        case "redo-task":
            if not abilities.disposable:
                return "disposable-branch"
            return None if abilities.fix_runs else "fix-runs"
        case "reroute":
            if not abilities.fix_runs:
                return "fix-runs"
            return None if abilities.adapter_left else "adapter"
        case "env-repair:adapter-restart":
            return None if abilities.fix_runs else "fix-runs"
        case (
            "resume"
            | "env-repair:provision-deps"
            | "env-repair:gc-dry-then-tmp-clean"
            | "park-retry"
            | "accept-quarantine-continue"
            | "escalate"
        ):
            return None
        case _:
            assert_never(action)


def as_json(policy: Policy = POLICY) -> list[dict[str, object]]:
    """The rows as `failres policy --json` prints them; an unreachable cell is null."""
    return [
        {
            "failClass": row.fail_class,
            "scope": row.scope,
            "attempts": [None if cell == "—" else cell for cell in row.attempts],
        }
        for row in policy.row
    ]


NEEDS: Final[Mapping[Missing, str]] = MappingProxyType(
    {
        "fix-runs": "no fix run can be started here",
        "disposable-branch": "the configuration does not call this branch disposable",
        "adapter": "no adapter is left that has not been tried",
    }
)
"""What was missing, in words for people."""
