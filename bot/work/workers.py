"""The workers: take orders from the outbox, carry them out, and send what came of them back through the inbox.

An order that may have reached GitHub already is carried out the same way: every write looks first for what is there.
A call to the model cannot be looked up, so that one which may have been made already is given up. Rate limits hold the
installation's lanes and nobody else's.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial

from bot.aside import Aside
from bot.clock import Clock
from bot.github import GitHub, GitHubError, NotFound, PermissionMissing, RateLimited, Refused, TooLarge, Unavailable
from bot.llm import Model, Replied
from bot.notify import Destinations
from bot.orders import ASIDE, Assignment, acts, assignment_of, is_urgent, lane, writes
from bot.store import LeasedOrder, LeaseLost, Store, StoreUnavailable
from bot.work.act.consult import CUT_OFF, answered, later
from bot.work.act.notice import NotYet
from bot.work.observe.logs import no_log
from bot.work.outcome import Outcome, deliveries_of
from bot.work.pacing import Pacing
from bot.work.perform import perform
from bot.work.place import Pace, Place
from resolver.actions import AnyAction, ReadLog
from resolver.actions.model import CallModel

log = logging.getLogger(__name__)

KEPT = "what is left of this hour's writes is kept for answers to people, kill switches and landing"


def _unrecorded(problem: Exception) -> None:
    log.error("what came of an order beside the others was not recorded: %s", problem)


class Workers:
    """All workers of one process. `stopped` is the operator's switch: why nothing may be written on a repository, given
    by its name and id, or None.
    """

    def __init__(
        self,
        store: Store,
        github: GitHub,
        clock: Clock,
        stopped: Callable[[str, int], str | None],
        *,
        web_url: str,
        pace: Pace | None = None,
        destinations: Destinations | None = None,
        model: Model | None = None,
    ) -> None:
        self._store, self._github, self._clock, self._stopped = store, github, clock, stopped
        self._web_url, self._pace = web_url, pace or Pace()
        self._pacing = Pacing(self._pace)
        self._destinations, self._model = destinations or Destinations(), model
        self._aside = Aside(_unrecorded)

    async def run_ready(self) -> int:
        """Carry out the orders that may go now, side by side; returns how many there were.

        Notifications and questions to the model go on beside it: nobody waits for a receiver that is slow. Raises
        StoreUnavailable, once the others have ended.
        """
        orders = await self._store.claim_orders(self._pace.orders, self._pace.lease)
        faults: list[StoreUnavailable] = []
        async with asyncio.TaskGroup() as group:
            for leased in orders:
                if leased.order.lane.startswith(ASIDE):
                    self._aside.begin(partial(self._carry_out, leased))
                else:
                    group.create_task(self._beside_others(leased, faults))
        if faults:
            raise faults[0]
        return len(orders)

    async def _beside_others(self, leased: LeasedOrder, faults: list[StoreUnavailable]) -> None:
        """Carry an order out; what the store refuses ends this order alone, where a group would cancel them all."""
        try:
            await self._carry_out(leased)
        except StoreUnavailable as problem:
            faults.append(problem)

    async def settled(self) -> None:
        """Wait for what is on its way beside the others."""
        await self._aside.settled()

    async def close(self) -> None:
        """Give up what is on its way; the orders are still there."""
        await self._aside.close()

    async def _carry_out(self, leased: LeasedOrder) -> None:
        try:
            await self._carry_out_or_put_back(leased)
        except LeaseLost:
            log.warning("%s was taken over by another worker", leased.order.action_key)

    async def _carry_out_or_put_back(self, leased: LeasedOrder) -> None:
        try:
            await self._begin(leased)
        except (LeaseLost, StoreUnavailable):
            raise
        except Exception as error:
            log.exception("%s failed in a way that was not foreseen", leased.order.action_key)
            wait = self._clock.now() + self._pace.refusal_rest
            await self._store.retry_order(leased, wait, reason=f"{type(error).__name__} in the worker")

    async def _begin(self, leased: LeasedOrder) -> None:
        assignment = assignment_of(leased.order)
        place = Place(
            self._github,
            assignment.repo,
            self._clock,
            self._pace,
            self._web_url,
            self._destinations,
            self._model,
            is_urgent(assignment.action),
        )
        if isinstance(assignment.action, CallModel):
            await self._ask(leased, assignment, assignment.action, place)
            return
        stopped = self._stopped_for(assignment) if acts(assignment.action) else None
        if stopped:
            rest = self._clock.now() + self._pace.stop_rest
            await self._store.retry_order(leased, rest, reason=stopped, tried=False)
            return
        lane_rests = None if place.urgent else self._pacing.rests_until(leased.order.lane, self._clock.now())
        if lane_rests is not None and writes(assignment.action):
            await self._store.retry_order(leased, lane_rests, reason=KEPT, tried=False)
            return
        await self._try(leased, assignment, place)

    async def _ask(self, leased: LeasedOrder, assignment: Assignment, action: CallModel, place: Place) -> None:
        """Ask the model in the order's first attempt alone; whatever keeps it from that ends this order for a later."""
        stopped = self._stopped_for(assignment)
        if leased.attempts > 1:
            outcome = answered(place, action, Replied(CUT_OFF))
        elif stopped:
            outcome = later(place, stopped)
        else:
            outcome = await perform(place, action, self._store)
        await self._finish(leased, assignment, outcome)

    def _stopped_for(self, assignment: Assignment) -> str | None:
        return self._stopped(assignment.repo.full_name, assignment.repo.repo_id)

    async def _try(self, leased: LeasedOrder, assignment: Assignment, place: Place) -> None:
        try:
            outcome = await self._perform(leased, assignment.action, place)
        except RateLimited as limit:
            await self._hold(leased, assignment, limit)
        except NotYet as problem:
            later = max(self._later(leased), self._clock.now() + (problem.wait or 0.0))
            await self._store.retry_order(leased, later, reason=str(problem))
        except NotFound as problem:
            await self._lagging(leased, assignment, problem)
        except Unavailable as problem:
            await self._store.retry_order(leased, self._later(leased), reason=str(problem))
        except (PermissionMissing, Refused, TooLarge) as problem:
            await self._finish(leased, assignment, self._refusal(problem))
        except GitHubError as problem:
            await self._store.retry_order(leased, self._later(leased), reason=str(problem))
        else:
            await self._finish(leased, assignment, outcome)

    async def _perform(self, leased: LeasedOrder, action: AnyAction, place: Place) -> Outcome:
        """Perform; a log that GitHub does not have after long enough is an outcome too."""
        try:
            return await perform(place, action, self._store)
        except NotFound as problem:
            if isinstance(action, ReadLog) and leased.attempts >= self._pace.lag_tries:
                return await no_log(place, action, problem)
            raise

    async def _hold(self, leased: LeasedOrder, assignment: Assignment, limit: RateLimited) -> None:
        """Let the installation rest until GitHub's time; both its lanes, unless only our own reserve is touched."""
        if limit.kind != "reserve":
            for write in (True, False):
                await self._store.lane_ready(lane(assignment.repo, write=write), limit.resume_at)
        await self._store.retry_order(leased, limit.resume_at, reason=str(limit))

    async def _lagging(self, leased: LeasedOrder, assignment: Assignment, problem: NotFound) -> None:
        """GitHub lags behind its own webhooks: ask again for a while before a thing counts as not there."""
        if leased.attempts < self._pace.lag_tries:
            await self._store.retry_order(leased, self._later(leased), reason=str(problem))
        else:
            await self._finish(leased, assignment, self._refusal(problem))

    def _refusal(self, problem: GitHubError) -> Outcome:
        return Outcome(refused=str(problem), retry_at=self._clock.now() + self._pace.refusal_rest)

    async def _finish(self, leased: LeasedOrder, assignment: Assignment, outcome: Outcome) -> None:
        wrote = writes(assignment.action) and outcome.refused is None
        ready = self._pacing.wrote(leased.order.lane, self._clock.now()) if wrote else None
        if outcome.refused:
            log.info("%s: not done: %s", leased.order.action_key, outcome.refused)
        *ahead, last = deliveries_of(leased, assignment, outcome)
        await self._store.finish_order(leased, last, ahead=ahead, lane_ready_at=ready, texts=dict(outcome.texts))

    def _later(self, leased: LeasedOrder) -> float:
        wait = min(self._pace.first_backoff * 2.0 ** (leased.attempts - 1), self._pace.longest_backoff)
        return self._clock.now() + wait
