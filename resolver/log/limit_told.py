"""
When a limit ends, by the headers that a log shows: `Retry-After`, or the reset of an allowance that is used up.

Clients print them as a request's headers (`retry-after: 60`, curl's `< Retry-After: 60`) or as an object's fields
(`'retry-after': '60'`). GitHub sends the reset with every answer, so that it counts only beside `remaining: 0`.
Streamed in bounded memory, in linear time; the last ones told count.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime

import re2

from resolver.backoff import LimitSigns

LONGEST_REST = 1_024
"""A longer line is cut."""

SECONDS_AT_MOST = 100_000_000
"""A larger number of a reset is a time since the epoch, a smaller one is seconds from now."""

_NAME = rb"(?i)(?:^|[\s<'\"{,])(retry-after|(?:x-)?ratelimit-(?:remaining|reset))['\"]?\s{0,4}[:=]\s{0,4}['\"]?"
_VALUE = rb"([0-9]{1,12}|[a-z]{3}, [0-9]{2} [a-z]{3} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} gmt)\b"


def _bytewise() -> re2.Options:
    """Bytes, not characters: a log may hold invalid UTF-8."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return options


_USUAL = tuple(
    word.encode() for word in ("etry-after", "etry-After", "ETRY-AFTER", "atelimit-", "ateLimit-", "ATELIMIT-")
)
"""Whatever else is looked at, blocks without any of these are passed over at once."""

_HEADER = re2.compile(_NAME + _VALUE, _bytewise())


class LimitScan:
    """Push a log's bytes in any chunking, then close."""

    def __init__(self) -> None:
        self._rest = b""
        self._left: int | None = None
        self._signs = LimitSigns()

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        data = self._rest + chunk
        cut = data.rfind(b"\n") + 1
        self._rest = data[cut:][-LONGEST_REST:]
        self._look(data[:cut])

    def close(self) -> LimitSigns:
        """End the log."""
        self._look(self._rest)
        self._rest = b""
        return self._signs

    def _look(self, block: bytes) -> None:
        if not any(word in block for word in _USUAL):
            return
        for found in _HEADER.finditer(block):
            self._take(found.group(1).decode().lower(), found.group(2).decode())

    def _take(self, name: str, value: str) -> None:
        if name.endswith("remaining"):
            self._left = int(value) if value.isdigit() else None
        elif name == "retry-after":
            told = {"retry_after": float(value)} if value.isdigit() else {"reset_at": _date(value)}
            self._signs = self._signs.model_copy(update=told)
        elif self._left == 0 and value.isdigit():
            number = int(value)
            told = {"reset_at": float(number)} if number > SECONDS_AT_MOST else {"retry_after": float(number)}
            self._signs = self._signs.model_copy(update=told)


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
