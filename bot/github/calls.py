"""Calls of one identity: admitted by its budget, signed, sent, tried again where that is safe and short.

What is waited for here is seconds: a read that failed, a token that is seconds old. A rate limit is raised with the
time at which to come back, so that the outbox waits and other installations go on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from bot.github.answers import decoded, limit_hit, message_of, trouble
from bot.github.auth import FRESH_FOR, FRESH_WAITS, Credential, Signer
from bot.github.budget import Budget
from bot.github.errors import GitHubError, PermissionMissing, Refused, Unavailable
from bot.github.etags import EtagView
from bot.github.exchange import Exchange
from bot.github.values import Answer, LimitHit, Reply, Request
from bot.github.wire import Wire

Cached: TypeAlias = Callable[[str], EtagView]  # media type -> what this identity got before


@dataclass(slots=True)
class Tries:
    """What one call has used up."""

    waits: int = 0
    fresh: int = 0
    renewed: bool = False


class Calls:
    """Sends requests as one identity."""

    def __init__(self, wire: Wire, signer: Signer, budget: Budget, cached: Cached) -> None:
        self.wire, self.signer, self.budget, self.clock = wire, signer, budget, budget.clock
        self._cached = cached

    async def send(self, request: Request) -> Reply:
        """The reply. Raises one of `bot.github.errors`."""
        tries = Tries()
        while True:
            credential = await self.signer.credential()
            outcome = await self._attempt(request, credential)
            if isinstance(outcome, Reply):
                return outcome
            if not await self.again(outcome, credential, tries):
                raise outcome

    async def _attempt(self, request: Request, credential: Credential) -> Reply | GitHubError:
        self.budget.admit(request.resource, reserve=request.reserve)
        cache = self._cached(request.accept) if request.method == "GET" and not request.anew else None
        exchange = Exchange(self.wire, cache, harmless=request.harmless)
        try:
            outcome = await exchange.ask(request, credential)
        except Unavailable as problem:
            return problem
        finally:
            self.settle(request.resource, exchange.answer)
        if isinstance(outcome, Answer):
            return self.failure(request.resource, outcome, request.path, write=not request.harmless)
        inside = request.examine(outcome)
        if isinstance(inside, LimitHit):
            return self.budget.limited(request.resource, inside)
        return outcome if inside is None else inside

    def settle(self, resource: str, answer: Answer | None) -> None:
        """Tell the budget how an admitted request ended."""
        if answer is None:
            self.budget.settle(resource, None, {}, 1)
        else:
            self.budget.settle(resource, answer.status, answer.headers, answer.hops)

    def failure(self, resource: str, answer: Answer, path: str, *, write: bool) -> GitHubError:
        """The error that an unsuccessful answer stands for."""
        hit = limit_hit(answer.status, answer.headers, message_of(decoded(answer)), self.clock.now())
        return trouble(answer, path, write=write) if hit is None else self.budget.limited(resource, hit)

    async def again(self, problem: GitHubError, credential: Credential, tries: Tries) -> bool:
        """Whether to send once more, after a short wait where one helps."""
        waits = self.wire.limits.read_waits
        if isinstance(problem, Unavailable):
            if tries.waits >= len(waits) or problem.maybe_done:
                return False
            await self.clock.sleep(waits[tries.waits])
            tries.waits += 1
            return True
        status = (
            403 if isinstance(problem, PermissionMissing) else problem.status if isinstance(problem, Refused) else 0
        )
        if status not in {401, 403} or credential.app:
            return False
        age = self.clock.now() - credential.obtained_at
        if age < FRESH_FOR and tries.fresh < len(FRESH_WAITS):
            await self.clock.sleep(FRESH_WAITS[tries.fresh])
            tries.fresh += 1
            return True
        if status == 403 or tries.renewed:
            return False
        tries.renewed = True
        return self.signer.renew(credential)
