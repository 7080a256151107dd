"""What the command prints goes through as it is, at once, in bounded memory."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from gate_run import PYTHON, gate, outcome_of, started, without_own_lines, words

NOISY = """
import os, sys
out, err = sys.stdout.buffer, sys.stderr.buffer
for turn in range(200):
    out.write(b"\\x00\\x01 \\xff\\xfe invalid \\r\\n\\x1b[31mred\\x1b[0m\\rprogress %d\\r" % turn)
    err.write(b"warning \\xc3\\x28 \\x1b[1m%d\\x1b[m\\n\\n" % turn)
out.write(bytes(range(256)) * 300 + b"no end of line")
err.write(b"neither here")
"""


def test_a_noisy_command_looks_the_same_with_and_without_the_wrapper(tmp_path: Path):
    """NUL, CR, colours, invalid UTF-8 and an open last line: each stream is the same, byte for byte."""
    bare = subprocess.run(words(NOISY), capture_output=True, check=True)
    seen = gate(tmp_path, words(NOISY))
    assert (seen.status, seen.stdout) == (0, bare.stdout)
    assert without_own_lines(seen.stderr) == bare.stderr
    assert sorted(seen.output.read_bytes()) == sorted(bare.stdout + bare.stderr)


def test_one_pipe_for_both_streams_gets_both(tmp_path: Path):
    """As on a runner, where stdout and stderr are one pipe: all bytes arrive, and the last line stands alone."""
    code = NOISY + "\nout.flush(); err.flush(); sys.exit(3)"
    bare = subprocess.run(words(code), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    seen = gate(tmp_path, words(code), stderr=subprocess.STDOUT)
    lines = seen.stdout.splitlines()
    assert lines[0].startswith(b"failres gate: ")
    assert lines[-1].startswith(b'{"failClass"')
    between = seen.stdout.partition(b"\n")[2].rpartition(b'{"failClass"')[0]
    assert between.endswith(b"\n")
    assert sorted(between[:-1]) == sorted(bare.stdout)


def test_output_comes_at_once(tmp_path: Path):
    """A line that has no end is passed on while the command still runs."""
    process = started(tmp_path, ["sh", "-c", "printf 'working...'; read x; echo done"], stdin=-1, stdout=-1, stderr=-1)
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 10)[0]
    assert os.read(process.stdout.fileno(), 100) == b"working..."
    assert process.poll() is None
    stdout, _ = process.communicate(b"go\n", timeout=10)
    assert (stdout, process.returncode) == (b"done\n", 0)


def test_input_reaches_the_command(tmp_path: Path):
    """Standard input is the command's."""
    process = started(tmp_path, ["cat"], stdin=-1, stdout=-1, stderr=-1)
    stdout, _ = process.communicate(b"typed\x00bytes", timeout=10)
    assert (stdout, process.returncode) == (b"typed\x00bytes", 0)


def on_terminal(command: list[str], typed: bytes = b"", until: bytes = b"") -> tuple[bytes, int]:
    """Run on a terminal of its own; `typed` is typed once `until` was shown. What it showed, and its status."""
    pid, master = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    shown = b""
    limit = time.monotonic() + 10
    while time.monotonic() < limit:
        if not select.select([master], [], [], 10)[0]:
            break
        try:
            shown += os.read(master, 65536)
        except OSError:
            break
        if typed and until in shown:
            os.write(master, typed)
            typed = b""
    status = os.waitpid(pid, 0)[1]
    os.close(master)
    return shown, os.waitstatus_to_exitcode(status)


COLOURFUL = "import sys, os; print(sys.stdout.isatty(), os.get_terminal_size()[0] > 0 or 0, '\\x1b[32mgreen\\x1b[0m', flush=True); sys.stderr.write(str(sys.stderr.isatty()))"


def wrapped(folder: Path, command: list[str], *options: str) -> list[str]:
    """The wrapper's whole command line."""
    from gate_run import WRAPPER

    return [*WRAPPER, "--progress", str(folder / "progress.jsonl"), *options, "--", *command]


def test_a_terminal_stays_a_terminal(tmp_path: Path):
    """On a terminal the command sees one, so its colours stay, and it shows the same as without the wrapper."""
    bare, _ = on_terminal(words(COLOURFUL))
    shown, status = on_terminal(wrapped(tmp_path, words(COLOURFUL)))
    assert b"True" in bare
    assert status == 0
    assert shown.partition(b"\n")[2] == bare


def test_keys_reach_the_command_on_a_terminal(tmp_path: Path):
    """Ctrl-C ends the command as it would without the wrapper, and a typed line is read by it."""
    command = wrapped(tmp_path, ["sh", "-c", "echo ready; exec sleep 20"])
    shown, status = on_terminal(command, b"\x03", b"\nready")
    assert status == 130
    assert b'"failClass": "unknown"' in shown
    shown, status = on_terminal(
        wrapped(tmp_path, ["sh", "-c", "echo ready; read x; echo got $x"]), b"word\r", b"\nready"
    )
    assert status == 0
    assert b"got word" in shown


def test_the_terminal_is_put_back(tmp_path: Path):
    """After the check the real terminal echoes and reads lines as before, stalls included."""
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    for command, options in ((["true"], ()), (["sleep", "9"], ("--stall-after", "0.2s"))):
        with subprocess.Popen(
            wrapped(tmp_path, command, *options),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_own_terminal,  # noqa: PLW1509 - only a child can take a terminal
        ) as process:
            process.wait(10)
        assert termios.tcgetattr(slave) == before
    os.close(slave)
    os.close(master)


def _own_terminal() -> None:
    import fcntl

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_a_hundred_megabytes_cost_bounded_memory(tmp_path: Path):
    """The wrapper's own memory stays under 64 MB, every byte arrives, and the kept file holds both ends of it."""
    size, line = 100_000_000, b"some line of a very talkative build step, again and again and again and again\n"
    code = f"import sys\nblock = {line!r} * 1000\nfor _ in range({size // len(line) // 1000}): sys.stdout.buffer.write(block)\nprint('the end')"
    watcher = "import resource, subprocess, sys\nsubprocess.run(sys.argv[1:], check=False)\nprint(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)"
    with subprocess.Popen(
        [PYTHON, "-S", "-c", watcher, *wrapped(tmp_path, words(code))], stdout=-1, stderr=-1
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        total = 0
        while block := os.read(process.stdout.fileno(), 1 << 20):
            total += len(block)
        peak = int(process.stderr.read().split()[-1])
    assert total == size // len(line) // 1000 * 1000 * len(line) + len(b"the end\n")
    unit = 1 if sys.platform == "darwin" else 1024
    assert peak * unit < 64_000_000
    kept = (tmp_path / "progress.output.log").read_bytes()
    assert len(kept) < 70 * 1_048_576
    assert kept.startswith(line)
    assert kept.endswith(line + b"the end\n")
    assert b"bytes left out]" in kept[64 * 1_048_576 :][:200]


def test_a_reader_that_leaves_ends_the_command_as_it_would_without_the_wrapper(tmp_path: Path):
    """`| head` closes the pipe: the command's next write gets SIGPIPE."""
    process = started(tmp_path, ["sh", "-c", "while echo line; do :; done"], stdout=-1, stderr=-1)
    assert process.stdout is not None
    assert os.read(process.stdout.fileno(), 5) == b"line\n"
    process.stdout.close()
    assert process.wait(10) == 128 + 13
    assert process.stderr is not None
    process.stderr.close()


def test_what_a_command_leaves_running_does_not_keep_the_wrapper(tmp_path: Path):
    """A daemon that holds the streams is awaited for a moment and left alone, as a shell's step would leave it."""
    began = time.monotonic()
    seen = gate(tmp_path, ["sh", "-c", f"(sleep 3; echo alive > {tmp_path}/daemon) & echo over"])
    assert (seen.status, seen.stdout) == (0, b"over\n")
    assert 1.2 < time.monotonic() - began < 3
    limit = time.monotonic() + 5
    while not (tmp_path / "daemon").exists() and time.monotonic() < limit:
        time.sleep(0.05)
    assert (tmp_path / "daemon").exists()


def test_a_slow_reader_is_no_stall(tmp_path: Path):
    """Time in which nobody takes the output is not held against the check."""
    code = "import sys\nfor n in range(3): print('ok', n + 1, '- item', n, 'x' * 300_000, flush=True)"
    process = started(tmp_path, words(code), "--stall-after", "0.8s", stdout=-1, stderr=-1)
    time.sleep(1.6)
    seen = outcome_of(process, tmp_path)
    assert seen.status == 0
    assert len(seen.stdout) > 900_000


def test_closed_streams_of_the_wrapper_get_nothing(tmp_path: Path):
    """Called with stdin, stdout and stderr closed, it runs the check, and no output ends up in its own files."""
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(6)"
    line = shlex.join(wrapped(tmp_path, words(code)))
    done = subprocess.run(["sh", "-c", f"{line} <&- >&- 2>&-"], check=False, timeout=20)
    assert done.returncode == 6
    records = [json.loads(each) for each in (tmp_path / "progress.jsonl").read_bytes().splitlines()]
    assert [each["phase"] for each in records if each["phase"] != "heartbeat"] == [
        "check-start",
        "failure",
        "check-end",
    ]
    assert sorted((tmp_path / "progress.output.log").read_bytes().splitlines()) == [b"err", b"out"]


@pytest.mark.parametrize("code", ["pass", "import sys; sys.stdout.write('x')", "import os; os.close(1); os.close(2)"])
def test_streams_may_be_empty_or_closed(tmp_path: Path, code: str):
    """No output, one byte, and closed streams are all fine."""
    assert gate(tmp_path, words(code)).status == 0
