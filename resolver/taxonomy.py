# ruff: noqa: E501 - the rows of a table are read whole
"""
The table of failure classes (specification, section 3): the only place that lists them.

`TAXONOMY` maps a class's key to what is true of it: at which scopes it occurs, whether a check's own log may claim
it in its last structured line, whether a deterministic action comes before attribution, which of the finer words
(`kind`) belong to it, and what people call it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from resolver.failure import Scope
from resolver.records import Record


class FailureClass(Record):
    """
    One row. `claimable`: a check may say so itself, in the structured last line; everything else is believed of
    failres's own workflows only. `row_first`: its resolver row's deterministic action comes before attribution, once
    (specification, section 5).
    """

    key: str
    scopes: tuple[Scope, ...] = ("task",)
    claimable: bool = False
    row_first: bool = False
    kinds: tuple[str, ...] = ()
    title: str


def _check(key: str, kinds: tuple[str, ...], title: str, *, row_first: bool = False) -> FailureClass:
    return FailureClass(key=key, claimable=True, row_first=row_first, kinds=kinds, title=title)


def _own(key: str, title: str, *, scopes: tuple[Scope, ...] = ("task",), kinds: tuple[str, ...] = ()) -> FailureClass:
    return FailureClass(key=key, scopes=scopes, kinds=kinds, title=title)


_ROWS = (
    _check("dep-provision-failed", ("dependency", "network"), "Dependencies could not be installed", row_first=True),
    _check("lockfile-out-of-sync", ("lockfile",), "The lock file is out of date", row_first=True),
    _check("commit-hook-rejected", ("hook",), "A commit hook refused the change"),
    _check("gate-red-code", ("test", "build", "lint", "type", "config"), "The check failed on the code"),
    _check("gate-red-env", ("network", "oom", "runner-lost", "auth", "rate-limit", "quota", "config"), "The check failed on its environment", row_first=True),
    _own("gate-not-green-after-fixer", "Still red after a fix"),
    _own("fixer-scope-violation", "A fix touched other files"),
    _check("merge-conflict", ("conflict",), "The branches conflict"),
    _own("wrapper-engine-down", "The fixer could not start"),
    _own("wrapper-timeout-repeated", "The fixer ran out of time"),
    _own("wrapper-rate-limited", "The fixer was rate limited", kinds=("rate-limit",)),
    _own("provider-quota", "The fixer's quota is used up", kinds=("quota",)),
    _own("journal-state-unknown", "An action's outcome is unknown"),
    _own("journal-append-failed", "The journal could not be written"),
    _own("runconfig-read-failed", "The configuration could not be read"),
    _check("registry-auth-missing", ("auth",), "A registry refused access", row_first=True),
    _check("disk-space-low", ("disk",), "The disk is full", row_first=True),
    _own("plan-invalid", "The failres block is invalid", scopes=("run",)),
    _own("base-moved", "The branch moved meanwhile"),
    _own("orphan-worktree", "A leftover branch was found"),
    _own("journal-corrupt", "The journal is damaged", scopes=("run",)),
    _own("not-a-git-repo", "The repository is out of reach", scopes=("run",)),
    _own("fallback-exhausted", "No fixer is left"),
    _check("task-stalled", ("stall",), "The check stopped making progress"),
    _own("agent-idle", "The fixer did nothing"),
    _own("land-failed", "Landing was refused", scopes=("run",)),
    _own("land-blocked-unreviewed", "A review is missing", scopes=("run",)),
    _own("protected-path-touched", "A protected file was touched"),
    _own("budget-exceeded", "The budget is spent", scopes=("task", "run")),
    _check("artifacts-missing", ("artifacts",), "An expected file is missing", row_first=True),
    _own("adapter-contract-violation", "The fixer broke its contract", scopes=("adapter",)),
    _own("repeated-failure-stop", "Stopped after repeated failures"),
    _check("unknown", ("cancelled", "unknown"), "The cause is not known"),
)  # fmt: skip

TAXONOMY: Mapping[str, FailureClass] = MappingProxyType({row.key: row for row in _ROWS})

ROW_FIRST = frozenset(row.key for row in _ROWS if row.row_first)
"""Classes whose deterministic action comes before attribution, once (specification, section 5)."""

CLASS_OF_KIND: Mapping[str, str] = MappingProxyType(
    {
        "test": "gate-red-code", "build": "gate-red-code", "lint": "gate-red-code", "type": "gate-red-code", "config": "gate-red-code",
        "dependency": "dep-provision-failed", "network": "gate-red-env", "oom": "gate-red-env", "runner-lost": "gate-red-env",
        "rate-limit": "gate-red-env", "quota": "gate-red-env", "disk": "disk-space-low", "auth": "registry-auth-missing",
        "stall": "task-stalled", "lockfile": "lockfile-out-of-sync", "conflict": "merge-conflict", "hook": "commit-hook-rejected",
        "artifacts": "artifacts-missing", "cancelled": "unknown", "unknown": "unknown",
    }
)  # fmt: skip
"""The class that a finer word means unless a rule knows better."""

KINDS = frozenset(CLASS_OF_KIND) | {"none"}


def class_in_own_workflow(kind: str, fail_class: str) -> str:
    """The class in failres's own workflows, where a limit is the fixer's and not the check's."""
    return {"rate-limit": "wrapper-rate-limited", "quota": "provider-quota"}.get(kind, fail_class)
