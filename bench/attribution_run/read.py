"""From what the world emits (a job, its log, a list of files) to what attribution reads. The shell's part, in small."""

from __future__ import annotations

import re
from typing import Any

from attribution_world.world import Job, World

from resolver.attribution import Diff, read_patch
from resolver.executions import Check, Execution, FailedItem, Own, Side, result_of
from resolver.ids import Sha
from resolver.log.classify import classify
from resolver.log.context import LogContext
from resolver.log.passed import PassedScan

_MERGED = re.compile(rb"HEAD is now at [0-9a-f]+ Merge ([0-9a-f]{40}) into ([0-9a-f]{40})")


def execution(world: World, job: Job, side: Side, *, task: str | None = None, own: Own = "no") -> Execution:
    """Read one finished job with its log."""
    check = Check(workflow=job["path"], job=job["name"], event=job["event"])
    log = world.log(job)
    items: tuple[FailedItem, ...] = ()
    if job["conclusion"] == "failure":
        # The event is no part of a failure's identity: a push and a pull request fail alike.
        triage = classify(log, LogContext(check=f"{job['path']}: {job['name']}"))
        items = tuple(FailedItem.of(finding) for finding in triage.findings)
    merged = _MERGED.search(log)
    scan = PassedScan()
    scan.feed(log)
    passed = scan.close()
    return Execution(
        check=check,
        commit=Sha(job["head_sha"]),
        tested_base=Sha(merged[2].decode()) if merged else None,
        side=side,
        task=task,
        run=job["run_id"],
        attempt=job["run_attempt"],
        job_id=job["id"],
        runner=job["runner_name"],
        started_at=job["started_at"],
        finished_at=job["completed_at"],
        result=result_of(job["conclusion"], items),
        items=items,
        passed_items=passed.names,
        tests=passed.tests,
        configuration=" ".join(job["labels"]),
        own=own,
    )


def diff(files: list[dict[str, Any]]) -> Diff:
    """Read a pull request's files."""
    return Diff(files=tuple(read_patch(each["filename"], each["status"], each["patch"]) for each in files))
