"""How one red check is told: its cause in a line, its places, and what its log could not tell. Pure."""

from __future__ import annotations

from bot.words.inert import code, one_line
from bot.words.verdict import sentence
from resolver.attribution.outcome import Verdict
from resolver.failure import Failure, Place
from resolver.report import FailedCheck, Report
from resolver.taxonomy import TAXONOMY

ENDINGS = {
    "timed_out": "ran into its time limit",
    "in_progress": "makes no progress",
    "startup_failure": "could not be started",
    "action_required": "waits for an approval",
}
"""Conclusions other than `failure`, in words; an unknown one is shown as GitHub wrote it."""

MISSING = {
    "no-log": "GitHub has no log of this job, so nothing is known of the cause.",
    "slow": "Its log could not be read yet.",
    "not-read": "Its log was not read: enough of this pull request's checks have failed in the same way.",
}
"""Why a log told nothing."""

SHOWN_FAILURES = 10


def label(check: FailedCheck) -> str:
    """Name a check as GitHub's own list does: `workflow / job`."""
    return f"{check.workflow} / {check.job}" if check.workflow else check.job


def ending(check: FailedCheck) -> str:
    """Say how the job ended: `failed`, or what else its conclusion means."""
    if check.conclusion == "failure":
        return "failed"
    if check.third_party and check.conclusion == "action_required":
        return "asks for an action"  # of Actions it means an approval, of another CI whatever its App says
    return ENDINGS.get(check.conclusion, f"ended as {one_line(check.conclusion, 40)}")


def cause(check: FailedCheck, *, in_table: bool = False) -> str:
    """Give the cause in one line: the failing item and what it said, else the class in words."""
    if not check.failures:
        if check.missing:
            return MISSING.get(check.missing, f"Its log could not be read: {one_line(check.missing)}")
        return "Its log names no failure that failres knows."
    return said(check, check.failures[0], in_table=in_table)


def said(check: FailedCheck, failure: Failure, *, in_table: bool = False) -> str:
    """Give one failure of a check: the item and what it said, else the class in words."""
    message = code(failure.message, 140, in_table=in_table)
    if failure.item:
        return f"{code(failure.item, 120, in_table=in_table)}: {message}"
    known = TAXONOMY.get(failure.fail_class)
    # Another CI's own words say more than a class that was not read from a log.
    return f"{known.title}: {message}" if known and not check.third_party else message


def more(check: FailedCheck) -> str:
    """Say how many failures stand beside the first; empty where there is none."""
    others = max(0, len(check.failures) - 1) + check.capped
    return f" (and {others} more)" if others else ""


def place(failure: Failure) -> Place | None:
    """Give the first place of a failure that is a file of the repository."""
    return next((at for at in failure.places if at.mapped and at.path), None)


def where(report: Report, failure: Failure, repo_url: str) -> str:
    """Link the place of a failure at the head; empty where the log names no file of the repository."""
    at = place(failure)
    if at is None or at.path is None:
        return ""
    line = f"#L{at.line}" if at.line else ""
    shown = f"{at.path}:{at.line}" if at.line else at.path
    return f"[{code(shown, 120, in_table=True)}]({repo_url}/blob/{report.head_sha}/{_escaped(at.path)}{line})"


def _escaped(path: str) -> str:
    kept = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/"
    return "".join(char if char in kept else "".join(f"%{byte:02X}" for byte in char.encode()) for char in path)


def headline(report: Report) -> str:
    """Give the first line of all: whose failure it is where that is proven, else what failed."""
    lead = proven(report)
    return sentence(report, lead) if lead is not None else red(report)


def proven(report: Report) -> Verdict | None:
    """Give the leading verdict where an execution proves whose failure it is."""
    lead = report.cause.lead
    return lead if lead is not None and lead.klass != "unclassified" else None


def red(report: Report) -> str:
    """Say how many checks are red, and the failure where it is one."""
    count = len(report.failed)
    first = report.failed[0]
    if count == 1:
        return f"{code(label(first))} {ending(first)}: {cause(first)}{more(first)}"
    prints = {tuple(sorted({f.fingerprint for f in check.failures})) for check in report.failed}
    if len(prints) == 1 and first.failures:
        return f"{count} checks failed in the same way: {cause(first)}{more(first)}"
    return f"{count} checks failed, first {code(label(first))}: {cause(first)}{more(first)}"
