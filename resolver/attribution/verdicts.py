"""`attribute(case)`: every failing item of the task's head with its verdict, or with what is wanted next. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from resolver.attribution.case import Case
from resolver.attribution.causes import causes, unread
from resolver.attribution.classes import Proof, last_resort, no_proof, others, prove, reds
from resolver.attribution.outcome import (
    ORDER,
    Evidence,
    Outcome,
    Role,
    Strength,
    Undecided,
    Verdict,
    Want,
    WantLog,
    WantRow,
    WantWait,
    shown,
)
from resolver.attribution.question import Question
from resolver.attribution.routing import next_action
from resolver.attribution.wants import wants
from resolver.executions import Check, Execution, FailedItem, distinct
from resolver.ids import Fingerprint
from resolver.policy import CRASH
from resolver.records import Record
from resolver.taxonomy import ROW_FIRST

RAN_NOTHING = "the base passed, and this was not seen to run there"
"""Why a green base proves nothing (specification, section 5)."""

_STRENGTHS: tuple[Strength, ...] = ("weak", "moderate", "strong")


class Attribution(Record):
    """
    One task's outcomes, one for each failing item. `lead` is the verdict that the task's action follows: the first in
    the order of classes, once nothing undecided could still come before it.
    """

    outcomes: tuple[Outcome, ...] = ()
    lead: Verdict | None = None
    wants: tuple[Want, ...] = ()


def attribute(case: Case) -> Attribution:
    """Attribute every failing item of every check on the task's head. The order of the executions does not matter."""
    known = distinct(case.executions)
    head = [each for each in known if each.side in ("task", "group") and each.subject == case.task.head]
    checks = sorted({each.check for each in head}, key=lambda check: check.model_dump_json())
    cells: dict[object, list[Execution]] = {check.cell: [] for check in checks}
    for each in known:
        if each.check.cell in cells:
            cells[each.check.cell].append(each)
    outcomes: list[Outcome] = []
    for check in checks:
        mine = tuple(each for each in head if each.check == check)
        outcomes.extend(_check(case, check, tuple(cells[check.cell]), mine))
    open_ones = [each for each in outcomes if isinstance(each, Undecided)]
    return Attribution(
        outcomes=tuple(outcomes),
        lead=leading(outcomes),
        wants=tuple(dict.fromkeys(want for each in open_ones for want in each.wants)),
    )


def leading(outcomes: Iterable[Outcome]) -> Verdict | None:
    """Give the first verdict in the order of classes, once nothing undecided could still come before it."""
    known = tuple(outcomes)
    verdicts = [each for each in known if isinstance(each, Verdict)]
    first = min(verdicts, key=lambda each: ORDER.index(each.klass), default=None)
    settled = len(verdicts) == len(known) or (first is not None and first.klass == ORDER[0])
    return first if settled else None


def _check(case: Case, check: Check, alike: tuple[Execution, ...], head: tuple[Execution, ...]) -> Iterator[Outcome]:
    ended = [each for each in head if each.conclusive]
    if not ended:
        yield from _surroundings(case, check, head)
        return
    newest = ended[-1]
    if newest.result == "failed" and not [item for item in newest.items if item.counts]:
        yield _wordless(case, newest)
    for item in _items(ended):
        outcome = _item(Question(case, check, item, alike, head))
        # What fails no more needs nothing more: only what was proven is told.
        if newest.fails_with(item.fingerprint) is not None or (
            isinstance(outcome, Verdict) and outcome.klass != "unclassified"
        ):
            yield outcome


def _items(ended: list[Execution]) -> list[FailedItem]:
    """The failures to be attributed: those of every attempt, since every attempt counts."""
    red = [each for each in ended if each.result == "failed"]
    found = {item.fingerprint: item for each in red for item in each.items if item.counts}
    return [found[key] for key in sorted(found)]


def _item(q: Question) -> Outcome:
    case = q.case
    refused = case.refusal("row", q.check, q.red.subject)
    if q.item.fail_class in ROW_FIRST and (refused is None or refused.until is not None):
        return _row(case, q.check, q.red, _named(q.item), refused.until if refused else None)
    waited_for = unread(q)
    if waited_for:
        return _undecided(q, waited_for, (WantWait(until=None, reason=waited_for, why="read", brief=True),))
    proof = prove(q)
    if proof is not None:
        return _verdict(q, proof)
    missing = (WantWait(until=None, reason="outage", why="outage"),) if case.outage else wants(q)
    if missing:
        return _undecided(q, _why_open(q), missing)
    proof = last_resort(q)
    if proof is not None:
        return _verdict(q, proof)
    return _verdict(q, Proof("unclassified", _why_not(q), reds(q, q.reds)))


def _why_not(q: Question) -> str:
    """What stands in the way of a proof: what can not be had, and a base that passed without running this."""
    reasons = [each.reason for each in q.case.refusals if each.until is None and each.check in (None, q.check)]
    if any(each.role == "empty" for commit in (q.tested, q.current) for each in no_proof(q, q.sight(commit))):
        reasons.append(RAN_NOTHING)
    return "; ".join(dict.fromkeys(["no class is proven", *reasons]))


def _undecided(q: Question, reason: str, wants_: tuple[Want, ...]) -> Undecided:
    return Undecided(
        check=q.check,
        item=q.item.item,
        fingerprint=q.item.fingerprint,
        reason=reason,
        wants=wants_,
        doubt=q.flaky or bool(q.elsewhere),
    )


Named = tuple[str, str | None, Fingerprint | None]
"""A failure's class, item and fingerprint."""


def _named(item: FailedItem) -> Named:
    return item.fail_class, item.item, item.fingerprint


def _row(case: Case, check: Check, red: Execution, failed: Named, until: float | None) -> Undecided:
    fail_class, item, print_ = failed
    want: Want = WantRow(check=check, commit=red.subject, fail_class=fail_class)
    if case.outage or until is not None:
        reason = "outage" if case.outage else "the deterministic action has to wait"
        want = WantWait(until=until, reason=reason, why="outage" if case.outage else "row")
    reason = "its deterministic action comes first"
    return Undecided(check=check, item=item, fingerprint=print_, reason=reason, wants=(want,))


def _why_open(q: Question) -> str:
    need = f"{q.need_reds} reds on the head and {q.need_against_task} greens on the base accuse the task"
    return f"{len(q.reds)} red on the head; {need}" + ("; it is known to come and go" if q.flaky else "")


def _verdict(q: Question, proof: Proof) -> Verdict:
    bases = dict.fromkeys((q.tested, q.current))
    beside = tuple(each for commit in bases for each in others(q, q.sight(commit)))
    if proof.klass == "unclassified":
        beside += tuple(each for commit in bases for each in no_proof(q, q.sight(commit)))
    needed = [_STRENGTHS.index(each.strength) for each in proof.evidence]
    case = q.case
    return Verdict(
        klass=proof.klass,
        check=q.check,
        item=q.item.item,
        fingerprint=q.item.fingerprint,
        evidence=(*proof.evidence, *beside),
        strength=_STRENGTHS[min(needed)],
        next_action=next_action(q, proof.klass),
        reason=proof.reason,
        causes=causes(q),
        claims=tuple(each for each in case.claims if each.fingerprint in (None, q.item.fingerprint)),
    )


def _wordless(case: Case, red: Execution) -> Outcome:
    """A red whose log told nothing: read it (again), then say that the cause is not known. It is never excused."""
    refusal = case.refusal("log", red.check, red.subject)
    if red.log != "read" and (refusal is None or refusal.until is not None):
        want: Want = WantLog(check=red.check, commit=red.subject, run=red.run, attempt=red.attempt, job_id=red.job_id)
        if refusal is not None:
            want = WantWait(until=refusal.until, reason=refusal.reason, why="read")
        return Undecided(check=red.check, item=None, fingerprint=None, reason="its log is not read", wants=(want,))
    crashed = case.refusal("row", red.check, red.subject)
    if red.log == "died" and (crashed is None or crashed.until is not None):
        return _row(case, red.check, red, (CRASH, None, None), crashed.until if crashed else None)
    reason = "the log names no failure" if red.log == "read" else "there is no log"
    return _bare(case, red, reason)


def _surroundings(case: Case, check: Check, head: tuple[Execution, ...]) -> Iterator[Outcome]:
    """Only infrastructure has been seen: neither red nor green. Its row's action once, then people."""
    lost = [each for each in head if each.result == "infrastructure"]
    if not lost or any(each.result == "running" for each in head):
        return
    item = lost[-1].items[0] if lost[-1].items else None
    refused = case.refusal("row", check, lost[-1].subject)
    if refused is not None and refused.until is None:
        yield _bare(case, lost[-1], "only what the job runs on failed, which says nothing about the code")
    elif item is not None:
        yield _row(case, check, lost[-1], _named(item), refused.until if refused else None)


def _bare(case: Case, execution: Execution, reason: str) -> Verdict:
    item = execution.items[0] if execution.items else None
    role: Role = "lost" if execution.result == "infrastructure" else "mute"
    evidence: tuple[Evidence, ...] = (shown(execution, role, "weak", case.now),)
    return Verdict(
        klass="unclassified",
        check=execution.check,
        item=item.item if item else None,
        fingerprint=item.fingerprint if item else None,
        evidence=evidence,
        strength="weak",
        next_action="escalate",
        reason=reason,
    )
