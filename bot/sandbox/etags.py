"""Conditional requests: a weak tag over the answer's bytes, as GitHub gives."""

from __future__ import annotations

import hashlib


def tag(body: bytes, accept: str) -> str:
    """The `ETag` of an answer in one media type."""
    return f'W/"{hashlib.sha256(accept.encode() + b"|" + body).hexdigest()}"'


def matches(header: str | None, etag: str) -> bool:
    """Whether `If-None-Match` names the tag, weak or strong."""
    if not header:
        return False
    known = {one.strip().removeprefix("W/") for one in header.split(",")}
    return "*" in known or etag.removeprefix("W/") in known
