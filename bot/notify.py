"""Notifications to people outside of GitHub, over webhooks that take Slack's form.

The addresses are secrets of the server's settings: here alone they are used, and no error, log line or record holds
one. A redirect is not followed, so that nothing is sent anywhere but where the operator said. Delivery is at least
once: a process that dies after sending and before recording sends again, and the question's id in the text (and in the
header `Idempotency-Key`) tells that it is the same.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final

import aiohttp
from pydantic import SecretStr

TOTAL: Final = 10.0
CONNECT: Final = 5.0
CONNECTIONS: Final = 8
RETRIED: Final = frozenset({408, 425, 429})
"""Statuses besides 5xx after which the same request may go well later."""

LONGEST_WAIT: Final = 3_600.0


@dataclass(frozen=True, slots=True)
class Sent:
    """The receiver has it."""


@dataclass(frozen=True, slots=True)
class NotSent:
    """The receiver does not have it, or nobody knows. `final`: trying again cannot help. `wait`: the receiver asks for
    so many seconds.
    """

    reason: str
    final: bool = False
    wait: float | None = None


@dataclass(frozen=True, slots=True)
class Destinations:
    """Where notifications may go, by the names that repositories use."""

    session: aiohttp.ClientSession | None = None
    addresses: Mapping[str, SecretStr] = field(default_factory=lambda: MappingProxyType({}))

    async def send(self, name: str, body: Mapping[str, Any], mark: str) -> Sent | NotSent:
        """Post once. `mark` is the same for the same notification."""
        address = self.addresses.get(name)
        if address is None or self.session is None:
            return NotSent("the server's settings have no destination of that name", final=True)
        headers = {"Idempotency-Key": mark}
        try:
            async with self.session.post(
                address.get_secret_value(), json=dict(body), headers=headers, allow_redirects=False
            ) as answer:
                return _judged(answer)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as problem:
            return NotSent(f"the receiver could not be reached ({type(problem).__name__})")  # its text has the address


def _judged(answer: aiohttp.ClientResponse) -> Sent | NotSent:
    status = answer.status
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return Sent()
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        why = f"the receiver redirects ({status}), which is not followed; the server's settings need its own address"
        return NotSent(why, final=True)
    if status in RETRIED or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return NotSent(f"the receiver answered {status}", wait=_wait(answer.headers.get("Retry-After", "")))
    return NotSent(f"the receiver refused it ({status})", final=True)


def _wait(retry_after: str) -> float | None:
    return min(float(retry_after), LONGEST_WAIT) if retry_after.isascii() and retry_after.isdigit() else None


@asynccontextmanager
async def open_destinations(addresses: Mapping[str, SecretStr]) -> AsyncIterator[Destinations]:
    """Open the connections: none through a proxy that the environment names, no cookies, bounded times."""
    timeout = aiohttp.ClientTimeout(total=TOTAL, connect=CONNECT)
    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    async with aiohttp.ClientSession(
        connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False
    ) as session:
        yield Destinations(session, addresses)
