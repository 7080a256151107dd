"""
Sends what happens to the Apps that hear it, over HTTP, when told to.

Nothing leaves by itself: `await hooks.deliver()` sends all that is queued, one after another, and awaits the answers.
"""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from bot.sandbox.changes.refusals import Refused
from bot.sandbox.state import App, GitHub, Happening, Installation
from bot.sandbox.webhooks import signing
from bot.sandbox.webhooks.delivery_log import Delivery, DeliveryLog, Message
from bot.sandbox.webhooks.payloads import JSON, payload
from bot.sandbox.webhooks.recipients import recipients
from bot.sandbox.webhooks.sender import TIMEOUT_SECONDS, UNREACHABLE, Answer, Sender
from bot.sandbox.webhooks.weather import Weather, arrange

MOST_BYTES = 25 * 1024 * 1024
"""GitHub: bigger payloads are not sent."""


@dataclass(frozen=True)
class _Queued:
    message: Message
    redelivery: bool = False


class Hooks:
    """
    The webhooks of every App of one GitHub.

    `check(event, action, payload)` gives the ways in which a payload does not fit the published schema; they are
    collected in `problems`. `weather` and `down` may be changed at any time; `seed` makes a weather repeatable.
    """

    def __init__(
        self,
        github: GitHub,
        check: Callable[[str, str | None, object], list[str]],
        *,
        weather: Weather = "calm",
        seed: int = 0,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self.weather: Weather = weather
        self.down = False
        self.muted = False
        self.problems: list[str] = []
        self.log = DeliveryLog()
        self._github = github
        self._check = check
        self._random = random.Random(seed)  # noqa: S311 - weather, no secret
        self._queue: list[_Queued] = []
        self._kept: list[_Queued] = []
        self._again: list[_Queued] = []
        self._sender = Sender(timeout_seconds)
        self._lock = asyncio.Lock()
        github.listeners.append(self._heard)

    @property
    def waiting(self) -> int:
        """How many deliveries have not left yet."""
        return len(self._queue) + len(self._kept) + len(self._again)

    async def deliver(self) -> int:
        """Send everything that waits, as the weather has it; gives the number of requests made."""
        async with self._lock:
            queued, self._queue = self._queue, []
            kept, self._kept = self._kept, []
            again, self._again = self._again, []
            batch = arrange(queued, kept, self.weather, self._random)
            self._kept = list(batch.keep)
            for one in batch.fail:
                self._book(one, UNREACHABLE)
            for one in (*batch.send, *again):
                await self._send(one)
            return len(batch.send) + len(again)

    def redeliver(self, app: App, number: int) -> None:
        """Queue a delivery again: same guid, same bytes; 404 for one that is not there (any more)."""
        found = self.log.find(app.id, number, self._github.clock.now())
        if found is None:
            raise Refused(404, "Not Found")
        self._again.append(_Queued(found.message, redelivery=True))

    def ping(self, app: App) -> None:
        """Queue the ping that a new hook gets."""
        hook = {"type": "App", "id": app.id, "name": "web", "active": True, "events": sorted(app.events)}
        body = {"zen": "Keep it logically awesome.", "hook_id": app.id, "hook": {**hook, "app_id": app.id}}
        self._queue.append(_Queued(self._message(app, None, body)))

    async def close(self) -> None:
        """Close the connections."""
        await self._sender.close()

    def _heard(self, happening: Happening) -> None:
        if self.muted:
            return
        for installation in recipients(self._github, happening):
            if installation.app.webhook_url is not None:
                self._enqueue(installation, happening)

    def _enqueue(self, installation: Installation, happening: Happening) -> None:
        body = payload(self._github, happening, installation)
        if body is None:
            self.problems.append(f"webhook {happening.event} has no payload")
            return
        self.problems.extend(self._check(happening.event, happening.action, body))
        message = self._message(installation.app, happening, body, installation.id)
        if len(message.body) <= MOST_BYTES:
            self._queue.append(_Queued(message))

    def _message(self, app: App, happening: Happening | None, body: JSON, installation: int | None = None) -> Message:
        raw = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
        guid = str(uuid.UUID(int=self._random.getrandbits(128), version=4))
        event = happening.event if happening else "ping"
        head = signing.headers(
            event=event, guid=guid, hook_id=app.id, app_id=app.id, secret=app.webhook_secret, body=raw
        )
        return Message(
            app_id=app.id,
            guid=guid,
            event=event,
            action=happening.action if happening else None,
            installation_id=installation,
            repository_id=happening.repo.id if happening and happening.repo else None,
            body=raw,
            payload=body,
            headers=head,
        )

    async def _send(self, one: _Queued) -> None:
        url = self._url(one)
        answer = UNREACHABLE if self.down or url is None else await self._sender.send(url, one.message)
        self._book(one, answer)

    def _url(self, one: _Queued) -> str | None:
        app = self._github.apps.get(one.message.app_id)
        return None if app is None else app.webhook_url

    def _book(self, one: _Queued, answer: Answer) -> None:
        self.log.add(
            Delivery(
                id=self._github.new_id(),
                message=one.message,
                url=self._url(one) or "",
                delivered_at=self._github.clock.now(),
                duration=answer.seconds,
                status_code=answer.code,
                status=answer.status,
                redelivery=one.redelivery,
                response_headers=answer.headers,
                response_body=answer.body,
            )
        )
