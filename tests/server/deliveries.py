"""Deliveries as GitHub makes them: its published examples, signed, with the headers that come along."""

from __future__ import annotations

import gzip
import hashlib
import hmac
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.server import make_runner

SECRET = b"It's a Secret to Everybody"
_FILE = Path(__file__).parent / "examples" / "webhooks.json.gz"


def examples() -> list[tuple[str, dict[str, Any]]]:
    """All published examples of the events in use, and of ping: (event, payload)."""
    found = json.loads(gzip.decompress(_FILE.read_bytes()))
    return [(event, payload) for event, payloads in found.items() for payload in payloads]


def sign(body: bytes, secret: bytes = SECRET) -> str:
    """The value of X-Hub-Signature-256."""
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def headers(event: str, body: bytes, *, guid: str | None = None, secret: bytes = SECRET) -> dict[str, str]:
    """The headers of a delivery."""
    return {
        "User-Agent": "GitHub-Hookshot/044aadd",
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": guid or str(uuid.uuid5(uuid.NAMESPACE_OID, event + hashlib.sha256(body).hexdigest())),
        "X-GitHub-Hook-ID": "1",
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature": "sha1=" + hmac.new(secret, body, hashlib.sha1).hexdigest(),
        "X-Hub-Signature-256": sign(body, secret),
    }


class _Server(TestServer):
    """The application behind the runner that the process uses."""

    async def _make_runner(self, **kwargs: Any) -> web.AppRunner:
        return make_runner(self.app)


@asynccontextmanager
async def posting(app: web.Application) -> AsyncIterator[TestClient]:
    """Somebody who posts to an application."""
    async with TestClient(_Server(app)) as client:
        yield client
