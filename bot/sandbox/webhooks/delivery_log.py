"""
The deliveries of an App as GitHub keeps them: for three days, newest first, found by id, failures apart.

GitHub: a redelivery keeps the guid and gets a new id; nothing is redelivered unless somebody asks (GITHUB.md 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

KEPT_SECONDS = 3 * 86_400


@dataclass(frozen=True)
class Message:
    """What is to be delivered: the bytes and headers are made once and are the same in every delivery of it."""

    app_id: int
    guid: str
    event: str
    action: str | None
    installation_id: int | None
    repository_id: int | None
    body: bytes
    payload: Mapping[str, Any]
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Delivery:
    """One try. `status_code` 0: there was no answer; `duration` in seconds."""

    id: int
    message: Message
    url: str
    delivered_at: float
    duration: float
    status_code: int
    status: str
    redelivery: bool = False
    response_headers: Mapping[str, str] = field(default_factory=dict)
    response_body: str | None = None

    @property
    def succeeded(self) -> bool:
        """GitHub: only 2xx counts."""
        return 200 <= self.status_code < 300


class DeliveryLog:
    """What was delivered, in order of ids."""

    def __init__(self) -> None:
        self._deliveries: list[Delivery] = []

    def add(self, delivery: Delivery) -> None:
        """Note a try."""
        self._deliveries.append(delivery)

    def of_app(self, app_id: int, now: float) -> list[Delivery]:
        """An App's deliveries of the last three days, newest first."""
        since = now - KEPT_SECONDS
        return [one for one in reversed(self._deliveries) if one.message.app_id == app_id and one.delivered_at >= since]

    def find(self, app_id: int, number: int, now: float) -> Delivery | None:
        """One delivery of an App."""
        return next((one for one in self.of_app(app_id, now) if one.id == number), None)
