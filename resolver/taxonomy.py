# ruff: noqa: E501 - the rows of a table are read whole
"""
The table of failure classes (specification, section 3): the only place that lists them.

`TAXONOMY` maps a class's key to what is true of it: at which scopes it occurs, whether a check's own log may claim
it in its last structured line, on which rung of the ladder it is first handled, which of the finer words (`kind`)
belong to it, and how people are told.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from resolver.failure import Scope
from resolver.records import Record

Rung = Literal["deterministic", "fixer", "resolver"]
"""Who looks at it first: a named repair without a choice, the scoped fixer, or the resolver's table."""


class FailureClass(Record):
    """
    One row. `claimable`: a check may say so itself, in the structured last line; everything else is believed of
    failres's own workflows only.
    """

    key: str
    scopes: tuple[Scope, ...] = ("task",)
    claimable: bool = False
    rung: Rung = "resolver"
    kinds: tuple[str, ...] = ()
    title: str
    sentence: str


def _check(key: str, rung: Rung, kinds: tuple[str, ...], title: str, sentence: str) -> FailureClass:
    return FailureClass(key=key, claimable=True, rung=rung, kinds=kinds, title=title, sentence=sentence)


def _own(
    key: str, title: str, sentence: str, *, scopes: tuple[Scope, ...] = ("task",), kinds: tuple[str, ...] = ()
) -> FailureClass:
    return FailureClass(key=key, scopes=scopes, kinds=kinds, title=title, sentence=sentence)


_ROWS = (
    _check("dep-provision-failed", "deterministic", ("dependency", "network"), "Dependencies could not be installed",
           "An install or provisioning step failed before the check itself ran."),
    _check("lockfile-out-of-sync", "deterministic", ("lockfile",), "The lock file is out of date",
           "The lock file does not fit the manifest, so the installer refused to go on."),
    _check("commit-hook-rejected", "resolver", ("hook",), "A commit hook refused the change",
           "A hook or a push rule rejected the commit."),
    _check("gate-red-code", "fixer", ("test", "build", "lint", "type", "config"), "The check failed on the code",
           "A test, compiler, type checker or linter reported a failure."),
    _check("gate-red-env", "deterministic", ("network", "oom", "runner-lost", "auth", "rate-limit", "quota", "config"),
           "The check failed on its environment", "Network, memory, a missing tool or the runner itself failed, not the code."),
    _own("gate-not-green-after-fixer", "Still red after a fix", "A fixer changed the code and the same check stayed red."),
    _own("fixer-scope-violation", "A fix touched other files", "A fixer changed files outside what the task may change."),
    _check("merge-conflict", "resolver", ("conflict",), "The branches conflict", "Git could not combine the changes by itself."),
    _own("wrapper-engine-down", "The fixer could not start", "The command of the fix workflow was not usable."),
    _own("wrapper-timeout-repeated", "The fixer ran out of time", "The fix workflow reached its time limit again."),
    _own("wrapper-rate-limited", "The fixer was rate limited", "The service behind the fixer asked to slow down.", kinds=("rate-limit",)),
    _own("provider-quota", "The fixer's quota is used up", "The service behind the fixer has no allowance left.", kinds=("quota",)),
    _own("journal-state-unknown", "An action's outcome is unknown", "An action was started and GitHub does not tell what became of it."),
    _own("journal-append-failed", "The journal could not be written", "The store refused a record, so nothing further was done."),
    _own("runconfig-read-failed", "The configuration could not be read", "The repository's failres.yml is unreadable or invalid."),
    _check("registry-auth-missing", "resolver", ("auth",), "A registry refused access",
           "A package or image registry answered that the credentials are missing or not allowed."),
    _check("disk-space-low", "deterministic", ("disk",), "The disk is full", "The runner had no space left."),
    _own("plan-invalid", "The failres block is invalid", "The block in the pull request's text cannot be used.", scopes=("run",)),
    _own("base-moved", "The branch moved meanwhile", "A ref changed while it was being written."),
    _own("orphan-worktree", "A leftover branch was found", "A branch of failres has no owner any more."),
    _own("journal-corrupt", "The journal is damaged", "The chain of records does not verify.", scopes=("run",)),
    _own("not-a-git-repo", "The repository is out of reach", "It is archived, deleted or no longer accessible.", scopes=("run",)),
    _own("fallback-exhausted", "No fixer is left", "Every configured fixer was tried or is unavailable."),
    _check("task-stalled", "resolver", ("stall",), "The check stopped making progress", "It was ended by a time limit or produced nothing any more."),
    _own("agent-idle", "The fixer did nothing", "The fix workflow ended without a change and without a reason."),
    _own("land-failed", "Landing was refused", "GitHub did not merge the pull request.", scopes=("run",)),
    _own("land-blocked-unreviewed", "A review is missing", "The pull request cannot land before it is approved.", scopes=("run",)),
    _own("protected-path-touched", "A protected file was touched", "The change includes files that no fixer may change."),
    _own("budget-exceeded", "The budget is spent", "The limit of automatic attempts was reached.", scopes=("task", "run")),
    _check("artifacts-missing", "fixer", ("artifacts",), "An expected file is missing", "A step needed a file or artifact that was not there."),
    _own("adapter-contract-violation", "The fixer broke its contract", "Its output does not have the agreed form.", scopes=("adapter",)),
    _own("repeated-failure-stop", "Stopped after repeated failures", "The same failure came back on an unchanged base."),
    _check("unknown", "resolver", ("cancelled", "unknown"), "The cause is not known", "Nothing in the log says what went wrong."),
)  # fmt: skip

TAXONOMY: Mapping[str, FailureClass] = MappingProxyType({row.key: row for row in _ROWS})

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
