"""What attribution answers: a verdict with its evidence, or which evidence is missing. Values only."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from resolver.attribution.beside import Cause, Claim
from resolver.executions import Check, Execution, Side, ToldBy
from resolver.ids import Fingerprint, Sha
from resolver.records import Record

Class = Literal["base-drift", "gate-stalled", "base-defect", "task-defect", "flake", "unclassified"]

ORDER: tuple[Class, ...] = ("base-drift", "gate-stalled", "base-defect", "task-defect", "flake", "unclassified")
"""The first that matches wins, for an item and for a task (specification, section 5)."""

Strength = Literal["strong", "moderate", "weak"]
"""Strong: this very commit, the item named. Moderate: the item's file or suite named, or its step. Weak: job-level."""

Role = Literal["red", "green", "other", "lost", "mute", "empty", "stale"]
"""What an execution shows: this failure, its absence, another failure in its place, that only its surroundings failed,
or nothing but its end; a pass that proves nothing, since this was not seen to run in it, or since it is too old or of
another configuration."""

NextAction = Literal["synchronise", "probe", "repair", "rerun", "explain", "decide", "resolve", "escalate", "none"]
"""Section 6. `resolve` is the failure's row in the resolver's table; `decide` asks for the flaky test to be mended."""


class Evidence(Record):
    """An execution that a verdict stands on, or that stands beside it. `run` is a check run's or a status's id where
    `told_by` says so. `age` is in seconds at the time of the verdict; None: no time is known.
    """

    role: Role
    side: Side
    run: int
    attempt: int
    job_id: int
    commit: Sha
    tested_base: Sha | None
    fingerprints: tuple[Fingerprint, ...]
    strength: Strength
    age: float | None
    told_by: ToldBy = "job"


class Verdict(Record):
    """
    What one failing item is, proven by `evidence` (never empty). `fingerprint` is None where a log told nothing.

    `strength` is that of the weakest execution that was needed. `causes` name what people should know beside the class;
    `claims` are what people said, recorded and not believed.
    """

    klass: Class = Field(alias="class")
    check: Check
    item: str | None
    fingerprint: Fingerprint | None
    evidence: tuple[Evidence, ...]
    strength: Strength
    next_action: NextAction
    reason: str
    causes: tuple[Cause, ...] = ()
    claims: tuple[Claim, ...] = ()


class WantLog(Record):
    """The log of a red execution has not been read, or could not be: fetch it (again)."""

    kind: Literal["log"] = "log"
    check: Check
    commit: Sha
    run: int
    attempt: int
    job_id: int


class WantRow(Record):
    """The deterministic action of the failure's resolver row comes first, once."""

    kind: Literal["row"] = "row"
    check: Check
    commit: Sha
    fail_class: str


class WantRerun(Record):
    """A further execution of the check on the same head."""

    kind: Literal["rerun"] = "rerun"
    check: Check
    commit: Sha


class WantBase(Record):
    """
    A result of the check on a base commit: one that is already there if it started after `after`, else a probe. `item`
    must be seen executed. `another`: the results that are there do not suffice, a further execution is needed.
    """

    kind: Literal["base"] = "base"
    check: Check
    commit: Sha
    item: str | None
    after: float
    another: bool = False


class WantWait(Record):
    """
    Nothing to start: what is under way, or a limit that passes, decides. Look again at `until`, or when it ends. `why`
    is what is waited for: a rerun, a base's run, a limit, a row's action, a read, an outage's end. `brief`: it is one
    read, which takes seconds.
    """

    kind: Literal["wait"] = "wait"
    until: float | None
    reason: str
    why: Literal["rerun", "base", "limit", "row", "read", "outage"]
    brief: bool = False


Want = WantLog | WantRow | WantRerun | WantBase | WantWait
"""Which evidence is missing, as a closed union: reads, probes and reruns come about by it."""

Refusable = Literal["log", "row", "rerun", "base"]


class Refusal(Record):
    """
    A want that cannot be met: no valid probe, no right, a spent limit. With `until` it can be met from then on;
    without, never for this head. `commit` limits it to one commit, `check` to one check. `patient_until`: it is being
    met, and until then nothing dearer is begun.
    """

    kind: Refusable
    reason: str
    commit: Sha | None = None
    check: Check | None = None
    until: float | None = None
    patient_until: float | None = None


class Undecided(Record):
    """
    No class is proven yet. `wants`, the most useful first, are what to obtain next; never empty. `doubt`: the failure
    is known to come and go, or was seen on other people's tasks.
    """

    check: Check
    item: str | None
    fingerprint: Fingerprint | None
    reason: str
    wants: tuple[Want, ...]
    doubt: bool = False


Outcome = Verdict | Undecided


def shown(execution: Execution, role: Role, strength: Strength, now: float) -> Evidence:
    """Make a piece of evidence of an execution."""
    return Evidence(
        role=role,
        side=execution.side,
        run=execution.run,
        attempt=execution.attempt,
        job_id=execution.job_id,
        commit=execution.commit,
        tested_base=execution.tested_base,
        fingerprints=tuple(item.fingerprint for item in execution.items),
        strength=strength,
        told_by=execution.told_by,
        age=None if execution.finished_at is None else max(0.0, now - execution.finished_at),
    )
