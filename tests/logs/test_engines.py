"""The two scan engines agree, and what is scanned for never misses what a rule would match."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import pytest

from resolver.log.classify import LogScan
from resolver.log.loosen import loosen
from resolver.log.rulebook import CompiledRules, Rule, compiled, read_rules
from resolver.log.scan import Re2Engine, VectorEngine, build_engine, vector_engine_works
from tests.logs.test_marked import LOGS

RULES = read_rules()
PER_RULE = 12

_parser = import_module("re._parser")
_const = import_module("re._constants")


class Sampler:
    """Strings that a pattern matches, drawn from its tree."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self, tokens: Any) -> str:
        """A text for a sequence of tokens."""
        return "".join(self._one(op, value) for op, value in tokens)

    def _one(self, op: Any, value: Any) -> str:
        if op is _const.LITERAL:
            return chr(value)
        if op is _const.NOT_LITERAL:
            return self.random.choice([c for c in "ab1_/" if ord(c) != value])
        if op is _const.ANY:
            return self.random.choice("aZ0_/é:")
        if op is _const.IN:
            return self._in(value)
        if op in (_const.MAX_REPEAT, _const.MIN_REPEAT):
            least, most, body = value
            count = self.random.randint(least, min(most, least + 3) if most is not _const.MAXREPEAT else least + 3)
            return "".join(self.text(body) for _ in range(count))
        if op is _const.SUBPATTERN:
            return self.text(value[3])
        if op is _const.BRANCH:
            return self.text(self.random.choice(value[1]))
        return ""

    def _in(self, items: Any) -> str:
        negate = items[0][0] is _const.NEGATE
        pool = "aZ5_ .:/-é" if negate else ""
        for kind, value in items:
            if kind is _const.LITERAL:
                pool = pool.replace(chr(value), "") if negate else pool + chr(value)
            elif kind is _const.RANGE:
                pool = (
                    "".join(c for c in pool if not value[0] <= ord(c) <= value[1])
                    if negate
                    else pool + chr(value[0]) + chr(value[1])
                )
            elif kind is _const.CATEGORY:
                some = {_const.CATEGORY_DIGIT: "059", _const.CATEGORY_SPACE: " \t", _const.CATEGORY_WORD: "aZ_9"}
                none = {
                    _const.CATEGORY_NOT_SPACE: "aé.",
                    _const.CATEGORY_NOT_DIGIT: "ax",
                    _const.CATEGORY_NOT_WORD: ".-",
                }
                if negate:
                    drop = some.get(value, "")
                    pool = "".join(c for c in pool if c not in drop)
                else:
                    pool += some.get(value, "") + none.get(value, "")
        return self.random.choice(pool) if pool else ""


def test_the_vector_engine_works_here() -> None:
    """On the platforms that the project names the fast engine is in use."""
    assert vector_engine_works()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_scan_never_misses_what_the_rule_matches(rule: Rule) -> None:
    """Texts made from the pattern, bare and behind a timestamp, are reported by the loosened patterns in both engines."""
    pieces = loosen(rule.pattern) if rule.scan is None else loosen(rule.scan, as_is=True)
    pattern = compiled(rule.pattern)
    sampler = Sampler(rule.order)
    tree = _parser.parse(rule.pattern)
    vector, slow = VectorEngine(pieces), Re2Engine(pieces)
    for _ in range(PER_RULE):
        text = sampler.text(tree)
        if "\n" in text or "\r" in text or not pattern.finds(text.encode()) or rule.scan is not None:
            continue
        for line in (text, f"2026-01-01T00:00:00.0000000Z {text}"):
            block = b"ordinary line\n" + line.encode() + b"\r\nanother\n"
            assert vector.scan(block), line
            assert slow.scan(block), line


def test_engines_give_the_same_triage() -> None:
    """Every marked log is read alike by both engines, to the last finding and line."""
    slow = CompiledRules.build(RULES, Re2Engine([p for rule in RULES for p in _pieces(rule)]))
    fast = CompiledRules.build(RULES, build_engine([p for rule in RULES for p in _pieces(rule)]))
    assert fast.engine.name == "vectorscan"
    for log in LOGS:
        data = "\n".join(log.lines).encode() + b"\n"
        results = []
        for rules in (fast, slow):
            scan = LogScan(rules=rules)
            scan.feed(data)
            results.append(scan.close())
        assert results[0] == results[1], log.name


def _pieces(rule: Rule) -> tuple[Any, ...]:
    return loosen(rule.pattern) if rule.scan is None else loosen(rule.scan, as_is=True)


@pytest.mark.parametrize("rule", [r for r in RULES if r.scan is not None], ids=lambda rule: rule.id)
def test_written_scan_finds_the_examples(rule: Rule) -> None:
    """A scan pattern written by hand finds at least every example of its rule."""
    vector = VectorEngine(_pieces(rule))
    for example in rule.match:
        assert vector.scan(example.encode() + b"\n"), example
        assert vector.scan(f"2026-01-01T00:00:00.0000000Z {example}\n".encode()), example
