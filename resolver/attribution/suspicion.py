"""
Does a failure come and go? What is known to flake, or looks so, needs more executions before anybody is accused.

Suspicion never excuses: it raises the quorum of section 5, and what cannot reach it stays unclassified.
"""

from __future__ import annotations

from collections.abc import Sequence

from resolver.attribution.case import Case
from resolver.attribution.sights import passed_beside, shows
from resolver.executions import Execution, FailedItem
from resolver.ids import Sha


def flaked_before(case: Case, item: FailedItem, alike: Sequence[Execution], reds: Sequence[Execution]) -> bool:
    """Say whether the failure is known to have come and gone: by the journal, on equal inputs, or along the base."""
    if item.fingerprint in case.flaked:
        return True
    others = [each for each in alike if each.own == "no" or each.task == case.task.task]
    red = [each for each in others if each.fails_with(item.fingerprint) is not None]
    # A green in which the item was not seen executed is enough for doubt, though never for a verdict.
    green = [each for each in others if _green(each, item) or passed_beside(each, item)]
    return _on_equal_inputs(case, red, green) or _against_its_base(red, green) or _wavers(case, red, green, reds)


def _green(each: Execution, item: FailedItem) -> bool:
    return each.result == "passed" and (each.step_ran or shows(each, item) is not None)


def _on_equal_inputs(case: Case, red: Sequence[Execution], green: Sequence[Execution]) -> bool:
    """A red and a green of one check, commit, base and configuration, not so far apart that the world changed."""
    passed: dict[Sha, list[Execution]] = {}
    for each in green:
        passed.setdefault(each.subject, []).append(each)
    pairs = ((r, g) for r in red for g in passed.get(r.subject, ()))  # what is equal judges one commit
    return any(_equal(r, g) and _near(r, g, case.rules.freshness) for r, g in pairs)


def _equal(one: Execution, other: Execution) -> bool:
    """Of a base commit, equal whatever event made it: a push and a probe run the same job on the same tree."""
    bases = ("base", "probe")
    if one.side in bases and other.side in bases:
        alike = (one.commit, one.configuration, one.check.fork) == (other.commit, other.configuration, other.check.fork)
        return alike and one.check.same_job(other.check)
    return one.same_inputs(other)


def _near(red: Execution, green: Execution, freshness: float) -> bool:
    if red.started_at is None or green.finished_at is None:
        return True  # without a time nobody is excused, nor accused on fewer looks
    return green.finished_at >= red.started_at - freshness


def _against_its_base(red: Sequence[Execution], green: Sequence[Execution]) -> bool:
    """A base commit failed so, and what was tested on top of that very commit passed afterwards."""
    broken = {each.commit: each for each in red if each.side in ("base", "probe")}
    return any(
        each.side == "task" and each.tested_base in broken and _after(each, broken[each.tested_base]) for each in green
    )


def _after(each: Execution, other: Execution) -> bool:
    return each.started_at is not None and other.started_at is not None and each.started_at >= other.started_at


def _wavers(case: Case, red: Sequence[Execution], green: Sequence[Execution], mine: Sequence[Execution]) -> bool:
    """
    Red, then green, then red again along the base branch. A test that fails back to back is no flake: the pass between
    is what counts. The task's own red may be the last of the three.
    """
    place = {commit: index for index, commit in enumerate(case.task.base_line)}
    on_base = [(place[each.commit], 0, "red") for each in red if each.side != "task" and each.commit in place]
    on_base += [(place[each.commit], 0, "green") for each in green if each.side != "task" and each.commit in place]
    on_base += [(place[each.tested_base], 1, "task") for each in mine if each.tested_base in place]
    wanted = [{"red"}, {"green"}, {"red", "task"}]
    for _, _, colour in sorted(on_base):
        if colour in wanted[0] and len(wanted) == 1:
            return True
        wanted = wanted[1:] if colour in wanted[0] else wanted
    return False


def seen_elsewhere(case: Case, item: FailedItem, alike: Sequence[Execution]) -> tuple[Execution, ...]:
    """The same failure on the heads of other tasks that are not the author's own."""
    return tuple(
        each
        for each in alike
        if each.side == "task"
        and each.own == "no"
        and each.task is not None
        and each.task != case.task.task
        and each.fails_with(item.fingerprint) is not None
    )
