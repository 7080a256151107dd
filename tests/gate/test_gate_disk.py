"""Where nothing can be written, the check's own result still counts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from gate_run import WRAPPER, gate

from resolver.log.structured import parse_last_line

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")


@needs_full
@pytest.mark.parametrize("name", ["progress.jsonl", "progress.output.log"])
@pytest.mark.parametrize(
    ("script", "status", "fail_class"),
    [
        ("echo fine", 0, None),
        ("echo bad; exit 5", 5, "disk-space-low"),
        ("echo 'not ok 1 - a'; exit 5", 5, "gate-red-code"),
    ],
)
def test_a_full_disk_changes_no_result(tmp_path: Path, name: str, script: str, status: int, fail_class: str | None):
    """The output arrives, the status is the command's, a person is told; only a failure without a failing item is the disk's."""
    (tmp_path / name).symlink_to(FULL)
    seen = gate(tmp_path, ["sh", "-c", script])
    assert seen.status == status
    assert seen.stdout == script.removeprefix("echo ").partition(";")[0].strip("'").encode() + b"\n"
    assert b"could not be written" in seen.stderr
    assert b"No space left on device" in seen.stderr
    if fail_class is not None:
        told = parse_last_line(seen.last, own_workflow=False)
        assert told is not None
        assert told.fail_class == fail_class


@needs_full
def test_a_full_disk_behind_the_output_changes_no_result(tmp_path: Path):
    """`> file` on a full disk: the output is lost there, kept in the copy, and the status is the command's."""
    with FULL.open("wb") as full:
        seen = gate(tmp_path, ["sh", "-c", "echo one; exit 3"], stdout=full)
    assert seen.status == 3
    assert seen.output.read_bytes() == b"one\n"


def test_a_folder_that_cannot_be_made_changes_no_result(tmp_path: Path):
    """A file where the folder should be: told, and the check runs."""
    (tmp_path / "file").write_text("")
    seen = gate(tmp_path, ["sh", "-c", "exit 4"], "--progress", str(tmp_path / "file" / "progress.jsonl"))
    assert seen.status == 4
    assert b"the progress records could not be written" in seen.stderr


def test_a_runner_without_a_temporary_folder_changes_no_result(tmp_path: Path):
    """Where no place was asked for and the runner's own is no folder, that is told, and the check runs."""
    (tmp_path / "file").write_text("")
    line = [*WRAPPER, "--check", "unit", "--", "sh", "-c", "echo ok; exit 4"]
    seen = subprocess.run(
        line, env={**os.environ, "RUNNER_TEMP": str(tmp_path / "file")}, capture_output=True, check=False
    )
    assert (seen.returncode, seen.stdout) == (4, b"ok\n")
    assert b"the progress records could not be written" in seen.stderr


def test_without_a_place_a_fresh_folder_is_made_and_told(tmp_path: Path):
    """Each call has its own in the runner's temporary folder; the first line names it before anything runs."""
    for _ in range(2):
        line = [*WRAPPER, "--check", "unit / 3.11", "--", "true"]
        seen = subprocess.run(line, env={**os.environ, "RUNNER_TEMP": str(tmp_path)}, capture_output=True, check=True)
        told = seen.stderr.decode().splitlines()[0]
        assert any(str(folder / "progress.jsonl") in told for folder in tmp_path.glob("failres-gate-unit-3.11-*"))
    assert len(list(tmp_path.iterdir())) == 2
