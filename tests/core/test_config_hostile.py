"""A configuration file comes from a pull request: whatever it holds is read or refused in bounded time, and never raises."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolver.config import ConfigProblems, RepoConfig, parse_config, parse_config_bytes

SECONDS = 2.0
"""Far above what any of these took (0.15 s at most on two slow cores), far below what an unbounded reader takes."""

REFUSED = {
    "alias": ("a: &x 1\nb: *x", 1, "anchors and aliases are not allowed"),
    "alias without an anchor": ("a: *x", 1, "anchors and aliases are not allowed"),
    "billion laughs": ("a: &a [x, x]\n" + "\n".join(f"k{n}: &k{n} [*a, *a]" for n in range(99)), 1, "anchors and"),
    "python object": ("enabled: !!python/object/apply:os.system [ls]", 1, "tags are not allowed"),
    "own tag": ("enabled: !x true", 1, "tags are not allowed"),
    "standard tag": ("enabled: !!bool true", 1, "tags are not allowed"),
    "non-specific tag": ("enabled: ! true", 1, "tags are not allowed"),
    "tagged key": ("!!str enabled: true", 1, "tags are not allowed"),
    "tag directive": ("%TAG !e! tag:example.org,2000:\n---\nenabled: !e!x true", 3, "tags are not allowed"),
    "merge key": ("<<: {enabled: false}", 1, "unknown key <<"),
    "duplicate key": ("enabled: true\nmode: {}\nenabled: false", 3, "the key is written twice, first in line 1"),
    "duplicate nested key": ("mode:\n  sync: act\n  sync: act", 3, "the key is written twice, first in line 2"),
    "duplicate in other spelling": ("'enabled': true\nenabled: false", 2, "the key is written twice, first in line 1"),
    "tab as indentation": ("mode:\n\tsync: act", 2, "not YAML: a tab cannot indent"),
    "second document": ("enabled: true\n---\nenabled: false", 2, "a second document is not allowed"),
    "list as key": ("? [a]\n: b", 1, "a key must be a word"),
    "mapping as key": ("{a: b}: c", 1, "a key must be a word"),
    "NUL": ("enabled: true\nx: \0", 2, "a control character is not allowed"),
    "lone surrogate": ("x: \ud800", 1, "a control character is not allowed"),
    "not a mapping": ("- enabled", 1, "the file must be a mapping"),
    "unclosed quote": ("a: 'b\nc: d", 2, "not YAML"),
    "unclosed list": ("junit: [a", 1, "not YAML"),
    "deep flow lists": ("[" * 60_000, 1, "nested deeper than 16 levels"),
    "deep mappings": ("{a: " * 15_000, 1, "nested deeper than 16 levels"),
    "deep blocks": ("- " * 30_000, 1, "nested deeper than 16 levels"),
    "many keys": ("\n".join(f"k{n}: 1" for n in range(7000)), 2500, "more than 5000 keys and values"),
    "many items": ("junit: [" + "a," * 32_000 + "]", 1, "more than 5000 keys and values"),
    "many empty keys": ("{" + ",".join(f"k{n}" for n in range(9000)) + "}", 1, "more than 5000 keys and values"),
    "many unknown keys": ("mode: {" + ",".join(f"{'x' * 40}{n}: 1" for n in range(1200)) + "}", 1, "unknown key"),
    "a long key": ("k" * 900 + ": 1", 1, "unknown key"),
    "too large": ("#" * (64 * 1024 + 1), 1, "the file is larger than 64 KiB"),
    "too large in bytes": ("é" * (40 * 1024), 1, "the file is larger than 64 KiB"),
    "colons": (":" * 60_000, 1, "not YAML"),
    "question marks": ("? " * 30_000, 1, "a key must be a word"),
    "control characters in a message": ('"a\\e[31m\\u202e": 1', 1, "unknown key a?[31m?"),
}


@pytest.mark.parametrize(("text", "line", "message"), REFUSED.values(), ids=REFUSED)
def test_hostile_text_is_refused_with_its_line(text: str, line: int, message: str):
    """Each trick of YAML that a configuration does not need is refused, where it stands, at once."""
    started = time.process_time()
    result = parse_config(text)
    assert time.process_time() - started < SECONDS
    assert isinstance(result, ConfigProblems)
    assert (result.problems[0].line, result.problems[0].message[: len(message)]) == (line, message)
    assert max(len(each.message) for each in result.problems) < 500


@pytest.mark.parametrize("text", ["#" * 60_000, "\n" * 60_000, "enabled: true" + " " * 60_000, "\r\n" * 30_000])
def test_large_but_empty_text_is_read(text: str):
    """Size alone is no fault below the limit."""
    assert parse_config(text) == RepoConfig()


def test_lines_are_counted_as_editors_count_them():
    """YAML 1.1 takes some other characters for line ends; the line that is told is the editor's."""
    result = parse_config("junit: ['a\u2028 b\u0085 c']\nnonsense: 1")
    assert isinstance(result, ConfigProblems)
    assert (result.problems[0].line, result.problems[0].column) == (2, 1)


FRAGMENTS = [
    "enabled",
    "mode",
    "sync",
    ": ",
    ":",
    "\n",
    "  ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "act",
    "&a",
    "*a",
    "!",
    "'",
    '"',
    "|",
    "\t",
    "#",
    "%",
    "6h",
    "1",
    "---",
    "? ",
]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=4)), max_size=40).map("".join))
def test_no_text_raises(text: str):
    """Any mixture of YAML's signs and other text gives a configuration, or problems with a place inside the text."""
    result = parse_config(text)
    if isinstance(result, ConfigProblems):
        assert result.problems
        assert all(1 <= each.line <= text.count("\n") + 1 and each.column >= 1 for each in result.problems)
    else:
        assert isinstance(result, RepoConfig)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.binary(max_size=60))
def test_no_bytes_raise(data: bytes):
    """What is not UTF-8 is told, not raised."""
    assert isinstance(parse_config_bytes(data), RepoConfig | ConfigProblems)
