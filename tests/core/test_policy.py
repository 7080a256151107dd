"""The resolver's table against the design's 33 rows, its lookup, its crash and flake rules, and its command."""

from __future__ import annotations

from typing import get_args

import pytest

from resolver.failure import Scope
from resolver.policy import (
    ACTIONS,
    NEEDS,
    POLICY,
    Abilities,
    AskModel,
    Missing,
    NotYet,
    Take,
    Unreachable,
    as_json,
    lookup,
    read_policy,
    rule,
    rule_crash,
    rule_flaky,
    within,
)
from resolver.taxonomy import TAXONOMY

# Written down by hand from the design's table, with its remarks; the code's own data is not consulted.
DESIGN = """
| dep-provision-failed | task | env-repair:provision-deps | escalate | — |
| lockfile-out-of-sync | task | env-repair:provision-deps | escalate | — |
| commit-hook-rejected | task | resume | escalate | — |
| gate-red-code | task | resume (ladder owns fixers) | LLM | escalate |
| gate-red-env | task | env-repair:provision-deps | LLM | escalate |
| gate-not-green-after-fixer | task | accept-quarantine-continue | — | — |
| fixer-scope-violation | task | redo-task | escalate | — |
| merge-conflict | task | redo-task | escalate | — |
| wrapper-engine-down | task | env-repair:adapter-restart | reroute | escalate |
| wrapper-timeout-repeated | task | reroute | escalate | — |
| wrapper-rate-limited | task | park-retry | park-retry | escalate |
| provider-quota | task | reroute | park-retry | escalate |
| journal-state-unknown | task | resume | escalate | — |
| journal-append-failed | task | resume | escalate | — |
| runconfig-read-failed | task | escalate | — | — |
| registry-auth-missing | task | escalate | — | — |
| disk-space-low | task | env-repair:gc-dry-then-tmp-clean | escalate | — |
| plan-invalid | run | escalate | — | — |
| base-moved | task | resume | escalate | — |
| orphan-worktree | task | resume (runner rung 1 cleans) | escalate | — |
| journal-corrupt | run | escalate | — | — |
| not-a-git-repo | run | escalate | — | — |
| fallback-exhausted | task | escalate | — | — |
| task-stalled | task | resume | redo-task | escalate |
| agent-idle | task | resume | redo-task | escalate |
| land-failed | run | LLM | escalate | — |
| land-blocked-unreviewed | run | escalate | — | — |
| protected-path-touched | task | escalate | — | — |
| budget-exceeded | task | accept-quarantine-continue | — | — |
| budget-exceeded | run | escalate (pause first) | — | — |
| artifacts-missing | task | resume (ladder fixer can fix) | escalate | — |
| adapter-contract-violation | adapter | reroute + degrade adapter health | escalate | — |
| unknown | task | LLM | escalate | — |
"""
ADDED = ("repeated-failure-stop", "task", ("escalate", "—", "—"))


def design() -> list[tuple[str, Scope, tuple[str, ...]]]:
    """The design's rows as (class, scope, cells), remarks dropped."""
    rows: list[tuple[str, Scope, tuple[str, ...]]] = []
    for line in DESIGN.strip().splitlines():
        fail_class, scope, *cells = (part.strip() for part in line.strip("|").split("|"))
        assert scope in get_args(Scope)
        rows.append((fail_class, scope, tuple(cell.split()[0] for cell in cells)))
    return rows


ROWS = [*design(), ADDED]
CELLS = [
    (fail_class, scope, attempt, cells[min(attempt, 3) - 1])
    for fail_class, scope, cells in ROWS
    for attempt in (1, 2, 3, 4, 1000)
]


def test_the_design_has_33_rows():
    """The hand-written table is whole: 33 rows of three cells."""
    assert len(design()) == 33
    assert {len(cells) for _, _, cells in design()} == {3}


@pytest.mark.parametrize(("fail_class", "scope", "attempt", "cell"), CELLS)
@pytest.mark.parametrize("llm", [False, True], ids=["table", "llm"])
def test_every_cell(fail_class: str, scope: Scope, attempt: int, cell: str, llm: bool):
    """Each row and attempt gives the design's action; LLM asks only where it is on; a dash raises."""
    if cell == "—":
        with pytest.raises(Unreachable) as caught:
            lookup(fail_class, scope, attempt, llm)
        assert (caught.value.fail_class, caught.value.scope, caught.value.attempt) == (fail_class, scope, attempt)
        marked = rule(fail_class, scope, attempt, llm)
        assert isinstance(marked, Take)
        assert (marked.action, marked.unreachable) == ("escalate", True)
        return
    ruling = lookup(fail_class, scope, attempt, llm)
    assert rule(fail_class, scope, attempt, llm) == ruling
    if cell == "LLM" and llm:
        assert ruling == AskModel(fail_class=fail_class, scope=scope, attempt=attempt)
    else:
        assert isinstance(ruling, Take)
        assert ruling.action == ("escalate" if cell == "LLM" else cell)
        assert (ruling.source, ruling.unreachable, ruling.unlisted, ruling.counts) == ("table", False, False, True)


def test_the_rows_as_json_are_the_design():
    """The JSON of the table is the design's rows in the design's order, a dash as null, then the added row."""
    assert as_json() == [
        {"failClass": name, "scope": scope, "attempts": [None if cell == "—" else cell for cell in cells]}
        for name, scope, cells in ROWS
    ]


def test_every_action_of_the_table_is_of_the_closed_set():
    """The nine strings are the whole set, and each stands somewhere in the table."""
    used = {cell for row in POLICY.row for cell in row.attempts} - {"LLM", "—"}
    assert used == set(ACTIONS)
    assert len(ACTIONS) == 9


def test_every_class_has_a_row_and_every_row_a_class():
    """No class of the taxonomy is without an answer, at any of its scopes."""
    rows = {(row.fail_class, row.scope) for row in POLICY.row}
    assert rows == {(key, scope) for key, each in TAXONOMY.items() for scope in each.scopes}


@pytest.mark.parametrize(
    ("fail_class", "scope"), [("gate-red-code", "run"), ("land-failed", "task"), ("no-such-class", "task")]
)
def test_what_has_no_row_escalates(fail_class: str, scope: Scope):
    """A class that is unknown, or known at another scope, asks people."""
    assert lookup(fail_class, scope, 1, True) == Take(action="escalate", unlisted=True)


@pytest.mark.parametrize("attempt", [0, -1])
def test_attempts_count_from_one(attempt: int):
    """An attempt that cannot be is a defect of the caller, not a cell."""
    with pytest.raises(ValueError, match="count from 1"):
        lookup("unknown", "task", attempt, False)
    with pytest.raises(ValueError, match="count from 1"):
        rule_crash(attempt, certain=True)


def test_what_goes_with_a_row():
    """A run's spent budget pauses it first; a broken contract degrades the adapter with the first attempt only."""
    spent = lookup("budget-exceeded", "run", 1, False)
    broken = [lookup("adapter-contract-violation", "adapter", attempt, False) for attempt in (1, 2)]
    assert isinstance(spent, Take)
    assert spent.before == "pause-run"
    assert [isinstance(each, Take) and each.also for each in broken] == ["degrade-adapter", None]


@pytest.mark.parametrize(("attempt", "action"), [(1, "resume"), (2, "resume"), (3, "escalate"), (9, "escalate")])
def test_a_dead_runner(attempt: int, action: str):
    """A certain death resumes twice, then asks; one that is only late decides nothing."""
    dead = rule_crash(attempt, certain=True)
    assert isinstance(dead, Take)
    assert dead.action == action
    assert rule_crash(attempt, certain=False) == NotYet()


def test_a_flake_resumes_once_without_counting():
    """The first flake of a check is no attempt; each further one asks for the test to be mended."""
    assert rule_flaky(0) == Take(action="resume", counts=False)
    assert rule_flaky(1) == rule_flaky(7) == Take(action="escalate", kind="fix-flaky-test")


@pytest.mark.parametrize(
    ("action", "abilities", "missing"),
    [
        ("redo-task", Abilities(), "disposable-branch"),
        ("redo-task", Abilities(fix_runs=True), "disposable-branch"),
        ("redo-task", Abilities(disposable=True), "fix-runs"),
        ("redo-task", Abilities(disposable=True, fix_runs=True), None),
        ("reroute", Abilities(), "fix-runs"),
        ("reroute", Abilities(fix_runs=True), "adapter"),
        ("reroute", Abilities(fix_runs=True, adapter_left=True), None),
        ("env-repair:adapter-restart", Abilities(), "fix-runs"),
        ("env-repair:adapter-restart", Abilities(fix_runs=True), None),
        ("resume", Abilities(), None),
        ("park-retry", Abilities(), None),
        ("env-repair:provision-deps", Abilities(), None),
        ("env-repair:gc-dry-then-tmp-clean", Abilities(), None),
        ("accept-quarantine-continue", Abilities(), None),
        ("escalate", Abilities(), None),
    ],
)
def test_what_cannot_be_done_here_escalates_and_says_why(action: str, abilities: Abilities, missing: Missing | None):
    """An action without its means becomes an escalation that names what was missing, never another action."""
    take = Take.model_validate({"action": action})
    result = within(take, abilities)
    if missing is None:
        assert result == take
    else:
        assert (result.action, result.instead_of, result.missing) == ("escalate", action, missing)
        assert NEEDS[missing]


ROW = '[[row]]\nclass = "unknown"\nscope = "task"\nattempts = ["LLM", "escalate", "—"]\n'
REST = '[crash]\nattempts = ["resume", "resume", "escalate"]\n[flaky]\nfirst = "resume"\nsecond = "escalate"\nkind = "fix-flaky-test"\n'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (ROW + REST, "differ"),
        (ROW + ROW + REST, "two rows"),
        (ROW.replace("LLM", "weaken-gate") + REST, "Input should be"),
        (ROW.replace("LLM", "skip-review") + REST, "Input should be"),
        (ROW.replace('"LLM", ', "") + REST, "attempts"),
        (ROW.replace("class", "klass") + REST, "klass"),
        (ROW, "crash"),
        ("not toml", "Expected"),
    ],
)
def test_a_wrong_table_is_refused(text: str, fault: str):
    """A table with a missing, doubled or unknown row, or an action outside the closed set, is not read."""
    with pytest.raises(ValueError, match=fault):
        read_policy(text)
