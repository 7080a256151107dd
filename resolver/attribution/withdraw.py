"""
A verdict stands until later executions disagree; then `gate.reattributed` says so. Evidence that only grows old takes
nothing back and asks for nothing again.
"""

from __future__ import annotations

from typing import Literal

from resolver.attribution.outcome import Class, Evidence, Outcome, Undecided, Verdict, Want
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

    What was proven stays said while nothing else is. Further evidence is wanted only where nothing had been proven, or
    where somebody was accused of what has since come under doubt: seen on others' tasks, or come and gone.
    """
    if isinstance(now, Undecided):
        if was is None:
            return Standing(outcome=now, wants=now.wants)
        again = was.klass == "unclassified" or (now.doubt and was.klass in ("task-defect", "base-defect"))
        return Standing(outcome=was, wants=now.wants if again else ())
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


def _moved_on(was: Class, now: Class) -> bool:
    return was == "unclassified" or (was in ("base-defect", "gate-stalled") and now == "base-drift")
