"""
The classes in their order, each a small function from a question to what proves it, or None. The first that matches
wins (specification, section 5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from resolver.attribution.outcome import Class, Evidence, Strength, shown
from resolver.attribution.question import Question
from resolver.attribution.sights import Green, Sight, passes
from resolver.executions import DETERMINISTIC_KINDS, Execution


@dataclass(frozen=True, slots=True)
class Proof:
    """What proves a class: the executions that it needs, and the reason in words."""

    klass: Class
    reason: str
    evidence: tuple[Evidence, ...]


CARRIES_BASE = "the diff holds changes that are only the base's"
BEHIND_RUN = "the tested base is not the run's current one"
"""Why a drift is one although nothing was seen to be mended on the base."""


def prove(question: Question) -> Proof | None:
    """Give the first class that is proven."""
    for each in _CLASSES:
        proof = each(question)
        if proof is not None:
            return proof
    return None


def reds(question: Question, executions: Iterable[Execution]) -> tuple[Evidence, ...]:
    """Show reds: strong where an item is named, moderate by place, weak at the level of the job."""
    item = question.item
    strength: Strength = "weak" if item.job_level else "strong" if item.item is not None else "moderate"
    return tuple(shown(each, "red", strength, question.case.now) for each in executions)


def greens(question: Question, found: Iterable[Green]) -> tuple[Evidence, ...]:
    """Show greens with the strength that each was seen with."""
    return tuple(shown(each.execution, "green", each.strength, question.case.now) for each in found)


def others(question: Question, sight: Sight) -> tuple[Evidence, ...]:
    """Show what else ended red on the base: it excuses nothing, and is not hidden."""
    failed = [each for each in (*sight.others, *sight.stale) if each.result == "failed"]
    return tuple(shown(each, "other", "moderate", question.case.now) for each in failed)


def no_proof(question: Question, sight: Sight) -> tuple[Evidence, ...]:
    """Show the base's passes that prove nothing: in which this was not seen to run, or that are too old."""
    now = question.case.now
    green = [each for each in sight.others if each.result == "passed" and each.log == "read"]
    empty = [shown(each, "empty", "weak", now) for each in green]
    return (*empty, *(shown(each, "stale", "weak", now) for each in sight.stale if each.result == "passed"))


def _base_drift(q: Question) -> Proof | None:
    task, tested = q.case.task, q.tested
    if task.drifted_before(q.item.fingerprint):
        return None
    mine = reds(q, q.reds)
    # GitHub tests the merge with the base: where that base is the current one, a rebase would change nothing in it, and
    # a merge group is made anew on the base as it is then.
    if task.base_only and q.red.side != "group" and (tested is None or tested != task.base):
        return Proof("base-drift", CARRIES_BASE, mine)
    if tested is None or task.base is None or tested == task.base:
        return None
    if task.stacked_runs and task.drift == "strict":
        return Proof("base-drift", BEHIND_RUN, mine)
    then, now = q.sight(tested), q.sight(q.current)
    if then.state(q.need) == "red" and now.state(q.need) == "green":
        reason = "the tested base fails in the same way and the current one does not"
        return Proof("base-drift", reason, (*mine, *reds(q, then.reds), *greens(q, now.greens)))
    return None


def _gate_stalled(q: Question) -> Proof | None:
    if not q.item.stalled:
        return None
    sight = q.sight(q.current)
    beside = (*reds(q, sight.reds), *greens(q, sight.greens))
    return Proof("gate-stalled", "the check made no progress within its budget", (*reds(q, q.reds), *beside))


def _base_defect(q: Question) -> Proof | None:
    sight = q.sight(q.current)
    if sight.state(q.need) != "red":
        return None
    reason = "the same check fails in the same way on the clean base"
    return Proof("base-defect", reason, (*reds(q, sight.reds), *reds(q, q.reds), *greens(q, sight.greens)))


def _task_defect(q: Question) -> Proof | None:
    diff = q.case.task.diff
    mine = reds(q, q.reds)
    if diff is not None and diff.adds(q.item):
        return Proof("task-defect", "the task itself adds the failing item", mine)
    sight = baseline(q)
    if sight is None:
        return None
    shown_greens = greens(q, sight.greens)
    if diff is not None and diff.changes(q.item) and sight.state(1) == "green":
        return Proof("task-defect", "the task itself changes the failing item", (*mine, *shown_greens))
    if q.passes or sight.state(q.need) != "green":
        return None
    # Whoever is accused for what others see too, or what is known to flake, is accused on more than one look.
    if len(sight.greens) < q.need_against_task:
        return None
    if q.item.kind in DETERMINISTIC_KINDS and not q.flaky and diff is not None and diff.touches(q.item):
        reason = "a deterministic failure in lines that the task changed, which the base does not have"
        return Proof("task-defect", reason, (*mine, *shown_greens))
    if len(q.reds) >= q.need_reds:
        reason = f"{len(q.reds)} executions of the same head failed in the same way and the base did not"
        return Proof("task-defect", reason, (*mine, *shown_greens))
    return None


def baseline(q: Question) -> Sight | None:
    """
    The base against which the task is compared: the one that it was tested with. The current one stands in only where
    the tested one is unknown or can not be asked.
    """
    if q.tested is not None:
        tested = q.sight(q.tested)
        if tested.state(q.need) != "open" or q.tested == q.current:
            return tested
        refusal = q.case.refusal("base", q.check, q.tested)
        if refusal is None or refusal.until is not None:
            return None
    return q.sight(q.current) if q.current is not None else None


def _flake(q: Question) -> Proof | None:
    if q.passes:
        now = q.case.now
        seen = (shown(each, "green", passes(each, q.item, q.red) or "moderate", now) for each in q.passes)
        reason = "the same commit, base and configuration failed and passed"
        return Proof("flake", reason, (*reds(q, q.reds), *seen))
    for commit in dict.fromkeys((q.tested, q.current)):
        sight = q.sight(commit)
        if sight.mixed and len(q.reds) < q.case.rules.flaky_executions:
            reason = "a clean base failed in this way and passed, on one commit"
            return Proof("flake", reason, (*reds(q, (*q.reds, *sight.reds)), *greens(q, sight.greens)))
    return None


def last_resort(q: Question) -> Proof | None:
    """A base commit that passed and then failed is evidence of a flake, when it can not be asked again."""
    for commit in dict.fromkeys((q.tested, q.current)):
        sight = q.sight(commit)
        if sight.reds and sight.greens and len(q.reds) < q.case.rules.flaky_executions:
            reason = "a clean base passed and failed in this way, on one commit, and can not be asked again"
            return Proof("flake", reason, (*reds(q, (*q.reds, *sight.reds)), *greens(q, sight.greens)))
    return None


_CLASSES: tuple[Callable[[Question], Proof | None], ...] = (
    _base_drift,
    _gate_stalled,
    _base_defect,
    _task_defect,
    _flake,
)
