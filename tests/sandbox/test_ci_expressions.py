"""The expression language answers as GitHub documents it."""

import math
import re

import pytest

from bot.sandbox.ci.expressions import ExpressionError, Status, check, evaluate, evaluate_condition, expand, parse

NAMES = {
    "github": {
        "event_name": "push",
        "ref": "refs/heads/main",
        "actor": "octo",
        "event": {"labels": [{"name": "a"}, {"name": "b"}]},
    },
    "env": {"N": "7", "EMPTY": ""},
    "matrix": {"py": 3.11, "os": "linux"},
    "needs": {"build": {"result": "success", "outputs": {"list": '["x", "y"]'}}},
    "steps": {"one": {"outputs": {"my-value": "v"}}},
}

TABLE = [
    ("1 == 1.0", True),
    ("'a' == 'A'", True),
    ("'1' == 1", True),
    ("'' == 0", True),
    ("null == false", True),
    ("null == ''", True),
    ("'abc' == 0", False),
    ("'0x1F' == 31", True),
    ("0o17", 15.0),
    ("-2.5e2", -250.0),
    ("1 < 2 && 2 >= 2", True),
    ("'a' < 'B'", True),
    ("null && 'x'", None),
    ("'' || 'fallback'", "fallback"),
    ("github.event_name == 'push' && 'yes' || 'no'", "yes"),
    ("GitHub.REF", "refs/heads/main"),
    ("github['actor']", "octo"),
    ("github.event.missing.deeper", None),
    ("github.event.labels[1].name", "b"),
    ("join(github.event.labels.*.name, '+')", "a+b"),
    ("contains(github.event.labels.*.name, 'B')", True),
    ("contains('Hello', 'LL')", True),
    ("startsWith(github.ref, 'refs/heads/')", True),
    ("endsWith('a.py', '.PY')", True),
    ("format('{0} {{x}} {1}', 'a', 2)", "a {x} 2"),
    ("join(fromJSON(needs.build.outputs.list))", "x,y"),
    ("toJSON(matrix)", '{\n  "py": 3.11,\n  "os": "linux"\n}'),
    ("fromJSON('{\"a\": [1, 2]}').a[1]", 2),
    ("steps.one.outputs.my-value", "v"),
    ("!(1 == 2)", True),
    ("!'' && !null", True),
    ("'it''s'", "it's"),
    ("env.N > 6", True),
    ("env.none", None),
    ("true && false || true", True),
    ("'0' <= ''", False),
    ("github.event.labels >= github.event.labels", True),
    ("startsWith(github.event, '')", False),
]


@pytest.mark.parametrize(("source", "expected"), TABLE)
def test_value(source: str, expected: object) -> None:
    """Each expression of the table has the value that GitHub gives it."""
    value = evaluate(parse(source), NAMES, Status())
    assert value == expected
    assert type(value) is type(expected)


def test_nan_is_equal_to_nothing() -> None:
    """A comparison with something that is no number is false both ways."""
    assert evaluate(parse("'abc' > 1"), NAMES, Status()) is False
    assert evaluate(parse("'abc' <= 1"), NAMES, Status()) is False
    assert math.isnan(evaluate(parse("NaN"), NAMES, Status()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("nope.x", "Unrecognized named-value: 'nope'"),
        ("frob(1)", "Unrecognized function: 'frob'"),
        ("false && contains('a')", "Too few parameters supplied: 'contains'"),
        ("startsWith('a','b','c')", "Too many parameters supplied: 'startswith'"),
        ("hashFiles('**/x')", "'hashFiles' is not supported here"),
        ("1 +", "Unexpected symbol"),
        ("(1", "Unexpected end of expression"),
        ("fromJSON('{')", "Error reading JSON"),
        ("format('{1}', 'a')", "references more arguments"),
    ],
)
def test_error(source: str, says: str) -> None:
    """What cannot be read or is not supported is said in one sentence."""
    with pytest.raises(ExpressionError, match=re.escape(says)):
        evaluate(parse(source), NAMES, Status())


CONDITIONS = [
    ("", Status(), True),
    ("", Status(failed=True), False),
    ("github.actor == 'octo'", Status(failed=True), False),
    ("github.actor == 'octo'", Status(), True),
    ("always()", Status(failed=True, cancelled=True), True),
    ("failure()", Status(failed=True), True),
    ("failure()", Status(), False),
    ("cancelled()", Status(cancelled=True), True),
    ("!cancelled()", Status(failed=True), True),
    ("success() || failure()", Status(failed=True), True),
    ("success()", Status(skipped=True), False),
    ("${{ failure() }}", Status(failed=True), True),
    ("${{ false }} ", Status(), False),
    ("${{ false }} && x", Status(), True),
]


@pytest.mark.parametrize(("text", "status", "expected"), CONDITIONS)
def test_condition(text: str, status: Status, expected: bool) -> None:
    """An `if:` without a status function also needs success; text around an expression is always true."""
    assert evaluate_condition(text, NAMES, status) is expected


def test_expand_keeps_the_kind_of_a_single_expression() -> None:
    """`${{ fromJSON(..) }}` alone gives a list; inside text it gives text."""
    value = {"v": "${{ fromJSON('[1, 2]') }}", "t": "n=${{ env.N }} '}}'", "n": 3}
    assert expand(value, NAMES, Status()) == {"v": [1, 2], "t": "n=7 '}}'", "n": 3}


@pytest.mark.parametrize("text", ["a ${{ nope }}", "${{ frob() }}", "${{ github.ref", "${{ 1 = 2 }}"])
def test_check_finds_bad_expressions_before_a_run(text: str) -> None:
    """A workflow file with a bad expression is refused when it is read."""
    with pytest.raises(ExpressionError):
        check(text)
