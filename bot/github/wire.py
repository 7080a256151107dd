"""One request over HTTP, redirects followed by hand, every failure of the network an `Unavailable`.

aiohttp would turn a POST that meets a 301 into a GET without a body (GITHUB.md trap 35). Here a read follows any
redirect; a write follows only 307 and 308, with its method and body, and only within the same origin. A credential
never leaves the origin that it was made for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import aiohttp
from yarl import URL

from bot.github.errors import Unavailable
from bot.github.paths import origin, path_of, redirected
from bot.github.values import READS, Answer

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
KEEPS_METHOD: Final = frozenset({307, 308})


@dataclass(frozen=True, slots=True)
class WireLimits:
    """Seconds and bytes. GitHub itself gives up on a request after 10 s; downloads are bounded by silence, not by their
    whole time.
    """

    connect: float = 10.0
    total: float = 30.0
    silence: float = 30.0
    hops: int = 5
    reply_bytes: int = 64 * 1024 * 1024
    read_waits: tuple[float, ...] = (1.0, 3.0)  # before a read, or what never left, is sent again

    @property
    def call(self) -> aiohttp.ClientTimeout:
        """For an API call."""
        return aiohttp.ClientTimeout(total=self.total, connect=self.connect)

    @property
    def download(self) -> aiohttp.ClientTimeout:
        """For a stream."""
        return aiohttp.ClientTimeout(total=None, connect=self.connect, sock_read=self.silence)


class Wire:
    """Sends over one aiohttp session."""

    def __init__(self, session: aiohttp.ClientSession, limits: WireLimits) -> None:
        self.session, self.limits = session, limits

    async def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes, *, harmless: bool) -> Answer:
        """The last answer of a chain of redirects. Raises Unavailable, with doubt about what was done unless the
        request is `harmless`.
        """
        headers = {name: value for name, value in headers.items() if name.lower() != "content-length"}
        for hop in range(1, self.limits.hops + 1):
            try:
                answer = await self._once(method, url, headers, body, hop)
                if answer is None:
                    raise Unavailable(
                        f"{path_of(url)} answered more than {self.limits.reply_bytes} bytes", maybe_done=not harmless
                    )
            except (aiohttp.ClientError, TimeoutError, OSError) as problem:
                raise unreachable(problem, url, write=not harmless) from None
            target = followed(method, url, answer)
            if target is None:
                return answer
            if origin(target) != origin(url):
                headers.pop("authorization", None)
            url = target
        raise Unavailable(f"{path_of(url)} redirects without end")

    async def _once(self, method: str, url: str, headers: Mapping[str, str], body: bytes, hop: int) -> Answer | None:
        async with self.session.request(
            method,
            URL(url, encoded=True),
            headers=headers,
            data=body or None,
            allow_redirects=False,
            timeout=self.limits.call,
        ) as response:
            chunks = bytearray()
            async for chunk in response.content.iter_chunked(64 * 1024):
                chunks += chunk
                if len(chunks) > self.limits.reply_bytes:
                    return None
            return Answer(response.status, response.headers, bytes(chunks), hop)


def followed(method: str, url: str, answer: Answer) -> str | None:
    """Where to go next, or None where this answer is the last."""
    location = answer.headers.get("location")
    if answer.status not in REDIRECTS or not location:
        return None
    target = redirected(url, location)
    if target is None or method in READS:
        return target
    return target if answer.status in KEEPS_METHOD and origin(target) == origin(url) else None


def unreachable(problem: BaseException, url: str, *, write: bool) -> Unavailable:
    """The kind of failure in words; never the library's own text, which may quote addresses with their signatures."""
    never_left = isinstance(problem, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError | aiohttp.InvalidURL)
    reason = "no answer in time" if isinstance(problem, asyncio.TimeoutError) else type(problem).__name__
    return Unavailable(f"{path_of(url)}: {reason}", maybe_done=write and not never_left)
