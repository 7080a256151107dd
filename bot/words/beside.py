"""What is told beside a verdict: how the failure came to the base, and what people say of it. Pure.

Pull requests are named without `#`, so that telling of one leaves no trace in its conversation.
"""

from __future__ import annotations

from typing import assert_never

from bot.words.commits import commit
from bot.words.inert import code
from resolver.attribution.beside import Cause, Filter, NeverRan, OwnMerge
from resolver.report import Report

KEPT_OFF: dict[Filter, str] = {
    "path": "its path filter leaves out what was changed there",
    "event": "its workflow runs it on other events only",
    "draft": "it leaves drafts out",
}
"""Which filter kept a check off a pull request."""

LABELS = 5


def beside(report: Report) -> list[str]:
    """Say what stands beside the verdicts of a red head, each thing once."""
    causes = dict.fromkeys(each for verdict in report.cause.verdicts for each in verdict.causes)
    return [*map(cause, causes), *_claims(report)]


def cause(told: Cause) -> str:
    """Say one cause in a sentence."""
    match told:
        case NeverRan():
            return _never_ran(told)
        case OwnMerge():
            return (
                f"The same failure on {commit(told.commit)} is no evidence against the base: "
                f"that commit is this very change, which had landed before as pull request {told.landed}."
            )
        case _:
            assert_never(told)


def _never_ran(told: NeverRan) -> str:
    check, why = code(told.check.job, 60), KEPT_OFF[told.why]
    if told.landed is None or told.commit is None:
        return f"{check} had never run on this pull request before the merge queue: {why}."
    return (
        f"{check} first failed on {commit(told.commit)}, with which pull request {told.landed} landed, "
        f"and it had never run on that pull request: {why}."
    )


def _claims(report: Report) -> list[str]:
    said = [code(each.says, 50) for each in report.cause.claims[:LABELS]]
    if not said:
        return []
    noted = f"the label{'s' if len(said) > 1 else ''} {', '.join(said)}"
    return [f"Noted: {noted}. What people say of a failure changes no verdict; only executions do."]
