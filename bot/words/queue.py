"""What happened in a merge queue, in words: whose failure it was there, and what keeps a queue from going on. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import assert_never

from bot.words.commits import commit
from bot.words.inert import code
from bot.words.lists import listed
from bot.words.queue_exit import NAMED, gave_up_remedy, gave_up_title, names
from resolver.attribution.outcome import Class, NextAction, Verdict
from resolver.executions import MERGE_GROUP
from resolver.report import QueueTrouble, Report


def sentence_in_queue(klass: Class, what: str, base: str) -> str:
    """Say what a verdict on a merge group means for its pull request; `what` and `base` are Markdown."""
    match klass:
        case "base-drift":
            return f"{what} failed in the merge queue and was mended on {base} since: it has to be enqueued again"
        case "gate-stalled":
            return f"{what} made no progress in the merge queue"
        case "base-defect":
            return f"Not this pull request: {what} failed in the merge queue, and in the same way on a clean {base}"
        case "task-defect":
            return f"Merged onto {base}, this pull request breaks {what}: the merge queue fails with it and not without"
        case "flake":
            return f"Flaky: {what} failed and passed in the merge queue, with the same commit on the same base"
        case "unclassified":
            return f"{what} fails in the merge queue, and no execution proves whose failure it is"
        case _:
            assert_never(klass)


FOLLOWING_IN_QUEUE: Mapping[NextAction, str] = MappingProxyType(
    {
        "synchronise": "Enqueue it again: the queue tests it with the newer base.",
        "repair": "The base has to be mended first; nothing on this branch helps, nor does enqueuing it again.",
        "rerun": "One more place in the queue, for the same commit, is in order.",
        "explain": "The branch has to be mended together with what has landed since: update it to its base, and the "
        "failure shows there too.",
    }
)
"""What follows from a verdict on a merge group, where that differs from a failure on the head itself."""


def once_more(verdict: Verdict) -> str:
    """Say what somebody can do where one failure in the queue proves nothing yet; empty otherwise."""
    red = sum(each.role == "red" and each.side == "group" for each in verdict.evidence)
    if verdict.check.event != MERGE_GROUP or red != 1:
        return ""
    return " Enqueue it once more: it lands, or it fails again, and then it is known whose failure it is."


def queued(report: Report) -> list[str]:
    """Say with which group checks failed, and that it says nothing of the head alone."""
    found = report.queued
    if found is None:
        return []
    jobs = sorted({check.job for check in report.failed if check.event == MERGE_GROUP})
    failed = listed([code(job, 60) for job in jobs], NAMED)
    told = f"In the merge queue, {failed} failed on {commit(found.group)}: this branch merged onto what is ahead of it."
    return [f"{told} It is in the queue again." if found.again else told]


def trouble_title(report: Report) -> str:
    """Say in a line why the queue does not go on, or gave the pull request up."""
    trouble = report.queue
    if trouble is None:
        return "The merge queue does not go on"
    missing = names(trouble.missing)
    gave_up = "gave this pull request up, since" if trouble.timed_out else "waits, since"
    match trouble.kind:
        case "never-reports":
            return f"The merge queue {gave_up} {missing} never reported on the merge group"
        case "no-trigger":
            return f"The merge queue {gave_up} no workflow ran for the merge group, and {missing} cannot report"
        case "not-moving":
            return f"The merge queue is green and does not move: {code(report.base_ref)} is where it was"
        case "gave-up":
            return gave_up_title(trouble, report.base_ref)
        case _:
            assert_never(trouble.kind)


def remedy(trouble: QueueTrouble, base: str) -> str:
    """Say what a person must do."""
    match trouble.kind:
        case "never-reports":
            return f"{_let_report(trouble)}, or take it off the checks that {code(base)} requires. {_UNTIL}"
        case "no-trigger":
            own = tuple(name for name in trouble.missing if name not in trouble.others)
            beside = f" {_let_others(trouble)}." if trouble.others else ""
            return (
                f"Add `merge_group:` to `on:` of the workflow that reports {names(own)}. That change cannot land "
                f"through the queue that it mends: somebody who may bypass the rules of {code(base)} has to merge it."
                f"{beside}"
            )
        case "not-moving":
            group = commit(trouble.group or "")
            return (
                f"Look at the queue's page and at the rules of {code(base)}: every required check has passed on "
                f"{group}, and GitHub does not merge it. Taking the first entry out of the queue and putting it in "
                f"again makes a new group."
            )
        case "gave-up":
            return gave_up_remedy(trouble, base)
        case _:
            assert_never(trouble.kind)


_UNTIL = "Until then nothing lands through this queue."


def _let_report(trouble: QueueTrouble) -> str:
    own = tuple(name for name in trouble.missing if name not in trouble.others)
    if not own:
        return _let_others(trouble)
    ran = listed([code(path, 100) for path in trouble.paths], NAMED)
    told = (
        f"Let {names(own)} run for merge groups too (workflows ran from {ran}; each job that is required needs "
        f"`on: merge_group`, and no filter that leaves it out)"
    )
    return f"{told}. {_let_others(trouble)}" if trouble.others else told


def _let_others(trouble: QueueTrouble) -> str:
    """What another CI has to be told, which no workflow file of the repository can do."""
    branches = "branches `gh-readonly-queue/…`"
    return f"Let the other CI that reports {names(trouble.others)} report on merge groups too ({branches})"
