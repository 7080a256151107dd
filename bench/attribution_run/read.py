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

_MERGED = re.compile(rb"HEAD is now at [0-9a-f]+ Merge ([0-9a-f]{40}) into ([0-9a-f]{40})")
_STAMP = re.compile(r"^\d{4}-\S+Z ", re.MULTILINE)
_PASSED = (
    re.compile(r"^(\S+::\S+) PASSED", re.MULTILINE),
    re.compile(r"^(\S+\.py) \.+ +\[", re.MULTILINE),
    re.compile(r"^PASS (\S+)", re.MULTILINE),
    re.compile(r"^--- PASS: (\S+)", re.MULTILINE),
    re.compile(r"^ok  \t(\S+)\t", re.MULTILINE),
    re.compile(r"^test (\S+) \.\.\. ok", re.MULTILINE),
)
_COUNTS = re.compile(r"(\d+) (?:failed|passed)\b")


def execution(world: World, job: Job, side: Side, *, task: str | None = None, own: Own = "no") -> Execution:
    """Read one finished job with its log."""
    check = Check(workflow=job["path"], job=job["name"], event=job["event"])
    log = world.log(job)
    items: tuple[FailedItem, ...] = ()
    if job["conclusion"] == "failure":
        # The event is no part of a failure's identity: a push and a pull request fail alike.
        triage = classify(log, LogContext(check=f"{job['path']}: {job['name']}"))
        items = tuple(_held(FailedItem.of(finding), log) for finding in triage.findings)
    merged = _MERGED.search(log)
    text = _STAMP.sub("", log.decode())
    counts = [int(each) for each in _COUNTS.findall(text)]
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
        passed_items=tuple(dict.fromkeys(name for each in _PASSED for name in each.findall(text))),
        tests=sum(counts) if counts else None,
        configuration=" ".join(job["labels"]),
        own=own,
    )


def _held(item: FailedItem, log: bytes) -> FailedItem:
    """Go names the package below the test that failed in it."""
    if item.item is None:
        return item
    found = re.search(rf"--- FAIL: {re.escape(item.item)} .*?Z FAIL\t(\S+)\t", log.decode(), re.DOTALL)
    return item.model_copy(update={"container": found[1]}) if found else item


def diff(files: list[dict[str, Any]]) -> Diff:
    """Read a pull request's files."""
    return Diff(files=tuple(read_patch(each["filename"], each["status"], each["patch"]) for each in files))
