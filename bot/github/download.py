"""Logs and artifacts: GitHub answers with a link to another origin, which refuses our credential and dies after a
minute (GITHUB.md trap 19).

So the link is asked for with the token, opened without it, and read in chunks up to a cap. A dead link is asked for
once more. A job's log is not there before the job completes: 404, told in XML by the other origin (trap 16).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Final

import aiohttp
from yarl import URL

from bot.github.calls import Calls, Tries
from bot.github.errors import GitHubError, NotFound, Refused, TooLarge, Unavailable
from bot.github.exchange import API_VERSION, REQUESTER
from bot.github.paths import origin, redirected
from bot.github.values import JSON, Answer, Request
from bot.github.wire import REDIRECTS, unreachable

CHUNK_BYTES: Final = 64 * 1024
REASON_BYTES: Final = 4 * 1024  # of an error's body: enough to find its code
NO_BLOB: Final = b"BlobNotFound"
DEAD_LINK: Final = frozenset({400, 401, 403, 410})


async def download(calls: Calls, request: Request, *, cap_bytes: int) -> AsyncGenerator[bytes, None]:
    """The bytes behind `request`, decompressed, at most `cap_bytes` of them; then TooLarge if there are more.

    Before the first chunk it raises like any call (NotFound: not there yet). Later only Unavailable: what came is then
    incomplete.
    """
    link = _Link(calls, request)
    async with aclosing(link.chunks()) as chunks:
        left = cap_bytes
        async for chunk in chunks:
            yield chunk[:left] if left < len(chunk) else chunk
            left -= len(chunk)
            if left < 0:
                raise TooLarge(request.path, cap_bytes)


class _Link:
    """One download: two requests, each of which may have to be sent again before the first byte was handed over."""

    def __init__(self, calls: Calls, request: Request) -> None:
        self._calls, self._request = calls, request
        self._asked_again = False
        self._begun = False

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The whole body."""
        tries = Tries()
        while True:
            try:
                async with aclosing(self._stream(await self._find(tries))) as stream:
                    async for chunk in stream:
                        self._begun = True
                        yield chunk
            except Unavailable as problem:
                credential = await self._calls.signer.credential()
                if self._begun or not await self._calls.again(problem, credential, tries):
                    raise
            except _DeadLinkError as dead:
                if self._asked_again:
                    raise dead.problem from None
                self._asked_again = True
            else:
                return

    async def _find(self, tries: Tries) -> str:
        """The address of the bytes."""
        while True:
            credential = await self._calls.signer.credential()
            outcome = await self._ask(credential.text)
            if isinstance(outcome, str):
                return outcome
            if isinstance(outcome, Unavailable) or not await self._calls.again(outcome, credential, tries):
                raise outcome

    async def _ask(self, token: str) -> str | GitHubError:
        request, calls = self._request, self._calls
        headers = {
            "authorization": f"token {token}",
            "accept": JSON,
            "user-agent": REQUESTER,
            "x-github-api-version": API_VERSION,
        }
        url = request.url
        for _ in range(calls.wire.limits.hops):
            calls.budget.admit(request.resource, reserve=request.reserve)
            answer: Answer | None = None
            try:
                answer = await self._head(url, headers)
            except (aiohttp.ClientError, TimeoutError, OSError) as problem:
                return unreachable(problem, url, write=False)
            finally:
                calls.settle(request.resource, answer)
            location = answer.headers.get("location")
            if answer.status not in REDIRECTS or not location:
                return Unavailable(f"{request.path} gave no link") if answer.status < 400 else self._refusal(answer)
            target = redirected(url, location)
            if target is None:
                return Unavailable(f"{request.path} gave a link that may not be opened")
            # A renamed repository moves within the API; anything else is the link.
            if answer.status == 302 or origin(target) != origin(url):
                return target
            url = target
        return Unavailable(f"{request.path} redirects without end")

    def _refusal(self, answer: Answer) -> GitHubError:
        return self._calls.failure(self._request.resource, answer, self._request.path, write=False)

    async def _head(self, url: str, headers: Mapping[str, str]) -> Answer:
        wire = self._calls.wire
        address = URL(url, encoded=True)
        async with wire.session.get(
            address, headers=headers, allow_redirects=False, timeout=wire.limits.call
        ) as response:
            body = b"" if response.status in REDIRECTS else await response.content.read(REASON_BYTES)
            return Answer(response.status, response.headers, body, 1)

    async def _stream(self, link: str) -> AsyncGenerator[bytes, None]:
        wire = self._calls.wire
        address = URL(link, encoded=True)
        try:
            async with wire.session.get(
                address, headers={"user-agent": REQUESTER}, timeout=wire.limits.download
            ) as response:
                if response.status != 200:
                    raise self._no_bytes(response.status, await response.content.read(REASON_BYTES))
                async for chunk in response.content.iter_chunked(CHUNK_BYTES):
                    yield chunk
        except (aiohttp.ClientError, TimeoutError, OSError) as problem:
            raise unreachable(problem, link, write=False) from None

    def _no_bytes(self, status: int, reason: bytes) -> Exception:
        path = self._request.path
        if status == 404 and NO_BLOB in reason:
            return NotFound(path, "there is no such log or artifact yet")
        if status in DEAD_LINK:
            return _DeadLinkError(Refused(status, f"the link to {path} is refused"))
        if status == 404:
            return _DeadLinkError(NotFound(path, "the link leads nowhere"))
        return Unavailable(f"the link to {path} answered {status}")


class _DeadLinkError(Exception):
    """The link did not open; a new one may."""

    def __init__(self, problem: GitHubError) -> None:
        super().__init__()
        self.problem = problem
