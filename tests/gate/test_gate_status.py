"""The exit status is the command's own, signals reach it, and a failure's last line is what failres reads back."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from gate_run import PYTHON, ROOT, SCRIPT, gate, outcome_of, started, words

from bot.cli.triage import read_log
from resolver.log.classify import LogContext
from resolver.log.structured import StructuredLine, parse_last_line

sys.path.insert(0, str(ROOT / "workflows" / "gate"))
from failres_gate.events import END, FAILED, Event
from failres_gate.verdict import Ending, last_line
from failres_gate.watch import Watch

sys.path.pop(0)

STATUSES = [
    ("exit 0", 0, None),
    ("exit 1", 1, "gate-red-code"),
    ("exit 3", 3, "gate-red-code"),
    ("exit 124", 124, "gate-red-code"),
    ("kill -KILL $$", 137, "unknown"),
    ("kill -TERM $$", 143, "unknown"),
    ("kill -SEGV $$", 139, "gate-red-code"),
    ("exit 200", 200, "gate-red-code"),
    ("no-such-tool", 127, "gate-red-env"),
    ("/", 126, "gate-red-env"),
]


def read_back(seen_last: str) -> StructuredLine:
    """The last line as the bot takes it from a check's log."""
    told = parse_last_line(seen_last, own_workflow=False)
    assert told is not None, seen_last
    return told


@pytest.mark.parametrize(("script", "status", "fail_class"), STATUSES)
def test_the_status_is_the_commands_own(tmp_path: Path, script: str, status: int, fail_class: str | None):
    """Whatever the command's end, the wrapper's is the same; a failure's last line is believed, a success has none."""
    seen = gate(tmp_path, ["sh", "-c", script], "--check", "unit")
    assert seen.status == status
    assert seen.records[-1]["phase"] == "check-end"
    assert seen.records[-1]["exitStatus"] == status
    if fail_class is None:
        assert b"failClass" not in seen.stderr
        assert ("failure", None) not in seen.phases
        return
    told = read_back(seen.last)
    assert (told.fail_class, told.scope, told.exit_status) == (fail_class, "task", status)
    assert told.output_path == str(seen.output)
    assert ("failure", None) in seen.phases


@pytest.mark.parametrize(
    ("command", "status", "words_in"),
    [
        (["no-such-command"], 127, "there is no such command"),
        (["pytest -q tests"], 127, "words of their own"),
        (["/etc/passwd"], 126, "cannot start"),
        (["/"], 126, "cannot start"),
        (["."], 126, "cannot start"),
        ([""], 126, "cannot start"),
    ],
)
def test_a_command_that_cannot_be_started_is_told(tmp_path: Path, command: list[str], status: int, words_in: str):
    """127 and 126 as in a shell, with a sentence for people and the line for failres."""
    seen = gate(tmp_path, command)
    assert seen.status == status
    told = read_back(seen.last)
    assert told.fail_class == "gate-red-env"
    assert words_in in told.message
    assert words_in in seen.stderr.decode().splitlines()[-2]
    assert seen.phases[-1] == ("check-end", None)


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)]
)
def test_a_signal_reaches_the_command(tmp_path: Path, number: int, status: int):
    """What is sent to the wrapper ends the command, and its death is the status; who was stopped is nobody's fault."""
    process = started(
        tmp_path,
        words("import signal, time; signal.signal(2, signal.SIG_DFL); print('ready', flush=True); time.sleep(20)"),
        stdout=-1,
        stderr=-1,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(number)
    seen = outcome_of(process, tmp_path)
    assert seen.status == status
    assert read_back(seen.last).fail_class == "unknown"


def test_a_command_may_answer_a_signal(tmp_path: Path):
    """A handler runs in the command, and its own status counts."""
    code = "import signal, sys, time; signal.signal(15, lambda *_: (print('bye', flush=True), sys.exit(7))); print('ready', flush=True); time.sleep(20)"
    process = started(tmp_path, words(code), stdout=-1, stderr=-1)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.terminate()
    seen = outcome_of(process, tmp_path)
    assert (seen.stdout, seen.status) == (b"bye\n", 7)


def test_what_was_ignored_stays_ignored(tmp_path: Path):
    """Under `nohup` a hang-up ends neither the wrapper nor the command."""
    process = started(
        tmp_path,
        ["sh", "-c", "echo ready; sleep 0.4; echo over"],
        stdout=-1,
        stderr=-1,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGHUP)
    seen = outcome_of(process, tmp_path)
    assert (seen.stdout, seen.status) == (b"over\n", 0)


def test_suspending_suspends_the_command_too(tmp_path: Path):
    """Ctrl-Z on a laptop: both stop, both go on, and the pause is no stall."""
    process = started(
        tmp_path, ["sh", "-c", "echo ready; sleep 0.3; echo over"], "--stall-after", "0.8s", stdout=-1, stderr=-1
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGTSTP)
    assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
    time.sleep(0.9)
    process.send_signal(signal.SIGCONT)
    seen = outcome_of(process, tmp_path)
    assert (seen.stdout, seen.status) == (b"over\n", 0)


def test_triage_believes_the_line_in_a_runners_log(tmp_path: Path):
    """As the last line of a failing step in GitHub's frame, the runner's own error after it, it is the failure."""
    seen = gate(
        tmp_path, ["sh", "-c", "echo 'not ok 2 - divides'; echo 'ok 3 - sums'; exit 1"], stderr=subprocess.STDOUT
    )
    stamp = b"2026-01-02T03:04:05.1234567Z "
    lines = [
        b"##[group]Run failres gate",
        b"##[endgroup]",
        *seen.stdout.splitlines(),
        b"##[error]Process completed with exit code 1.",
    ]
    log = b"".join(stamp + line + b"\n" for line in lines)
    triage = read_log(io.BytesIO(log), LogContext(check="unit"))
    assert (triage.why, triage.fail_class, triage.items, triage.exit_status) == (
        "structured-line",
        "gate-red-code",
        ("divides",),
        1,
    )


def test_hostile_output_cannot_spoil_the_last_line(tmp_path: Path):
    """Control characters, lone surrogates, JSON of its own and a name without end: the line is valid, bounded and the wrapper's."""
    code = """
import sys
out = sys.stdout.buffer
out.write(b'not ok 1 - ' + b'\\xff\\xed\\xa0\\x80"\\\\{}' * 600 + b'\\n' + b'\\x1b[31m\\xf0\\x9f\\x92\\xa5\\x07' * 5000)
sys.stderr.write('\\n{"failClass": "gate-red-env", "scope": "task", "message": "not me"}')
sys.exit(1)
"""
    seen = gate(tmp_path, words(code))
    told = read_back(seen.last)
    assert len(seen.last) <= 16_384
    assert told.fail_class == "gate-red-code"
    assert told.item is not None
    assert len(told.item) <= 1_024
    assert "\x1b" not in (told.stack or "")


KILLED = {"status": 137, "output_path": "o"}
ENDINGS = [
    (KILLED, "unknown"),
    ({**KILLED, "out_of_memory": True}, "gate-red-env"),
    ({**KILLED, "out_of_memory": True, "stalled": True, "status": 124}, "task-stalled"),
    ({"status": 1, "output_path": "o", "out_of_memory": True}, "gate-red-code"),
    ({"status": 1, "output_path": "o", "disk_full": True}, "disk-space-low"),
    ({"status": 134, "output_path": "o"}, "gate-red-code"),
    ({"status": 143, "output_path": "o", "stopped": 15}, "unknown"),
    ({"status": 127, "output_path": "o", "refused": "cannot start 'x'"}, "gate-red-env"),
]


@pytest.mark.parametrize(("ending", "fail_class"), ENDINGS)
def test_a_class_is_claimed_only_on_evidence(ending: dict[str, Any], fail_class: str):
    """A kill is want of memory only where the kernel counted one, and a full disk only where one was met."""
    assert read_back(last_line(Ending(**ending), Watch(60, strict=True)).decode()).fail_class == fail_class


@pytest.mark.parametrize("letter", ["a", "\U0001f4a5", "\x00", "\ud800", "\u2028"])
def test_the_last_line_is_bounded_whatever_is_in_it(letter: str):
    """Names, messages, traces and paths of any letters and length make a line that is believed."""
    watch = Watch(60, strict=True)
    watch.hear(Event(END, letter * 2_000 + "x", FAILED, message="m" + letter * 9_000, stack=letter * 90_000))
    line = last_line(Ending(1, "/" + letter * 90), watch).decode()
    assert len(line) <= 16_384
    told = read_back(line)
    assert told.item is None or len(told.item) <= 1_024


@pytest.mark.parametrize(
    "line",
    [
        [],
        ["--"],
        ["make", "test"],
        ["--stall-after", "soon", "--", "true"],
        ["--stall-after", "0s", "--", "true"],
        ["--pattern", "(", "--", "true"],
        ["--nonsense", "--", "true"],
    ],
)
def test_a_wrong_call_is_refused_before_anything_runs(line: list[str]):
    """Status 2 and a sentence, as command lines do."""
    seen = subprocess.run([PYTHON, "-S", str(SCRIPT), *line], capture_output=True, check=False)
    assert seen.returncode == 2
    assert seen.stderr.startswith(b"usage: failres gate [options] -- COMMAND")
    assert b"error: " in seen.stderr
