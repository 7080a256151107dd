"""How stalls are told, and what waits without being one. Pure."""

from __future__ import annotations

from bot.words.inert import code
from bot.words.lists import rows
from bot.words.times import utc_minute
from resolver.attribution.outcome import Verdict
from resolver.progress import JobStalled
from resolver.report import FailedCheck, Report, Unfinished

WAITS = {
    "requested": "waits for a runner",
    "queued": "waits for a runner",
    "pending": "waits behind its concurrency group",
    "waiting": "waits for its environment",
    "action_required": "waits for a maintainer's approval",
}
"""GitHub's statuses of what has not begun, in words; another one is shown as GitHub wrote it."""

SHOWN = 8


def stalled(report: Report, verdict: Verdict, what: str) -> str:
    """Say that something stalled, and whether it runs still."""
    if running(report, verdict) is None:
        return f"{what} made no progress any more and was ended"
    return f"{what} makes no progress any more, and still runs"


def running(report: Report, verdict: Verdict) -> FailedCheck | None:
    """Give the running check that a verdict speaks of, if it is one."""
    if verdict.klass != "gate-stalled":
        return None
    prints = ((check, failure.fingerprint) for check in report.failed if check.stall for failure in check.failures)
    return next((check for check, fingerprint in prints if fingerprint == verdict.fingerprint), None)


def what_next(report: Report, verdict: Verdict) -> str | None:
    """Say what follows where the stalled job runs still; None where it does not. failres ends no job itself."""
    check = running(report, verdict)
    if check is None or check.stall is None:
        return None
    told = [
        "It was cancelled and goes on all the same: only a forced cancel of its run ends it."
        if check.stall.cancelled
        else "GitHub ends it only at its time limit; until then it holds a runner, unless a person cancels it."
    ]
    match verdict.next_action:
        case "probe":
            told.append("Whether it stalls on a clean base too has to be found out.")
        case "rerun":
            told.append("Once it has ended, one rerun is in order.")
        case "repair":
            told.append("The base has to be mended: it stalls there too.")
        case _:
            pass
    return " ".join([*told, "failres cancels nothing."])


def stalls(report: Report) -> list[str]:
    """Say of each stall since when the step runs, and where its budget comes from."""
    told = [_stall(check, check.stall) for check in report.failed if check.stall is not None]
    return told[:SHOWN]


def _stall(check: FailedCheck, stall: JobStalled) -> str:
    since = utc_minute(stall.since)
    source = "as the configuration says"
    if stall.source == "history":
        source = f"made of its last {stall.samples} successes"
    where = code(f"{check.workflow} / {check.job}")
    runs = f"In {where} the step {code(stall.step)} has been running since {since}."
    return f"{runs} Its budget is {span(stall.budget)}, {source}."


def unfinished(report: Report) -> list[str]:
    """Say what has not begun, or may run on, and is no stall."""
    if not report.unfinished:
        return []
    return [f"Not stalled: {'; '.join(rows([_waits(each) for each in report.unfinished], SHOWN))}."]


def _waits(each: Unfinished) -> str:
    name = code(f"{each.workflow} / {each.job}" if each.job else each.workflow)
    if each.why == "no-history":
        return f"{name} runs, and its step {code(each.step)} has no history that says for how long it may"
    return f"{name} {WAITS.get(each.why) or 'is ' + code(each.why, 40)}"


def span(seconds: float) -> str:
    """Give a duration as people say it, in minutes or hours."""
    minutes = seconds / 60
    return f"{minutes:.3g} min" if minutes < 120 else f"{minutes / 60:.3g} h"
