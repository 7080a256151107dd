"""What the client's tests share: an App with a real key, a clock that jumps, and two ways to be GitHub.

`canned` is aioresponses, for replies that no server would give; `hub` is a real aiohttp server, for redirects, streams and ETags.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest
from aioresponses import aioresponses, core
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from github_double import MINT, CannedResponse, Hub, token_reply

from bot.clock import ManualClock
from bot.github import GitHub, Installation, open_session
from bot.github.identity import AppSettings


@pytest.fixture(scope="session")
def private_key() -> rsa.RSAPrivateKey:
    """An App's key."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="session")
def pem(private_key: rsa.RSAPrivateKey) -> str:
    """The same as GitHub gives it for download."""
    return private_key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


@pytest.fixture
def clock() -> ManualClock:
    """Time that passes only by sleeping and by being told."""
    return ManualClock()


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """The session that the process would open."""
    async with open_session() as opened:
        yield opened


@pytest.fixture
def settings(pem: str) -> AppSettings:
    """The App at the public GitHub."""
    return AppSettings(app_id="123456", private_key=pem)


@pytest.fixture
def github(session: aiohttp.ClientSession, settings: AppSettings, clock: ManualClock) -> GitHub:
    """The client at the public GitHub (canned)."""
    return GitHub(session, settings, clock)


@pytest.fixture
def installation(github: GitHub) -> Installation:
    """Installation 7."""
    return github.installation(7)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[aioresponses]:
    """Aioresponses replies; nothing is answered unless a test says so."""
    monkeypatch.setattr(core, "ClientResponse", CannedResponse)
    with aioresponses() as canned:
        yield canned


@pytest.fixture
def canned(bare: aioresponses, clock: ManualClock) -> aioresponses:
    """Aioresponses replies, with tokens for installation 7."""
    bare.post(MINT, status=201, payload=token_reply(clock), repeat=True)
    return bare


@pytest.fixture
async def hub(clock: ManualClock) -> AsyncIterator[Hub]:
    """GitHub's API as a real server."""
    made = Hub(clock)
    async with made.server:
        yield made


@pytest.fixture
async def blobs(clock: ManualClock) -> AsyncIterator[Hub]:
    """Another origin: where logs and artifacts lie."""
    made = Hub(clock)
    async with made.server:
        yield made


@pytest.fixture
def real(session: aiohttp.ClientSession, pem: str, hub: Hub, clock: ManualClock) -> Installation:
    """Installation 7 at the real server."""
    return GitHub(session, AppSettings(app_id="123456", private_key=pem, base_url=hub.url), clock).installation(7)
