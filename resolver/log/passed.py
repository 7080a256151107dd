"""What a green job's log shows as executed and passed: the wanted items themselves, the files and suites that hold
items, and how many there were. A green counts only where its failing item was seen to run (specification, section 5).

Streamed in bounded memory, in linear time: each rule is one RE2 pattern over whole blocks.
"""

from __future__ import annotations

from collections.abc import Iterable

import re2

from resolver.log.lines import ANSI, ESC
from resolver.records import Record

_STAMP = rb"^(?:\d{4}-\d\d-\d\dT[\d:.]+Z )?\s*"

_NAMES = (
    rb"(\S+::\S[^\r\n]*?) PASSED\b",  # pytest -v
    rb"\[gw\d+\] (?:\[ *\d+%\] )?PASSED (\S+::\S[^\r\n]*?) *\r?$",  # pytest-xdist -v
    rb"(\S+\.py) [.X]{1,400}(?: {2,}\[ *\d+%\])?\r?$",  # pytest's progress: a whole file, with nothing left out of it
    rb"(test\w+ \([\w.]+\)) \.\.\. ok\b",  # unittest -v
    rb"--- PASS: (\S+)",  # go test -v
    rb'\{[^\r\n]*"Action":"pass","Package":"[^"\r\n]*","Test":"([^"\r\n]+)"',  # go test -json
    rb"test (\S[^\r\n]*?) \.\.\. ok\b",  # cargo test
    rb"PASS \[ *[\d.]+s\] (?:\( *\d+/\d+\) )?(\S+ \S+)\r?$",  # nextest
    rb"PASS +([^\s\[][^\r\n]*?)(?: \([\d.]+ ?m?s\))?\r?$",  # jest: the file
    # a tick; vitest counts a file's tests, and says so where some were left out
    rb"(?:\xe2\x9c\x93|\xe2\x88\x9a|\xe2\x9c\x94) (\S[^\r\n]*?)(?: \(\d+ tests?\))?(?: \(?[\d.]+ ?m?s\)?)?\r?$",
    rb"ok \d+ (?:- )?(\S[^\r\n]*?)(?: #([^\r\n]*))?\r?$",  # TAP
    rb"\[ +OK \] (\S+)",  # GoogleTest
    rb"\d+/\d+ Test +#\d+: (\S+) \.* +Passed\b",  # ctest
    rb"([\w.$-]+ > \S[^\r\n]*?) PASSED\r?$",  # gradle
)
"""A second group is a TAP directive: what it says to have been skipped, or to be still to do, was not seen to pass."""

_PACKAGE = rb"ok  ?\t?(\S+)\s+[\d.]+s(?:\tcoverage: [^\[\r\n]*)?\r?$"
_TESTS_OF_IT = rb"--- (?:PASS|SKIP): "
"""Go's word on a package, unless it had no tests to run. Where the tests are named too, only they count: a package in
which a test was left out ends well."""

_UNDONE = re2.compile(rb"(?i)^ *(?:skip|todo)")

_SUMMARIES = (
    rb"[^\r\n]{0,300}\b\d{1,9} (?:passed|failed|errors?)\b[^\r\n]{0,300} in [\d.]+ ?s",  # pytest, cargo
    rb"Tests: [^\r\n]*\b\d{1,9} total\b",  # jest
    rb"Tests  [^\r\n]*\(\d{1,9}\)\r?$",  # vitest
)
"""A runner's last line: what it ran is the sum of what passed, failed and broke. What was skipped did not run."""

_PART = rb"(\d{1,9}) (?:passed|failed|errors?)\b"

_RAN = (
    rb"Ran (\d{1,9}) tests? in ",  # unittest: what it skipped is counted too, and taken off by its last line
    rb"(?:#|\xe2\x84\xb9) (?:pass|fail) (\d{1,9})\b",  # node:test, TAP
    rb"(\d{1,9}) (?:passing \(|failing\r?$)",  # mocha
)

_LEFT_OUT = rb"(?:OK|FAILED) \([^)\r\n]*\bskipped=(\d{1,9})"

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


def _in_lines(patterns: Iterable[bytes]) -> tuple[re2._Regexp[bytes], ...]:
    return tuple(re2.compile(b"(?m)" + _STAMP + each, _bytewise()) for each in patterns)


def _name(text: bytes) -> str:
    return text[:LONGEST_NAME].decode("utf-8", "replace").strip()


class PassedScan:
    """Push a log's bytes in any chunking, then close. `wanted` are items that are looked for by their full names."""

    def __init__(self, wanted: Iterable[str] = ()) -> None:
        self._wanted = frozenset(wanted)
        self._names: dict[str, None] = {}
        self._found: dict[str, None] = {}
        self._tests: int | None = None
        self._rest = b""
        self._patterns = _in_lines(_NAMES)
        self._package, self._tests_of_it = _in_lines((_PACKAGE, _TESTS_OF_IT))
        self._packages: dict[str, None] = {}
        self._tests_named = False
        self._summaries, self._ran = _in_lines(_SUMMARIES), _in_lines(_RAN)
        self._part, (self._left_out,) = re2.compile(_PART, _bytewise()), _in_lines((_LEFT_OUT,))

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
        packages = {} if self._tests_named else self._packages
        names = tuple({**self._found, **packages, **self._names})[:KEPT_NAMES]
        return Passed(names=names, tests=self._tests)

    def _look(self, block: bytes) -> None:
        plain = ANSI.sub(b"", block) if ESC in block else block
        for pattern in self._patterns:
            for found in pattern.finditer(plain):
                if pattern.groups == 1 or not _UNDONE.search(found.group(2) or b""):
                    self._take(_name(found.group(1)))
        for found in self._package.finditer(plain):
            if len(self._packages) < KEPT_NAMES:
                self._packages[_name(found.group(1))] = None
        self._tests_named = self._tests_named or self._tests_of_it.search(plain) is not None
        for pattern in self._summaries:
            for found in pattern.finditer(plain):
                self._count(sum(int(part.group(1)) for part in self._part.finditer(found.group(0))))
        for pattern in self._ran:
            for found in pattern.finditer(plain):
                self._count(int(found.group(1)))
        for found in self._left_out.finditer(plain):
            self._count(-int(found.group(1)))

    def _count(self, tests: int) -> None:
        """Add to what ran: a job may hold several sessions, and each of them has to be alike."""
        self._tests = (self._tests or 0) + tests

    def _take(self, name: str) -> None:
        if name in self._wanted:
            self._found[name] = None
        elif len(self._names) < KEPT_NAMES:
            self._names[name] = None
