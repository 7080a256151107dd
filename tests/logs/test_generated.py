"""Generated logs with known failures, where their generator lies beside the checkout: all found, nothing else found."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from resolver.log.classify import LogScan, classify
from resolver.log.rulebook import Rule

MAKER = Path(__file__).resolve().parents[3] / "shared" / "bench" / "make_log.py"

pytestmark = pytest.mark.skipif(
    not MAKER.is_file(), reason="the generator ../shared/bench/make_log.py is not beside this checkout"
)


def generate(folder: Path, profile: str) -> tuple[bytes, list[dict[str, int]]]:
    """A log of 3 MB and the places of its failures."""
    log, truth = folder / "made.log", folder / "made.truth"
    command = [
        sys.executable,
        str(MAKER),
        "--size",
        "3M",
        "--profile",
        profile,
        "--seed",
        "7",
        "--out",
        str(log),
        "--truth",
        str(truth),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return log.read_bytes(), [json.loads(line) for line in truth.read_text().splitlines()]


def spoken(data: bytes) -> list[tuple[int, Rule]]:
    """Lines of which a rule says that something failed."""
    scan = LogScan()
    scan.collector.limits = replace(scan.collector.limits, considered=1_000_000)
    scan.feed(data)
    for window in scan.reader.finish():
        scan._window(window)
    return [
        (line, rule) for line, rule, _ in scan.considered if rule.role in ("item", "error", "cause", "summary", "exit")
    ]


def test_every_failure_is_found_and_nothing_else(tmp_path: Path) -> None:
    """Each injected failure has a line that a rule reads; no line outside one is read as a failure."""
    data, truth = generate(tmp_path, "mixed")
    lines = {line for line, _ in spoken(data)}
    around = {n for t in truth for n in range(t["first"] - 1, t["first"] + t["n"] + 1)}
    assert truth
    assert [t for t in truth if not lines & set(range(t["first"], t["first"] + t["n"]))] == []
    assert lines - around == set()


def test_a_calm_log_has_no_failure(tmp_path: Path) -> None:
    """Words like error in file names, tests and messages are no failure."""
    data, _ = generate(tmp_path, "clean")
    assert spoken(data) == []
    assert classify(data).kind == "none"
