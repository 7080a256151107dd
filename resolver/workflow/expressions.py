"""GitHub's expressions, evaluated as far as a file and a planned run show. What is not known stays `Unknown`.

`truth("github.event_name == 'push' && needs.x.outputs.y", lookup)` is False for a pull request whatever `y` holds.
Evaluation is bounded: long or deep expressions, and what this subset does not know, are `Unknown`; nothing raises.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that only the run will show; `truth` where it is known at least whether it counts as true."""

    truth: bool | None = None


Value = None | bool | float | str | Unknown
Lookup = Callable[[str], Value]
"""Gives the value of a context path in lower case, such as `github.event_name`, or of a status function, such as
`success()`; None is GitHub's null.
"""

UNKNOWN: Final = Unknown()
LENGTH: Final = 4_000
"""Longer expressions are not evaluated."""
DEPTH: Final = 40
"""Deeper nested brackets neither."""

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>[-+]?(?:0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?))(?![\w.])"
    r"|(?P<path>[A-Za-z_][\w-]*(?:\.[A-Za-z_*][\w-]*)*)|(?P<sign>&&|\|\||==|!=|<=|>=|[<>!(),\[\]]))"
)
_WORDS: Final[dict[str, Value]] = {"true": True, "false": False, "null": None}
_STATUS: Final = frozenset({"success", "always", "failure", "cancelled"})


class _NotReadableError(Exception):
    """Not an expression of this subset; never leaves this module."""


def split(template: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give a text's fixed parts and the expressions in `${{ }}` between them, one fewer; in linear time."""
    texts: list[str] = []
    expressions: list[str] = []
    at = 0
    while (start := template.find("${{", at)) >= 0 and (end := template.find("}}", start)) >= 0:
        texts.append(template[at:start])
        expressions.append(template[start + 3 : end])
        at = end + 2
    return (*texts, template[at:]), tuple(expressions)


def only_expression(template: str) -> str | None:
    """Give the expression of a text that is nothing else."""
    texts, expressions = split(template.strip())
    return expressions[0] if texts == ("", "") else None


def truth(condition: str, lookup: Lookup) -> bool | None:
    """Say whether an `if` holds; with or without `${{ }}`. An empty one does. None: only the run will show."""
    text = condition.strip()
    if not text:
        return True
    only = only_expression(text)
    if only is not None:
        return truthy(evaluate(only, lookup))
    if split(text)[1]:
        # GitHub: text around an expression makes the whole a text, and a text that is not empty counts as true.
        rendered = render(text, lookup)
        return None if rendered is None else bool(rendered)
    return truthy(evaluate(text, lookup))


def render(template: str, lookup: Lookup) -> str | None:
    """Fill in a text with `${{ }}`; None where a part of it is not known."""
    texts, expressions = split(template)
    parts = [texts[0]]
    for expression, text in zip(expressions, texts[1:], strict=True):
        value = evaluate(expression, lookup)
        if isinstance(value, Unknown):
            return None
        parts += [as_text(value), text]
    return "".join(parts)


def evaluate(expression: str, lookup: Lookup) -> Value:
    """Evaluate one expression without its `${{ }}`."""
    try:
        return _Reader(_tokens(expression), lookup).whole()
    except _NotReadableError:
        return UNKNOWN


def truthy(value: Value) -> bool | None:
    """GitHub: false, 0, the empty text and null count as false."""
    if isinstance(value, Unknown):
        return value.truth
    return bool(value)


def as_text(value: bool | float | str | None) -> str:
    """Write a value as GitHub does."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    return value


def _tokens(expression: str) -> list[tuple[str, str]]:
    if len(expression) > LENGTH:
        raise _NotReadableError
    found: list[tuple[str, str]] = []
    at, text = 0, expression.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise _NotReadableError
        found.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return found


class _Reader:
    """Reads and evaluates at once, from `||` down to single values."""

    def __init__(self, tokens: list[tuple[str, str]], lookup: Lookup) -> None:
        self._tokens, self._lookup = tokens, lookup
        self._at = 0
        self._depth = 0

    def whole(self) -> Value:
        value = self._either()
        if self._at != len(self._tokens):
            raise _NotReadableError
        return value

    def _sign(self, *signs: str) -> str | None:
        if self._at < len(self._tokens) and self._tokens[self._at] in {("sign", sign) for sign in signs}:
            self._at += 1
            return self._tokens[self._at - 1][1]
        return None

    def _either(self) -> Value:
        self._depth += 1
        if self._depth > DEPTH:
            raise _NotReadableError
        value = self._both()
        while self._sign("||"):
            value = _or(value, self._both())
        self._depth -= 1
        return value

    def _both(self) -> Value:
        value = self._comparison()
        while self._sign("&&"):
            value = _and(value, self._comparison())
        return value

    def _comparison(self) -> Value:
        value = self._single()
        while sign := self._sign("==", "!=", "<", ">", "<=", ">="):
            value = _compare(sign, value, self._single())
        return value

    def _single(self) -> Value:
        marks = 0
        while self._sign("!"):
            marks += 1
        value = self._operand()
        if not marks:
            return value
        known = truthy(value)
        return UNKNOWN if known is None else known is (marks % 2 == 0)

    def _operand(self) -> Value:
        if self._sign("("):
            value = self._either()
            if not self._sign(")"):
                raise _NotReadableError
            return self._indexed(value)
        if self._at >= len(self._tokens):
            raise _NotReadableError
        kind, text = self._tokens[self._at]
        self._at += 1
        match kind:
            case "text":
                return text[1:-1].replace("''", "'")
            case "number":
                return float(int(text, 0)) if "x" in text else float(text)
            case "path":
                return self._named(text)
            case _:
                raise _NotReadableError

    def _named(self, name: str) -> Value:
        if self._sign("("):
            arguments = tuple(self._arguments())
            if name.lower() in _STATUS and not arguments:
                return self._lookup(f"{name.lower()}()")
            return self._indexed(_call(name.lower(), arguments))
        if name.lower() in _WORDS:
            return _WORDS[name.lower()]
        value = UNKNOWN if "*" in name else self._lookup(name.lower())
        return self._indexed(value)

    def _indexed(self, value: Value) -> Value:
        """What `[…]` picks from a context is not looked up."""
        while self._sign("["):
            self._either()
            if not self._sign("]"):
                raise _NotReadableError
            value = UNKNOWN
        return value

    def _arguments(self) -> Iterable[Value]:
        if self._sign(")"):
            return
        while True:
            yield self._either()
            if self._sign(")"):
                return
            if not self._sign(","):
                raise _NotReadableError


def _and(left: Value, right: Value) -> Value:
    if truthy(left) is False:
        return left
    if truthy(left) is True:
        return right
    return Unknown(truth=False) if truthy(right) is False else UNKNOWN


def _or(left: Value, right: Value) -> Value:
    if truthy(left) is True:
        return left
    if truthy(left) is False:
        return right
    return Unknown(truth=True) if truthy(right) is True else UNKNOWN


def _compare(sign: str, left: Value, right: Value) -> Value:
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return UNKNOWN
    if sign in ("==", "!="):
        return _equal(left, right) is (sign == "==")
    if isinstance(left, str) and isinstance(right, str):
        one, other = left.casefold(), right.casefold()
        return {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[sign]
    low, high = _number(left), _number(right)
    return {"<": low < high, ">": low > high, "<=": low <= high, ">=": low >= high}[sign]


def _equal(left: bool | float | str | None, right: bool | float | str | None) -> bool:
    """GitHub compares texts without regard to case, and values of different kinds as numbers."""
    if isinstance(left, str) and isinstance(right, str):
        return left.casefold() == right.casefold()
    if type(left) is type(right):
        return left == right
    return _number(left) == _number(right)


def _number(value: bool | float | str | None) -> float:
    if isinstance(value, str):
        try:
            return float(value.strip() or 0)
        except ValueError:
            return math.nan
    return float(value or 0)


def _call(name: str, arguments: tuple[Value, ...]) -> Value:
    if name == "format":
        return _format(arguments)
    if name in ("contains", "startswith", "endswith") and len(arguments) == 2:
        whole, part = arguments
        if isinstance(whole, Unknown) or isinstance(part, Unknown):
            return UNKNOWN
        text, wanted = as_text(whole).casefold(), as_text(part).casefold()
        return {"contains": wanted in text, "startswith": text.startswith(wanted), "endswith": text.endswith(wanted)}[
            name
        ]
    return UNKNOWN


def _format(arguments: tuple[Value, ...]) -> Value:
    if not arguments or any(isinstance(each, Unknown) for each in arguments):
        return UNKNOWN
    texts = [as_text(each) for each in arguments if not isinstance(each, Unknown)]
    filled = re.sub(r"\{\{|\}\}|\{(\d{1,2})\}", lambda m: _part(m, texts[1:]), texts[0])
    return filled if len(filled) <= LENGTH else UNKNOWN


def _part(match: re.Match[str], texts: list[str]) -> str:
    if match[1] is None:
        return match[0][0]
    number = int(match[1])
    return texts[number] if number < len(texts) else match[0]
