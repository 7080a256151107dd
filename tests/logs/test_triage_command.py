"""`failres triage`: reads what people have, says for people and for programs what failed, and answers other input clearly."""

from __future__ import annotations

import argparse
import gzip
import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bot.cli.triage import add_parser, main

LOG = """\
============================= test session starts ==============================
=================================== FAILURES ===================================
_________________________________ test_total __________________________________
>       assert total() == 4
E       assert 3 == 4
tests/test_cart.py:7: AssertionError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 3 == 4
========================= 1 failed, 9 passed in 0.08s =========================
##[error]Process completed with exit code 1.
"""
KEYS = {
    "file", "failClass", "kind", "items", "errors", "keyLines", "fingerprint", "failures", "exitStatus", "lines", "bytes",
}  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log on disk."""
    path = tmp_path / "job.log"
    path.write_text(LOG)
    return path


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What was printed, one object a line."""
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_json_has_the_promised_fields(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object for the log with every field that the interface names."""
    assert main(["--json", str(log)]) == 0
    (told,) = lines(capsys)
    assert set(told) >= KEYS
    assert (told["kind"], told["failClass"], told["items"]) == (
        "test",
        "gate-red-code",
        ["tests/test_cart.py::test_total"],
    )
    assert (told["exitStatus"], told["lines"], told["bytes"]) == (1, 10, len(LOG))
    assert told["keyLines"][0] == 8
    assert ("tests/test_cart.py", 7, "assert 3 == 4") in {(e["path"], e["line"], e["message"]) for e in told["errors"]}
    assert told["failures"][0]["fingerprint"] == told["fingerprint"]


def test_packed_logs_read_like_plain_ones(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """.gz, .zip with several logs, and standard input give the same verdict."""
    packed = tmp_path / "job.log.gz"
    packed.write_bytes(gzip.compress(LOG.encode()))
    archive = tmp_path / "logs.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("0_test.txt", LOG)
        file.writestr("test/1_run.txt", "all is well\n")
    assert main(["--json", str(log), str(packed), str(archive)]) == 0
    told = lines(capsys)
    assert [t["kind"] for t in told] == ["test", "test", "test", "none"]
    assert len({t["fingerprint"] for t in told[:3]}) == 1
    assert told[2]["file"].endswith("logs.zip/0_test.txt")


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`-` reads standard input, packed or not."""
    for data in (LOG.encode(), gzip.compress(LOG.encode())):
        stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))
        monkeypatch.setattr(sys, "stdin", stream)
        assert main(["--json", "-"]) == 0
        assert lines(capsys)[0]["kind"] == "test"


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (b"\x7fELF\x02\x01\x01" + bytes(500), "binary"),
        (bytes(range(8)) * 500, "binary"),
        (b"PK\x03\x04 broken", "damaged"),
        (b"\x1f\x8b broken", "damaged"),
        (gzip.compress(LOG.encode() * 2_000)[:200], "damaged"),
    ],
    ids=["empty", "elf", "bytes", "zip", "gzip", "cut-gzip"],
)
def test_other_input_is_answered_clearly(
    data: bytes, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No trace: one line that says what is wrong with the file, and status 2."""
    path = tmp_path / "x"
    path.write_bytes(data)
    assert main([str(path)]) == 2
    told = capsys.readouterr()
    assert word in told.err
    assert len(told.err.splitlines()) == 1
    assert main(["--json", str(path)]) == 2
    assert word in lines(capsys)[0]["error"]


def test_missing_file_does_not_stop_the_others(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One unreadable argument: the others are read, the status tells."""
    assert main(["--json", "no-such.log", str(log)]) == 2
    first, second = lines(capsys)
    assert "No such file" in first["error"]
    assert second["kind"] == "test"


def test_people_see_cause_items_and_lines(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The cause in the first line, the class and the rule, the failing item, the place, and the key lines with context."""
    assert main([str(log)]) == 0
    text = capsys.readouterr().out
    first = text.splitlines()[0]
    assert "test in tests/test_cart.py::test_total: assert 3 == 4" in first
    for word in (
        "gate-red-code",
        "pytest-summary-item",
        "at tests/test_cart.py:7",
        ">      8 FAILED tests/test_cart.py",
    ):
        assert word in text


def test_explain_lists_what_matched_and_what_lost(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every line that a rule read, with the rule, so that a wrong verdict can be understood."""
    assert main(["--explain", str(log)]) == 0
    text = capsys.readouterr().out
    for rule in ("pytest-header", "pytest-place", "pytest-total", "actions-exit"):
        assert rule in text


def test_printed_lines_are_masked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the command shows holds no secret, in no form of its output."""
    path = tmp_path / "job.log"
    path.write_text(f"FAILED tests/a.py::test_a - AssertionError: ghp_{'a1B2' * 9}\n")
    for options in ([], ["--json"], ["--explain"]):
        main([*options, str(path)])
        assert "ghp_" not in capsys.readouterr().out


def test_command_is_declared_for_the_program() -> None:
    """The program's own parser takes the command with its options."""
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers(dest="command"))
    args = parser.parse_args(["triage", "--json", "--explain", "--check", "ci", "a.log", "-"])
    assert (args.command, args.logs, args.json, args.explain, args.check) == (
        "triage",
        ["a.log", "-"],
        True,
        True,
        "ci",
    )
