"""A check without progress is ended, all of it, and what it was doing is named."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gate_run import PYTEST, ROOT, Outcome, gate, outcome_of, started, words

from resolver.log.structured import parse_last_line

sys.path.insert(0, str(ROOT / "workflows" / "gate"))
from failres_gate.lines import PatternTooSlowError, _TimeBox

sys.path.pop(0)

LINUX = sys.platform.startswith("linux")


def gone(pid: int, within: float = 3) -> bool:
    """Whether a process ends within so many seconds."""
    limit = time.monotonic() + within
    while time.monotonic() < limit:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


@pytest.fixture(scope="module", autouse=True)
def hanging(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """A pytest session with a test that never ends; it starts before this file's other tests, since it takes its time."""
    folder = tmp_path_factory.mktemp("hanging")
    (folder / "test_cart.py").write_text("import time\ndef test_quick(): pass\ndef test_waits(): time.sleep(60)\n")
    with started(folder, [*PYTEST, "test_cart.py"], "--stall-after", "3s", stdout=-1, stderr=-1, cwd=folder) as process:
        yield folder, process
        process.kill()


def at_once(folder: Path, calls: list[tuple[list[str], tuple[str, ...]]]) -> list[Outcome]:
    """Run several checks side by side."""
    folders = [folder / str(number) for number in range(len(calls))]
    running = [
        started(each, command, *options, stdout=-1, stderr=-1)
        for each, (command, options) in zip(folders, calls, strict=True)
    ]
    return [outcome_of(process, each) for process, each in zip(running, folders, strict=True)]


def test_heartbeats_without_items_become_a_stall(tmp_path: Path):
    """The process lives and talks, so heartbeats are recorded; nothing is achieved, so the check is ended with 124."""
    seen = gate(
        tmp_path,
        ["sh", "-c", "while :; do echo still here; sleep 0.05; done"],
        "--stall-after",
        "0.6s",
        "--check",
        "unit",
    )
    beats = [each for each in seen.records if each["phase"] == "heartbeat"]
    assert seen.status == 124
    assert len(beats) >= 3
    assert seen.phases == [("check-start", None), ("failure", None), ("check-end", None)]
    told = parse_last_line(seen.last, own_workflow=False)
    assert told is not None
    assert (told.fail_class, told.attribution, told.scope) == ("task-stalled", "gate-stalled", "task")
    assert told.message == "no progress for 0.6 s"
    assert told.stack is not None
    assert told.stack.endswith("still here")
    assert told.output_path == str(seen.output)
    assert seen.output.read_bytes() == seen.stdout


def test_progress_resets_the_budget(tmp_path: Path):
    """Items, and lines that a pattern names, keep a check alive far beyond its budget."""
    items = "import time\nfor n in range(7): print('ok', n + 1, '- item', n, flush=True); time.sleep(0.2)"
    lines = items.replace("'ok', n + 1, '- item', n", "'linked', n")
    calls = ((items, ()), (lines, ("--pattern", "^linked")), (lines, ("--pattern", "^compiled")))
    outcomes = at_once(tmp_path, [(words(code), ("--stall-after", "0.9s", *options)) for code, options in calls])
    assert [each.status for each in outcomes] == [0, 0, 124]


def test_without_a_budget_a_command_that_reports_nothing_is_left_alone():
    """Nobody asked for an end and nothing can be known of progress: the default counts from the first item on."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "workflows" / "gate"))
    try:
        from failres_gate.events import START, Event
        from failres_gate.watch import Watch
    finally:
        sys.path.pop(0)
    watch = Watch(600, strict=False)
    watch.pass_time(10_000)
    assert not watch.stalled
    watch.hear(Event(START, "a"))
    watch.pass_time(599)
    assert not watch.stalled
    watch.pass_time(1)
    assert watch.stalled


@pytest.mark.skipif(not LINUX, reason="only Linux tells of processes that left the group")
def test_the_whole_group_and_who_left_it_are_ended(tmp_path: Path):
    """A child that ignores TERM, one in a session of its own, and a daemon without a parent: none survives."""
    code = f"""
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pids = [os.getpid()]
pids.append(subprocess.Popen([sys.executable, "-S", "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"]).pid)
pids.append(subprocess.Popen(["sleep", "60"], start_new_session=True).pid)
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(writing, b"%d" % os.getpid())
        for fd in (0, 1, 2): os.close(fd)
        signal.pause()
    os._exit(0)
os.wait()
pids.append(int(os.read(reading, 20)))
open({str(tmp_path / "pids")!r}, "w").write(" ".join(map(str, pids)))
time.sleep(60)
"""
    seen = gate(tmp_path, words(code), "--stall-after", "0.8s", "--grace", "0.3s")
    pids = [int(word) for word in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 4
    assert [pid for pid in pids if not gone(pid)] == []
    assert seen.status == 124


def test_a_polite_command_ends_before_the_grace_is_over(tmp_path: Path):
    """TERM comes first: who cleans up may, its last words are kept, and nobody waits longer than needed."""
    began = time.monotonic()
    seen = gate(
        tmp_path,
        ["sh", "-c", "trap 'echo cleaned; exit 0' TERM; while :; do sleep 0.05; done"],
        "--stall-after",
        "0.3s",
        "--grace",
        "30s",
    )
    assert seen.status == 124
    assert seen.stdout == b"cleaned\n"
    assert time.monotonic() - began < 8


def test_a_stopped_command_is_ended_too(tmp_path: Path):
    """SIGSTOP is no way out."""
    seen = gate(
        tmp_path,
        words("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"),
        "--stall-after",
        "0.3s",
        "--grace",
        "0.5s",
    )
    assert seen.status == 124


def test_a_test_that_hangs_in_pytest_is_the_active_item(hanging: tuple[Path, subprocess.Popen[bytes]]):
    """The item is named in heartbeats, in the record of the failure and in the last line, though nothing was printed of it."""
    seen = outcome_of(hanging[1], hanging[0], 30)
    item = "test_cart.py::test_waits"
    assert seen.status == 124
    assert ("item-end", "test_cart.py::test_quick") in seen.phases
    assert seen.phases[-3:] == [("item-start", item), ("failure", item), ("check-end", None)]
    assert item in {each.get("item") for each in seen.records if each["phase"] == "heartbeat"}
    told = parse_last_line(seen.last, own_workflow=False)
    assert told is not None
    assert (told.item, told.attribution) == (item, "gate-stalled")
    assert told.message == f"no progress for 3 s while {item} was running"


def test_an_open_line_names_the_item_that_hangs(tmp_path: Path):
    """Cargo, with one thread, prints `test NAME ... ` and the result only when it is over."""
    seen = gate(
        tmp_path,
        ["sh", "-c", "echo 'test cart::sums ... ok'; printf 'test cart::waits ... '; sleep 60"],
        "--stall-after",
        "0.6s",
    )
    assert seen.told["item"] == "cart::waits"


def test_the_same_line_for_ever_is_no_progress(tmp_path: Path):
    """A hung runner that repeats a result, or says that a test still runs, only proves that it lives."""
    lines = (
        "ok 1 - adds",
        "test cart::waits has been running for over 60 seconds",
        "        SLOW [> 60.000s] cart tests::waits",
    )
    commands = [["sh", "-c", f"while :; do echo '{line}'; sleep 0.1; done"] for line in lines]
    outcomes = at_once(tmp_path, [(command, ("--stall-after", "0.5s")) for command in commands])
    assert [each.status for each in outcomes] == [124, 124, 124]
    assert [each.told.get("item") for each in outcomes] == [None, "cart::waits", "cart tests::waits"]


def test_the_budget_survives_a_hostile_pattern(tmp_path: Path):
    """A pattern that backtracks without end is given up; the check goes on, and a person is told."""
    code = "import sys, time; print('a' * 3000, flush=True); time.sleep(0.1); print('b', flush=True)"
    began = time.monotonic()
    seen = gate(tmp_path, words(code), "--stall-after", "1s", "--pattern", "(a|a)*c")
    assert seen.status == 0
    assert time.monotonic() - began < 5
    assert b"a --pattern was too slow" in seen.stderr


def test_a_pattern_pays_for_its_own_work_alone():
    """Where other processes have the processor, the pattern only waits: it is not given up, and lines go on to count."""
    with _TimeBox(0.02):
        time.sleep(0.1)
    with pytest.raises(PatternTooSlowError), _TimeBox(0.02):
        re.search("(a|a)*c", "a" * 40)


def test_nothing_is_left_behind(tmp_path: Path):
    """The pipe of the items is taken away, after a stall as well."""
    before = {each.name for each in tmp_path.iterdir()}
    gate(tmp_path, ["sleep", "9"], "--stall-after", "0.2s", env={"TMPDIR": str(tmp_path)})
    assert {each.name for each in tmp_path.iterdir()} - before == {"progress.jsonl", "progress.output.log"}
