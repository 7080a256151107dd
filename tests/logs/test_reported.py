"""Log and JUnit report of one job joined: what each completes, what stays first, and whose reports they are."""

from __future__ import annotations

import pytest

from resolver.failure import Finding
from resolver.log.classify import LogContext, classify
from resolver.log.junit import JUnitReport, read_junit
from resolver.log.passed import KEPT_NAMES, Passed
from resolver.log.reported import join_failures, join_passed
from resolver.log.triage import Triage
from resolver.log.uploads import Upload, UploadScan

CONTEXT = LogContext(check="ci", repo_paths=frozenset({"tests/test_a.py", "tests/test_b.py"}))
EXIT = b"##[error]Process completed with exit code 1.\n"


def case(owner: str, name: str, inside: str = "") -> str:
    """One test case of a report."""
    return f'<testcase classname="{owner}" name="{name}">{inside}</testcase>'


def broken(message: str) -> str:
    """A failure with that message."""
    return f'<failure message="{message}" type="AssertionError">Traceback of {message}</failure>'


def report(*cases: str) -> JUnitReport:
    """A report of those cases."""
    return read_junit(f"<testsuite>{''.join(cases)}</testsuite>".encode(), CONTEXT)


A_RED = report(case("tests.test_a", "test_a", broken("assert 1 == 2")), case("tests.test_a", "test_ok"))
B_RED = report(case("tests.test_b", "test_b", broken("assert 3 == 4")))


def joined(log: bytes, *reports: JUnitReport) -> Triage:
    """The triage of a log with its reports."""
    return join_failures(classify(log, CONTEXT), reports)


def told(findings: tuple[Finding, ...]) -> list[tuple[str | None, str]]:
    """Item and source of each."""
    return [(finding.item, finding.source) for finding in findings]


@pytest.mark.parametrize(
    "log", [b"nothing\n" + EXIT, b"nothing\n", b"1 failed in 0.02s\n" + EXIT], ids=["exit", "silence", "summary"]
)
def test_a_report_replaces_a_failure_without_a_name(log: bytes) -> None:
    """Where the log only says that something failed, the report's items, in the order of their names, are what failed."""
    triage = joined(log, B_RED, A_RED)
    assert told(triage.findings) == [("tests/test_a.py::test_a", "junit"), ("tests/test_b.py::test_b", "junit")]
    assert (triage.fail_class, triage.kind, triage.items) == (
        "gate-red-code",
        "test",
        ("tests/test_a.py::test_a", "tests/test_b.py::test_b"),
    )


def test_log_and_report_of_one_item_complete_each_other() -> None:
    """Under the same name it stays the log's failure with the log's fingerprint; the report adds its trace."""
    log = b"FAILED tests/test_a.py::test_a - assert 1 == 2\n" + EXIT
    triage = joined(log, A_RED)
    (finding,) = triage.findings
    assert (finding.source, finding.stack) == ("rules", "Traceback of assert 1 == 2")
    assert finding.fingerprint == classify(log, CONTEXT).findings[0].fingerprint


def test_a_short_name_is_the_one_item_that_ends_so() -> None:
    """The log names a class's method only; the report's full name is the item, since green reports show that one."""
    log = b"  1) CartTest.sums\n" + b"--- FAIL: CartTest.sums (0.00s)\n" + EXIT
    triage = joined(log, report(case("com.example.CartTest", "sums", broken("no"))))
    assert told(triage.findings) == [("com.example.CartTest.sums", "junit")]
    both = report(case("com.a.CartTest", "sums", broken("no")), case("com.b.CartTest", "sums", broken("no")))
    assert [item for item, _ in told(joined(log, both).findings)][1:] == ["com.a.CartTest.sums", "com.b.CartTest.sums"]


def test_what_only_one_of_them_names_stays() -> None:
    """The log's failures come first, then the report's further ones."""
    triage = joined(b"FAILED tests/test_b.py::test_b - assert 3 == 4\n" + EXIT, A_RED)
    assert told(triage.findings) == [("tests/test_b.py::test_b", "rules"), ("tests/test_a.py::test_a", "junit")]


def test_a_graver_cause_stays_first() -> None:
    """A full disk is why the tests failed: the report's items follow it."""
    triage = joined(b"OSError: [Errno 28] No space left on device\n" + EXIT, A_RED)
    assert (triage.fail_class, triage.findings[-1].item) == ("disk-space-low", "tests/test_a.py::test_a")


def test_a_report_without_failures_leaves_the_log_alone() -> None:
    """Only what passed in a rerun is added."""
    log = b"FAILED tests/test_a.py::test_a - assert 1 == 2\n" + EXIT
    green = report(case("tests.test_b", "test_b", '<flakyFailure message="once"/>'))
    triage = joined(log, green)
    assert triage.findings == classify(log, CONTEXT).findings
    assert triage.flaky == ("tests/test_b.py::test_b",)


def test_passed_items_of_reports_are_seen_wanted_first() -> None:
    """However many ran, a wanted item is not cut off; what failed in one of the reports did not pass."""
    many = report(*(case("tests.test_b", f"test_{n}") for n in range(KEPT_NAMES + 5)), case("tests.test_a", "test_a"))
    seen = join_passed(Passed(names=("of the log",)), [many], ["tests/test_a.py::test_a", "gone"])
    assert seen.names[:2] == ("tests/test_a.py::test_a", "of the log")
    assert (len(seen.names), seen.tests) == (KEPT_NAMES, KEPT_NAMES + 6)
    assert join_passed(Passed(), [many, A_RED], ["tests/test_a.py::test_a"]).names[0] != "tests/test_a.py::test_a"
    assert join_passed(Passed(tests=3), [many], []).tests == 3
    assert join_passed(Passed(), [], []) == Passed()


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_uploads_are_read_from_the_log(size: int) -> None:
    """Both forms of the action's last line, in any chunking; a name with spaces; once each; nothing of other lines."""
    log = (
        b"2026-01-01T00:00:00.0000000Z Artifact junit has been successfully uploaded!\n"
        b"Artifact junit (3.11) has been successfully uploaded! Final size is 181 bytes. Artifact ID is 1234\n"
        b"Artifact junit has been successfully uploaded!\r\n"
        b"Artifact download URL: https://github.com/o/r/actions/runs/1/artifacts/1234\n"
        b"Artifact \xff\xfe" + b"x" * 10_000 + b"\nArtifact last has been successfully uploaded!"
    )
    scan = UploadScan()
    for at in range(0, len(log), size):
        scan.feed(log[at : at + size])
    assert scan.close() == (Upload(name="junit"), Upload(name="junit (3.11)", artifact_id=1234), Upload(name="last"))
