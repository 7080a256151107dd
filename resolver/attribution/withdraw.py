"""
A verdict stands until later executions disagree; then `gate.reattributed` says so. Evidence that only grows old takes
nothing back and asks for nothing again. What is done follows from what stands, as what is said does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from resolver.attribution.outcome import Class, Evidence, Outcome, Undecided, Verdict, Want, WantBase, WantWait
from resolver.attribution.verdicts import Attribution, leading
from resolver.executions import Check
from resolver.ids import Fingerprint
from resolver.records import Record


class Reattributed(Record):
    """
    `gate.reattributed`: `withdrawn` where executions disagree with what was said, `moved-on` where the world did: a
    base that was mended meanwhile, a proof found for what had none.
    """

    check: Check
    fingerprint: Fingerprint | None
    was: Class
    now: Class
    kind: Literal["withdrawn", "moved-on"]
    reason: str
    evidence: tuple[Evidence, ...]


class Standing(Record):
    """What is said of an item now, which evidence is still worth having, and whether an earlier word is taken back."""

    outcome: Outcome
    wants: tuple[Want, ...] = ()
    change: Reattributed | None = None


def settle(was: Verdict | None, now: Outcome) -> Standing:
    """
    Join an earlier verdict on the same item and head with what the executions say now.

    What was proven stays said while nothing else is. Further evidence is wanted only where nothing had been proven,
    where somebody was accused of what has since come under doubt (seen on others' tasks, or come and gone), or where a
    base that was to blame has moved since and may be mended.
    """
    if isinstance(now, Undecided):
        if was is None:
            return Standing(outcome=now, wants=now.wants)
        return Standing(outcome=was, wants=_still_wanted(was, now))
    if was is None or was.klass == now.klass:
        return Standing(outcome=now)
    if now.klass == "unclassified":
        return Standing(outcome=was)
    change = Reattributed(
        check=now.check,
        fingerprint=now.fingerprint,
        was=was.klass,
        now=now.klass,
        kind="moved-on" if _moved_on(was.klass, now.klass) else "withdrawn",
        reason=now.reason,
        evidence=now.evidence,
    )
    return Standing(outcome=now, change=change)


def as_it_stands(answer: Attribution, standing: Callable[[Outcome], Verdict | None]) -> Attribution:
    """Join all that the executions say now with the verdicts that stand: what is followed, and wanted still.

    `standing` gives the verdict that stands on the same item. What was not proven and is being found out is undecided
    again, so that nobody is asked meanwhile.
    """
    outcomes: list[Outcome] = []
    wants: list[Want] = []
    for outcome in answer.outcomes:
        was = standing(outcome)
        settled = settle(was, outcome)
        anew = isinstance(outcome, Undecided) and settled.wants and was is not None and was.klass == "unclassified"
        outcomes.append(outcome if anew else settled.outcome)
        wants.extend(settled.wants)
    return Attribution(outcomes=tuple(outcomes), lead=leading(outcomes), wants=tuple(dict.fromkeys(wants)))


def _still_wanted(was: Verdict, now: Undecided) -> tuple[Want, ...]:
    accused = was.klass in ("task-defect", "base-defect")
    if was.klass == "unclassified" or (accused and now.doubt):
        return now.wants
    read = [each for each in now.wants if accused and isinstance(each, WantWait) and each.brief]
    if was.klass != "base-defect":
        return tuple(read)
    seen = {each.commit for each in was.evidence if each.side in ("base", "probe")}
    return (*read, *(each for each in now.wants if isinstance(each, WantBase) and each.commit not in seen))


def _moved_on(was: Class, now: Class) -> bool:
    return was == "unclassified" or (was in ("base-defect", "gate-stalled") and now == "base-drift")
