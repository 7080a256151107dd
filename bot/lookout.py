"""The regular look at GitHub itself: what was missed while failres, the network or GitHub was down.

Every few minutes the App's failed deliveries are asked for again and its installations' repositories are listed. Intake
knows each delivery by its GUID and the journal takes only news, so that looking costs calls and nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.clock import Clock
from bot.github import GitHub, GitHubError, NotFound, RateLimited, Refused, route
from bot.installations import repositories_of, told
from bot.objects import NotUnderstood, repo_observed, seconds, understood
from bot.store import Store
from resolver.facts import InstallationChanged, RepoObserved
from resolver.ids import InstallationId, RepoId

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LookoutLimits:
    """`every` seconds; at most `deliveries` are looked through, as far back as GitHub redelivers (`reach`, 3 days)."""

    every: float = 300.0
    deliveries: int = 500
    reach: float = 3 * 86_400.0


class Lookout:
    """Looks once at each call of `look`; what it remembers in between only saves work."""

    def __init__(self, store: Store, github: GitHub, clock: Clock, limits: LookoutLimits | None = None) -> None:
        self._store, self._github, self._clock = store, github, clock
        self.limits = limits or LookoutLimits()
        self._seen: dict[RepoId, RepoObserved] = {}
        self._known: set[RepoId] | None = None
        self._missed: set[RepoId] = set()
        self._asked: set[int] = set()

    async def look(self) -> None:
        """Ask for failed deliveries, then list the repositories. What fails is told in the log and tried next time."""
        for what, part in (("failed deliveries", self._redeliver), ("installations", self._installations)):
            try:
                await part()
            except (GitHubError, NotUnderstood) as problem:
                log.warning("the regular look at %s broke off: %s", what, problem)

    async def _redeliver(self) -> None:
        answered: set[str] = set()
        failed: dict[str, int] = {}
        listed: set[int] = set()
        async for delivery in self._deliveries():
            with understood("delivery"):
                guid, number = str(delivery["guid"]), int(delivery["id"])
                listed.add(number)
                if 200 <= int(delivery.get("status_code") or 0) < 300:
                    answered.add(guid)
                else:
                    failed.setdefault(guid, number)
        self._asked &= listed
        for number in [each for guid, each in failed.items() if guid not in answered and each not in self._asked]:
            await self._ask_for(number)

    async def _ask_for(self, number: int) -> None:
        """Ask for one delivery; GitHub may refuse one that is too old, and the others are asked for all the same."""
        try:
            await self._github.app_post(route("/app/hook/deliveries/{id}/attempts", id=number))
            log.info("asked GitHub for delivery %d, which had failed", number)
        except (NotFound, Refused) as problem:
            log.warning("delivery %d is not sent again: %s", number, problem)
        self._asked.add(number)

    async def _deliveries(self) -> AsyncIterator[Mapping[str, Any]]:
        oldest = self._clock.now() - self.limits.reach
        looked = 0
        async for delivery in self._github.app_pages("/app/hook/deliveries"):
            looked += 1
            if looked > self.limits.deliveries or (seconds(delivery.get("delivered_at")) or 0.0) < oldest:
                return
            yield delivery

    async def _installations(self) -> None:
        there: set[RepoId] = set()
        whole = True
        async for installation in self._github.app_pages("/app/installations"):
            with understood("installation"):
                number = InstallationId(int(installation["id"]))
            if installation.get("suspended_at") is None:
                whole = await self._repositories(number, there) and whole
        if whole:
            await self._vanished(there)

    async def _repositories(self, installation: InstallationId, there: set[RepoId]) -> bool:
        """List what one installation holds, and say whether that was all; whatever keeps GitHub from telling keeps no
        other from being looked at.
        """
        listed = self._github.installation(installation).pages("/installation/repositories", key="repositories")
        try:
            async for item in listed:
                repo = repo_observed(item, installation)
                there.add(repo.repo_id)
                await self._tell(repo)
        except RateLimited as limit:
            log.info("installation %d is resting: %s", installation, limit)
            return False
        except (GitHubError, NotUnderstood) as problem:
            log.warning("the repositories of installation %d could not be listed: %s", installation, problem)
            return False
        return True

    async def _tell(self, repo: RepoObserved) -> None:
        if self._seen.get(repo.repo_id) == repo:
            return
        await self._store.receive(told(self._name(), repo.repo_id, repo))
        self._seen[repo.repo_id] = repo

    async def _vanished(self, there: set[RepoId]) -> None:
        """Tell those that no installation holds any more, where two looks in a row have missed them."""
        if self._known is None:
            self._known = set(repositories_of(await self._store.keys()))
        missing = (self._known | set(self._seen)) - there
        for repo in sorted(missing & self._missed):
            gone = InstallationChanged(installation_id=None, active=False, at=self._clock.now())
            await self._store.receive(told(self._name(), repo, gone))
            log.warning("repository %d is in no installation any more, of which no delivery told", repo)
            self._known.discard(repo)
            self._seen.pop(repo, None)
        self._missed = missing

    def _name(self) -> str:
        return f"look:{self._clock.now():.3f}"
