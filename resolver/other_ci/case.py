"""Another CI's results as executions, and what is known of their failures now."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.conclusions import Meaning, meaning
from resolver.executions import Execution, FailedItem, LogState, Own, Side, result_of
from resolver.failure import Finding
from resolver.other_ci import AnnotationsRead, CheckFinished, StatusSeen, ThirdParty, in_group
from resolver.state import Head


def unread(head: Head, told: ThirdParty) -> bool:
    """Say whether a failed check run has annotations that nobody has read yet; until then its failure has no name."""
    if isinstance(told, StatusSeen) or meaning(told.conclusion) is not Meaning.FAILED:
        return False
    return told.annotations > 0 and annotated(head, told) is None


def annotated(head: Head, told: CheckFinished) -> AnnotationsRead | None:
    """Give the annotations of this very end of a check run."""
    read = head.annotated.get(told.check_run_id)
    return read if read is not None and read.completed_at == told.completed_at else None


def findings(head: Head, told: ThirdParty) -> tuple[Finding, ...]:
    """Give what is known of a failure: its annotations where there are any, else its output."""
    read = annotated(head, told) if isinstance(told, CheckFinished) else None
    return read.findings if read is not None and read.findings else told.findings


def executions(
    head: Head, *, side: Side, task: str | None = None, fork: bool = False, own: Own = "no"
) -> Iterator[Execution]:
    """Give another CI's results on a commit. The base that they were tested with is told nowhere."""
    every: tuple[ThirdParty, ...] = (*head.checks.values(), *head.statuses.values())
    for told in every:
        yield reported(head, told, side=side, task=task, fork=fork, own=own)


def reported(
    head: Head, told: ThirdParty, *, side: Side, task: str | None = None, fork: bool = False, own: Own = "no"
) -> Execution:
    """Give one of them. On a merge group it is told apart from what the same check says of the head itself."""
    waits = unread(head, told)
    items = () if waits else tuple(FailedItem.of(finding) for finding in findings(head, told))
    log: LogState = "unread" if waits else "read"
    started, ended, number = _times(told)
    check = told.check.model_copy(update={"fork": fork})
    return Execution(
        check=in_group(check) if side == "group" else check,
        commit=told.head_sha,
        side=side,
        task=task,
        run=number,
        started_at=started,
        finished_at=ended,
        result=result_of(told.conclusion, items),
        items=items,
        log=log,
        own=own,
        told_by="status" if isinstance(told, StatusSeen) else "check-run",
    )


def _times(told: ThirdParty) -> tuple[float | None, float | None, int]:
    """Start, end and number. A status has one time only."""
    if isinstance(told, StatusSeen):
        return None, told.at, told.status_id
    return told.started_at, told.completed_at, told.check_run_id
