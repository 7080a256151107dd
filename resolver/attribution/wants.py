"""
What to find out next, the cheapest that can decide first. One thing at a time: most failures need no more.

A failure that was seen elsewhere is asked of the base; a test's failure that nobody else saw is first tried again,
since that answers for a flake at once and is half of what accuses the task.
"""

from __future__ import annotations

from collections.abc import Iterator

from resolver.attribution.classes import baseline
from resolver.attribution.outcome import Want, WantBase, WantRerun, WantWait
from resolver.attribution.question import Question
from resolver.executions import DETERMINISTIC_KINDS, Execution
from resolver.ids import Sha

MOST_CHASED = 3
"""How many commits of a base that moves on are probed for one failure, as many as executions on one commit."""


def wants(question: Question) -> tuple[Want, ...]:
    """Give what can be had now, else what to wait for, else nothing: then no class can be proven."""
    waits: list[WantWait] = []
    for want in _in_order(question):
        commit = want.commit
        running = question.sight(commit).running if isinstance(want, WantBase) else _running(question)
        under_way = [each for each in running if _patient_until(question, each) > question.case.now]
        if under_way:
            until = _patient_until(question, under_way[-1])
            return (WantWait(until=until, reason=f"run {under_way[-1].run} is under way", why=want.kind),)
        refusal = question.case.refusal(want.kind, question.check, commit)
        if refusal is None:
            return (want,)
        if refusal.patient_until is not None and refusal.patient_until > question.case.now:
            return (WantWait(until=refusal.patient_until, reason=refusal.reason, why=want.kind),)
        if refusal.until is not None:
            waits.append(WantWait(until=refusal.until, reason=refusal.reason, why="limit"))
    return tuple(sorted(waits, key=lambda each: each.until or 0.0)[:1])


def _patient_until(q: Question, each: Execution) -> float:
    """Until when a run is waited for: its green would be of use no longer than a fresh one."""
    return (q.case.now if each.started_at is None else each.started_at) + q.case.rules.freshness


def _running(q: Question) -> tuple[Execution, ...]:
    return tuple(each for each in q.head if each.result == "running")


def _in_order(q: Question) -> Iterator[WantBase | WantRerun]:
    tested, current = q.sight(q.tested), q.sight(q.current)
    open_tested = q.tested is not None and q.tested != q.current and tested.state(q.need) == "open"
    open_current = current.state(q.need) == "open"
    if q.hinted:
        if open_current:
            yield from _base(q, q.current)
        if open_tested and current.state(q.need) == "green":
            yield from _base(q, q.tested)
    settled = baseline(q)
    clean = settled is not None and settled.state(q.need) == "green" and len(settled.greens) >= q.need_against_task
    if not clean and _needs_no_rerun(q):
        yield from _base(q, q.tested or q.current)
        yield from _base(q, q.current)
    # Where no base can tell any more, one more look for a flake is all that is left to gain.
    if len(q.reds) < (q.need_reds if clean or _can_tell(q) else 2):
        yield WantRerun(check=q.check, commit=q.red.subject)
    if not clean and not tested.mixed and not current.mixed:
        yield from _base(q, q.tested or q.current)
        yield from _base(q, q.current)


def _can_tell(q: Question) -> bool:
    """Say whether any base commit that matters may still be asked."""
    for commit in {q.tested, q.current} - {None}:
        if commit is not None and not q.sight(commit).blocked:
            refusal = q.case.refusal("base", q.check, commit)
            if refusal is None or refusal.until is not None:
                return True
    return False


def _needs_no_rerun(q: Question) -> bool:
    """Say whether a green base alone would accuse the task."""
    diff = q.case.task.diff
    if diff is None:
        return False
    return diff.changes(q.item) or (q.item.kind in DETERMINISTIC_KINDS and not q.flaky and diff.touches(q.item))


def _base(q: Question, commit: Sha | None) -> Iterator[WantBase]:
    if commit is None:
        return
    sight = q.sight(commit)
    state = sight.state(q.need)
    enough = state != "open" and not (state == "green" and len(sight.greens) < q.need_against_task)
    if enough or sight.blocked or (commit != q.tested and commit not in q.chased and len(q.chased) >= MOST_CHASED):
        return
    yield WantBase(
        check=q.check,
        commit=commit,
        item=q.item.item,
        after=q.greens_after,
        another=bool(sight.reds or sight.greens or sight.others or sight.stale),
    )
