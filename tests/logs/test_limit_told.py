"""When a limit ends, by the headers that a log shows."""

from __future__ import annotations

import time

import pytest

from resolver.backoff import LimitSigns
from resolver.log.limit_told import LONGEST_REST, LimitScan

STAMP = "2026-02-18T12:49:06.9356470Z "
NONE = LimitSigns()
RESET = "x-ratelimit-remaining: 0\nx-ratelimit-reset: 1790000000\n"

TOLD = {
    "a header": ("Retry-After: 120\n", LimitSigns(retry_after=120)),
    "curl's": ("< HTTP/2 429\n< retry-after: 120\r\n", LimitSigns(retry_after=120)),
    "an object's field": ("  headers: {'retry-after': '120', date: 'x'}\n", LimitSigns(retry_after=120)),
    "a date": ("Retry-After: Mon, 21 Sep 2026 14:13:20 GMT\n", LimitSigns(reset_at=1_790_000_000)),
    "the reset of a spent allowance": (RESET, LimitSigns(reset_at=1_790_000_000)),
    "in seconds from now": ("RateLimit-Remaining: 0\nRateLimit-Reset: 30\n", LimitSigns(retry_after=30)),
    "both": (f"retry-after: 60\n{RESET}", LimitSigns(retry_after=60, reset_at=1_790_000_000)),
    "the last ones": ("retry-after: 60\nretry-after: 90\n", LimitSigns(retry_after=90)),
    "an allowance that is not spent": (RESET.replace(": 0", ": 59"), NONE),
    "a reset without the rest": ("x-ratelimit-reset: 1790000000\n", NONE),
    "the rest behind the reset": (
        "ratelimit-reset: 1790000000\nratelimit-remaining: 0\n",
        LimitSigns(reset_at=1_790_000_000),
    ),
    "the rest behind the reset of an answer before": (
        f"x-ratelimit-remaining: 3\nx-ratelimit-reset: 17\n{RESET}",
        LimitSigns(retry_after=17, reset_at=1_790_000_000),
    ),
    "milliseconds": (RESET.replace("1790000000", "1790000000500"), LimitSigns(reset_at=1_790_000_000.5)),
    "Go's map": (
        "map[Content-Type:[a/b] Retry-After:[120] Server:[x]]\nmap[Retry-After:[90]]\n",
        LimitSigns(retry_after=90),
    ),
    "a body's field": ('{"message": "slow down", "retry_after": 30, "global": false}\n', LimitSigns(retry_after=30)),
    "a negative number": ("Retry-After: -5\n", NONE),
    "milliseconds of a wait": ("retry-after-ms: 5000\n", NONE),
    "another word": ("do-not-retry-after: 5\nretry-after-all: 5\n", NONE),
    "words": ("we retry after 5 seconds\n", NONE),
    "no time": ("Retry-After: soon\nRetry-After: Xyz, 99 Abc 2026 99:99:99 GMT\n", NONE),
    "nothing": ("1 failed\n", NONE),
}


@pytest.mark.parametrize(("log", "told"), TOLD.values(), ids=TOLD.keys())
@pytest.mark.parametrize("chunk", [3, 1 << 20])
def test_the_headers_of_a_limit(log: str, told: LimitSigns, chunk: int):
    """Behind time stamps, in any chunking; what is no limit tells nothing."""
    data, scan = "".join(f"{STAMP}{line}" for line in log.splitlines(keepends=True)).encode(), LimitScan()
    for at in range(0, len(data), chunk):
        scan.feed(data[at : at + chunk])
    assert scan.close() == told


def test_hostile_logs_stay_cheap():
    """Endless lines and repeated headers cost bounded memory, and time that grows with their length."""
    scan, begun = LimitScan(), time.process_time()
    for _ in range(200):
        scan.feed(b"retry-after: " * 3_000)
        assert len(scan._rest) <= LONGEST_REST
    scan.feed(b"ratelimit-reset: 99999999999999999999\n\xff\xfe retry-after: \n")
    assert time.process_time() - begun < 5.0
    assert scan.close() == NONE
