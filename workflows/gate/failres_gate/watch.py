"""
What is known of a running check: its active items, its failed ones, and for how long nothing was achieved.

Pure: time comes in as seconds that passed. A heartbeat never comes here, so it cannot reset the budget.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from failres_gate.events import ALIVE, END, FAILED, HELLO, SKIPPED, START, STEP, Event
from failres_gate.options import LIMITS, one_line

NAME = 1_000
"""Characters of an item's name; the input contract takes 1,024."""


class FailedItem(NamedTuple):
    """An item that failed and has not passed since."""

    item: str
    message: str
    stack: str
    rank: tuple[bool, int, str]
    """Items before their suites, inner ones before outer ones, then by name: the same choice in any parallel order."""


class Watch:
    """One check's state. `budget` is in seconds; unless `strict`, it counts only once an item was seen."""

    def __init__(self, budget: float, *, strict: bool) -> None:
        self.budget = budget
        self.idle = 0.0
        self.active: dict[str, bool] = {}
        self.failed: dict[str, FailedItem] = {}
        self.more_failed = 0
        self._counts = strict
        self._by_itself: set[str] = set()
        self._ended: dict[tuple[str, str], None] = {}

    @property
    def stalled(self) -> bool:
        """True where nothing was achieved for the whole budget."""
        return self._counts and self.idle >= self.budget

    @property
    def left(self) -> float:
        """Seconds until a stall if nothing happens; a whole budget where none can come."""
        return max(0.0, self.budget - self.idle) if self._counts else self.budget

    def pass_time(self, seconds: float) -> None:
        """Count time in which nothing was achieved."""
        self.idle += seconds

    def progress(self) -> None:
        """Something was achieved."""
        self.idle = 0.0
        self._counts = True

    def active_item(self) -> str | None:
        """What has been running longest; a suite only where none of its items is known."""
        items = [item for item, suite in self.active.items() if not suite] or list(self.active)
        return items[0] if items else None

    def first_failed(self) -> FailedItem | None:
        """The failed item that stands for the check."""
        return min(self.failed.values(), key=lambda each: each.rank, default=None)

    def hear(self, event: Event, *, printed: bool = False) -> list[tuple[str, dict[str, Any]]]:
        """
        Take an event in; the records that it makes, as (phase, keys). `printed` ones yield to a runner that reports by
        itself.
        """
        if printed and event.source in self._by_itself:
            return []
        item = one_line(event.item, NAME)
        if not item and event.kind in (START, END, ALIVE):
            return []
        if event.kind == START:
            return self._start(item, event)
        if event.kind == END:
            return self._end(item, event)
        if event.kind == STEP:
            self.progress()
        elif event.kind == ALIVE:
            self._activate(item, suite=False)
        elif event.kind == HELLO:
            self._by_itself.add(event.source)
            self.progress()
        return []

    def _start(self, item: str, event: Event) -> list[tuple[str, dict[str, Any]]]:
        if item in self.active:
            return []
        self.progress()
        records = self._close_pattern_item() if event.source == "pattern" else []
        self._activate(item, suite=event.suite)
        return [*records, ("item-start", {"item": item})]

    def _close_pattern_item(self) -> list[tuple[str, dict[str, Any]]]:
        """Lines that only tell beginnings: the next one ends the one before."""
        ended, self.active = list(self.active), {}
        return [("item-end", {"item": item}) for item in ended]

    def _end(self, item: str, event: Event) -> list[tuple[str, dict[str, Any]]]:
        again = (item, event.result) in self._ended and item not in self.active
        self._remember(item, event.result)
        if again:
            return []  # runners tell their failures again at the end, and the same line for ever is no progress
        self.progress()
        self.active.pop(item, None)
        records: list[tuple[str, dict[str, Any]]] = []
        if event.result == FAILED:
            self._fail(item, event)
            records.append(("failure", {"item": item}))
        elif event.result != SKIPPED:
            self.failed.pop(item, None)  # a rerun within the check passed
        return [*records, ("item-end", {"item": item, "result": event.result})]

    def _remember(self, item: str, result: str) -> None:
        self._ended.pop((item, result), None)
        self._ended[item, result] = None
        if len(self._ended) > LIMITS.items:
            del self._ended[next(iter(self._ended))]

    def _activate(self, item: str, *, suite: bool) -> None:
        if item not in self.active and len(self.active) < LIMITS.items:
            self.active[item] = suite

    def _fail(self, item: str, event: Event) -> None:
        if len(self.failed) >= LIMITS.items and item not in self.failed:
            self.more_failed += 1
            return
        rank = (event.suite, -event.depth, item)
        self.failed[item] = FailedItem(item, event.message, event.stack, rank)
