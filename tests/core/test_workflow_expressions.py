"""GitHub's expressions as far as a file shows: what is known is evaluated, what is not stays unknown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolver.workflow.expressions import LENGTH, UNKNOWN, Unknown, evaluate, render, truth

KNOWN = {
    "github.event_name": "push",
    "github.ref": "refs/heads/main",
    "github.run_id": "7",
    "github.event.pull_request.draft": None,
    "inputs.debug": False,
}


def lookup(path):
    """Everything else is unknown."""
    return KNOWN.get(path, UNKNOWN)


CONDITIONS = [
    ("", True),
    ("github.event_name == 'push'", True),
    ("github.event_name == 'PUSH'", True),
    ("${{ github.event_name == 'push' }}", True),
    ("GitHub.Event_Name == 'push'", True),
    ("github.event_name != 'push'", False),
    ("github.event.pull_request.draft == false", True),
    ("!github.event.pull_request.draft", True),
    ("inputs.debug", False),
    ("needs.changes.outputs.code == 'true'", None),
    ("needs.changes.outputs.code == 'true' || github.ref == 'refs/heads/main'", True),
    ("needs.changes.outputs.code == 'true' && github.ref == 'refs/heads/next'", False),
    ("github.ref == 'refs/heads/next' && needs.x.outputs.y", False),
    ("!(needs.x.outputs.y && false)", True),
    ("contains(github.ref, '/main')", True),
    ("startsWith(github.ref, 'refs/tags/')", False),
    ("endsWith(github.ref, 'MAIN')", True),
    ("contains(github.event.pull_request.labels.*.name, 'ci')", None),
    ("contains(fromJSON('[1]'), 1)", None),
    ("github['event_name'] == 'push'", None),
    ("hashFiles('**') == ''", None),
    ("always()", None),
    ("'it''s' == 'it''s'", True),
    ("1 == '1' && 0x10 == 16 && -1 < 0", True),
    ("null == 0 && '' == 0 && 'x' != 0", True),
    ("'a' < 'B'", True),
    ("'2' < 10 && 10 >= '2'", True),
    ("'b' <= 'a'", False),
    ("not a condition", None),
    ("github.event_name == ", None),
    ("(github.event_name == 'push'", None),
    ("x ${{ github.event_name }}", True),
    ("x ${{ needs.a.outputs.b }}", None),
    ("format('{0}/{1}{{}}', github.event_name, 2) == 'push/2{}'", True),
    ("github.event_name == 'push' " * 500, None),
    ("!" * 3001 + "inputs.debug", True),
    ("(" * 200 + "true" + ")" * 200, None),
]


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS, ids=[text[:60] for text, _ in CONDITIONS])
def test_a_condition_holds_does_not_or_is_not_known(condition, expected):
    """Three answers; what only the run will show is never taken for one of the other two."""
    assert truth(condition, lookup) is expected


TEMPLATES = [
    ("plain", "plain"),
    ("ci-${{ github.ref }}", "ci-refs/heads/main"),
    ("${{ github.head_ref || github.run_id }}", None),
    ("${{ github.event.pull_request.draft || github.run_id }}", "7"),
    ("${{ inputs.debug }}-${{ 1.50 }}-${{ true }}", "false-1.5-true"),
    ("${{ matrix.os }}", None),
    ("${{ github.event_name == 'push' && github.run_id || github.sha }}", "7"),
]


@pytest.mark.parametrize(("template", "expected"), TEMPLATES)
def test_a_template_is_filled_in_or_not_known(template, expected):
    """One unknown part makes the whole unknown."""
    assert render(template, lookup) == expected


@given(st.text(alphabet="abx.'()!&|=<>,[]{}$ 019-", max_size=80))
@settings(max_examples=150, deadline=None)
def test_any_text_is_evaluated_without_an_error(text):
    """Hostile conditions come out as unknown at worst."""
    assert truth(text, lookup) in (True, False, None)


@given(st.sampled_from(["a.b", "c.d", "true", "false", "github.event_name == 'push'"]), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_what_is_called_known_holds_whatever_the_unknown_turns_out_to_be(part, depth):
    """Monotone: an answer given with unknown values is the answer for each of their possible values."""
    text = part
    for number in range(depth):
        text = f"(x.y {'&&' if number % 2 else '||'} {text})"
    early = truth(text, lookup)
    for value in (True, False, "a", None):
        late = truth(text, lambda path, value=value: KNOWN.get(path, value))
        assert early is None or late is early


def test_a_long_expression_is_not_evaluated():
    """Its value is unknown, not wrong."""
    assert isinstance(evaluate("true || " * LENGTH + "true", lookup), Unknown)
