"""
When a limit ends, by the headers that a log shows: `Retry-After`, or the reset of an allowance that is used up.

Clients print them as a request's headers (`retry-after: 60`, curl's `< Retry-After: 60`), as an object's fields
(`'retry-after': '60'`) or as Go's map (`Retry-After:[60]`); bodies of answers say `"retry_after": 60`. GitHub sends the
reset with every answer, so that it counts only beside `remaining: 0`, whichever of the two comes first.
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

MILLISECONDS_FROM = 100_000_000_000
"""A still larger one counts milliseconds."""

_NAME = (
    rb"(?i)(?:^|[\s<'\"{,\[(])(retry[-_]after|(?:x-)?ratelimit-(?:remaining|reset))['\"]?\s{0,4}[:=]\s{0,4}\[?['\"]?"
)
_VALUE = rb"([0-9]{1,13}|[a-z]{3}, [0-9]{2} [a-z]{3} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} gmt)\b"


def _bytewise() -> re2.Options:
    """Bytes, not characters: a log may hold invalid UTF-8."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return options


_USUAL = tuple(
    word.encode()
    for word in ("etry-after", "etry_after", "etry-After", "ETRY-AFTER", "atelimit-", "ateLimit-", "ATELIMIT-")
)
"""Whatever else is looked at, blocks without any of these are passed over at once."""

_HEADER = re2.compile(_NAME + _VALUE, _bytewise())


class LimitScan:
    """Push a log's bytes in any chunking, then close."""

    def __init__(self) -> None:
        self._rest = b""
        self._left: int | None = None
        self._reset: int | None = None
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
        elif name.endswith("reset"):
            self._reset = int(value) if value.isdigit() else None
        else:
            told = {"retry_after": float(value)} if value.isdigit() else {"reset_at": _date(value)}
            self._signs = self._signs.model_copy(update=told)
            return
        if self._left == 0 and self._reset is not None:
            self._signs = self._signs.model_copy(update=_spent_until(self._reset))
            self._reset = None


def _spent_until(reset: int) -> dict[str, float]:
    if reset <= SECONDS_AT_MOST:
        return {"retry_after": float(reset)}
    return {"reset_at": reset / 1_000 if reset >= MILLISECONDS_FROM else float(reset)}


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
