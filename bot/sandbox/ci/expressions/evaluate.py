"""Evaluates a parsed expression over contexts and the status of what came before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from bot.sandbox.ci.expressions import functions, syntax, values
from bot.sandbox.ci.expressions.syntax import (
    Binary,
    Call,
    Context,
    ExpressionError,
    Index,
    Literal,
    Node,
    Not,
    Star,
)

Names: TypeAlias = Mapping[str, object]
"""The contexts by lower-case name: `github`, `env`, `needs`, …"""

CONTEXTS = frozenset(
    {"github", "env", "vars", "job", "jobs", "steps", "runner", "secrets", "strategy", "matrix", "needs", "inputs"}
)


@dataclass(frozen=True)
class Status:
    """What the status functions answer: has anything before failed, was the run cancelled."""

    failed: bool = False
    cancelled: bool = False
    skipped: bool = False

    def answer(self, function: str) -> bool:
        """`success()`, `failure()`, `always()` or `cancelled()`."""
        if function == "always":
            return True
        if function == "cancelled":
            return self.cancelled
        if function == "failure":
            return self.failed and not self.cancelled
        return not (self.failed or self.cancelled or self.skipped)


def parse(text: str) -> Node:
    """Read one expression and check the contexts and functions that it names; raises `ExpressionError`."""
    node = syntax.parse(text)
    for part in walk(node):
        if isinstance(part, Call):
            functions.check_call(part.name, len(part.arguments))
        elif isinstance(part, Context) and part.name.lower() not in CONTEXTS:
            raise ExpressionError(f"Unrecognized named-value: '{part.name}'")
    return node


class _Filtered(list[object]):
    """What `.*` gives: a further `.name` is looked up in every element."""


def evaluate(node: Node, names: Names, status: Status) -> object:
    """Give the value of a checked expression; raises `ExpressionError` where a value has no answer."""
    value: object
    match node:
        case Literal():
            value = node.value
        case Context(name):
            value = _context(name, names)
        case Index(target, key):
            value = _look_up(evaluate(target, names, status), evaluate(key, names, status))
        case Star(target):
            value = _elements(evaluate(target, names, status))
        case Not(operand):
            value = not values.truthy(evaluate(operand, names, status))
        case Binary():
            value = _binary(node, names, status)
        case Call():
            value = _call(node, names, status)
        case _:
            assert_never(node)
    return value


def evaluate_condition(text: str, names: Names, status: Status) -> bool:
    """
    Decide an `if:` of a job or step; an empty one means `success()`.

    GitHub: without a status function in it the condition also needs `success()`. Text around `${{ }}` makes a string,
    which is always true; that famous trap is kept.
    """
    source = condition_source(text)
    node = parse(source)
    value = evaluate(node, names, status)
    if any(isinstance(part, Call) and part.name in functions.STATUS for part in walk(node)):
        return values.truthy(value)
    return status.answer("success") and values.truthy(value)


def condition_source(text: str) -> str:
    """The expression of an `if:`, which may stand inside `${{ }}` or bare; with text around it, a true string."""
    stripped = text.strip()
    if not stripped:
        return "success()"
    if stripped.startswith("${{") and stripped.endswith("}}") and stripped.count("${{") == 1:
        return stripped[3:-2]
    return "'text'" if "${{" in stripped else stripped


def walk(node: Node) -> Iterator[Node]:
    """The node and everything beneath it."""
    yield node
    match node:
        case Index(target, key):
            yield from walk(target)
            yield from walk(key)
        case Star(inner) | Not(inner):
            yield from walk(inner)
        case Binary(_, left, right):
            yield from walk(left)
            yield from walk(right)
        case Call(_, arguments):
            for item in arguments:
                yield from walk(item)
        case Literal() | Context():
            pass
        case _:
            assert_never(node)


def _call(node: Call, names: Names, status: Status) -> object:
    if node.name in functions.STATUS:
        return status.answer(node.name)
    return functions.call(node.name, [evaluate(item, names, status) for item in node.arguments])


def _context(name: str, names: Names) -> object:
    return names.get(name.lower())


def _look_up(target: object, key: object) -> object:
    if isinstance(target, _Filtered):
        found = (_look_up(item, key) for item in target)
        return _Filtered(item for item in found if item is not None)
    if isinstance(target, Mapping):
        wanted = values.to_text(key)
        if wanted in target:
            return target[wanted]
        return next((value for name, value in target.items() if str(name).lower() == wanted.lower()), None)
    if isinstance(target, list):
        number = values.to_number(key)
        if number == number // 1 and 0 <= number < len(target):
            return target[int(number)]
    return None


def _elements(target: object) -> object:
    if isinstance(target, _Filtered):
        return _Filtered(item for inner in target for item in _each(inner))
    return _Filtered(_each(target))


def _each(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list) else []


def _binary(node: Binary, names: Names, status: Status) -> object:
    left = evaluate(node.left, names, status)
    if node.operator == "&&":
        return evaluate(node.right, names, status) if values.truthy(left) else left
    if node.operator == "||":
        return left if values.truthy(left) else evaluate(node.right, names, status)
    right = evaluate(node.right, names, status)
    if node.operator == "==":
        return values.equal(left, right)
    if node.operator == "!=":
        return not values.equal(left, right)
    return _ordered(node.operator, left, right)


def _ordered(operator: str, left: object, right: object) -> bool:
    if operator == "<":
        return values.less(left, right)
    if operator == ">":
        return values.less(right, left)
    same = values.equal(left, right)
    return same or (values.less(left, right) if operator == "<=" else values.less(right, left))
