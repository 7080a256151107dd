"""Logs and artifacts over two real origins: asked for with the token, fetched without it, never more than the cap."""

from __future__ import annotations

import asyncio
import gzip
from contextlib import aclosing

import pytest
from aiohttp import web
from github_double import reply

from bot.github import NotFound, RateLimited, Refused, TooLarge, Unavailable

LOGS = "/repositories/1/actions/jobs/5/logs"
SIGNED = "/blob/log.txt?sv=2021&sig=c2VjcmV0LXNpZ25hdHVyZQ%3D%3D"
GONE = (
    "<?xml version='1.0'?><Error><Code>BlobNotFound</Code><Message>The specified blob does not exist.</Message></Error>"
)
EXPIRED = "<?xml version='1.0'?><Error><Code>AuthenticationFailed</Code></Error>"


def link(blobs):
    """GitHub's answer: a link to the other origin."""
    return lambda _: web.Response(status=302, headers={"Location": blobs.url + SIGNED})


def blob(body: bytes, status: int = 200):
    """The other origin; it refuses a credential that is not its own, as the real one does."""

    def handler(request: web.Request) -> web.Response:
        if "Authorization" in request.headers:
            return web.Response(status=400, text="InvalidAuthenticationInfo")
        return web.Response(body=body, status=status)

    return handler


async def fill(got: bytearray, installation, cap: int) -> None:
    """Read on, keeping what came before an error."""
    async for chunk in installation.download(LOGS, cap_bytes=cap):
        got += chunk


async def read(installation, cap: int = 1_000_000) -> bytes:
    """The whole log."""
    return b"".join([chunk async for chunk in installation.download(LOGS, cap_bytes=cap)])


async def test_a_log_comes_from_the_other_origin_without_our_credential(real, hub, blobs):
    """GITHUB.md traps 17 and 19: the bytes come as they are, BOM, bad UTF-8 and all; the link is followed to the letter."""
    body = b"\xef\xbb\xbf2024-01-01T00:00:00.1234567Z \x1b[31mFAIL\xff\r\n" * 5000
    hub.answer("GET", LOGS, link(blobs))
    blobs.answer("GET", "/blob/log.txt", blob(body))
    assert await read(real) == body
    assert hub.requests[-1].headers["Authorization"].startswith("token ghs_")
    assert hub.requests[-1].headers["X-GitHub-Api-Version"] == "2022-11-28"
    assert "Authorization" not in blobs.requests[0].headers
    assert blobs.requests[0].raw_path == SIGNED
    assert [spent.calls for spent in real.budget.spending()] == [1]


async def test_a_log_of_a_renamed_repository_is_found(real, hub, blobs):
    """A 301 within the API, then the link."""
    hub.answer("GET", LOGS, lambda _: web.Response(status=301, headers={"Location": "/repositories/2/logs"}))
    hub.answer("GET", "/repositories/2/logs", link(blobs))
    blobs.answer("GET", "/blob/log.txt", blob(b"x"))
    assert await read(real) == b"x"


async def test_a_link_within_the_same_origin_is_opened_without_the_credential_too(real, hub):
    """An Enterprise server may keep its logs at its own address; a link carries its own right to be opened."""
    hub.answer("GET", LOGS, lambda _: web.Response(status=302, headers={"Location": "/storage/log?token=x"}))
    hub.answer("GET", "/storage/log", blob(b"log"))
    assert await read(real) == b"log"


@pytest.mark.parametrize(("size", "cap"), [(100_000, 99_999), (100_000, 1), (1, 0)])
async def test_no_more_than_the_cap_is_handed_over(real, hub, blobs, size, cap):
    """Exactly the cap, then TooLarge."""
    hub.answer("GET", LOGS, link(blobs))
    blobs.answer("GET", "/blob/log.txt", blob(b"a" * size))
    got = bytearray()
    with pytest.raises(TooLarge) as caught:
        await fill(got, real, cap)
    assert (len(got), caught.value.cap_bytes) == (cap, cap)


async def test_a_body_of_exactly_the_cap_is_whole(real, hub, blobs):
    """The cap itself is allowed."""
    hub.answer("GET", LOGS, link(blobs))
    blobs.answer("GET", "/blob/log.txt", blob(b"a" * 1000))
    assert len(await read(real, cap=1000)) == 1000


async def test_the_cap_counts_decompressed_bytes(real, hub, blobs):
    """A small answer that unpacks to a large one stops at the cap."""
    packed = gzip.compress(b"\0" * 5_000_000)
    hub.answer("GET", LOGS, link(blobs))
    blobs.answer("GET", "/blob/log.txt", lambda _: web.Response(body=packed, headers={"Content-Encoding": "gzip"}))
    got = bytearray()
    with pytest.raises(TooLarge):
        await fill(got, real, 100_000)
    assert len(got) == 100_000


async def test_an_endless_body_is_left_at_the_cap(real, hub, blobs):
    """It is a stream: nothing waits for its end."""

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"a" * 65_536)
            await asyncio.sleep(0)

    hub.answer("GET", LOGS, link(blobs))
    blobs.answer("GET", "/blob/log.txt", endless)
    async with asyncio.timeout(5):
        with pytest.raises(TooLarge):
            await read(real, cap=200_000)


async def test_leaving_early_closes_the_connection(real, hub, blobs, session):
    """A reader that has seen enough holds nothing open."""
    hub.answer("GET", LOGS, link(blobs))
    blobs.answer("GET", "/blob/log.txt", blob(b"a" * 2_000_000))
    async with aclosing(real.download(LOGS, cap_bytes=10_000_000)) as chunks:
        async for _ in chunks:
            break
    assert not session.connector._acquired


@pytest.mark.parametrize("status", [401, 403, 410])
async def test_a_link_that_died_is_asked_for_once_more(real, hub, blobs, status):
    """GITHUB.md trap 19: it lives for a minute."""
    hub.answer("GET", LOGS, link(blobs))
    blobs.answer("GET", "/blob/log.txt", blob(EXPIRED.encode(), status), blob(b"log"))
    assert await read(real) == b"log"
    assert len(hub.asked(LOGS)) == 2


async def test_a_link_that_stays_dead_is_a_refusal(real, hub, blobs):
    """Once more, not for ever."""
    hub.answer("GET", LOGS, link(blobs))
    blobs.answer("GET", "/blob/log.txt", blob(EXPIRED.encode(), 403))
    with pytest.raises(Refused) as caught:
        await read(real)
    assert "sig=" not in str(caught.value)
    assert len(blobs.requests) == 2


async def test_a_log_that_is_not_there_yet_is_not_found(real, hub, blobs):
    """GITHUB.md trap 16: an XML 404 of the other origin until the job completes; asked for once only."""
    hub.answer("GET", LOGS, link(blobs))
    blobs.answer("GET", "/blob/log.txt", blob(GONE.encode(), 404))
    with pytest.raises(NotFound):
        await read(real)
    assert len(blobs.requests) == 1


@pytest.mark.parametrize(("status", "error"), [(404, NotFound), (410, Refused), (403, RateLimited)])
async def test_githubs_own_refusal_is_told_as_for_any_call(real, hub, status, error):
    """No log, expired, or a rate limit."""
    message = "You have exceeded a secondary rate limit" if error is RateLimited else "no"
    hub.answer("GET", LOGS, reply({"message": message}, status))
    with pytest.raises(error):
        await read(real)
    assert len(hub.asked(LOGS)) == 1


@pytest.mark.parametrize("location", ["", "ftp://127.0.0.1/log", "http://[bad"])
async def test_an_answer_without_a_usable_link_is_unavailable(real, hub, location):
    """Nothing is opened that is no HTTP address."""
    hub.answer("GET", LOGS, lambda _: web.Response(status=302, headers={"Location": location} if location else {}))
    with pytest.raises(Unavailable):
        await read(real)


async def test_failures_before_the_first_byte_are_tried_again(real, hub, blobs, clock):
    """Of GitHub and of the other origin alike."""
    start = clock.now()
    hub.answer("GET", LOGS, reply({}, 502), link(blobs))
    blobs.answer("GET", "/blob/log.txt", blob(b"busy", 503), blob(b"log"))
    assert await read(real) == b"log"
    assert clock.now() - start == 4.0


async def test_a_stream_that_breaks_off_is_unavailable_and_not_repeated(real, hub, blobs):
    """What was handed over cannot be taken back."""
    seen = asyncio.Event()

    async def broken(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000000"})
        await response.prepare(request)
        await response.write(b"a" * 10_000)
        await seen.wait()
        request.transport.close()
        return response

    hub.answer("GET", LOGS, link(blobs))
    blobs.answer("GET", "/blob/log.txt", broken)
    got = bytearray()

    async def read_on() -> None:
        async for chunk in real.download(LOGS, cap_bytes=10**7):
            got.extend(chunk)
            seen.set()

    with pytest.raises(Unavailable):
        await read_on()
    assert 0 < len(got) <= 10_000
    assert len(blobs.requests) == 1


async def test_a_refused_token_is_renewed_for_a_download_too(real, hub, blobs, clock):
    """The first of its two requests is a call like any other."""
    await_ok = link(blobs)
    hub.answer("GET", LOGS, await_ok)
    blobs.answer("GET", "/blob/log.txt", blob(b"log"))
    await read(real)
    clock.advance(600)
    hub.answer("GET", LOGS, reply({"message": "Bad credentials"}, 401), link(blobs))
    assert await read(real) == b"log"
    assert len(hub.asked("/app/installations/7/access_tokens")) == 2
