"""Where a verdict leads (specification, section 6). What is really done is decided elsewhere, by mode and ledger."""

from __future__ import annotations

from typing import assert_never

from resolver.attribution.outcome import Class, NextAction
from resolver.attribution.question import Question


def next_action(question: Question, klass: Class) -> NextAction:
    """Give the next step of a class. In an outage nothing follows: retries are parked, no fixer, no repair."""
    if question.case.outage:
        return "none"
    match klass:
        case "base-drift":
            return "synchronise"
        case "gate-stalled":
            return _stalled(question)
        case "base-defect":
            return "repair"
        case "task-defect":
            return "explain"
        case "flake":
            return _flake(question)
        case "unclassified":
            return "escalate"
        case _:
            assert_never(klass)


def _stalled(q: Question) -> NextAction:
    """A probe of the clean base: it stalls there too → repair; else one rerun, then the row. Green: nothing."""
    ended = [each for each in q.head if each.conclusive]
    if ended[-1].fails_with(q.item.fingerprint) is None:
        return "none"
    state = q.sight(q.current).state(q.need)
    if state == "red":
        return "repair"
    if state == "open" and q.current is not None and q.case.refusal("base", q.check, q.current) is None:
        return "probe"
    rerun = len(q.reds) < 2 and q.case.refusal("rerun", q.check, q.red.subject) is None
    return "rerun" if rerun else "resolve"


def _flake(q: Question) -> NextAction:
    """One rerun while it is still red; the second flake of a check inside the window asks to have it mended."""
    if q.check in q.case.flakes_in_window:
        return "decide"
    ended = [each for each in q.head if each.conclusive]
    return "none" if ended[-1].fails_with(q.item.fingerprint) is None else "rerun"
