"""Faults that others' log readers had (CASES.md, section E, and A22), one test each; steps and several failures in one log."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

from bot.cli.triage import as_json, main
from resolver.log.classify import LogContext, StepWindow, classify, seconds


def step(number: int, name: str, start: str, end: str) -> StepWindow:
    """A step as GitHub lists it, its times given as in a log."""
    return StepWindow(number=number, name=name, started_at=seconds(start.encode()), completed_at=seconds(end.encode()))


def test_e2_preview_and_production_are_one_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """E2: what the command shows for a multi-line cause is what the bot reads, value for value."""
    text = "error[E0308]: mismatched types\n --> src/lib.rs:5:11\n  |\n5 | x\n\nerror: could not compile `a`\n"
    file = tmp_path / "a.log"
    file.write_text(text)
    assert main(["--json", str(file)]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown == json.loads(json.dumps(as_json(str(file), classify(text.encode()))))
    assert (shown["errors"][0]["path"], shown["errors"][0]["line"]) == ("src/lib.rs", 5)


@pytest.mark.parametrize(
    "generic",
    [
        "##[error]Process completed with exit code 1.",
        "make: *** [Makefile:3: test] Error 1",
        "npm ERR! Test failed.",
        "Aborted (core dumped)",
    ],
)
def test_e3_generic_line_never_outranks_the_specific_one(generic: str) -> None:
    """E3: generic crash lines are a last resort, whether they stand before or after the specific one."""
    specific = "src/a.cpp:3:5: error: expected ';'"
    for lines in ((specific, generic), (generic, specific)):
        triage = classify("\n".join(lines).encode())
        assert triage.why == "gcc", lines
    alone = classify(generic.encode())
    assert alone.kind != "none"


RERUNS = """\
test_torch.py::T::test_x ('RERUN', {'yellow': True}) [0.1s] [ 31%]
test_torch.py::T::test_x FAILED [0.1s] [ 31%]

=================================== RERUNS ====================================
__________________________________ T.test_x ___________________________________
Traceback (most recent call last):
  File "a.py", line 3, in f
ValueError: first attempt
=================================== FAILURES ===================================
__________________________________ T.test_x ___________________________________
Traceback (most recent call last):
  File "a.py", line 4, in f
RuntimeError: last attempt
"""


def test_e5_reruns_never_beat_failures() -> None:
    """E5: the message is that of the FAILURES section; an excerpt that is cut at the RERUNS header names the same item."""
    whole = classify(RERUNS.encode())
    assert [f.message for f in whole.findings] == ["RuntimeError: last attempt"]
    cut = classify(RERUNS.split("=================================== FAILURES", maxsplit=1)[0].encode())
    assert cut.findings[0].item == whole.findings[0].item
    assert cut.flaky == ()


def test_e5_rerun_that_passed_is_flaky_evidence() -> None:
    """A test that was rerun and passed is told as flaky, not as a failure."""
    log = "tests/a.py::test_x RERUN [ 50%]\ntests/a.py::test_x PASSED [ 50%]\n==== 2 passed, 1 rerun in 0.1s ====\n"
    triage = classify(log.encode())
    assert (triage.kind, triage.flaky) == ("none", ("tests/a.py::test_x",))


def test_e6_warning_of_a_passing_test_is_not_chosen() -> None:
    """E6: a traceback in the warnings summary, or before the failures section, is not the failure."""
    log = """\
Exception ignored in: <function Pool.__del__ at 0x7f00>
Traceback (most recent call last):
  File "pool.py", line 3, in __del__
ResourceWarning: unclosed pool
=================================== FAILURES ===================================
_________________________________ test_total __________________________________
>       assert total() == 4
E       assert 3 == 4
tests/test_cart.py:7: AssertionError
=============================== warnings summary ===============================
tests/test_cart.py::test_total
  RuntimeError: destroyed twice
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 3 == 4
========================= 1 failed, 9 passed in 0.08s =========================
"""
    triage = classify(log.encode())
    assert [f.message for f in triage.findings] == ["assert 3 == 4"]


def test_a22_new_failure_is_never_hidden() -> None:
    """A22: a failing item that was not in an earlier log is listed like any other."""
    first = b"FAILED tests/a.py::test_old - assert 0\n"
    second = first + b"FAILED tests/a.py::test_new - assert 1 == 2\n"
    before, after = classify(first), classify(second)
    assert {f.item for f in after.findings} - {f.item for f in before.findings} == {"tests/a.py::test_new"}
    assert {f.fingerprint for f in before.findings} < {f.fingerprint for f in after.findings}


def test_primary_is_the_same_in_any_order() -> None:
    """Parallel output in any order: the same primary finding, the same fingerprint of the set, the same items."""
    lines = [
        "FAILED t/b.py::test_b - assert 1 == 2",
        "FAILED t/a.py::test_a - assert 3 == 4",
        "FAILED t/c.py::test_c - KeyError: 'x'",
    ]
    seen = {
        (t.findings[0].item, t.fingerprint, frozenset(t.items))
        for order in permutations(lines)
        for t in [classify("\n".join(order).encode())]
    }
    assert len(seen) == 1


def test_two_kinds_of_failure_are_both_told() -> None:
    """A compiler error and a failing test of one log are two findings; a single one changes the set's fingerprint."""
    both = classify(b"src/a.c:1:2: error: x undeclared\n--- FAIL: TestMax (0.00s)\n")
    assert {f.kind for f in both.findings} == {"build", "test"}
    assert both.fingerprint not in {f.fingerprint for f in both.findings}


LOG = """\
2026-03-18T18:15:44.1000000Z ##[group]Run ./probe
2026-03-18T18:15:44.1000001Z ##[endgroup]
2026-03-18T18:15:45.0000000Z src/old.c:1:2: error: tolerated here
2026-03-18T18:15:50.1000000Z ##[group]Run mypy src
2026-03-18T18:15:50.1000001Z ##[endgroup]
2026-03-18T18:15:51.0000000Z src/a.py:3: error: bad type  [misc]
2026-03-18T18:15:51.5000000Z ##[error]Process completed with exit code 1.
2026-03-18T18:15:55.1000000Z ##[group]Run upload
2026-03-18T18:15:55.1000001Z ##[endgroup]
2026-03-18T18:15:56.0000000Z FAILED tests/x.py::test_after - assert 0
"""


def test_only_the_failed_step_counts() -> None:
    """With the job's steps known, what other steps print is not the failure; without them the runner's exit line tells."""
    window = step(2, "mypy", "2026-03-18T18:15:50Z", "2026-03-18T18:15:52Z")
    for context in (LogContext(failed_steps=(window,)), LogContext()):
        triage = classify(LOG.encode(), context)
        assert [f.message for f in triage.findings] == ["bad type  [misc]"]
    other = step(3, "upload", "2026-03-18T18:15:55Z", "2026-03-18T18:15:57Z")
    assert classify(LOG.encode(), LogContext(failed_steps=(other,))).items == ("tests/x.py::test_after",)


def test_steps_without_times_hide_nothing() -> None:
    """Absence of times is no excuse: the whole log counts."""
    context = LogContext(failed_steps=(StepWindow(number=1, name="x", started_at=None, completed_at=None),))
    assert classify(b"FAILED tests/x.py::test_a - assert 0\n", context).items == ("tests/x.py::test_a",)


@pytest.mark.parametrize(
    ("status", "kind", "fail_class"),
    [(1, "unknown", "unknown"), (124, "stall", "task-stalled"), (137, "oom", "gate-red-env")],
)
def test_exit_status_alone_says_what_it_can(status: int, kind: str, fail_class: str) -> None:
    """A step that only exits: 124 is a time limit, 137 a kill; any other status names no cause, and never a flake."""
    triage = classify(b"all quiet\n##[error]Process completed with exit code %d.\n" % status)
    assert (triage.kind, triage.fail_class, triage.exit_status) == (kind, fail_class, status)
    assert triage.findings[0].job_level


def test_output_cannot_talk_the_runners_exit_away() -> None:
    """A line of success that the output brings after the runner's exit line does not make the failure vanish."""
    log = b"FAILED tests/a.py::test_a - assert 0\n##[error]Process completed with exit code 1.\nFinished: SUCCESS\nJob succeeded\n"
    assert classify(log).items == ("tests/a.py::test_a",)


def _stamped(*lines: str) -> bytes:
    return b"".join(b"2026-01-01T00:00:%02d.0000000Z %s\n" % (n, line.encode()) for n, line in enumerate(lines))


CHECKOUT = ("##[group]Run actions/checkout@v4", "##[endgroup]", "HEAD is now at 1234567 Merge", "'1234567'")
STEP = ("##[group]Run make test", "make test", "##[endgroup]")
END = ("##[error]Process completed with exit code 1.",)
CLEANUP = ("Post job cleanup.", "/usr/bin/git version", "git version 2.51.0", "Cleaning up orphan processes")
NEXT = ("##[group]Run tail log", "##[endgroup]", "the log")


@pytest.mark.parametrize(
    ("before", "after"),
    [(CHECKOUT + STEP, END + CLEANUP), (CHECKOUT + STEP, END + NEXT + CLEANUP), (STEP, CLEANUP[:1]), (STEP, NEXT)],
    ids=["clean-up", "another-step", "no-exit-line", "no-exit-line-another-step"],
)
def test_an_excerpt_is_of_the_failing_step_alone(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    """It begins at the step's header at the earliest and ends with the line that ends the step."""
    triage = classify(_stamped(*before, "FAILED tests/a.py::test_a - assert 0", "1 failed in 0.01s", *after))
    lines = triage.findings[0].excerpt.splitlines()
    assert lines[0] == "Run make test"
    assert lines[-1] == ("Process completed with exit code 1." if END[0] in after else "1 failed in 0.01s")


def test_an_excerpt_of_a_log_without_steps_is_cut_by_count_alone() -> None:
    """Logs of other systems have no such marks: some lines before and after."""
    around = tuple(f"line {n}" for n in range(50))
    triage = classify(_stamped(*around, "FAILED tests/a.py::test_a - assert 0", *around))
    lines = triage.findings[0].excerpt.splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("line 44", "line 23", 31)
