"""What was seen of one failure on one base commit: its reds and its greens, and what they prove together.

A green counts only if the job ran and the failing item was seen executed; only while it is fresh; and only from the
identical configuration. A red with the same fingerprint counts at any age. What is the task's own counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from resolver.attribution.outcome import Strength
from resolver.executions import Execution, FailedItem

State = Literal["red", "green", "mixed", "open"]
"""Mixed: a green after a red on the same commit. Open: nothing that counts, or not enough of it."""


@dataclass(frozen=True, slots=True)
class Green:
    """An execution in which the item passed, and how surely."""

    execution: Execution
    strength: Strength


@dataclass(frozen=True, slots=True)
class Sight:
    """The executions of one check on one base commit, sorted by what they say of one failure; oldest first. `others`
    ended without a word on it, `stale` are too old or of another configuration.
    """

    reds: tuple[Execution, ...] = ()
    greens: tuple[Green, ...] = ()
    others: tuple[Execution, ...] = ()
    stale: tuple[Execution, ...] = ()
    running: tuple[Execution, ...] = ()

    @property
    def mixed(self) -> bool:
        """True where a green is not older than every red: then nothing broke in between, it flaked."""
        return any(not _before(green.execution, red) for red in self.reds for green in self.greens)

    @property
    def blocked(self) -> bool:
        """True where our own probes ended without telling: one ran nothing, or two failed for other reasons."""
        probes = [each for each in self.others if each.side == "probe" and each.log != "unread"]
        return any(each.result == "passed" for each in probes) or len(probes) > 1

    def state(self, need: int) -> State:
        """Say what is proven when `need` executions of one colour are asked for.

        Greens that are all older than the reds do not contradict them: a dependency may have broken in between.
        """
        if self.mixed:
            return "mixed"
        if self.reds:
            return "red" if len(self.reds) >= need else "open"
        return "green" if len(self.greens) >= need else "open"


def _before(first: Execution, second: Execution) -> bool:
    """Say whether an execution had ended when another began; unknown times say no."""
    return first.finished_at is not None and second.started_at is not None and first.finished_at <= second.started_at


def passes(execution: Execution, item: FailedItem, red: Execution | None = None) -> Strength | None:
    """Say how surely an item was executed and passed in a green job; None where that was not seen.

    `red` is an execution of the same tests that showed the failure: an equal number of items then proves the same
    selection. A failure without an item (a compiler's, or job-level) needs only that the deciding step ran.
    """
    if execution.result != "passed":
        return None
    if item.job_level or item.item is None or item.step:
        strength: Strength = "weak" if item.job_level else "moderate"
        return strength if execution.step_ran else None
    seen = shows(execution, item)
    if seen is not None:
        return seen
    if red is not None and execution.tests is not None and execution.tests == red.tests:
        return "moderate"
    return None


def shows(execution: Execution, item: FailedItem) -> Strength | None:
    """Say whether the passed names hold the item itself (strong) or what contains it (moderate)."""
    if item.item is None:
        return None
    if item.item in execution.passed_items:
        return "strong"
    return "moderate" if not item.holders.isdisjoint(execution.passed_items) else None


def passed_beside(execution: Execution, item: FailedItem, red: Execution | None = None) -> bool:
    """Say whether the item was seen to pass in a job that failed for other reasons. `red` as for `passes`: where as
    many items ran and this one is not among those that failed, it passed.
    """
    if execution.result != "failed":
        return False
    if item.kind == "build" and item.item is None:
        # Tests ran, so it was built.
        return bool(execution.items) and all(each.kind == "test" and each.item is not None for each in execution.items)
    counted = red is not None and item.item is not None and execution.tests is not None and execution.tests == red.tests
    if shows(execution, item) is None and not counted:
        return False
    return all(each.item != item.item for each in execution.items)


def look(
    executions: Iterable[Execution], item: FailedItem, like: Execution, *, fresh_from: float, same_tests: bool = False
) -> Sight:
    """Sort a base commit's executions of a check. `like` is the red that is asked about: greens must be of its
    configuration. `fresh_from`: greens that ended earlier prove nothing. `same_tests`: the commit holds the very tests
    that the red ran, so that an equal number of items is the same selection.
    """
    reds: list[Execution] = []
    greens: list[Green] = []
    others: list[Execution] = []
    stale: list[Execution] = []
    running: list[Execution] = []
    for each in executions:
        if each.own != "no":
            continue
        if each.result == "running":
            running.append(each)
        elif each.fails_with(item.fingerprint) is not None:
            reds.append(each)
        elif each.conclusive:
            alike = each.configuration == like.configuration and each.check.fork == like.check.fork
            fresh = each.finished_at is not None and each.finished_at >= fresh_from
            counts = alike and fresh and _ran_whole(each, item, like)
            green = _green(each, item, like if same_tests else None) if counts else None
            if green is not None:
                greens.append(green)
            else:
                (others if fresh and alike else stale).append(each)
    return Sight(tuple(reds), tuple(greens), tuple(others), tuple(stale), tuple(running))


def _ran_whole(each: Execution, item: FailedItem, red: Execution) -> bool:
    """Say whether a job that was told one item to run first was seen to run more, or all that the red had."""
    if not each.told_item or each.result != "passed":
        return True
    if each.tests is not None:
        return each.tests > 1 or each.tests == red.tests
    return any(name != each.told_item and name not in item.holders for name in each.passed_items)


def _green(each: Execution, item: FailedItem, red: Execution | None) -> Green | None:
    strength = passes(each, item, red)
    if strength is None and passed_beside(each, item, red):
        strength = "moderate"
    return None if strength is None else Green(each, strength)
