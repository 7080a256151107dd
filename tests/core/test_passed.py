"""A green counts only where the item was seen to run: what logs of test runners show as passed."""

import pytest

from resolver.log.passed import PassedScan

LOGS = {
    "pytest -v": ("tests/test_a.py::test_one PASSED                    [ 50%]", "tests/test_a.py::test_one"),
    "pytest": ("tests/test_a.py ..s.                                   [100%]", "tests/test_a.py"),
    "unittest": ("test_one (tests.test_a.A) ... ok", "test_one (tests.test_a.A)"),
    "go": ("--- PASS: TestOne (0.00s)", "TestOne"),
    "go package": ("ok  \tgithub.com/acme/shop\t0.012s", "github.com/acme/shop"),
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
        ("Tests:       1 skipped, 5 passed, 6 total", 6),
        ("# pass 9", 9),
    ],
)
def test_the_runners_own_count_is_read(line, tests):
    """The same count on identical inputs proves the same selection."""
    scan = PassedScan()
    scan.feed(line.encode() + b"\n")
    assert scan.close().tests == tests


def test_wanted_items_come_first_and_the_rest_is_bounded():
    """However many tests passed, the ones asked for are kept."""
    scan = PassedScan(["t.py::last"])
    scan.feed(b"".join(f"t.py::n{i} PASSED\n".encode() for i in range(5_000)) + b"t.py::last PASSED\n")
    found = scan.close()
    assert found.names[0] == "t.py::last"
    assert len(found.names) == 300
