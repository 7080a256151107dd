"""Whose failure it is, in words: the verdict's sentence, what follows, and what is still being found out. Pure."""

from __future__ import annotations

from typing import assert_never

from bot.words.inert import code, reason
from bot.words.probe import in_short
from bot.words.queue import FOLLOWING_IN_QUEUE, once_more, sentence_in_queue
from bot.words.stall import stalled
from bot.words.times import utc_minute
from resolver.attribution.classes import BEHIND_RUN, CARRIES_BASE
from resolver.attribution.outcome import Verdict
from resolver.executions import MERGE_GROUP
from resolver.interruptions import CONFLICT
from resolver.report import Report

WAITS = {
    "log": "its log is being read",
    "base": "the clean base is being asked",
    "rerun": "the failed job runs once more on the same commit",
    "review": "the failed job runs once more when somebody has reviewed the environment that its run waits for",
    "row": "what the job runs on may be the cause, so the failed job runs once more after a wait",
    "requeue": "the same commit is enqueued once more",
    "limit": "the next execution has to wait for a while",
    "read": "what is there already is being read",
    "outage": "it is looked into once that is over",
}
SAID = frozenset({"no class is proven", "this pull request is not managed"})
"""Reasons that the sentence around them gives already."""


def sentence(report: Report, verdict: Verdict) -> str:
    """Say what a verdict means for whoever reads the pull request."""
    what, base = subject(verdict), code(report.base_ref)
    if verdict.check.event == MERGE_GROUP:
        return sentence_in_queue(verdict.klass, what, base)
    match verdict.klass:
        case "base-drift":
            return _drifted(verdict.reason, what, base)
        case "gate-stalled":
            return stalled(report, verdict, what)
        case "base-defect":
            return f"Not this pull request: {what} fails in the same way on a clean {base}"
        case "task-defect":
            return f"This pull request breaks {what}: it fails here and passes on a clean {base}"
        case "flake":
            return f"Flaky: {what} failed and passed on the very same commit"
        case "unclassified":
            return f"{what} fails, and no execution proves whose failure it is"
        case _:
            assert_never(verdict.klass)


def _drifted(reason: str, what: str, base: str) -> str:
    if reason == CARRIES_BASE:
        return f"{what} fails on a branch that carries changes of {base} itself: it needs the newer base first"
    if reason == BEHIND_RUN:
        return f"{what} fails on a branch that is behind its run's {base}: it needs the newer base first"
    return f"{what} was mended on {base} after this branch was tested: it needs the newer base"


def subject(verdict: Verdict) -> str:
    """Name what failed: the item, else the job."""
    return code(verdict.item or verdict.check.job, 120)


def following(verdict: Verdict) -> str:
    """Say what follows from a verdict, in a sentence; what is really done depends on mode and rights."""
    if verdict.check.event == MERGE_GROUP and verdict.next_action in FOLLOWING_IN_QUEUE:
        return FOLLOWING_IN_QUEUE[verdict.next_action]
    match verdict.next_action:
        case "synchronise":
            return "The branch has to be updated to its base; rerunning would test the old one again."
        case "probe":
            return "Whether it stalls on a clean base too has to be found out."
        case "repair":
            return "The base has to be mended; nothing on this branch helps, and rerunning does not either."
        case "rerun":
            return "One rerun of the failed job is in order."
        case "explain":
            return "The branch has to be mended; the failing lines are named above."
        case "decide":
            return "It has been flaky before: the test has to be mended rather than run again."
        case "resolve":
            return "It is handled as a stalled task."
        case "escalate":
            why = because(verdict.reason)
            return f"It is not proven whose failure this is{f': {why}' if why else ''}.{once_more(verdict)}"
        case "none":
            return "Nothing needs to be done."
        case _:
            assert_never(verdict.next_action)


def because(why: str) -> str:
    """What stood in the way of a proof, without what is said anyway; empty where nothing is known."""
    told = [each for each in in_short(why) if each not in SAID]
    return reason("; ".join(told), 400)


def hindered(why: str) -> str:
    """Say why something was refused, in words."""
    if why == CONFLICT:
        return "the branch conflicts with its base, and somebody has to resolve that"
    return reason(why, 300)


def outage(why: str) -> str:
    """Say that many pull requests fail together, and what that means for this one."""
    return f"Many pull requests fail at once ({reason(why, 120)}): nothing is rerun until that is over."


def open_question(report: Report) -> str:
    """Say what is being found out, where no verdict stands yet."""
    if report.cause.parked_until is not None:
        until = utc_minute(report.cause.parked_until)
        return f"The check met a limit that ends by itself, so the failed job runs once more at {until}."
    waits = [WAITS[kind] for kind in report.cause.waiting if kind in WAITS]
    if waits:
        return "It is not known yet whose failure this is: " + "; ".join(waits) + "."
    return "It is not known yet whose failure this is."
