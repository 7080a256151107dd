"""The server against strangers on the wire, a store that fails, and an operator's probes."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient
from deliveries import SECRET, examples, headers, posting

from bot.github.budget import Spending
from bot.intake import IntakeRules
from bot.metrics import Sample, budget_samples, exposition
from bot.server import Intake, make_app
from bot.store import StoreUnavailable

PULL = next(payload for event, payload in examples() if event == "pull_request")
BODY = json.dumps(PULL).encode()
CAP = 25 * 1024 * 1024


def wire(sent: dict[str, str], *more: bytes, length: str | None = str(len(BODY))) -> bytes:
    """The head of a request, as bytes, since a client library would refuse to send some of these."""
    lines = [b"POST /webhook HTTP/1.1", b"Host: bot", b"Connection: close"]
    lines += [f"{name}: {value}".encode() for name, value in sent.items()]
    lines += [f"Content-Length: {length}".encode()] if length is not None else []
    return b"\r\n".join([*lines, *more, b"", b""])


async def talk(client: TestClient, sent: bytes, *, end: bool = False) -> int:
    """Send bytes, read the status; 0 if the server only closed."""
    reader, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(sent)
    if end:
        writer.write_eof()
    try:
        async with asyncio.timeout(5):
            line = await reader.readline()
    except ConnectionResetError:
        line = b""
    writer.close()
    return int(line.split()[1]) if line else 0


GOOD = headers("pull_request", BODY)
UNSIGNED = {name: value for name, value in GOOD.items() if name != "X-Hub-Signature-256"}


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (wire(GOOD) + BODY, 202),
        (wire(UNSIGNED, b"X-Hub-Signature-256: sha256=\xff\xfe\xfd") + BODY, 401),
        (wire(UNSIGNED, b"X-Hub-Signature-256: sha256=" + "ü".encode() * 64) + BODY, 401),
        (wire(GOOD, length=str(CAP + 1)), 413),
        (wire(GOOD, length="9" * 18), 413),
        (wire(GOOD, length="9" * 30), 400),
        (wire(GOOD, length="-5") + BODY, 400),
        (wire(GOOD, length="5x") + BODY, 400),
        (wire(GOOD, b"Content-Length: 3") + BODY, 400),
        (wire(GOOD, b"Transfer-Encoding: chunked", length=None) + b"zz\r\n" + BODY, 400),
        (wire(GOOD, b"X-Long: " + b"a" * 100_000) + BODY, 400),
        (wire(GOOD, b"X-Null: a\x00b") + BODY, 400),
        (wire(GOOD, b"Content-Encoding: br") + BODY, 415),
        (wire(GOOD, b"Content-Encoding: gzip") + BODY, 415),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n\r\n", 400),
        (b"POST /webhook\r\n\r\n", 415),
    ],
)
async def test_broken_requests_are_told_so(client, store, sent, status):
    """Bytes that no client library would send; only the good one is stored."""
    assert await talk(client, sent) == status
    assert (await store.counts())["deliveries"] == (1 if status == 202 else 0)


async def test_a_body_that_ends_early_is_not_stored(client, store, intake, caplog):
    """The sender hangs up in the middle."""
    assert await talk(client, wire(GOOD) + BODY[:100], end=True) in {0, 400}
    _, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(wire(GOOD) + BODY[:100])
    await asyncio.sleep(0.02)
    writer.transport.abort()
    await asyncio.sleep(0.02)
    assert (await store.counts())["deliveries"] == 0
    assert set(intake.seen) <= {"refused"}
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_a_body_that_dawdles_is_given_up(store):
    """GitHub waits 10 s for the whole; a stranger may not hold on for longer."""
    intake = Intake(store, IntakeRules((SECRET,), body_seconds=0.05))
    async with posting(make_app(intake)) as client:
        assert await talk(client, wire(GOOD) + BODY[:100]) == 408
    assert (await store.counts())["deliveries"] == 0


@pytest.mark.parametrize(("size", "status"), [(len(BODY), 202), (len(BODY) - 1, 413)])
@pytest.mark.parametrize("chunked", [False, True])
async def test_the_cap_holds_for_announced_and_unannounced_lengths(store, size, status, chunked):
    """Exactly the cap is let in; one byte more is not, however it is sent."""
    intake = Intake(store, IntakeRules((SECRET,), max_bytes=size))

    async def pieces():
        for start in range(0, len(BODY), 1000):
            yield BODY[start : start + 1000]

    async with posting(make_app(intake)) as client:
        response = await client.post("/webhook", data=pieces() if chunked else BODY, headers=GOOD)
        assert response.status == status
    assert (await store.counts())["deliveries"] == (status == 202)


def test_the_cap_is_githubs():
    """GITHUB.md 4: 25 MB; the application's own limit is the same."""
    assert IntakeRules((SECRET,)).max_bytes == CAP
    assert make_app(Intake(None, IntakeRules((SECRET,))))._client_max_size == CAP


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])
async def test_other_methods_are_refused(client, method):
    """Nothing but POST reaches the intake."""
    assert (await client.request(method, "/webhook", data=BODY, headers=GOOD)).status == 405
    assert (await client.post("/webhook/", data=BODY, headers=GOOD)).status == 404


class FailingStore:
    """A store whose database is gone."""

    def __init__(self, problem: Exception) -> None:
        self.problem = problem

    async def receive(self, delivery):
        """Fail."""
        raise self.problem

    async def counts(self):
        """Fail."""
        raise self.problem

    async def next_due(self):
        """Fail."""
        raise self.problem


@pytest.mark.parametrize(
    "problem",
    [StoreUnavailable("The store", "disk is full", "free some space"), OSError("x"), ValueError(BODY[:80].decode())],
)
async def test_a_store_that_fails_makes_the_delivery_a_failed_one(problem, caplog):
    """503, so that GitHub lists it and it can be asked for again; the log says why and quotes no payload."""
    intake = Intake(FailingStore(problem), IntakeRules((SECRET,)))
    async with posting(make_app(intake)) as client:
        response = await client.post("/webhook", data=BODY, headers=GOOD)
        assert response.status == 503
        assert (await client.get("/readyz")).status == 503
        assert (await client.get("/healthz")).status == 200
        text = await (await client.get("/metrics")).text()
    assert dict(intake.seen) == {"failed": 1}
    assert 'failres_deliveries_total{outcome="failed"} 1' in text.splitlines()
    assert len(caplog.records) == 3
    assert GOOD["X-GitHub-Delivery"] in caplog.text
    assert ("disk is full" in caplog.text) is isinstance(problem, StoreUnavailable)
    assert BODY[:80].decode() not in caplog.text


async def test_probes_and_figures(store):
    """Health, readiness, and counts of deliveries and rows beside those that others add."""

    def more():
        yield Sample("failres_github_calls", "gauge", "Calls in this hour.", 5, {"installation": '7"\n'})
        yield Sample("failres_github_calls", "gauge", "Calls in this hour.", 2.5)

    app = make_app(Intake(store, IntakeRules((SECRET,))), path="/hooks/github", samples=[more])
    async with posting(app) as client:
        assert (await client.post("/hooks/github", data=BODY, headers=GOOD)).status == 202
        assert (await client.get("/healthz")).status == 200
        assert (await client.get("/readyz")).status == 200
        response = await client.get("/metrics")
        lines = (await response.text()).splitlines()
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert 'failres_deliveries_total{outcome="stored"} 1' in lines
    assert 'failres_store_rows{sort="deliveries_open"} 1' in lines
    assert 'failres_github_calls{installation="7\\"\\n"} 5' in lines
    assert "failres_github_calls 2.5" in lines
    assert lines.count("# TYPE failres_github_calls gauge") == 1


async def test_pages_can_be_added(intake):
    """The application is open for more routes, by argument and afterwards."""

    async def page(_: web.Request) -> web.Response:
        return web.Response(text="a page")

    app = make_app(intake, routes=[web.get("/", page)])
    app.router.add_get("/later", page)
    async with posting(app) as client:
        assert await (await client.get("/")).text() == "a page"
        assert await (await client.get("/later")).text() == "a page"


def test_large_figures_keep_their_digits():
    """A count is not rounded."""
    assert exposition([Sample("a_total", "counter", "A.", 123_456_789)]).endswith("a_total 123456789\n")


async def test_g1_what_githubs_calls_cost_is_told():
    """Per installation and resource; what is left only once GitHub has said so."""
    spending = [("app", Spending("core", 3, 1, None, 5000)), ("7", Spending("graphql", 2, 0, 4990, 12_500))]
    lines = exposition(budget_samples(spending)).splitlines()
    assert 'failres_github_calls{installation="app",resource="core"} 3' in lines
    assert 'failres_github_unchanged{installation="app",resource="core"} 1' in lines
    assert [line for line in lines if line.startswith("failres_github_left")] == [
        'failres_github_left{installation="7",resource="graphql"} 4990'
    ]
    assert 'failres_github_limit{installation="7",resource="graphql"} 12500' in lines
