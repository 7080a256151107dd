"""What a green job's log shows as executed and passed: the wanted items themselves, the files and suites that hold
items, and how many there were. A green counts only where its failing item was seen to run (specification, section 5).

Streamed in bounded memory, in linear time: each rule is one RE2 pattern over whole blocks.
"""

from __future__ import annotations

from collections.abc import Iterable

import re2

from resolver.records import Record

_STAMP = rb"^(?:\d{4}-\d\d-\d\dT[\d:.]+Z )?\s*"

_NAMES = (
    rb"(\S+::\S[^\r\n]*?) PASSED\b",  # pytest -v
    rb"(\S+\.py) [.sxX]{1,400} *(?:\[ *\d+%\])?\r?$",  # pytest's progress: the file, not the item
    rb"(test\w+ \([\w.]+\)) \.\.\. ok\b",  # unittest -v
    rb"--- PASS: (\S+)",  # go test -v
    rb"ok  ?\t?(\S+)\s+[\d.]+s",  # go test: the package
    rb"test (\S[^\r\n]*?) \.\.\. ok\b",  # cargo test
    rb"PASS (\S[^\r\n]*?)(?: \([\d.]+ ?m?s\))?\r?$",  # jest: the file
    rb"(?:\xe2\x9c\x93|\xe2\x88\x9a|\xe2\x9c\x94) (\S[^\r\n]*?)(?: \(?[\d.]+ ?m?s\)?)?\r?$",  # a tick
    rb"ok \d+ (?:- )?(\S[^\r\n]*?)(?: #[^\r\n]*)?\r?$",  # TAP
    rb"\[ +OK \] (\S+)",  # GoogleTest
)

_SUMMARY = rb"(?m)^[^\r\n]{0,300}\b\d{1,9} (?:passed|failed|errors?)\b[^\r\n]{0,300} in [\d.]+ ?s"
"""pytest's last line: what it ran is the sum of what passed, failed and broke."""

_PART = rb"(\d{1,9}) (?:passed|failed|errors?)\b"

_TOTALS = (
    rb"Ran (\d{1,9}) tests? in ",
    rb"Tests: [^\r\n]*?(\d{1,9}) total",
    rb"# pass (\d{1,9})\b",
)

KEPT_NAMES = 300
LONGEST_NAME = 300
LONGEST_REST = 64 * 1024
"""A line longer than this is cut: what stands so deep in one line is no name of a test."""


class Passed(Record):
    """Names seen executed and passed, the wanted ones first; `tests` is how many the runner says it ran, if it does."""

    names: tuple[str, ...] = ()
    tests: int | None = None


def _bytewise() -> re2.Options:
    """Bytes, not characters: a log may hold invalid UTF-8."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return options


class PassedScan:
    """Push a log's bytes in any chunking, then close. `wanted` are items that are looked for by their full names."""

    def __init__(self, wanted: Iterable[str] = ()) -> None:
        self._wanted = frozenset(wanted)
        self._names: dict[str, None] = {}
        self._found: dict[str, None] = {}
        self._tests: int | None = None
        self._rest = b""
        self._patterns = tuple(re2.compile(b"(?m)" + _STAMP + each, _bytewise()) for each in _NAMES)
        self._summary, self._part = re2.compile(_SUMMARY, _bytewise()), re2.compile(_PART, _bytewise())
        self._totals = tuple(re2.compile(b"(?m)" + each, _bytewise()) for each in _TOTALS)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        data = self._rest + chunk
        cut = data.rfind(b"\n") + 1
        if cut == 0:
            self._rest = data[-LONGEST_REST:]
            return
        self._rest = data[cut:][-LONGEST_REST:]
        self._look(data[:cut])

    def close(self) -> Passed:
        """End the log."""
        self._look(self._rest + b"\n")
        self._rest = b""
        names = tuple({**self._found, **self._names})[:KEPT_NAMES]
        return Passed(names=names, tests=self._tests)

    def _look(self, block: bytes) -> None:
        for pattern in self._patterns:
            for found in pattern.finditer(block):
                self._take(found.group(1)[:LONGEST_NAME].decode("utf-8", "replace").strip())
        for pattern in self._totals:
            for found in pattern.finditer(block):
                self._tests = int(found.group(1))
        for found in self._summary.finditer(block):
            self._tests = sum(int(part.group(1)) for part in self._part.finditer(found.group(0)))

    def _take(self, name: str) -> None:
        if name in self._wanted:
            self._found[name] = None
        elif len(self._names) < KEPT_NAMES:
            self._names[name] = None
