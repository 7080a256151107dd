"""What a repository's turns remember between them, and what one turn writes: a cache of the journal, and nothing else.

Facts of a turn are folded at once and written at its end, in one statement, in the order in which they were decided.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.orders import order_for
from bot.store import Entry, JournalRow, Order, Work
from bot.unwritten import concerned
from resolver.actions import AnyAction
from resolver.facts import ActionStarted, Fact
from resolver.fold import fold_or_park
from resolver.ids import PullNumber
from resolver.interruptions import started
from resolver.journal import from_json, kind_of, once, to_json
from resolver.state import RepoState


@dataclass
class Known:
    """The cached fold of one repository up to record `seq`, whose digest is `chain`; `unkept` records of it were folded
    since its last snapshot.

    `again` are the times asked for by pull requests, `waiting` those to be decided, in order. It is `stale` where the
    journal did not take what was folded: then it is to be thrown away. `tried` are those of whom this turn writes.
    """

    state: RepoState = field(default_factory=RepoState)
    seq: int = 0
    chain: str = ""
    unkept: int = 0
    again: dict[PullNumber, float] = field(default_factory=dict)
    waiting: dict[PullNumber, None] = field(default_factory=dict)
    fresh: bool = True
    stale: bool = False
    tried: frozenset[PullNumber] = frozenset()
    _facts: list[Fact] = field(default_factory=list)
    _orders: list[Order] = field(default_factory=list)

    def take(self, row: JournalRow) -> None:
        """Fold one more record."""
        self.state = fold_or_park(self.state, from_json(row.kind, row.data))
        self._reached([row])

    def _reached(self, rows: list[JournalRow]) -> None:
        """Note how far the journal is folded, once these records are."""
        if rows:
            self.seq, self.chain, self.unkept = rows[-1].seq, rows[-1].digest, self.unkept + len(rows)

    def observe(self, unit: Work, key: str, facts: list[Fact], ahead: RepoState) -> None:
        """Write what was seen; `ahead` is the state after it. What the journal has already is not taken twice."""
        self.tried = concerned(ahead, facts)
        rows = _append(unit, key, facts)
        if len(rows) == len(facts):
            self.state = ahead
            self._reached(rows)
            return
        for row in rows:
            self.take(row)

    def record(self, facts: Iterable[Fact]) -> None:
        """Fold what was decided; it is written at the turn's end."""
        for fact in facts:
            self.state = fold_or_park(self.state, fact)
            self._facts.append(fact)

    def start(self, key: str, actions: Iterable[AnyAction], now: float) -> list[ActionStarted]:
        """Record each action as started, and order it, in the turn's own transaction; gives the records."""
        repo = self.state.repo
        if repo is None or repo.installation_id is None:
            return []
        # Each start takes the next place in the journal, or a later one.
        first = self.seq + len(self._facts) + 1
        begun = [(action, started(action, number, now)) for number, action in enumerate(actions, first)]
        self._orders.extend(order_for(key, repo, action, each.ticket, now) for action, each in begun)
        records = [each for _, each in begun]
        self.record(records)
        return records

    def write(self, unit: Work, key: str) -> None:
        """Write what the turn has recorded and ordered."""
        self.tried |= concerned(self.state, self._facts)
        rows = _append(unit, key, self._facts)
        self.stale = len(rows) != len(self._facts)
        self._reached(rows)
        unit.enqueue(self._orders)
        self._facts, self._orders = [], []

    def wait(self, numbers: Iterable[PullNumber], *, first: bool = False) -> None:
        """Have pull requests decided: after those that wait already, or before them."""
        if first:
            self.waiting = {**dict.fromkeys(numbers), **self.waiting}
        else:
            self.waiting.update(dict.fromkeys(numbers))

    def next(self, most: int) -> list[PullNumber]:
        """Give the pull requests to be decided now, no more than `most`; they wait no more."""
        numbers = list(self.waiting)[:most]
        for number in numbers:
            del self.waiting[number]
        return numbers


def _append(unit: Work, key: str, facts: list[Fact]) -> list[JournalRow]:
    return unit.append(key, [Entry(kind_of(fact), to_json(fact), once(fact)) for fact in facts]) if facts else []
