"""What the store refused to record, remembered until it answers again: then that is recorded, task by task.

At that moment nothing can be journaled, and nothing is lost either: deliveries and outcomes stay where they are and the
turn is run again. Only the process remembers that it happened; one that ends before the store answers forgets it, and
what it had to do is done all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from resolver.decide.rights import config_of, managed
from resolver.digest import digest
from resolver.facts import ActionRefused, ActionStarted, Fact
from resolver.ids import PullNumber
from resolver.interruptions import JOURNAL, ticket
from resolver.state import RepoState

TYPE = "append"
"""The type of the action, as the journal has it: no worker carries it out."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The store refused the records of `turns` turns since then (seconds), about these tasks, for that reason."""

    since: float
    numbers: frozenset[PullNumber]
    reason: str
    turns: int = 1


class Unwritten:
    """The refusals that were not recorded yet, by repository."""

    def __init__(self) -> None:
        self._refusals: dict[str, Refusal] = {}

    def note(self, key: str, numbers: Iterable[PullNumber], reason: str, now: float) -> None:
        """Remember that a turn's records about these tasks were refused; one that had none to write is no loss."""
        found = frozenset(numbers)
        known = self._refusals.get(key)
        if known is not None:
            self._refusals[key] = replace(known, numbers=known.numbers | found, turns=known.turns + 1, reason=reason)
        elif found:
            self._refusals[key] = Refusal(now, found, reason)

    def facts(self, key: str, state: RepoState) -> Iterator[Fact]:
        """Give the records of what was refused, for the tasks on which failres acts."""
        refusal = self._refusals.get(key)
        for number in sorted(refusal.numbers) if refusal is not None else ():
            pull = state.pulls.get(number)
            if refusal is None or pull is None or pull.seen.state != "open":
                continue
            if managed(state, pull, config_of(state, pull)):
                known = pull.effects.get(f"{JOURNAL}{number}")
                yield from _records(number, 1 + (known.count if known is not None else 0), refusal)

    def forget(self, key: str) -> None:
        """The records stand."""
        self._refusals.pop(key, None)


def _records(number: PullNumber, count: int, refusal: Refusal) -> Iterator[Fact]:
    target = f"{JOURNAL}{number}"
    told = {"ticket": ticket(target, count), "key": f"{target}@{digest([refusal.since])}", "target": target}
    yield ActionStarted(**told, type=TYPE, number=number, at=refusal.since)
    turns = "a turn" if refusal.turns == 1 else f"{refusal.turns} turns"
    why = f"the store refused the records of {turns}: {refusal.reason}"
    yield ActionRefused(**told, number=number, reason=why, fail_class="journal-append-failed")


def concerned(state: RepoState, facts: Iterable[Fact]) -> frozenset[PullNumber]:
    """Say which pull requests these facts are about."""
    found: set[PullNumber] = set()
    for fact in facts:
        number, head = getattr(fact, "number", None), getattr(fact, "head_sha", None)
        found.update((number,) if number is not None else state.pulls_of(head) if head is not None else ())
    return frozenset(found)
