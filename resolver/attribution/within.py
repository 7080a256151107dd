"""
Attribution inside the ledger's limits: a want that may not be met any more is told to attribution as a refusal, and the
rest is asked again, until what is left may be done, has to wait, or proves nothing.
"""

from __future__ import annotations

from typing import assert_never

from resolver.attribution.case import Case
from resolver.attribution.outcome import Refusal, Want, WantBase, WantLog, WantRerun, WantRow, WantWait
from resolver.attribution.verdicts import Attribution, attribute
from resolver.executions import Check, Execution, distinct
from resolver.ids import Fingerprint
from resolver.ledger import Allowed, Answer, Ledger, Refused, RerunAsked


def attribute_within(case: Case, ledger: Ledger) -> Attribution:
    """
    Attribute, with only those wants left that the ledger allows now. It ends: what was refused once in this asking is
    not wanted again, also where the ledger says that its time is over at this very moment.

    A wanted base result is taken for a probe here: look for results that exist before (they cost nothing) and put them
    among the case's executions.
    """
    while True:
        answer = attribute(case)
        refused = tuple(_refusal(case, ledger, want) for want in answer.wants)
        new = tuple(each for each in refused if each is not None)
        if not new:
            return answer
        case = case.refusing(new)


def _refusal(case: Case, ledger: Ledger, want: Want) -> Refusal | None:
    match want:
        case WantRerun():
            answer: Answer = ledger.rerun(rerun_asked(case, want.check), case.now)
        case WantBase():
            answer = ledger.probe(want.check.key, want.commit)
        case WantLog() | WantRow() | WantWait():
            return None
        case _:
            assert_never(want)
    match answer:
        case Allowed():
            return None
        case Refused(reason=reason, until=until, begun=begun):
            # GitHub shows a run that was started only after a moment; it is not waited for without end.
            patient = None if begun is None else begun + ledger.limits.rerun_pause
            return Refusal(
                kind=want.kind, reason=reason, commit=want.commit, check=want.check, until=until, patient_until=patient
            )
        case _:
            assert_never(answer)


def rerun_asked(case: Case, check: Check) -> RerunAsked:
    """Ask for one more execution of a check on the task's head, for evidence."""
    head = [each for each in distinct(case.executions) if each.side != "base" and each.subject == case.task.head]
    mine = [each for each in head if each.check == check]
    newest: dict[Check, Execution] = {each.check: each for each in head if each.conclusive}
    failing = {prints for each in newest.values() if (prints := _prints(each))}
    return RerunAsked(
        task=case.task.task,
        head=case.task.head,
        workflow=check.workflow,
        check=check.key,
        fingerprints=tuple(sorted({print_ for each in mine for print_ in _prints(each)})),
        purpose="evidence",
        failing=len(failing),
        newest_cancelled=bool(mine) and mine[-1].result == "cancelled",
    )


def _prints(execution: Execution) -> frozenset[Fingerprint]:
    if execution.result != "failed":
        return frozenset()
    return frozenset(item.fingerprint for item in execution.items)
