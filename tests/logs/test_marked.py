"""The project's own small logs: each says, in its first lines, what must be read from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from resolver.log.classify import classify

MARKED = Path(__file__).parent / "marked"


@dataclass
class Marked:
    """One log with its expected verdict: lines ``%% key: value`` before the log's own text."""

    name: str
    wanted: dict[str, list[str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


def read_marked() -> Iterator[Marked]:
    """All marked logs."""
    for file in sorted(MARKED.glob("*.txt")):
        current: Marked | None = None
        for line in file.read_text("utf-8").splitlines():
            if line.startswith("%%%% "):
                if current is not None:
                    yield current
                current = Marked(f"{file.stem}:{line[5:]}")
            elif current is not None and line.startswith("%% ") and not current.lines:
                key, _, value = line[3:].partition(": ")
                current.wanted.setdefault(key, []).append(value)
            elif current is not None:
                current.lines.append(line)
        if current is not None:
            yield current


LOGS = tuple(read_marked())


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_marked_log_is_read_as_it_says(log: Marked) -> None:
    """Kind, class, failing items, flaky items and places are those that the log itself declares."""
    triage = classify("\n".join(log.lines).encode() + b"\n")
    assert triage.kind in {*log.wanted["kind"], *log.wanted.get("alsoKind", [])}, triage.why
    if "class" in log.wanted:
        assert triage.fail_class in log.wanted["class"]
    for item in log.wanted.get("item", []):
        assert any(item in found or found in item for found in triage.items), triage.items
    for item in log.wanted.get("flaky", []):
        assert any(item in found for found in triage.flaky), triage.flaky
    for place in log.wanted.get("place", []):
        path, _, line = place.rpartition(":")
        assert any(e.path and e.path.endswith(path) and e.line == int(line) for e in triage.errors), triage.errors
    if triage.kind == "none":
        assert triage.fingerprint is None
    else:
        assert triage.key_lines, "a failure names the lines that a person must see"


def test_there_are_enough_marked_logs() -> None:
    """The collection is read at all: a wrong path would make every test above vanish."""
    assert len(LOGS) >= 80
