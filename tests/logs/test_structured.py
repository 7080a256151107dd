"""The structured last line: used as it is from failres's own workflows, and only as far as a check may speak for itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from resolver.log.classify import LogContext, classify

OWN = LogContext(own_workflow=True)
CHECK = LogContext(check="ci / test")
TESTS_RED = b"FAILED tests/test_a.py::test_a - assert 1 == 2\n1 failed in 0.01s\n"


def line(**fields: Any) -> bytes:
    """A contract line with sane defaults; None leaves a key out."""
    data = {"failClass": "gate-red-code", "scope": "task", "message": "the gate is red", **fields}
    return json.dumps({k: v for k, v in data.items() if v is not None}).encode() + b"\n"


def test_last_line_is_used_as_it_is() -> None:
    """Class, item, message, path and status come from the line, not from the rules."""
    log = TESTS_RED + line(
        failClass="task-stalled", item="tests/test_b.py::test_b", outputPath="out.jsonl", exitStatus=124
    )
    triage = classify(log, CHECK)
    finding = triage.findings[0]
    assert (triage.fail_class, finding.source, finding.item) == (
        "task-stalled",
        "structured",
        "tests/test_b.py::test_b",
    )
    assert (finding.output_path, finding.exit_status, triage.exit_status) == ("out.jsonl", 124, 124)
    assert finding.check == "ci / test"


def test_runner_lines_after_it_do_not_count() -> None:
    """The runner's own closing marks, and later steps, may follow; the line is still the step's last one."""
    log = b"".join(
        b"2026-01-01T00:00:0%d.0000000Z %s\n" % (n, text)
        for n, text in enumerate(
            [
                b"##[group]Run failres gate -- pytest",
                b"##[endgroup]",
                b"one failed",
                line(failClass="artifacts-missing").strip(),
                b"##[error]Process completed with exit code 1.",
                b"Post job cleanup.",
                b"Cleaning up orphan processes",
            ]
        )
    )
    assert classify(log, CHECK).fail_class == "artifacts-missing"


def test_output_after_it_takes_its_right_away() -> None:
    """A contract line in the middle of the output is output: the rules decide."""
    triage = classify(line(failClass="task-stalled") + TESTS_RED, CHECK)
    assert (triage.fail_class, triage.findings[0].source) == ("gate-red-code", "rules")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"failClass": "no-such-class"}, "an unknown class"),
        ({"failClass": "wrapper-rate-limited"}, "a class of the fix workflow"),
        ({"failClass": "base-moved"}, "a class that no check may claim"),
        ({"scope": "run"}, "a wrong scope"),
        ({"scope": "adapter", "failClass": "adapter-contract-violation"}, "an adapter's failure"),
        ({"extra": 1}, "an extra key"),
        ({"message": None}, "no message"),
        ({"message": 3}, "a message that is no text"),
        ({"exitStatus": "1"}, "a status that is no number"),
        ({"message": "x" * 9_000}, "a message that is too long"),
    ],
)
def test_what_a_check_may_not_say_falls_back(fields: dict[str, Any], why: str) -> None:
    """From a check's log each of these is as if it were not there: the rules classify the same kind of record."""
    triage = classify(TESTS_RED + line(**fields), CHECK)
    assert triage.findings[0].source == "rules", why
    assert triage.fail_class == "gate-red-code"


@pytest.mark.parametrize(
    "text",
    [
        b'{"failClass": \n',
        b'{"failClass":1}\n',
        b"[" * 5_000 + b'"failClass"\n',
        b'{"failClass"' + b" " * 20_000 + b"}\n",
    ],
)
def test_malformed_lines_fall_back(text: bytes) -> None:
    """Broken, deep or huge JSON is no contract and no exception."""
    assert classify(TESTS_RED + text, CHECK).findings[0].source == "rules"


@pytest.mark.parametrize("fail_class", ["wrapper-rate-limited", "provider-quota", "agent-idle", "wrapper-engine-down"])
def test_own_workflow_may_name_its_classes(fail_class: str) -> None:
    """The classes of the fix workflow are believed of failres's own workflows alone."""
    log = line(failClass=fail_class)
    assert classify(log, OWN).fail_class == fail_class
    assert classify(log, CHECK).fail_class != fail_class


def test_adapter_scope_in_own_workflow() -> None:
    """A class whose scope is the adapter is accepted with that scope and no other."""
    good = line(failClass="adapter-contract-violation", scope="adapter")
    bad = line(failClass="adapter-contract-violation", scope="task")
    assert classify(good, OWN).findings[0].scope == "adapter"
    assert classify(bad, OWN).findings == () or classify(bad, OWN).findings[0].source == "rules"


def test_limits_are_the_fixers_in_own_workflow() -> None:
    """A rate limit that the rules find in failres's own workflow is the wrapper's, in a check it is the environment's."""
    log = b"Error: 429 Too Many Requests\n##[error]Process completed with exit code 1.\n"
    assert classify(log, OWN).fail_class == "wrapper-rate-limited"
    assert classify(log, CHECK).fail_class == "gate-red-env"


def test_secret_in_the_line_is_masked() -> None:
    """What the line says is stored masked."""
    triage = classify(line(message="token ghs_" + "a" * 40, item="t", stack="ghp_" + "b" * 36), CHECK)
    text = triage.model_dump_json()
    assert "ghs_a" not in text
    assert "ghp_b" not in text


TWO_RED = (
    b"=================================== FAILURES ===================================\n"
    b"____________________________________ test_a ____________________________________\n"
    b">       assert 1 == 2\n"
    b"E       assert 1 == 2\n"
    b"tests/test_a.py:4: AssertionError\n"
    b"=========================== short test summary info ============================\n"
    b"FAILED tests/test_a.py::test_a - assert 1 == 2\n"
    b"FAILED tests/test_b.py::test_b - ValueError: no\n"
    b"2 failed in 0.01s\n"
)


def test_the_rules_finding_of_the_same_item_completes_the_line() -> None:
    """The line leads with class, item, attribution, status and path; words, place, excerpt and fingerprint are the log's."""
    told = line(
        item="tests/test_a.py::test_a", message="one test failed", attribution="task", exitStatus=1, outputPath="o"
    )
    by_rules = classify(TWO_RED, CHECK).findings[0]
    finding = classify(TWO_RED + told, CHECK).findings[0]
    assert (finding.source, finding.fail_class, finding.item) == (
        "structured",
        "gate-red-code",
        "tests/test_a.py::test_a",
    )
    assert (finding.attribution, finding.exit_status, finding.output_path) == ("task", 1, "o")
    assert (finding.message, finding.kind, finding.fingerprint) == ("assert 1 == 2", "test", by_rules.fingerprint)
    assert [(place.path, place.line) for place in finding.places] == [("tests/test_a.py", 4)]
    assert "E       assert 1 == 2" in finding.excerpt


def test_other_failing_items_follow_the_line() -> None:
    """A line has room for one item; what else failed is not lost, and the set's fingerprint knows it."""
    for item in ("tests/test_b.py::test_b", "tests/test_c.py::test_c"):
        triage = classify(TWO_RED + line(item=item), CHECK)
        assert triage.items[0] == item
        assert set(triage.items[1:]) == {"tests/test_a.py::test_a", "tests/test_b.py::test_b"} - {item}
        assert [f.source for f in triage.findings[1:]] == ["rules"] * (len(triage.items) - 1)
        assert triage.fingerprint != triage.findings[0].fingerprint


def test_a_stall_stands_alone() -> None:
    """What failed before the step hung is no part of the stall; its own item lends it places, never words or identity."""
    triage = classify(TWO_RED + line(failClass="task-stalled", item="tests/test_a.py::test_a", message="hung"), CHECK)
    (finding,) = triage.findings
    assert (finding.fail_class, finding.kind, finding.message) == ("task-stalled", "stall", "hung")
    assert finding.fingerprint != classify(TWO_RED, CHECK).findings[0].fingerprint
    assert finding.places[0].line == 4


@pytest.mark.parametrize(
    ("log", "klass", "kind"),
    [
        (TWO_RED, "gate-red-code", "test"),
        (b"npm error code E429\nnpm error 429 Too Many Requests\n", "gate-red-env", "rate-limit"),
        (b"src/a.ts(3,5): error TS2322: Type 'x' is not assignable.\n", "gate-red-code", "type"),
    ],
    ids=["tests", "environment", "types"],
)
def test_a_line_that_only_says_red_lets_the_rules_decide(log: bytes, klass: str, kind: str) -> None:
    """`gate-red-code` without an item is what a wrapper says of any red command; its status and path are kept."""
    triage = classify(log + line(exitStatus=7, outputPath="out.jsonl"), CHECK)
    assert (triage.fail_class, triage.kind, triage.exit_status) == (klass, kind, 7)
    assert (triage.findings[0].exit_status, triage.findings[0].output_path) == (7, "out.jsonl")
    assert triage.findings[0].source == "rules"


def test_a_line_that_only_says_red_leads_where_the_rules_know_nothing() -> None:
    """An exit status alone is no cause: the line's own words are then the best there is."""
    triage = classify(b"something\n" + line(exitStatus=3) + b"##[error]Process completed with exit code 3.\n", CHECK)
    assert [(f.source, f.message) for f in triage.findings] == [("structured", "the gate is red")]
