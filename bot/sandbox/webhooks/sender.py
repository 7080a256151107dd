"""Sends one message over HTTP and tells how it went, in GitHub's words."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import aiohttp

from bot.sandbox.webhooks.delivery_log import Message

TIMEOUT_SECONDS = 10.0
"""GitHub waits ten seconds for an answer."""

_KEPT_ANSWER = 4096


@dataclass(frozen=True)
class Answer:
    """What came back; `code` 0 where nothing did; `seconds` it took."""

    code: int
    status: str
    seconds: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None


UNREACHABLE = Answer(0, "failed to connect to host")


class Sender:
    """One HTTP session, made at the first message."""

    def __init__(self, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._timeout = aiohttp.ClientTimeout(total=timeout_seconds)
        self._session: aiohttp.ClientSession | None = None

    async def send(self, url: str, message: Message) -> Answer:
        """Post a message. GitHub follows no redirects, and counts only 2xx as delivered."""
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=self._timeout)
        begun = time.monotonic()
        try:
            async with self._session.post(
                url, data=message.body, headers=dict(message.headers), allow_redirects=False
            ) as answer:
                body = (await answer.content.read(_KEPT_ANSWER)).decode("utf-8", "replace")
                fine = 200 <= answer.status < 300
                status = "OK" if fine else f"Invalid HTTP Response: {answer.status}"
                return Answer(answer.status, status, time.monotonic() - begun, dict(answer.headers), body)
        except TimeoutError:
            return Answer(0, "timed out", time.monotonic() - begun)
        except aiohttp.ClientError:
            return Answer(0, UNREACHABLE.status, time.monotonic() - begun)

    async def close(self) -> None:
        """Close the session."""
        if self._session is not None:
            await self._session.close()
            self._session = None
