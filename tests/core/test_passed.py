"""A green counts only where the item was seen to run: what logs of test runners show as passed."""

import pytest

from resolver.log.passed import PassedScan

LOGS = {
    "pytest -v": ("tests/test_a.py::test_one PASSED                    [ 50%]", "tests/test_a.py::test_one"),
    "pytest": ("tests/test_a.py ..X.                                   [100%]", "tests/test_a.py"),
    "pytest-xdist -v": ("[gw1] [ 50%] PASSED tests/test_a.py::test_one ", "tests/test_a.py::test_one"),
    "pytest in colours": (
        "tests/test_a.py \x1b[32m.\x1b[0m\x1b[32m.\x1b[0m\x1b[32m              [100%]\x1b[0m",
        "tests/test_a.py",
    ),
    "pytest -v in colours": ("t.py::test_one \x1b[32mPASSED\x1b[0m\x1b[32m   [ 33%]\x1b[0m", "t.py::test_one"),
    "unittest": ("test_one (tests.test_a.A) ... ok", "test_one (tests.test_a.A)"),
    "go": ("--- PASS: TestOne (0.00s)", "TestOne"),
    "go package": ("ok  \tgithub.com/acme/shop\t0.012s", "github.com/acme/shop"),
    "go package, covered": (
        "ok  \tgithub.com/acme/shop\t0.012s\tcoverage: 50.0% of statements",
        "github.com/acme/shop",
    ),
    "go -json": (
        '{"Time":"2026-01-02T03:04:05Z","Action":"pass","Package":"acme/shop","Test":"TestOne","Elapsed":0}',
        "TestOne",
    ),
    "nextest": ("        PASS [   0.004s] (1/9) cart tests::sums", "cart tests::sums"),
    "ctest": ("1/2 Test #1: sums .............................   Passed    0.02 sec", "sums"),
    "gradle": ("org.acme.CartTest > sums() PASSED", "org.acme.CartTest > sums()"),
    "jest file in colours": (
        "\x1b[0m\x1b[7m\x1b[1m\x1b[32m PASS \x1b[39m\x1b[22m\x1b[27m\x1b[0m \x1b[2msrc/\x1b[22m\x1b[1ma.test.js\x1b[22m",
        "src/a.test.js",
    ),
    "vitest file": (" ✓ src/cart.test.ts (2 tests) 5ms", "src/cart.test.ts"),
    "cargo": ("test cart::tests::total ... ok", "cart::tests::total"),
    "jest file": ("PASS src/cart.test.ts (5.1 s)", "src/cart.test.ts"),
    "jest item": ("    ✓ adds prices (3 ms)", "adds prices"),
    "tap": ("ok 3 - adds prices # time=1ms", "adds prices"),
    "gtest": ("[       OK ] Cart.Total (0 ms)", "Cart.Total"),
}


@pytest.mark.parametrize(("line", "name"), LOGS.values(), ids=LOGS.keys())
@pytest.mark.parametrize("prefix", ["", "2026-01-02T03:04:05.1234567Z "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_passed_item_is_seen_in_any_frame_and_chunking(line, name, prefix, end):
    """With and without the runner's timestamps, either line end, whole or byte by byte."""
    log = f"{prefix}setup{end}{prefix}{line}{end}".encode()
    whole, bytewise = PassedScan(), PassedScan()
    whole.feed(log)
    for at in range(len(log)):
        bytewise.feed(log[at : at + 1])
    assert whole.close().names == bytewise.close().names == (name,)


@pytest.mark.parametrize(
    "line",
    [
        "tests/test_a.py::test_one FAILED",
        "tests/test_a.py ..F.",
        "--- FAIL: TestOne (0.00s)",
        "test cart::tests::total ... FAILED",
        "not ok 3 - adds prices",
        "FAIL src/cart.test.ts",
        "test_one (tests.test_a.A) ... skipped 'no'",
        "tests/test_a.py::test_one SKIPPED",
        "tests/test_a.py ..s.                                 [100%]",
        "tests/test_a.py ..x.                                 [100%]",
        "tests/test_a.py ............................... [ 50%]",
        "ok 3 - later # SKIP no network",
        "ok 4 - wish # TODO",
        "ok  \tacme/shop\t0.012s [no tests to run]",
        "ok  \tacme/shop\t(cached)",
        '{"Action":"skip","Package":"acme/shop","Test":"TestOne"}',
    ],
)
def test_what_failed_or_was_skipped_is_not_seen_as_passed(line):
    """Absence of a failure is no proof of execution."""
    scan = PassedScan()
    scan.feed(line.encode() + b"\n")
    assert scan.close().names == ()


@pytest.mark.parametrize(
    ("line", "tests"),
    [
        ("=========== 12 passed, 1 skipped in 0.1s ===========", 12),
        ("1 failed, 1 passed in 0.12s", 2),
        ("====== 2 failed, 3 passed, 1 error in 1.20s ======", 6),
        ("Ran 7 tests in 0.001s", 7),
        ("OK (skipped=1)\nRan 7 tests in 0.001s", 6),
        ("Ran 7 tests in 0.001s\n\nFAILED (failures=1, skipped=2)", 5),
        ("Tests:       1 failed, 1 skipped, 1 todo, 3 passed, 6 total", 4),
        ("Test Suites: 2 passed, 2 total\nTests:       5 passed, 5 total", 5),
        ("      Tests  1 failed | 2 passed | 1 skipped (4)", 3),
        ("\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m2 passed\x1b[39m\x1b[22m\x1b[90m (2)\x1b[39m", 2),
        ("# tests 9\n# pass 6\n# fail 1\n# skipped 2", 7),
        ("ℹ pass 2\nℹ fail 3", 5),
        ("  2 passing (5ms)\n  1 pending\n  1 failing", 3),
        ("test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s", 2),
    ],
)
def test_the_runners_own_count_is_read(line, tests):
    """The same count on identical inputs proves the same selection."""
    scan = PassedScan()
    scan.feed(line.encode() + b"\n")
    assert scan.close().tests == tests


def test_the_sessions_of_a_job_are_counted_together():
    """The last of several sessions alone would be alike in two runs whose tests differ: cargo ends with its examples."""
    end = "test result: ok. {} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
    scan = PassedScan()
    for passed in (12, 3, 0):
        scan.feed(end.format(passed).encode())
    assert scan.close().tests == 15


def test_wanted_items_come_first_and_the_rest_is_bounded():
    """However many tests passed, the ones asked for are kept."""
    scan = PassedScan(["t.py::last"])
    scan.feed(b"".join(f"t.py::n{i} PASSED\n".encode() for i in range(5_000)) + b"t.py::last PASSED\n")
    found = scan.close()
    assert found.names[0] == "t.py::last"
    assert len(found.names) == 300
