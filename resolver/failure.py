"""The failure record (specification, section 3): what a log says, and the execution that it was found in."""

from __future__ import annotations

from typing import Literal

from resolver.ids import Fingerprint, RunId, Sha, TextHash
from resolver.records import Record

Source = Literal["rules", "structured", "junit", "annotations", "api"]
"""What told us: rules, the structured last line, a JUnit report, GitHub's annotations, or the API's own words."""

Scope = Literal["task", "run", "adapter"]


class Place(Record):
    """A place that a failure names, its `path` as the log wrote it, or `mapped` to a file of the repository."""

    path: str | None = None
    line: int | None = None
    col: int | None = None
    message: str = ""
    mapped: bool = False


class Finding(Record):
    """One failure as a log (or report) tells it.

    `fail_class` is a key of the taxonomy, `kind` the finer word (`test`, `build`, `network`, …), `item` the failing
    test or check item where one is known; without one the fingerprint is job-level and weaker. `container` is what
    holds the item where its own name does not tell (Go's package). `rule` names what matched. `excerpt` is at most
    16 KiB of masked text; in the journal it is replaced by `excerpt_ref`.
    """

    fail_class: str
    kind: str
    scope: Scope = "task"
    check: str = ""
    item: str | None = None
    container: str = ""
    message: str
    stack: str | None = None
    places: tuple[Place, ...] = ()
    excerpt: str = ""
    excerpt_ref: TextHash | None = None
    exit_status: int | None = None
    output_path: str | None = None
    fingerprint: Fingerprint
    job_level: bool = False
    source: Source = "rules"
    rule: str = ""
    attribution: str | None = None


class Failure(Finding):
    """The failure record: a finding with the execution that it was found in.

    `run_id` is our run, `workflow_run_id` and `run_attempt` are GitHub's; `tested_base` is the base commit that was
    really tested, None where the run did not tell.
    """

    task_head: Sha
    tested_base: Sha | None = None
    run_id: RunId
    workflow_run_id: int
    run_attempt: int
