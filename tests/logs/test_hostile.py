"""Logs that someone made to hurt: time and memory stay bounded, and the failure at their end is still found."""

from __future__ import annotations

import random
import time
import tracemalloc

import pytest

from resolver.fingerprint import normalise
from resolver.log.blocks import BlockReader
from resolver.log.classify import LogScan, classify, load_rules
from resolver.log.lines import clean
from resolver.log.rulebook import compiled, read_rules
from resolver.secrets import mask

BAIT = (
    "a" * 4_096,
    "/" * 4_096,
    "a." * 2_048,
    "a:1:" * 1_024,
    " " * 4_096,
    "=" * 4_096,
    "_" * 2_000 + " " + "_" * 2_000,
    "error: " * 600,
    "FAILED " * 600,
    "1, " * 1_400,
    "(" * 4_096,
    "[" * 2_048 + "]" * 2_048,
    "at (" * 1_024,
    "\u2716 " * 2_000,
    "é" * 4_096,
    "x > " * 1_000,
    "-" * 4_096,
    "npm ERR! " + "a" * 4_000,
    "0123456789abcdef" * 256,
    "user:pass" * 400 + "@",
)
TAIL = (
    b"FAILED tests/test_a.py::test_a - assert 1 == 2\n1 failed in 0.01s\n##[error]Process completed with exit code 1.\n"
)


def test_no_pattern_is_slow_on_bait() -> None:
    """Every pattern of every rule looks at every bait in well under the time that one backtracking pattern would need."""
    lines = [text.encode() for text in BAIT]
    for rule in read_rules():
        for pattern in {rule.pattern, rule.unless, rule.until, *(n.pattern for n in (*rule.ahead, *rule.back))} - {
            None
        }:
            found = compiled(str(pattern))
            started = time.process_time()
            for line in lines:
                found.finds(line)
            assert time.process_time() - started < 0.5, (rule.id, pattern)


@pytest.mark.parametrize("work", [clean, normalise, mask], ids=["clean", "normalise", "mask"])
def test_text_work_is_linear(work: object) -> None:
    """Cleaning, normalising and masking take milliseconds on bait, 64 KB lines included."""
    for text in (*BAIT, *(line * 16 for line in BAIT)):
        started = time.process_time()
        work(text.encode() if work is clean else text)  # type: ignore[operator]
        assert time.process_time() - started < 0.5, text[:20]


@pytest.mark.parametrize(
    "noise",
    [
        b"x" * 3_000_000 + b"\n",
        b"\0" * 3_000_000 + b"\n",
        bytes(range(1, 256)).replace(b"\n", b"") * 10_000 + b"\n",
        b"\r".join(b"%d%% done" % (n % 100) for n in range(300_000)) + b"\n",
        b"\x1b[31m" * 500_000 + b"\n",
        (b"err\x1b[0mor: x\x1b[31m\n") * 4_000,
        b"\xff\xfe broken utf-8 \xc3\n" * 50_000,
        b"src/a.cpp:1:2: error: expected ';'\n" * 5_000,
        ("\n".join(BAIT) + "\n").encode() * 8,
    ],
    ids=[
        "one-line",
        "nul",
        "every-byte",
        "progress",
        "colours",
        "coloured-words",
        "invalid-utf8",
        "all-errors",
        "bait",
    ],
)
def test_hostile_log_is_bounded(noise: bytes) -> None:
    """Seconds and megabytes stay small, and the test that fails at the end is found behind the noise."""
    load_rules()
    tracemalloc.start()
    started = time.process_time()
    scan = LogScan()
    for at in range(0, len(noise), 65_536):
        scan.feed(noise[at : at + 65_536])
    scan.feed(TAIL)
    triage = scan.close()
    spent = time.process_time() - started
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "tests/test_a.py::test_a" in triage.items
    assert spent < 20
    assert peak < 24 * 1024 * 1024


def test_chunking_changes_nothing() -> None:
    """The same log in any pieces, down to single bytes, gives the same triage."""
    text = b"".join(b"2026-01-01T00:00:%02d.0000000Z line %d\r\n" % (n % 60, n) for n in range(400)) + TAIL
    whole = classify(text)
    picks = random.Random(7)
    for limit in (1, 7, 1_000):
        scan = LogScan()
        at = 0
        while at < len(text):
            size = picks.randint(1, limit)
            scan.feed(text[at : at + size])
            at += size
        assert scan.close() == whole


def test_windows_cover_each_line_once() -> None:
    """Whatever the sizes, every line is new in exactly one window and has its number."""
    lines = [b"line %d %s" % (n, b"y" * (n % 90)) for n in range(1, 9_000)]
    reader = BlockReader()
    seen: list[tuple[int, bytes]] = []
    windows = [*reader.feed(b"\n".join(lines) + b"\n"), *reader.finish()]
    for window in windows:
        number = window.line
        for line in window.data[window.start : window.limit].splitlines():
            seen.append((number, line))
            number += 1
    assert seen == list(enumerate(lines, 1))
    assert reader.lines == len(lines)


def test_findings_are_capped_and_said() -> None:
    """More failing items than are kept: the number that is not listed is told."""
    log = b"".join(b"FAILED tests/test_a.py::test_%d - assert 0\n" % n for n in range(700))
    triage = classify(log)
    assert len(triage.findings) == 500
    assert triage.capped == 200


def test_excerpt_is_at_most_16_kib() -> None:
    """A finding's excerpt stays small whatever stands around it."""
    log = (b"w" * 9_000 + b"\n") * 20 + TAIL + (b"v" * 9_000 + b"\n") * 20
    triage = classify(log)
    assert all(len(f.excerpt) <= 16_384 for f in triage.findings)
