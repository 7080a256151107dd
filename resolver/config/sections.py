"""
The parts of `.github/failres.yml` as values: every default and limit that a repository may set, written once.

A file can only tighten what the specification limits (the ledger, the evidence, the comments): the bounds stand on the
safe side of each default, and nothing here can loosen a gate. Durations are written `90s`, `20m`, `6h` or `14d` and are
whole seconds in the model.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from resolver.config.values import Count, Duration, Expression, Flag, Login, Name, Number, Path, Pattern, Slug, between
from resolver.records import Record

Mode = Literal["observe", "propose", "act"]
"""What failres does of one kind of action: say what it would do, offer it to a person, or do it."""

ActionKind = Literal["rerun", "probe", "sync", "fix", "repair", "land", "labels"]
"""The kinds that have a mode. Explaining (check run and comment) has none: it is always on while failres is enabled."""

Label = Literal["failres:quarantined", "failres:waiting-base", "failres:decision"]


class Section(Record):
    """A part of the file. Its errors never repeat what was read, which may be a secret in the wrong place."""

    model_config = ConfigDict(hide_input_in_errors=True)


class Modes(Section):
    """A new installation observes (section 2, invariant 15)."""

    rerun: Mode = "observe"
    probe: Mode = "observe"
    sync: Mode = "observe"
    fix: Mode = "observe"
    repair: Mode = "observe"
    land: Mode = "observe"
    labels: Mode = "observe"

    def of(self, kind: ActionKind) -> Mode:
        """The mode of one kind of action."""
        mode: Mode = getattr(self, kind)
        return mode


class Managed(Section):
    """
    The tasks on which failres may act: those that any of the three lists names. Empty lists name none.

    `land` lets a managed task land (section 12); `disposable` are the branches whose draft `redo-task` may throw away
    (section 10).
    """

    branches: tuple[Pattern, ...] = Field((), max_length=50)
    labels: tuple[Name, ...] = Field((), max_length=50)
    authors: tuple[Login, ...] = Field((), max_length=200)
    land: Flag = False
    disposable: tuple[Pattern, ...] = Field((), max_length=50)


class ProgressRule(Section):
    """
    For a command whose test runner is not known: which output lines begin or end an item, and which prove progress
    (section 4).
    """

    check: Pattern
    item: Expression | None = None
    progress: Expression | None = None


class Gate(Section):
    """
    The checks that must be green. `required` replaces the branch's rules where it is not empty; an empty gate is never
    green.

    `writes_nothing` names checks of which the workflow file does not say it, though a person knows it (section 5,
    probes).
    """

    required: tuple[Name, ...] = Field((), max_length=100)
    writes_nothing: tuple[Pattern, ...] = Field((), max_length=100)
    progress: tuple[ProgressRule, ...] = Field((), max_length=50)


class ScopeRule(Section):
    """What tasks on these branches may change, where the pull request's body declares nothing."""

    branches: Pattern
    paths: tuple[Path, ...] = Field(min_length=1, max_length=200)


class Comments(Section):
    """New comments, not edits of the one that is there (section 16)."""

    per_pull_and_day: Count = Field(3, ge=1, le=3)
    per_repository_and_hour: Count = Field(30, ge=1, le=30)


class Attribution(Section):
    """
    How old a green base may be, and how many executions weak fingerprints need (section 5).

    `job_level_executions` are the reds on the accused side and the greens on the other for a fingerprint without a
    failing item; `flaky_executions` for one that has flaked before. `claims` are patterns, in small letters, of labels
    by which people say what a failure is: they are told beside the verdict and never make it.
    """

    freshness: Duration = Field(6 * 3600, **between("1m", "1d"))
    job_level_executions: Count = Field(2, ge=2, le=5)
    flaky_executions: Count = Field(3, ge=3, le=5)
    claims: tuple[Pattern, ...] = Field(
        ("**flaky**", "**intermittent**", "**known-failure**", "**override**"), max_length=20
    )


class Outage(Section):
    """When many tasks fail together (section 5). Lower figures start it earlier; `calm_for` below them ends it."""

    tasks: Count = Field(4, ge=1, le=4)
    distinct_fingerprints: Count = Field(8, ge=1, le=8)
    tasks_with_one_fingerprint: Count = Field(5, ge=1, le=5)
    infrastructure_share: Number = Field(0.5, gt=0, le=0.5)
    calm_for: Duration = Field(30 * 60, **between("30m", "1d"))


class Probes(Section):
    """The two probes that other people notice, off unless asked for (section 5)."""

    push_branch: Flag = False
    draft_pull: Flag = False
    draft_pulls_per_day: Count = Field(2, ge=1, le=20)


class Flake(Section):
    """
    `may_land`: a rerun whose pass would land the pull request is allowed. A second flake inside the window asks a
    decision.
    """

    may_land: Flag = False
    window: Duration = Field(14 * 86400, **between("1d", "90d"))


class Ledger(Section):
    """What may be tried again (section 7). Every figure can only be made stricter."""

    flake_reruns: Count = Field(1, ge=0, le=1)
    syncs_per_heads: Count = Field(1, ge=0, le=1)
    drift_sync_every: Duration = Field(6 * 3600, **between("6h", "7d"))
    repair_attempts: Count = Field(2, ge=1, le=2)
    evidence_runs: Count = Field(3, ge=0, le=3)
    workflow_reruns: Count = Field(5, ge=0, le=5)
    rerun_pause: Duration = Field(20 * 60, **between("20m", "1d"))
    failing_jobs: Count = Field(5, ge=1, le=5)
    identical_quarantines: Count = Field(2, ge=1, le=2)
    base_moves_per_day: Count = Field(3, ge=0, le=3)
    stop_loss: Literal["on", "off"] = "on"
    dependents: Literal["continue", "skip"] = "continue"


class Repair(Section):
    """The base repair's own breakers (section 8)."""

    max_opened: Count = Field(5, ge=0, le=20)
    max_landed: Count = Field(3, ge=0, le=20)
    freeze_for: Duration = Field(86400, **between("10m", "1d"))
    base_updates: Count = Field(3, ge=0, le=3)


class StallBudget(Section):
    """A step's own budget. `check` and `step` are patterns of names; the first rule that matches counts."""

    check: Pattern = "**"
    step: Pattern = "**"
    budget: Duration = Field(**between("1m", "6h"))


class Stall(Section):
    """Without a rule: `factor` times the 95th percentile of the step's own past, at least `minimum` (section 4)."""

    budgets: tuple[StallBudget, ...] = Field((), max_length=100)
    factor: Number = Field(3.0, ge=1, le=20)
    minimum: Duration = Field(10 * 60, **between("10m", "6h"))
    grace: Duration = Field(10, **between("1s", "5m"))


class Budget(Section):
    """
    The resolver's breakers and its waiting before a `resume` (section 10). `park_for` counts where a quota names no
    time.
    """

    max_resolutions: Count = Field(3, ge=0, le=3)
    max_resolutions_per_run: Count = Field(10, ge=0, le=100)
    backoff: Duration = Field(30, **between("30s", "10m"))
    backoff_cap: Duration = Field(10 * 60, **between("10m", "1d"))
    backoff_jitter: Number = Field(0.2, ge=0, le=0.5)
    park_for: Duration = Field(3600, **between("1m", "1d"))


class Adapter(Section):
    """
    One fixer or builder binding: a command of this repository that runs in its own Actions, never inside failres
    (section 11).
    """

    id: Slug
    role: Literal["fixer", "builder"] = "fixer"
    tier: Literal["low", "high"] = "low"
    command: str = Field(min_length=1, max_length=2000)
    health_check: str | None = Field(None, min_length=1, max_length=2000)
    timeout: Duration = Field(30 * 60, **between("1m", "6h"))


class Landing(Section):
    """
    A merge queue whose base has not moved for so long, with something to land, is stalled even when its jobs are green
    (section 12).
    """

    queue_stall: Duration = Field(90 * 60, **between("10m", "1d"))


class Story(Section):
    """Who may judge a story's attempt, and how many attempts follow a rejection (section 14)."""

    arbiters: tuple[Login, ...] = Field((), max_length=50)
    team: Name | None = None
    required_reviewers: Flag = False
    fix_attempts: Count = Field(3, ge=0, le=3)


class Llm(Section):
    """
    The model rung. Endpoint and key belong to the server, which can refuse it; a repository only asks for it (section
    10).
    """

    enabled: Flag = False
    calls_per_day: Count = Field(20, ge=1, le=1000)


class Notifications(Section):
    """Names of destinations in the server's settings, told once of each decision. Addresses are secrets: none here."""

    destinations: tuple[Slug, ...] = Field((), max_length=10)


class DailyCeilings(Section):
    """
    All writes on GitHub, and the runner minutes that failres's own runs and reruns cost, for this repository (section
    18).
    """

    writes: Count = Field(1000, ge=0, le=10_000)
    runner_minutes: Count = Field(600, ge=0, le=100_000)


class Commands(Section):
    """Apps, by GitHub's numeric App id, whose comments may command; never for scope or gate decisions (section 11)."""

    allowed_apps: tuple[Annotated[Count, Field(ge=1)], ...] = Field((), max_length=20)
