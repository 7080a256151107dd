"""gidgethub for one call: its headers, conditional requests, decoding and `Link` reading, over our wire.

gidgethub keeps one rate limit for all tokens and throws an answer's headers away (GITHUB.md 7.3, 7.7), so an object of
it lives for a single call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import gidgethub
import gidgethub.aiohttp

from bot.github.auth import Credential
from bot.github.etags import EtagView
from bot.github.values import Answer, Reply, Request
from bot.github.wire import Wire

REQUESTER: Final = "failres"
# Unversioned calls move on to the next version by themselves, and 2026-03-10 drops fields (GITHUB.md 0); Enterprise
# servers know this one.
API_VERSION: Final = "2022-11-28"
# What gidgethub raises on answers that are no success or no sense: the raw answer then tells.
_UNREADABLE = (gidgethub.GitHubException, ValueError, LookupError, TypeError, AttributeError, RecursionError)


class Exchange(gidgethub.aiohttp.GitHubAPI):
    """One call with one credential."""

    def __init__(self, wire: Wire, cache: EtagView | None, *, harmless: bool) -> None:
        super().__init__(wire.session, REQUESTER, cache=cache)
        self._wire, self._harmless = wire, harmless
        self.answer: Answer | None = None

    async def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, Mapping[str, str], bytes]:
        headers = {**headers, "x-github-api-version": API_VERSION}
        self.answer = await self._wire.send(method, url, headers, body, harmless=self._harmless)
        return self.answer.status, self.answer.headers, self.answer.body

    async def ask(self, request: Request, credential: Credential) -> Reply | Answer:
        """A Reply on success, else the raw Answer. Raises Unavailable."""
        try:
            data, next_url, status = await self._make_request(
                request.method,
                request.url,
                None,
                b"" if request.body is None else request.body,
                request.accept,
                jwt=credential.text if credential.app else None,
                oauth_token=None if credential.app else credential.text,
            )
        except _UNREADABLE:
            if self.answer is None:
                raise
            return self.answer
        answer = self._answered()
        if _is_page(request, answer):
            if self._cache is not None:
                self._cache.pop(request.url, None)
            return answer
        return Reply(status, data, answer.headers, status == 304, next_url)

    def _answered(self) -> Answer:
        assert self.answer is not None, "a reply has an answer behind it"
        return self.answer


def _is_page(request: Request, answer: Answer) -> bool:
    """A proxy's page, or something without a type, where JSON was asked for."""
    if not request.accept.endswith("+json") or ".raw" in request.accept or not answer.body:
        return False
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json"
