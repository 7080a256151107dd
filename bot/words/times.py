"""Times as people read them, in UTC. Pure."""

from __future__ import annotations

from datetime import UTC, datetime


def utc(at: float) -> str:
    """Give a time (seconds) to the second."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def utc_minute(at: float) -> str:
    """Give a time (seconds) to the minute, with its zone."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
