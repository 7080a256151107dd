"""Sources beside the rules: problem matchers, JUnit reports, annotations; and places mapped to files of the repository."""

from __future__ import annotations

import json

import pytest

from resolver.log.annotated import join_annotations, wants_annotations
from resolver.log.annotations import Annotation, read_annotations
from resolver.log.classify import LogContext, classify
from resolver.log.junit import read_junit
from resolver.log.matchers import parse_matchers
from resolver.log.matching import HIT_BUDGET, MatcherScan
from resolver.log.paths import PathMap, tidy_path

ESLINT = json.dumps(
    {
        "problemMatcher": [
            {
                "owner": "eslint-stylish-own",
                "pattern": [
                    {"regexp": r"^##file (.*)$", "file": 1},
                    {
                        "regexp": r"^\s+row (\d+) column (\d+) (error|warning) (.*)$",
                        "line": 1,
                        "column": 2,
                        "severity": 3,
                        "message": 4,
                        "loop": True,
                    },
                ],
            }
        ]
    }
)
SINGLE = json.dumps(
    {
        "problemMatcher": [
            {
                "owner": "one",
                "pattern": {"regexp": r"^PROBLEM (?<file>\S+)\/(\d+) (.*)$", "file": 1, "line": 2, "message": 3},
            }
        ]
    }
)


def test_multi_line_matcher_with_loop() -> None:
    """A file line and as many problems as follow it: each error is a failure with its place, a warning only a place."""
    log = b"start\n##file src/a.x\n  row 3 column 5 error first\n  row 9 column 1 warning mild\n  row 12 column 1 error second\nend\n"
    triage = classify(log, LogContext(matchers=parse_matchers(ESLINT)))
    assert [(f.places[0].path, f.places[0].line, f.message) for f in triage.findings] == [
        ("src/a.x", 3, "first"),
        ("src/a.x", 12, "second"),
    ]
    assert (triage.kind, triage.why) == ("lint", "matcher-eslint-stylish-own")
    assert ("src/a.x", 9) in {(e.path, e.line) for e in triage.errors}


def test_javascript_pattern_is_translated() -> None:
    """Named groups and escaped slashes of JavaScript are read; the repository's matcher is always on."""
    triage = classify(b"PROBLEM src/7 broken\n", LogContext(matchers=parse_matchers(SINGLE)))
    assert (triage.errors[0].path, triage.errors[0].line, triage.errors[0].message) == ("src", 7, "broken")


def test_matcher_with_a_source_is_on_between_its_marks() -> None:
    """A matcher that an action declares counts only after its add mark and until its remove mark."""
    matchers = parse_matchers(SINGLE, ".github/one.json")
    line = b"PROBLEM src/%d broken\n"
    log = (
        line % 1
        + b"##[add-matcher]/home/runner/work/a/a/.github/one.json\n"
        + line % 2
        + b"##[remove-matcher owner=one]\n"
        + line % 3
    )
    triage = classify(log, LogContext(matchers=matchers))
    assert [e.line for e in triage.errors] == [2]


def test_refused_matcher_is_named_and_left_out() -> None:
    """Look-behind is outside the linear language: that matcher is skipped, the others work."""
    bad = json.dumps({"problemMatcher": [{"owner": "bad", "pattern": [{"regexp": "(?<=x)y", "message": 0}]}]})
    scan = MatcherScan((*parse_matchers(bad), *parse_matchers(SINGLE)))
    assert scan.refused == ("bad",)
    assert [c.matcher.owner for c in scan.compiled] == ["one"]


def test_greedy_matcher_has_a_budget() -> None:
    """A matcher that matches every line is stopped by its budget; the log's own failure is found all the same."""
    greedy = json.dumps({"problemMatcher": [{"owner": "all", "pattern": [{"regexp": "^(.*line.*)$", "message": 1}]}]})
    log = b"line\n" * (3 * HIT_BUDGET) + b"FAILED tests/a.py::test_a - assert 0\n"
    triage = classify(log, LogContext(matchers=parse_matchers(greedy)))
    assert triage.findings[0].item == "tests/a.py::test_a"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"problemMatcher": 3}', '{"problemMatcher": [{"owner": "x"}]}'])
def test_broken_matcher_file_says_so(text: str) -> None:
    """A file that is no matcher gives a ValueError with the reason, nothing else."""
    with pytest.raises(ValueError, match=r".+"):
        parse_matchers(text)


JUNIT = b"""<?xml version="1.0"?>
<testsuites><testsuite name="pytest" tests="4">
<testcase classname="tests.test_cart.TestCart" name="test_total" file="tests/test_cart.py" line="7" time="0.012">
<failure message="assert 3 == 4" type="AssertionError">def test_total(): ... token ghp_0123456789012345678901234567890123456</failure></testcase>
<testcase classname="tests.test_cart" name="test_empty" time="1,234.5"/>
<testcase classname="tests.test_cart" name="test_later"><skipped/></testcase>
<testcase classname="com.example.CartTest" name="sums"><flakyFailure message="once"/></testcase>
</testsuite></testsuites>"""


def test_junit_report_is_read() -> None:
    """Failing, passed, skipped and flaky cases are told apart; names are those of the runner's own log; secrets are masked."""
    report = read_junit(JUNIT, LogContext(check="ci", repo_paths=frozenset({"tests/test_cart.py"})))
    finding = report.findings[0]
    assert (finding.item, finding.message, finding.source) == (
        "tests/test_cart.py::TestCart::test_total",
        "assert 3 == 4",
        "junit",
    )
    assert (finding.places[0].path, finding.places[0].line) == ("tests/test_cart.py", 7)
    assert report.passed == ("tests/test_cart.py::test_empty", "com.example.CartTest.sums")
    assert report.flaky == ("com.example.CartTest.sums",)
    assert report.seconds["tests/test_cart.py::test_empty"] == 1234.5
    assert "ghp_0123" not in report.model_dump_json()
    assert report.problem is None


def test_junit_and_log_agree_on_the_item_and_fingerprint() -> None:
    """The same failure read from the log and from the report has one fingerprint."""
    context = LogContext(check="ci", repo_paths=frozenset({"tests/test_cart.py"}))
    report = read_junit(JUNIT.replace(b'message="assert 3 == 4"', b'message="AssertionError: assert 3 == 4"'), context)
    log = classify(b"FAILED tests/test_cart.py::TestCart::test_total - AssertionError: assert 3 == 4\n", context)
    assert report.findings[0].fingerprint == log.findings[0].fingerprint


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no xml",
        b"<a><testcase name='x'><failure message='m'/></testcase>",
        b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
        b"<a>" * 100,
        b"\xff\xfe\x00",
    ],
    ids=["empty", "text", "cut", "entities", "deep", "bytes"],
)
def test_broken_report_gives_a_problem(data: bytes) -> None:
    """What is wrong with a file is an answer; what was read before it is kept."""
    report = read_junit(data)
    assert report.problem
    assert len(report.findings) == (1 if b"failure" in data else 0)


def test_annotations_are_classified() -> None:
    """A job without a log is told by its annotations; a place outside the repository's files is dropped."""
    context = LogContext(repo_paths=frozenset({"src/a.py"}))
    lost = read_annotations(
        [Annotation(path=".github", message="The hosted runner lost communication with the server.")], context
    )
    assert (lost.kind, lost.fail_class) == ("runner-lost", "gate-red-env")
    assert lost.findings[0].source == "annotations"
    placed = read_annotations(
        [
            Annotation(path="src/a.py", line=3, message="bad type"),
            Annotation(path="gone.py", line=1, message="x"),
            Annotation(path="src/a.py", line=9, message="mild", level="warning"),
        ],
        context,
    )
    assert [(e.path, e.line) for e in placed.errors if e.path] == [("src/a.py", 3)]


FILES = frozenset({"src/app/main.py", "src/lib/util.py", "pkg/util.py", "README.md", "web/a.ts"})


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("src/app/main.py", "src/app/main.py"),
        ("./src/app/main.py", "src/app/main.py"),
        ("/home/runner/work/app/app/src/app/main.py", "src/app/main.py"),
        ("D:\\a\\app\\app\\src\\app\\main.py", "src/app/main.py"),
        ("src\\app\\main.py", "src/app/main.py"),
        ("/github/workspace/web/a.ts", "web/a.ts"),
        ("/__w/app/app/web/a.ts", "web/a.ts"),
        ("/app/web/a.ts", "web/a.ts"),
        ("/src/web/a.ts", "web/a.ts"),
        ("a/src/lib/util.py", "src/lib/util.py"),
        ("b/src/lib/util.py", "src/lib/util.py"),
        ("file:///home/runner/work/app/app/web/a.ts", "web/a.ts"),
        ("src/app/../lib/util.py", "src/lib/util.py"),
        ("app/main.py", "src/app/main.py"),
        ("a.ts", "web/a.ts"),
        ("util.py", None),
        ("/usr/lib/python3/util.py", None),
        ("/opt/site-packages/lib/util.py", None),
        ("nope.py", None),
        ("../../etc/passwd", None),
        ("", None),
    ],
)
def test_path_is_mapped_to_a_file_of_the_repository(path: str, found: str | None) -> None:
    """Workspaces, Windows, containers, diffs: the one file that is meant, or none; never one outside the given set."""
    assert PathMap(FILES).find(path) == found


def test_without_files_a_path_is_left_as_it_was() -> None:
    """Nothing is guessed where the repository's files are not known."""
    assert PathMap(None).find("/home/x/a.py") == "/home/x/a.py"
    assert tidy_path("a//b/./c/../d") == "a/b/d"


def test_errors_of_a_log_are_mapped() -> None:
    """The places of a triage are files of the head where they are among those; another path stays as the log wrote it."""
    context = LogContext(repo_paths=FILES)
    triage = classify(
        b"/home/runner/work/app/app/src/app/main.py:3: error: bad  [misc]\n/usr/lib/x.py:1: error: y  [misc]\n", context
    )
    assert [(e.path, e.mapped) for e in triage.errors] == [("src/app/main.py", True), ("/usr/lib/x.py", False)]
    assert triage.findings[0].places[0].mapped


def said(message: str, path: str = ".github", line: int = 1, level: str = "failure") -> Annotation:
    """One annotation as GitHub lists it."""
    return Annotation(path=path, line=line, message=message, level=level)


EXIT = "Process completed with exit code 1."
ONLY_EXIT = f"##[error]{EXIT}\n".encode()
LOST = "The hosted runner lost communication with the server. Anything in your workflow that starves it"
SHOP = LogContext(check="ci", repo_paths=frozenset({"shop.py", "cart.py"}))


@pytest.mark.parametrize(
    ("log", "annotations", "kind", "places"),
    [
        (ONLY_EXIT, [said(EXIT)], "unknown", []),
        (ONLY_EXIT, [], "unknown", []),
        (b"", [said(LOST)], "runner-lost", []),
        (ONLY_EXIT, [said(EXIT), said(LOST)], "runner-lost", []),
        (
            b"##[error]Discount is wrong\n" + ONLY_EXIT,
            [said("Discount is wrong", "shop.py", 2)],
            "config",
            [("shop.py", 2)],
        ),
        (b"##[error]Discount is wrong\n" + ONLY_EXIT, [said("Discount is wrong", "gone.py", 2)], "config", []),
        (b"##[error]Discount is wrong\n" + ONLY_EXIT, [said("Mind the gap", "shop.py", 2, "warning")], "config", []),
        (
            b"FAILED tests/a.py::test_a - assert 0\nFAILED tests/a.py::test_b - assert 1 == 2\n",
            [said("assert 1 == 2 in a loop", "shop.py", 7), said("nothing alike", "cart.py", 1)],
            "test",
            [("shop.py", 7)],
        ),
        (b"curl: (6) Could not resolve host: r.example.org\n", [said(LOST, "shop.py", 1)], "network", []),
    ],
    ids=["bare", "none", "no-log", "lost", "place", "gone-file", "warning", "the-item's", "named-cause-stays"],
)
def test_annotations_complete_what_a_log_leaves_open(log, annotations, kind, places) -> None:
    """The cause where the log has none, else places on files that exist; a cause that the log names stays."""
    triage = classify(log, SHOP)
    joined = join_annotations(triage, annotations, SHOP) if wants_annotations(triage) else triage
    assert joined.kind == kind
    assert [(at.path, at.line) for f in joined.findings for at in f.places if at.mapped] == places
    assert [f.item for f in joined.findings] == [f.item for f in triage.findings] or kind == "runner-lost"


def test_places_do_not_change_a_fingerprint() -> None:
    """A failure is the same whether its annotations could be read or not."""
    triage = classify(b"##[error]Discount is wrong\n" + ONLY_EXIT, SHOP)
    joined = join_annotations(triage, [said("Discount is wrong", "shop.py", 2)], SHOP)
    assert [f.fingerprint for f in joined.findings] == [f.fingerprint for f in triage.findings]
    assert joined.fingerprint == triage.fingerprint


def test_annotations_are_masked() -> None:
    """F9: a token in an annotation reaches no record."""
    token = "ghp_" + "0123456789" * 3 + "012345"
    joined = join_annotations(classify(ONLY_EXIT, SHOP), [said(f"{LOST} {token}", "shop.py", 3)], SHOP)
    assert joined.kind == "runner-lost"
    assert token not in joined.model_dump_json()
