"""Which items run: told by a plugin where there is one, read from the printed lines elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from gate_run import PYTEST, PYTHON, ROOT, Outcome, gate, outcome_of, pytest_with, started, words
from hypothesis import given
from hypothesis import strategies as st

from resolver.log.classify import classify
from resolver.log.context import LogContext
from resolver.log.structured import parse_last_line
from tests.logs.test_seen import RECORDED

sys.path.insert(0, str(ROOT / "workflows" / "gate"))
from failres_gate.events import ALIVE, END, FAILED, HELLO, PASSED, SKIPPED, START, STEP, Event
from failres_gate.lines import Lines
from failres_gate.runners import READERS, ROWS, Row
from failres_gate.verdict import Ending, last_line
from failres_gate.watch import Watch

sys.path.pop(0)

PIECES = [line.encode() for row in ROWS for line, _, _ in row.examples]
PIECES += [
    b"\n",
    b"\r",
    b"\x1b[",
    b"\x1b]0;",
    b'{"Action":"run","Package":"p","Test":"t"}',
    b'{"Action":["run"],"Package":"p"}',
    b'{"Action":"',
    b'":',
    b"1" * 5000,
]
EXAMPLES = [(row, example) for row in ROWS for example in row.examples]


@pytest.mark.parametrize(
    ("row", "example"), EXAMPLES, ids=[f"{row.runner}-{example[0].strip()[:40]}" for row, example in EXAMPLES]
)
def test_each_example_is_read_as_its_row_says(row: Row, example: tuple[str, str, str]):
    """The line gives the row's event, with and without colours, and no other row contradicts it."""
    line, item, result = example
    lines = Lines()
    if row.unfinished:
        assert lines.feed(line.encode()) == []
        events = lines.unfinished()
    else:
        events = lines.feed(line.encode() + b"\n")
        coloured = Lines().feed(b"\x1b[1m" + line.encode() + b"\x1b[0m\r\n")
        assert coloured == events
    assert (row.kind, item, result) in {(each.kind, each.item, each.result) for each in events}
    assert {(each.item, each.result) for each in events if not each.suite and each.kind == row.kind} <= {(item, result)}


def test_a_row_has_examples_and_a_word_of_it_in_each():
    """A row without an example cannot be judged; without its word it would never be tried."""
    for row in ROWS:
        assert row.examples, row
        assert all(row.unfinished or any(word in line for word in row.words) for line, _, _ in row.examples), row
    assert len(READERS) == len(ROWS)


NO_ITEMS = """
0 errors, 3 warnings
Compiling is fun
testing ok ...
--- a/src/cart.py
+++ b/src/cart.py
PASS criteria were met in FAIL mode
everything is ok 100
ok computer
ERROR: could not read .py::x
> Tasks are done
  Start of the run
✖ failing tests:
✖ 3 problems (3 errors, 0 warnings)
{"Action":"build"}
{"Action":"run"
[gw0] node down
"""


def test_prose_is_no_item():
    """Words that look like a runner's, in lines that are not."""
    assert Lines().feed(NO_ITEMS.encode()) == []


GO_JSON = b"""{"Time":"2026-01-02T03:04:05Z","Action":"start","Package":"example.org/cart"}
{"Action":"run","Package":"example.org/cart","Test":"TestSum"}
{"Action":"output","Package":"example.org/cart","Test":"TestSum","Output":"=== RUN   TestSum\\n"}
{"Action":"fail","Package":"example.org/cart","Test":"TestSum","Elapsed":0.1}
{"Action":"skip","Package":"example.org/cart","Test":"TestNet","Elapsed":0}
{"Action":"fail","Package":"example.org/cart","Elapsed":0.2}
"""


def test_go_json_is_read():
    """`go test -json`: tests are items, packages their suites."""
    events = [(each.kind, each.item, each.result, each.suite) for each in Lines().feed(GO_JSON)]
    package = "example.org/cart"
    assert events == [
        (START, package, "", True),
        (START, "TestSum", "", False),
        (END, "TestSum", FAILED, False),
        (END, "TestNet", SKIPPED, False),
        (END, package, FAILED, True),
    ]


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_blocks_may_cut_lines_anywhere(size: int):
    """The same events, in the same order, however the output is cut."""
    lines = [line + "\n" for row in ROWS for line, _, _ in row.examples if not row.unfinished]
    data = "".join(lines).encode()
    reader = Lines()
    events = [event for at in range(0, len(data), size) for event in reader.feed(data[at : at + size])]
    assert events == Lines().feed(data)
    assert len(events) >= len(lines)


def test_a_line_without_end_costs_bounded_memory():
    """What is kept of it stays under two blocks."""
    reader = Lines()
    for _ in range(200):
        reader.feed(b"x" * 65_536)
    assert len(reader._rest) <= 65_536
    assert reader.feed(b"\nok 1 - adds\n") == [Event(END, "adds", PASSED, "tap")]


@given(st.lists(st.one_of(st.binary(max_size=80), st.sampled_from(PIECES)), max_size=40))
def test_no_output_breaks_the_reading(pieces: list[bytes]):
    """Whatever is printed, in whatever pieces: no exception, and every event has a legal shape."""
    lines, watch = Lines([re.compile(rb"(?P<item>a.*)|b")]), Watch(60, strict=True)
    events = [event for piece in pieces for event in lines.feed(piece)]
    for event in [*events, *lines.unfinished(), *lines.close()]:
        assert event.kind in (START, END, STEP, ALIVE)
        assert (event.kind == END) == (event.result in (PASSED, FAILED, SKIPPED))
        for phase, keys in watch.hear(event, printed=True):
            assert phase in ("item-start", "item-end", "failure")
            assert 0 < len(keys["item"]) <= 1_000
            assert len(keys["item"].splitlines()) == 1


RED = [name.removesuffix(" red") for name in RECORDED if name.endswith(" red")]


@pytest.mark.parametrize("runner", RED)
def test_a18_wrapped_or_not_a_failure_is_the_same(runner: str):
    """The wrapper's last line takes neither the item's full name nor what was asserted from a runner's output."""
    log, context = RECORDED[f"{runner} red"].encode(), LogContext(check="ci: unit")
    watch, lines = Watch(60, strict=True), Lines()
    for event in [*lines.feed(log), *lines.close()]:
        watch.hear(event, printed=True)
    line = last_line(Ending(status=1, output_path="/tmp/out.log", excerpt=log[-4_096:]), watch)
    bare, wrapped = classify(log, context), classify(log + line + b"\n", context)
    assert {(each.item, each.fingerprint, each.message) for each in wrapped.findings} == {
        (each.item, each.fingerprint, each.message) for each in bare.findings
    }
    assert wrapped.findings[0].output_path == "/tmp/out.log"


def test_a_failure_that_passes_on_a_rerun_is_none():
    """Within one check the last word counts; a suite's failure yields to its item's, an outer item's to the inner one's."""
    watch = Watch(60, strict=True)
    for item, result in (("a", FAILED), ("a", PASSED), ("z", FAILED)):
        watch.hear(Event(START, item))
        watch.hear(Event(END, item, result))
    watch.hear(Event(END, "pkg", FAILED, suite=True))
    assert set(watch.failed) == {"z", "pkg"}
    first = watch.first_failed()
    assert first is not None
    assert first.item == "z"
    watch.hear(Event(END, "z/inner", FAILED, depth=4))
    first = watch.first_failed()
    assert first is not None
    assert first.item == "z/inner"


def test_parallel_order_does_not_choose_the_item():
    """Failures are compared by their item, so it must not depend on who came first."""
    chosen = set()
    for order in (("b", "a", "c"), ("c", "b", "a")):
        watch = Watch(60, strict=True)
        for item in order:
            watch.hear(Event(END, item, FAILED))
        first = watch.first_failed()
        assert first is not None
        chosen.add(first.item)
    assert chosen == {"a"}


def test_a_runner_that_reports_itself_is_not_read_twice():
    """With the plugin at work, pytest's printed lines are left alone; other runners' are not."""
    watch = Watch(60, strict=True)
    watch.hear(Event(HELLO, source="pytest"))
    assert watch.hear(Event(END, "t.py::a", PASSED, "pytest"), printed=True) == []
    assert watch.hear(Event(END, "adds", PASSED, "tap"), printed=True) != []


def test_a_pattern_names_items(tmp_path: Path):
    """A group named `item` begins one, and ends the one before."""
    seen = gate(
        tmp_path,
        ["sh", "-c", "echo '[1/2] link a'; echo noise; echo '[2/2] link b'; exit 1"],
        "--pattern",
        r"^\[\d+/\d+\] (?P<item>.+)",
    )
    assert seen.phases == [
        ("check-start", None),
        ("item-start", "link a"),
        ("item-end", "link a"),
        ("item-start", "link b"),
        ("failure", "link b"),
        ("check-end", None),
    ]


SUITE = """
import os, subprocess, sys, pytest
def test_adds(): assert 1 + 1 == 2
def test_divides():
    print("told")
    assert 6 / 3 == 3, "a third"
@pytest.mark.skip(reason="no net")
def test_net(): pass
@pytest.mark.parametrize("n", [1, 2])
def test_each(n): pass
@pytest.fixture
def broken(): raise RuntimeError("no database")
def test_setup(broken): pass
def test_inner(pytestconfig):
    # a session inside a test is not the check's
    subprocess.run(PYTEST + ["inner.py"], check=False)
"""
ENDS = {
    "test_cart.py::test_adds": PASSED,
    "test_cart.py::test_divides": FAILED,
    "test_cart.py::test_net": SKIPPED,
    "test_cart.py::test_each[1]": PASSED,
    "test_cart.py::test_each[2]": PASSED,
    "test_cart.py::test_setup": FAILED,
    "test_cart.py::test_inner": PASSED,
}


@contextmanager
def suite(
    folder: Path, *options: str, session: Sequence[str] = PYTEST, **kept: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """The wrapper around a pytest session."""
    folder.mkdir()
    (folder / "test_cart.py").write_text(f"PYTEST = {PYTEST!r}\n{SUITE}")
    (folder / "inner.py").write_text("def test_of_an_inner_session(): assert 0\n")
    command = [*session, *options, "test_cart.py"]
    with started(folder, command, stdout=-1, stderr=-1, cwd=folder, **kept) as process:
        yield process


def ends(seen: Outcome) -> dict[str, str]:
    """The result of each item that ended."""
    return {each["item"]: each["result"] for each in seen.records if each["phase"] == "item-end"}


def test_pytest_tells_its_items(tmp_path: Path):
    """
    Plain, in parallel, and with a search path of the check's own: the same items and results, the failing one with its
    assertion; and without a plugin at least the printed lines are read.
    """
    with (
        suite(tmp_path / "plain") as plain,
        suite(tmp_path / "parallel", "-n", "2", session=pytest_with("xdist")) as parallel,
        suite(tmp_path / "printed", "-v", env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}) as printed,
    ):
        outcomes = {
            name: outcome_of(process, tmp_path / name, 40)
            for name, process in (("plain", plain), ("parallel", parallel), ("printed", printed))
        }
    for name, seen in outcomes.items():
        assert seen.status == 1, name
        assert ends(seen) == ENDS, name
        told = parse_last_line(seen.last, own_workflow=False)
        assert told is not None
        assert (told.fail_class, told.item) == ("gate-red-code", "test_cart.py::test_divides"), name
        if name != "printed":
            assert told.message.startswith("AssertionError: a third")
            assert told.stack is not None
            assert "also failed: test_cart.py::test_setup" in told.stack
            starts = [each["item"] for each in seen.records if each["phase"] == "item-start"]
            assert sorted(starts) == sorted(ENDS), name
    assert b"failres" not in outcomes["plain"].stdout, "the session's header is as without the wrapper"


def test_a_check_that_sets_its_own_search_path_still_runs(tmp_path: Path):
    """`PYTHONPATH=src pytest` loses the plugin and nothing else."""
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n")
    script = f"PYTHONPATH=src {' '.join(PYTEST)} test_a.py"
    seen = gate(tmp_path, ["sh", "-c", script], cwd=tmp_path)
    assert seen.status == 0
    assert b"1 passed" in seen.stdout


def test_a_crash_names_the_test_that_ran(tmp_path: Path):
    """When the whole session dies, the item that was active is the one to look at."""
    (tmp_path / "test_a.py").write_text("import os\ndef test_fine(): pass\ndef test_dies(): os.kill(os.getpid(), 11)\n")
    seen = gate(tmp_path, [*PYTEST, "test_a.py"], cwd=tmp_path)
    told = parse_last_line(seen.last, own_workflow=False)
    assert told is not None
    assert (seen.status, told.item, told.fail_class) == (139, "test_a.py::test_dies", "gate-red-code")
    assert told.message == "the command was ended by SIGSEGV while test_a.py::test_dies was running"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node_tells_its_items(tmp_path: Path):
    """node:test, in TAP and in its own words."""
    (tmp_path / "cart.test.mjs").write_text(
        "import test from 'node:test'; import assert from 'node:assert';\n"
        "test('adds', () => {}); test('divides', () => assert.equal(6 / 3, 3)); test('later', {skip: true}, () => {});\n"
    )
    for reporter in ("tap", "spec"):
        seen = gate(tmp_path, ["node", "--test", f"--test-reporter={reporter}", "cart.test.mjs"], cwd=tmp_path)
        found = ends(seen)
        assert seen.status == 1
        assert (found["adds"], found["divides"], found["later"]) == (PASSED, FAILED, SKIPPED), reporter
        assert seen.told["item"] == "divides", reporter


@pytest.mark.skipif(shutil.which("ctest") is None, reason="ctest is not installed")
def test_ctest_tells_its_items(tmp_path: Path):
    """A real ctest run: what it starts is active, what fails is named."""
    (tmp_path / "CTestTestfile.cmake").write_text('add_test(cart_sums "true")\nadd_test(cart_divides "false")\n')
    seen = gate(tmp_path, ["ctest"], cwd=tmp_path)
    assert ends(seen) == {"cart_sums": PASSED, "cart_divides": FAILED}
    assert seen.told["item"] == "cart_divides"


def test_unittest_tells_its_items(tmp_path: Path):
    """Python's own runner, which prints a name before it runs the test."""
    (tmp_path / "test_a.py").write_text(
        "import unittest\nclass T(unittest.TestCase):\n  def test_a(self): pass\n  def test_b(self): self.fail('no')\n"
    )
    seen = gate(tmp_path, [PYTHON, "-S", "-m", "unittest", "-v", "test_a"], cwd=tmp_path)
    assert {item.split()[0]: result for item, result in ends(seen).items()} == {"test_a": PASSED, "test_b": FAILED}


def test_the_items_pipe_takes_nonsense(tmp_path: Path):
    """Any process of the check may write to the pipe: what is no event is nothing, and no record breaks."""
    code = """
import os
pipe = os.open(os.environ["FAILRES_GATE_ITEMS"], os.O_WRONLY)
for line in (b"\\xff\\n", b"[]\\n", b"{}\\n", b'{"event": 1}\\n', b'{"event": "end", "item": "a", "result": "great"}\\n', b'{"event": "start"}\\n',
             b'{"event": "start", "item": "\\\\ud800 b"}\\n', b"x" * 3000):
    os.write(pipe, line)
"""
    seen = gate(tmp_path, words(code))
    assert seen.status == 0
    assert [phase for phase, _ in seen.phases] == ["check-start", "item-start", "check-end"]
