"""Problem matchers come from the head of a pull request: whatever a file of them holds, it is read in bounded time, and
what cannot be used is left out.
"""

from __future__ import annotations

import json
import time

import pytest

from resolver.log.classify import LogContext, classify
from resolver.log.junit import read_junit
from resolver.log.matchers import MOST_MATCHERS, ProblemMatcher, compile_matchers, parse_matchers
from resolver.log.matching import MatcherScan

FILES = [
    '{"problemMatcher": [7]}',
    '{"problemMatcher": {"a": 1}}',
    '{"problemMatcher": [{"owner": "x", "pattern": [7]}]}',
    '{"problemMatcher": [{"owner": "x", "pattern": [[]]}]}',
    '{"problemMatcher": [{"owner": "x", "pattern": null}]}',
    '{"problemMatcher": null}',
    '{"problemMatcher": [null]}',
    '{"problemMatcher": [{"owner": "\\ud800", "pattern": [{"regexp": "\\ud800abc"}]}]}',
    "7",
    "null",
    '"text"',
    "[" * 100_000,
    '{"problemMatcher":' * 50_000,
]


@pytest.mark.parametrize("text", FILES, ids=range(len(FILES)))
def test_a_file_of_any_form_says_what_is_wrong(text: str) -> None:
    """ValueError, and no other."""
    with pytest.raises(ValueError, match=r".+"):
        parse_matchers(text)


def made(*regexps: str, **more: object) -> tuple[ProblemMatcher, ...]:
    """Matchers of one line each."""
    return tuple(ProblemMatcher.model_validate({"owner": "x", "pattern": {"regexp": each, **more}}) for each in regexps)


ODD = [
    r"error\B: abc",
    r"abcd\Aefgh",
    r"(a)\1",
    "a{99999999999}",
    "(" * 2_000 + "a" + ")" * 2_000,
    r"\p{L}+error",
    r"error\z",
    "a|b|",
    "",
    "[",
    "(?P<a>x)(?P<a>y)",
    r"\Q.*\Eerror",
    "(?s-i:abcdefgh)",
    "[[:alpha:]]error",
    "x" * 4_096,
]


@pytest.mark.parametrize("regexp", ODD, ids=range(len(ODD)))
def test_a_pattern_of_any_form_is_usable_or_refused(regexp: str) -> None:
    """No exception leaves the compiler, and the others work."""
    good, bad = compile_matchers((*made(regexp), *made("never seen: (.*)")))
    assert (len(good), len(bad)) in ((1, 1), (2, 0))


HEAVY = {
    "optional letters": made("x?" * 2_000 + "abcd"),
    "alternatives of nothing solid": made("(?:x*|y*)" * 40 + "abcd"),
    "nested alternatives": made("(?:(?:a?|b?)(?:c?|d?)|e?)" * 60 + "abcd"),
    "long repeats": made(*(f"abc{{1,500}}d{n}(?:ab|cd){{1,200}}: (.*)" for n in range(60))),
    "stretches of any letters": made(*("a" + ".{1,30}b" * 30 + f"d{n}: (.*)" for n in range(60))),
    "one letter above all": made(*("x" * 3_000 + f"d{n}: (.*)" for n in range(60))),
    "very many": made(*(f"abcdefgh{n}: (.*)" for n in range(3_000))),
}


@pytest.mark.parametrize("matchers", HEAVY.values(), ids=HEAVY.keys())
def test_matchers_are_ready_in_bounded_time(matchers: tuple[ProblemMatcher, ...]) -> None:
    """What would cost too much is refused before it costs anything; all others wait for it."""
    begun = time.process_time()
    scan = MatcherScan(matchers)
    assert time.process_time() - begun < 2.0
    assert len(scan.compiled) + len(scan.refused) == len(matchers)
    assert len(scan.compiled) <= MOST_MATCHERS


@pytest.mark.parametrize("number", ["²", "٣", "9" * 3_000, "-1", ""])
def test_a_number_that_is_none_is_left_out(number: str) -> None:
    """Python calls more signs digits than it can read, and refuses very long numbers."""
    matchers = made("^PROBLEM ([^ ]*):([^ ]*) (.*)$", file=1, line=2, message=3)
    triage = classify(f"PROBLEM src/a.py:{number} it broke\n".encode(), LogContext(matchers=matchers))
    assert [place.line for place in triage.errors] == [None]
    case = f"<testcase name='t' file='a.py' line='{number}{number}'><failure message='no'/></testcase>"
    report = read_junit(f"<testsuite>{case}</testsuite>".encode())
    assert [place.line for each in report.findings for place in each.places] == [None]
    assert json.loads(report.model_dump_json())["problem"] is None
