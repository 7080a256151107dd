"""The main path: a repository's turn.

A turn takes what the inbox holds for one repository, makes facts of it, appends what is new to the journal, folds, and
puts what is due into the outbox, all in one transaction. It touches nothing but the database. What it remembers between
turns is a cache of the fold, dropped whenever anything goes wrong.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from bot.clock import Clock
from bot.damaged import Damaged
from bot.installations import APP, spread
from bot.known import Known
from bot.metrics import Sample
from bot.snapshots import Snapshots
from bot.store import JournalCorrupt, Lease, LeaseLost, Received, Store, StoreUnavailable, Work
from bot.translate import AWAITED, COMMANDS, translate
from bot.unwritten import Unwritten, concerned
from resolver.decide import Due, decide_pull, decide_repository
from resolver.decide.due import earlier
from resolver.facts import EngineStuck, Fact
from resolver.fold import fold_or_park
from resolver.fold.run import also_concerned
from resolver.ids import PullNumber
from resolver.limits import LIMITS, Limits
from resolver.news import is_news
from resolver.touched import is_urgent, touched

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LoopLimits:
    """`batch` deliveries, no further one after so many `facts`, and `pulls` decisions a turn, so that each is short and
    what people wait for is soon in the next one; `parallel` turns at a time, `lease` seconds of a turn, the longest
    backoff of a failing one, and in how many `rounds` a pull request is decided in a turn, each after what the one
    before recorded.
    """

    batch: int = 100
    facts: int = 20
    pulls: int = 3
    rounds: int = 5
    parallel: int = 16
    lease: float = 60.0
    longest_backoff: float = 3600.0


class Loop:
    """Runs turns: one at a time for each repository, several repositories side by side."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        limits: Limits = LIMITS,
        loop_limits: LoopLimits | None = None,
        *,
        own_app: int | None = None,
    ) -> None:
        self._store, self._clock, self._limits, self._own_app = store, clock, limits, own_app
        self._loop_limits = loop_limits or LoopLimits()
        self._known: dict[str, Known] = {}
        self._unwritten, self._damaged = Unwritten(), Damaged(store, clock)
        self._snapshots = Snapshots(store, clock, limits)

    def samples(self) -> Iterable[Sample]:
        """What there is to count."""
        return self._damaged.samples()

    async def run_due(self) -> int:
        """Run one turn for each repository that is due now; returns how many there were.

        A store that fails one of them is told (`StoreUnavailable`) once the others have had theirs.
        """
        leases = await self._store.claim(self._loop_limits.parallel, self._loop_limits.lease)
        problem: StoreUnavailable | None = None
        for lease in leases:
            try:
                await self.run(lease)
            except StoreUnavailable as told_by_store:
                problem = told_by_store
        if problem is not None:
            raise problem
        return len(leases)

    async def run(self, lease: Lease) -> None:
        """Run a turn and release its lease; a turn that fails comes back later, and the others go on."""
        try:
            await self.turn(lease)
        except LeaseLost:
            self._known.pop(lease.key, None)
        except StoreUnavailable:
            self._known.pop(lease.key, None)
            with suppress(StoreUnavailable):  # what cannot be given back runs out: nobody renews it any more
                await self._come_back(lease, self._backoff(lease))
            raise
        except JournalCorrupt as damage:
            self._known.pop(lease.key, None)
            await self._damaged.tell(damage)
            await self._come_back(lease, self._loop_limits.longest_backoff)
        except Exception:
            self._known.pop(lease.key, None)
            wait = self._backoff(lease)
            log.exception("the turn of %s failed for the %d. time; again in %.0f s", lease.key, lease.attempts, wait)
            await self._come_back(lease, wait)

    def _backoff(self, lease: Lease) -> float:
        return min(2.0**lease.attempts, self._loop_limits.longest_backoff)

    async def _come_back(self, lease: Lease, wait: float) -> None:
        await self._store.release(lease, self._clock.now() + wait, failed=True)

    async def turn(self, lease: Lease) -> None:
        """Carry out one turn, as one function where the database is; it gives the lease back."""
        if lease.key == APP:
            await self._store.turn(lease, spread)
            return
        self._snapshots.check(lease.key)
        # Until the transaction is through, the cache may run ahead of the journal.
        known = self._known.pop(lease.key, None) or await self._fold(lease.key)
        known.tried = frozenset()
        try:
            await self._store.turn(lease, lambda unit: self._turn(unit, lease.key, known))
        except StoreUnavailable as problem:
            self._unwritten.note(lease.key, known.tried, problem.why, self._clock.now())
            raise
        self._unwritten.forget(lease.key)
        self._damaged.mended(lease.key)
        if not known.stale:
            self._known[lease.key] = known
            self._snapshots.after_turn(lease.key, known)

    async def settled(self) -> None:
        """Wait for what goes on beside the turns."""
        await self._snapshots.settled()

    async def close(self) -> None:
        """Give up what goes on beside the turns."""
        await self._snapshots.close()

    async def _fold(self, key: str) -> Known:
        """Fold a journal from its newest snapshot on, page by page, so that nobody waits for it."""
        known, last = await self._snapshots.begin(key)
        async for row in self._store.records(key, known.seq):
            known.take(row)
            last = row.at
        silent = 0.0 if last is None else self._clock.now() - last
        if silent > self._limits.sweep_every:
            log.warning(
                "%s: nothing was recorded for %.0f min; the regular look finds what was missed", key, silent / 60
            )
        return known

    def _turn(self, unit: Work, key: str, known: Known) -> float | None:
        """Take in, decide, order; returns when the repository is due again without anything new."""
        for row in unit.records(key, known.seq):
            known.take(row)
            known.fresh = True  # another process had a turn: what it left to be decided only it knows
        deliveries = unit.deliveries(key, self._loop_limits.batch, COMMANDS, AWAITED)
        taken = self._take_in(unit, key, known, deliveries)
        refused = tuple(self._unwritten.facts(key, known.state))
        known.record(refused)
        known.wait(sorted(concerned(known.state, refused)))
        again = self._decide(key, known)
        known.write(unit, key)
        unit.handled(taken)
        more = len(taken) < len(deliveries) or len(deliveries) == self._loop_limits.batch
        return self._clock.now() if known.waiting or more else again

    def _take_in(self, unit: Work, key: str, known: Known, deliveries: Iterable[Received]) -> list[str]:
        """Append the deliveries' facts, fold them, and note which pull requests are to be decided; gives the GUIDs of
        those that were taken in.
        """
        facts: list[Fact] = []
        taken: list[str] = []
        before = ahead = known.state
        for delivery in deliveries:
            if len(facts) >= self._loop_limits.facts:
                break
            taken.append(delivery.guid)
            for fact in self._facts(key, delivery):
                if is_news(ahead, fact):
                    ahead = fold_or_park(ahead, fact)
                    facts.append(fact)
        for fact in facts:
            marked = touched(ahead, fact, before)
            known.wait(sorted(ahead.pulls if marked is None else marked), first=is_urgent(ahead, fact, before))
        known.observe(unit, key, facts, ahead)
        return taken

    def _facts(self, key: str, delivery: Received) -> tuple[Fact, ...]:
        try:
            translation = translate(delivery.event, json.loads(delivery.body), self._own_app, delivery.guid)
        except Exception:
            # It would fail the same way in every turn, and the repository would stand still.
            log.exception("%s: delivery %s (%s) is left out", key, delivery.guid, delivery.event)
            return ()
        if translation.ignored:
            brought = "did not bring all" if translation.facts else "brought nothing"
            log.info("%s: delivery %s (%s) %s: %s", key, delivery.guid, delivery.event, brought, translation.ignored)
        return translation.facts

    def _decide(self, key: str, known: Known) -> float | None:
        now = self._clock.now()
        ours = decide_repository(known.state, now, self._limits)
        known.record(ours.facts)
        if ours.facts or known.fresh:
            known.wait(sorted(known.state.pulls))
        known.wait(sorted(number for number, at in known.again.items() if at <= now))
        for number in known.next(self._loop_limits.pulls):
            again = self._decide_pull(key, known, number, now)
            known.again.pop(number, None)
            if again is not None:
                known.again[number] = again
        known.start(key, ours.actions, now)
        known.fresh = False
        return earlier(ours.again_at, min(known.again.values(), default=None))

    def _decide_pull(self, key: str, known: Known, number: PullNumber, now: float) -> float | None:
        """Decide until nothing new is to be recorded: what is said follows from what was just recorded."""
        for _ in range(self._loop_limits.rounds):
            wanted = self._decide_or_park(key, known, number, now)
            known.record(wanted.facts)
            begun = known.start(key, wanted.actions, now)
            known.wait(
                sorted(other for each in begun for other in (touched(known.state, each) or ()) if other != number)
            )
            known.wait(sorted(other for fact in wanted.facts for other in also_concerned(known.state, fact)))
            if not wanted.facts:
                return wanted.again_at
        return now  # there is more to decide than one turn should take

    def _decide_or_park(self, key: str, known: Known, number: PullNumber, now: float) -> Due:
        try:
            return decide_pull(known.state, number, now, self._limits)
        except Exception as error:
            log.exception("%s: pull request %d cannot be decided; it is parked", key, number)
            head = known.state.pulls[number].seen.head_sha
            why = f"{type(error).__name__} while it was decided"
            known.record([EngineStuck(number=number, head_sha=head, error=why)])
            return Due()
