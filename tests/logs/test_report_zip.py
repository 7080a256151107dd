"""Zips of JUnit reports: they come from the pull request's own run, so none may cost much or raise."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest

from bot.work.observe.reports import ReportLimits, read_zip
from resolver.log.context import LogContext
from resolver.log.junit import JUnitLimits, read_junit

GOOD = b'<testsuite><testcase classname="a" name="b"/></testsuite>'


def zipped(*files: tuple[str, bytes]) -> bytes:
    """A zip of these files; a name may occur twice."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return buffer.getvalue()


def read(data: bytes, limits: ReportLimits | None = None) -> list[tuple[str, tuple[str, ...], bool]]:
    """Each file's name, its passed items, and whether it has a problem."""
    found = read_zip(data, LogContext(), limits or ReportLimits())
    return [(name, report.passed, report.problem is not None) for name, report in found]


def test_xml_files_are_read_in_the_order_of_their_names() -> None:
    """Other files are left alone, and a broken one spoils no other."""
    data = zipped(("b/r.XML", GOOD), ("c.png", b"\x89"), ("a/r.xml", b"<no"), ("../../up.xml", GOOD))
    assert read(data) == [("../../up.xml", ("a.b",), False), ("a/r.xml", (), True), ("b/r.XML", ("a.b",), False)]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_occurs_twice_is_two_files() -> None:
    """Each entry is read for itself."""
    other = GOOD.replace(b'"b"', b'"c"')
    assert [passed for _, passed, _ in read(zipped(("r.xml", GOOD), ("r.xml", other)))] == [("a.b",), ("a.c",)]


def test_a_zip_that_unpacks_to_too_much_is_left_where_the_limit_is() -> None:
    """A bomb: 20 MB of zeros in 20 KB; no more than the limit is unpacked, and what came before it counts."""
    data = zipped(("a.xml", GOOD), ("b.xml", b"\0" * 20_000_000), ("c.xml", GOOD))
    assert len(data) < 50_000
    assert read(data, ReportLimits(xml_bytes=100_000)) == [("a.xml", ("a.b",), False), ("b.xml", (), True)]


def test_too_many_files_are_cut() -> None:
    """The first ones by name are read."""
    data = zipped(*((f"{n}.xml", GOOD) for n in range(9)))
    assert [name for name, _, _ in read(data, ReportLimits(files=2))] == ["0.xml", "1.xml"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: b"",
        lambda _: b"not a zip",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"PK\x03\x04", b"XXXX"),
        lambda data: data[:40] + bytes(255 - b for b in data[40:60]) + data[60:],
        lambda data: data.replace(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x01\x00\x08\x00"),
        lambda data: data.replace(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x00\x00\x63\x00"),
    ],
    ids=["empty", "text", "half", "no-header", "bits", "encrypted", "method"],
)
def test_a_broken_zip_is_a_problem(spoil: Callable[[bytes], bytes]) -> None:
    """Whatever is wrong with it, it is told and nothing is raised."""
    assert [problem for _, _, problem in read(spoil(zipped(("r.xml", GOOD))))] == [True]


def test_what_is_kept_of_a_huge_report_is_bounded() -> None:
    """Names are cut, and of each list only so many entries are kept."""
    case = b'<testcase name="%d' + b"x" * 2_000 + b'" time="1"><flakyError/></testcase>'
    data = b"<testsuite>" + b"".join(case % n for n in range(20)) + b"</testsuite>"
    report = read_junit(data, LogContext(), JUnitLimits(findings=2, passed=3, flaky=4, name=100))
    assert (len(report.passed), len(report.flaky), len(report.seconds)) == (3, 4, 5)
    assert {len(name) for name in report.passed} == {100}
