"""Every rule of the package holds its own examples, through the whole path, in the forms that a line can have in a log."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from resolver.log.classify import LogScan
from resolver.log.rulebook import Rule, compiled, read_rules

RULES = read_rules()


def _bare(text: str) -> str:
    return text


def _stamped(text: str) -> str:
    return "\n".join(f"2026-03-05T22:17:03.{7965496 + n}Z {line}" for n, line in enumerate(text.split("\n")))


def _crlf(text: str) -> str:
    return text.replace("\n", "\r\n") + "\r"


def _coloured(text: str) -> str:
    """Colour codes around each word, as tools put them."""
    return "\n".join("\x1b[31;1m" + line.replace(" ", "\x1b[0m \x1b[36m") + "\x1b[0m" for line in text.split("\n"))


FORMS: tuple[Callable[[str], str], ...] = (_bare, _stamped, _crlf, _coloured)


def speakers(text: str) -> set[str]:
    """Ids of the rules that had something to say about a text."""
    scan = LogScan()
    scan.feed(text.encode() + b"\n")
    for window in scan.reader.finish():
        scan._window(window)
    return {rule.id for _, rule, _ in scan.considered}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_holds_its_examples(rule: Rule) -> None:
    """Each `match` line is read by this very rule, in four forms; each `nomatch` line is not."""
    assert rule.match, "a rule without an example that matches is not proven"
    assert rule.nomatch, "a rule without an example that must not match is not proven"
    for form in FORMS:
        for example in rule.match:
            assert rule.id in speakers(form(example)), f"{form.__name__}: {example!r} went to {speakers(form(example))}"
        for example in rule.nomatch:
            assert rule.id not in speakers(form(example)), f"{form.__name__}: {example!r}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_compiles_for_re2(rule: Rule) -> None:
    """All patterns of a rule are in RE2's linear language."""
    nears = [*rule.ahead, *rule.back]
    patterns = [rule.pattern, rule.unless, rule.until, *(n.pattern for n in nears), *(n.stop for n in nears)]
    for pattern in patterns:
        if pattern is not None:
            compiled(pattern)


def test_no_rule_names_a_project() -> None:
    """Rules speak of tools and formats, not of one repository's paths: none holds an absolute path of a checkout."""
    for rule in RULES:
        assert "/home/runner/work/" not in rule.pattern
        assert "/home/travis/build/" not in rule.pattern
