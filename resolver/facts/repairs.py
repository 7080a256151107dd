"""What repairs of the environment found, did and could not do, as the journal keeps it (specification, section 10)."""

from __future__ import annotations

from typing import Literal

from resolver.ids import PullNumber, Sha
from resolver.records import Record


class Thing(Record):
    """A ref (without `refs/heads/`), cache or artifact as GitHub shows it; `version` tells it from a later namesake.

    That is the commit at which a branch stands or on which an artifact's run ran, and a cache's own number.
    `id` is GitHub's number of a cache or artifact; `branch` the branch, or a cache's whole ref, to which it belongs.
    """

    kind: Literal["ref", "cache", "artifact"]
    name: str
    version: str
    branch: str
    id: int = 0


class RepairReported(Record):
    """The dry run of a decision's repair: what would be removed, or which job of the repository would run instead.

    The job runs on a child of `base_sha`.
    """

    number: PullNumber
    ref_decision_seq: int
    things: tuple[Thing, ...] = ()
    job: str | None = None
    base_sha: Sha | None = None


class RepairDone(Record):
    """A decision's repair is done: `removed` are the names of what is gone, `job` the repository's own that passed."""

    number: PullNumber
    ref_decision_seq: int
    removed: tuple[str, ...] = ()
    job: str | None = None


class RepairFailed(Record):
    """A decision's repair could not be done: why, in words. The next attempt's column of the table follows."""

    number: PullNumber
    ref_decision_seq: int
    repair: str
    reason: str


RepairFact = RepairReported | RepairDone | RepairFailed
