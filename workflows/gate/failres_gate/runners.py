"""
How test runners print their items: a table, one row for each kind of line, each with examples.

A row is tried only on lines that hold one of its `words`, so output without items costs next to nothing. `result` in a
pattern is looked up in RESULTS; `item` is the name as failres's log rules write it, so that a record and a log agree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from failres_gate.events import ALIVE, END, FAILED, PASSED, SKIPPED, START, STEP, Event


class Row(NamedTuple):
    """
    One kind of line. `unfinished` rows are for a line that has no end yet, since its item is still running. An example
    is (line, item, result).
    """

    runner: str
    kind: str
    words: tuple[str, ...]
    pattern: str
    examples: tuple[tuple[str, str, str], ...]
    suite: bool = False
    unfinished: bool = False


_GOOD = "PASS PASSED ok OK Passed ✓ ✔ √ XFAIL XPASS"
_BAD = "FAIL FAILED not_ok Failed Timeout Exception ERROR ✕ ✖ ✗ \u00d7 SIGABRT SIGSEGV TIMEOUT LEAK-FAIL"
RESULTS = {
    **{word.replace("_", " "): PASSED for word in _GOOD.split()},
    **{word.replace("_", " "): FAILED for word in _BAD.split()},
}
"""Every other word is a test that did not run."""

_MARKS = "✓|✔|√|✕|✖|✗|\u00d7|○|↓|﹣"
_TOOK = r"(?: \(\d[\d.]* ?m?s\)| \d[\d.]*m?s)?"

ROWS = (
    Row("go", START, ("RUN",), r"=== RUN +(?P<item>\S+)$", (("=== RUN   TestCart/empty", "TestCart/empty", ""),)),
    Row(
        "go",
        END,
        ("--- ",),
        r"\s*--- (?P<result>PASS|FAIL|SKIP): (?P<item>\S+) \([\d.]+s\)",
        (
            ("--- PASS: TestCart (0.00s)", "TestCart", PASSED),
            ("    --- FAIL: TestCart/sum (0.01s)", "TestCart/sum", FAILED),
            ("--- SKIP: TestNet (0.00s)", "TestNet", SKIPPED),
        ),
    ),
    Row(
        "go",
        END,
        ("ok ", "FAIL"),
        r"(?P<result>ok|FAIL)\s*\t(?P<item>\S+)(?:\t|$)",
        (
            ("ok  \texample.org/cart\t0.012s", "example.org/cart", PASSED),
            ("FAIL\texample.org/cart\t0.3s", "example.org/cart", FAILED),
        ),
        suite=True,
    ),
    Row("tap", START, ("# Subtest: ",), r"\s*# Subtest: (?P<item>\S.*)$", (("    # Subtest: adds", "adds", ""),)),
    Row(
        "tap",
        END,
        ("ok ",),
        r"\s*(?P<result>ok|not ok) \d+(?: -)? (?P<item>[^\s#].*?)(?: # time=\S+)?(?: \{)?"
        r"(?: # (?P<directive>SKIP|TODO|skip|todo)\b.*)?$",
        (
            ("ok 1 - adds", "adds", PASSED),
            ("  not ok 2 - divides", "divides", FAILED),
            ("ok 3 - later # SKIP no net", "later", SKIPPED),
            ("not ok 1 - cart # time=711.29ms {", "cart", FAILED),
            ("not ok 4 - wish # TODO", "wish", SKIPPED),
        ),
    ),
    Row(
        "js",
        END,
        tuple(_MARKS.split("|")),
        rf"\s*(?P<result>{_MARKS}) (?:skipped |todo )?(?!failing tests:|\d+ problems?)(?P<item>\S.*?){_TOOK}"
        r"(?: # (?P<directive>SKIP|TODO)\b.*)?$",
        (
            ("  ✓ adds (3 ms)", "adds", PASSED),
            ("    ✕ divides (12 ms)", "divides", FAILED),
            ("  ○ skipped later", "later", SKIPPED),
            (" \u00d7 src/cart.test.ts > cart > sums 5ms", "src/cart.test.ts > cart > sums", FAILED),
            ("✔ adds (1.2ms)", "adds", PASSED),
            ("﹣ later (0.1ms) # SKIP", "later", SKIPPED),
        ),
    ),
    Row(
        "js",
        END,
        ("PASS", "FAIL"),
        r"\s?(?P<result>PASS|FAIL) +(?P<item>[\w./@+()\[\]-]+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?$",
        (
            ("PASS src/cart.test.js", "src/cart.test.js", PASSED),
            ("FAIL src/cart.test.ts (5.2 s)", "src/cart.test.ts", FAILED),
        ),
        suite=True,
    ),
    Row(
        "js",
        START,
        ("RUN",),
        r"\s?RUNS +(?P<item>\S+\.[cm]?[jt]sx?)",
        ((" RUNS  src/cart.test.js", "src/cart.test.js", ""),),
        suite=True,
    ),
    Row(
        "cargo",
        END,
        ("... ",),
        r"test (?P<item>\S.*?)(?: - should panic)? \.\.\. (?P<result>ok|FAILED|ignored)\b",
        (
            ("test cart::sums ... ok", "cart::sums", PASSED),
            ("test cart::divides - should panic ... FAILED", "cart::divides", FAILED),
            ("test src/lib.rs - cart (line 3) ... ignored", "src/lib.rs - cart (line 3)", SKIPPED),
        ),
    ),
    Row(
        "cargo",
        ALIVE,
        ("has been running",),
        r"test (?P<item>\S.*?) has been running for over ",
        (("test cart::waits has been running for over 60 seconds", "cart::waits", ""),),
    ),
    Row(
        "cargo",
        START,
        ("test ",),
        r"test (?P<item>\S.*?)(?: - should panic)? \.\.\. ?$",
        (("test cart::waits ... ", "cart::waits", ""),),
        unfinished=True,
    ),
    Row(
        "cargo",
        STEP,
        ("Compiling ", "Checking ", "Running ", "Doc-tests "),
        r"\s+(?:Compiling|Checking|Running|Doc-tests) \S",
        (("   Compiling cart v0.1.0", "", ""), ("     Running unittests src/lib.rs", "", "")),
    ),
    Row(
        "nextest",
        END,
        ("s] ",),
        r"\s+(?:TRY \d+ )?(?P<result>PASS|FAIL|TIMEOUT|SIGABRT|SIGSEGV|LEAK-FAIL) \[ *[\d.]+s\] "
        r"(?:\( *\d+/\d+\) )?(?P<item>\S+ \S+)$",
        (
            ("        PASS [   0.004s] cart tests::sums", "cart tests::sums", PASSED),
            ("        FAIL [   0.1s] (2/9) cart tests::x", "cart tests::x", FAILED),
        ),
    ),
    Row(
        "nextest",
        ALIVE,
        ("SLOW",),
        r"\s+SLOW \[> *[\d.]+s\] (?:\( *-*/?\d*\) )?(?P<item>\S+ \S+)$",
        (("        SLOW [> 60.000s] cart tests::waits", "cart tests::waits", ""),),
    ),
    Row(
        "ctest", START, ("Start ",), r"\s*Start +\d+: (?P<item>\S+)$", (("      Start  3: cart_sums", "cart_sums", ""),)
    ),
    Row(
        "ctest",
        END,
        ("Test ",),
        r" *\d+/\d+ Test +#\d+: (?P<item>\S+) \.*(?: +|\*\*\*)"
        r"(?P<result>Passed|Failed|Timeout|Exception|Not Run|Skipped)\b",
        (
            ("3/9 Test #3: cart_sums .........   Passed    0.00 sec", "cart_sums", PASSED),
            (" 4/9 Test  #4: cart_divides ....***Failed    0.01 sec", "cart_divides", FAILED),
            ("5/9 Test #5: net ......***Exception: SegFault  0.1 sec", "net", FAILED),
            ("6/9 Test #6: gpu ...***Skipped   0.00 sec", "gpu", SKIPPED),
        ),
    ),
    Row(
        "gradle",
        START,
        ("STARTED",),
        r"(?P<item>[\w.$ -]+(?:\[[^\]]*\])? > \S.*?) STARTED$",
        (("org.example.CartTest > sums() STARTED", "org.example.CartTest > sums()", ""),),
    ),
    Row(
        "gradle",
        END,
        ("PASS", "FAIL", "SKIPPED"),
        r"(?P<item>[\w.$ -]+(?:\[[^\]]*\])? > \S.*?) (?P<result>PASSED|FAILED|SKIPPED)$",
        (
            ("CartTest > sums() PASSED", "CartTest > sums()", PASSED),
            ("CartTest > divides() FAILED", "CartTest > divides()", FAILED),
            ("CartTest > net() SKIPPED", "CartTest > net()", SKIPPED),
        ),
    ),
    Row(
        "gradle",
        END,
        ("> Task ",),
        r"> Task (?P<item>:\S+) (?P<result>FAILED)$",
        (("> Task :app:test FAILED", ":app:test", FAILED),),
        suite=True,
    ),
    Row("gradle", STEP, ("> Task ",), r"> Task :\S+(?: [A-Z-]+)?$", (("> Task :app:compileJava UP-TO-DATE", "", ""),)),
    Row("gtest", START, ("RUN",), r"\[ RUN +\] (?P<item>\S+)$", (("[ RUN      ] Cart.Sums", "Cart.Sums", ""),)),
    Row(
        "gtest",
        END,
        (" ms)",),
        r"\[ +(?P<result>OK|FAILED|SKIPPED) +\] (?P<item>[\w/]+\.[\w/]+)(?:, where .*)? \(\d+ ms\)$",
        (
            ("[       OK ] Cart.Sums (0 ms)", "Cart.Sums", PASSED),
            ("[  FAILED  ] Cart.Divides (1 ms)", "Cart.Divides", FAILED),
        ),
    ),
    Row(
        "unittest",
        END,
        ("... ",),
        r"(?P<item>\w+ \([\w.]+\)) \.\.\. (?P<result>ok|FAIL|ERROR|skipped|expected failure)\b",
        (
            ("test_sums (tests.test_cart.Cart.test_sums) ... ok", "test_sums (tests.test_cart.Cart.test_sums)", PASSED),
            ("test_net (tests.Net) ... skipped 'no net'", "test_net (tests.Net)", SKIPPED),
        ),
    ),
    Row(
        "unittest",
        START,
        ("... ",),
        r"(?P<item>\w+ \([\w.]+\)) \.\.\. ?$",
        (("test_waits (tests.Cart) ... ", "test_waits (tests.Cart)", ""),),
        unfinished=True,
    ),
    Row(
        "pytest",
        END,
        (".py::",),
        r"(?P<item>\S+\.py::\S.*?) (?P<result>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \(.*\))?(?: +\[ *\d+%\])?$",
        (
            ("tests/test_cart.py::test_sums PASSED   [ 50%]", "tests/test_cart.py::test_sums", PASSED),
            ("tests/test_cart.py::test_net SKIPPED (no net) [ 60%]", "tests/test_cart.py::test_net", SKIPPED),
        ),
    ),
    Row(
        "pytest",
        END,
        ("PASS", "FAIL", "SKIPPED", "ERROR"),
        r"\[gw\d+\](?: \[ *\d+%\])? (?P<result>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (?P<item>\S+\.py::\S.*?) *$",
        (("[gw1] [ 50%] FAILED tests/test_cart.py::test_sums ", "tests/test_cart.py::test_sums", FAILED),),
    ),
    Row(
        "pytest",
        START,
        (".py::",),
        r"(?P<item>\S+\.py::\S+) ?$",
        (("tests/test_cart.py::test_waits ", "tests/test_cart.py::test_waits", ""),),
        unfinished=True,
    ),
)
"""Order does not matter: events of a block are sorted by where they stand."""


class Reader(NamedTuple):
    """A row, ready for bytes."""

    row: Row
    match: re.Pattern[bytes]

    def read(self, line: bytes) -> Event | None:
        """The event that a line tells, if it is of this kind."""
        found = self.match.match(line)
        if found is None:
            return None
        groups = {name: (value or b"").decode("utf-8", "replace") for name, value in found.groupdict().items()}
        result = ""
        if self.row.kind == END:
            result = SKIPPED if groups.get("directive") else RESULTS.get(groups["result"], SKIPPED)
        depth = len(line) - len(line.lstrip())
        return Event(self.row.kind, groups.get("item", ""), result, self.row.runner, self.row.suite, depth)


READERS = tuple(Reader(row, re.compile(row.pattern.encode())) for row in ROWS)
UNFINISHED = tuple(reader for reader in READERS if reader.row.unfinished)


def _by_word(*, ascii_only: bool) -> tuple[tuple[bytes, tuple[Reader, ...]], ...]:
    """Each word once, since looking for it is what costs, with the rows that it may lead to."""
    found: dict[str, list[Reader]] = {}
    for reader in READERS:
        for word in reader.row.words:
            if not reader.row.unfinished and word.isascii() == ascii_only:
                found.setdefault(word, []).append(reader)
    return tuple((word.encode(), tuple(readers)) for word, readers in found.items())


ASCII_WORDS = _by_word(ascii_only=True)
OTHER_WORDS = _by_word(ascii_only=False)

GO_JSON = b'"Action":"'
_GO_RESULTS = {"pass": PASSED, "fail": FAILED, "skip": SKIPPED}


def read_go_json(line: bytes) -> Iterator[Event]:
    """What one line of `go test -json` tells. A package without a test is a suite; its output lines are no progress."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return
    if (
        not isinstance(told, dict)
        or not isinstance(told.get("Package"), str)
        or not isinstance(told.get("Action"), str)
    ):
        return
    test, action = told.get("Test"), told["Action"]
    item, suite = (test, False) if isinstance(test, str) and test else (told["Package"], True)
    if action in ("run", "start"):
        yield Event(START, item, "", "go", suite, item.count("/"))
    elif action in _GO_RESULTS:
        yield Event(END, item, _GO_RESULTS[action], "go", suite, item.count("/"))
