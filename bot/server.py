"""The HTTP side of the process: webhooks in, health and metrics out; the pages are added as further routes.

A delivery is answered with 202 once it is stored, and with 503 when it cannot be: GitHub then lists it as failed, and
it can be asked for again. GitHub never sends again by itself (GITHUB.md 4). Nothing that a stranger sends is answered
with a 500.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias, assert_never

import aiohttp
from aiohttp import web

from bot.intake import Ignored, IntakeRules, Refusal, read_body, read_headers, too_large
from bot.metrics import CONTENT_TYPE, Sample, exposition
from bot.store import Delivery, StoreUnavailable

log = logging.getLogger(__name__)

Samples: TypeAlias = Callable[[], Iterable[Sample]]
STORED: Final = "stored"
DUPLICATE: Final = "duplicate"
IGNORED: Final = "ignored"
REFUSED: Final = "refused"
FAILED: Final = "failed"

LINGERING_SECONDS: Final = 0.5  # how long the rest of a refused body is still read, so that its sender sees the answer


class Inbox(Protocol):
    """What the server needs of the store."""

    async def receive(self, delivery: Delivery) -> bool:
        """Store durably; False for one that is there already."""
        ...

    async def counts(self) -> Mapping[str, int]:
        """Rows by sort."""
        ...

    async def next_due(self) -> float | None:
        """Asked only to see whether the store answers."""
        ...


@dataclass(slots=True)
class Intake:
    """Where deliveries go and by which rules; counts what became of them."""

    inbox: Inbox
    rules: IntakeRules
    seen: Counter[str] = field(default_factory=Counter)

    async def take(self, request: web.Request) -> web.Response:
        """Answer a request to the webhook."""
        envelope = read_headers(request.headers, self.rules)
        if isinstance(envelope, Refusal):
            return self._refuse(envelope)
        body = await self._body(request)
        if isinstance(body, Refusal):
            return self._refuse(body)
        match read_body(envelope, body, self.rules):
            case Refusal() as refusal:
                return self._refuse(refusal)
            case Ignored(event):
                return self._answer(202, IGNORED, f"{event} is not in use")
            case Delivery() as delivery:
                return await self._store(delivery)
            case other:
                assert_never(other)

    async def _body(self, request: web.Request) -> bytes | Refusal:
        try:
            async with asyncio.timeout(self.rules.body_seconds):
                return await request.read()
        except web.HTTPRequestEntityTooLarge:
            return too_large(self.rules)
        except TimeoutError:
            return Refusal(408, "the body did not come in time")
        except (OSError, aiohttp.ClientError, web.RequestPayloadError):
            return Refusal(400, "the body did not come whole")

    async def _store(self, delivery: Delivery) -> web.Response:
        try:
            new = await self.inbox.receive(delivery)
        except Exception as problem:  # noqa: BLE001 - whatever the reason, GitHub must count this delivery as failed
            log.warning("delivery %s could not be stored: %s", delivery.guid, _kind(problem))
            return self._answer(503, FAILED, "the delivery could not be stored; ask for it again")
        return self._answer(202, STORED if new else DUPLICATE, "stored" if new else "stored before")

    def _refuse(self, refusal: Refusal) -> web.Response:
        return self._answer(refusal.status, REFUSED, refusal.reason)

    def _answer(self, status: int, outcome: str, message: str) -> web.Response:
        self.seen[outcome] += 1
        return web.json_response({"message": message}, status=status)

    def samples(self) -> Iterator[Sample]:
        """What became of the deliveries since the start."""
        for outcome in (STORED, DUPLICATE, IGNORED, REFUSED, FAILED):
            labels = {"outcome": outcome}
            yield Sample("failres_deliveries_total", "counter", "Deliveries by outcome.", self.seen[outcome], labels)


def make_app(
    intake: Intake,
    *,
    path: str = "/webhook",
    samples: Sequence[Samples] = (),
    routes: Iterable[web.AbstractRouteDef] = (),
) -> web.Application:
    """The application. `samples`: more figures for /metrics; `routes`: the pages."""
    app = web.Application(client_max_size=intake.rules.max_bytes)
    probes = _Probes(intake, samples)
    app.add_routes(
        [
            web.post(path, intake.take),
            web.get("/healthz", probes.alive),
            web.get("/readyz", probes.ready),
            web.get("/metrics", probes.metrics),
            *routes,
        ],
    )
    return app


def make_runner(app: web.Application) -> web.AppRunner:
    """What serves the application. aiohttp would unpack a compressed body before anybody looked at its signature."""
    return web.AppRunner(app, auto_decompress=False, access_log=None, lingering_time=LINGERING_SECONDS)


@dataclass(frozen=True, slots=True)
class _Probes:
    """What an operator's machines ask."""

    intake: Intake
    samples: Sequence[Samples]

    async def alive(self, _: web.Request) -> web.Response:
        """The event loop turns."""
        return web.Response(text="ok\n")

    async def ready(self, _: web.Request) -> web.Response:
        """The store answers, so deliveries can be taken."""
        try:
            await self.intake.inbox.next_due()
        except Exception as problem:  # noqa: BLE001 - any failure means the same
            log.warning("the store does not answer: %s", _kind(problem))
            return web.Response(text="the store does not answer\n", status=503)
        return web.Response(text="ready\n")

    async def metrics(self, _: web.Request) -> web.Response:
        """Everything that is counted; without the store's rows while it does not answer."""
        found = list(self.intake.samples())
        for source in self.samples:
            found += source()
        try:
            counts = await self.intake.inbox.counts()
        except Exception as problem:  # noqa: BLE001 - the other figures are needed most when the store fails
            log.warning("the store does not count: %s", _kind(problem))
            counts = {}
        for sort, rows in counts.items():
            found.append(Sample("failres_store_rows", "gauge", "Rows of the store.", rows, {"sort": sort}))
        return web.Response(text=exposition(found), headers={"Content-Type": CONTENT_TYPE})


def _kind(problem: Exception) -> str:
    """The store's own words, else the kind alone: a database's error quotes the payload, which may be private."""
    return str(problem) if isinstance(problem, StoreUnavailable) else type(problem).__name__
