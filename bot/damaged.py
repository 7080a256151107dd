"""The journals that do not hold: each is told of once while this process lives, in the log, on GitHub and to those whom
the repository's configuration names; and counted, for whoever watches the figures.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from bot.clock import Clock
from bot.journal_trouble import told
from bot.metrics import Sample
from bot.orders import order_for
from bot.store import JournalCorrupt, Order, Store
from resolver.decide.damage import tell_of_damage
from resolver.fold import fold_or_park
from resolver.journal import from_json
from resolver.state import RepoState

log = logging.getLogger(__name__)

MOST = 20
"""So many damaged records are passed over to find out whom to tell."""


class Damaged:
    """What is damaged now, by repository, with the record at which it begins."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._told: dict[str, int] = {}

    async def tell(self, damage: JournalCorrupt) -> None:
        """Say it in the log each time, and to people once."""
        log.error(told(damage))
        if self._told.get(damage.key) == damage.seq:
            return
        orders = self._orders(damage, await self._that_hold(damage.key))
        async with self._store.unit() as unit:
            await unit.enqueue(orders)
        self._told[damage.key] = damage.seq

    def mended(self, key: str) -> None:
        """A turn of it went well."""
        self._told.pop(key, None)

    def samples(self) -> Iterator[Sample]:
        """How many there are."""
        meaning = "Journals whose chain does not hold; nothing is done on their repositories."
        yield Sample("failres_journals_damaged", "gauge", meaning, len(self._told))

    def _orders(self, damage: JournalCorrupt, state: RepoState) -> list[Order]:
        """No record starts these actions: their tickets name the damage instead, so that each is ordered once."""
        repo, now = state.repo, self._clock.now()
        if repo is None or repo.installation_id is None:
            return []
        actions = tell_of_damage(state, f"record {damage.seq}: {damage.why}", now)
        return [order_for(damage.key, repo, each, f"{each.target}#damaged-{damage.seq}", now) for each in actions]

    async def _that_hold(self, key: str) -> RepoState:
        """Fold the records that hold by themselves, before and after what is damaged: enough to know whom to tell."""
        state, last = RepoState(), 0
        for _ in range(MOST):
            try:
                async for row in self._store.records(key, last):
                    state, last = fold_or_park(state, from_json(row.kind, row.data)), row.seq
            except JournalCorrupt as damage:
                if damage.seq <= last:
                    break
                last = damage.seq
            else:
                break
        return state
