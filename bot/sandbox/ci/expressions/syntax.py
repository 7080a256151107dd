"""Turns the text of an expression into a tree. Errors name the column, as GitHub's do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias


class ExpressionError(ValueError):
    """The expression cannot be read or asks for something unsupported; the message is one sentence for a person."""


@dataclass(frozen=True)
class Literal:
    """A value written in the expression."""

    value: object


@dataclass(frozen=True)
class Context:
    """A name at the root: `github`, `needs`, …"""

    name: str


@dataclass(frozen=True)
class Index:
    """`target.key` or `target[key]`."""

    target: Node
    key: Node


@dataclass(frozen=True)
class Star:
    """`target.*` or `target[*]`: every element."""

    target: Node


@dataclass(frozen=True)
class Not:
    """`!operand`."""

    operand: Node


@dataclass(frozen=True)
class Binary:
    """Two operands; `&&` and `||` evaluate the right one only when it decides."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Call:
    """A function with its arguments; the name is lower case."""

    name: str
    arguments: tuple[Node, ...]


Node: TypeAlias = Literal | Context | Index | Star | Not | Binary | Call

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<string>'(?:[^']|'')*')
    | (?P<number>[-+]?(?:0x[0-9a-fA-F]+|0o[0-7]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))
    | (?P<name>[A-Za-z_][A-Za-z0-9_-]*)
    | (?P<operator>==|!=|<=|>=|&&|\|\||[<>!()\[\],.*])
    )""",
    re.VERBOSE,
)
_LEVELS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="))
_MAX_DEPTH = 50  # GitHub: "Exceeded max expression depth 50"
_MAX_LENGTH = 21_000


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    column: int


def parse(text: str) -> Node:
    """Read one expression without its `${{ }}`; raises `ExpressionError`."""
    if len(text) > _MAX_LENGTH:
        raise ExpressionError(f"Exceeded max expression length {_MAX_LENGTH}")
    parser = _Parser(_tokens(text), text)
    node = parser.level(0, 0)
    parser.expect_end()
    return node


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    end = len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            rest = text[position:].strip()
            raise ExpressionError(f"Unexpected symbol: '{rest[:20]}'. Located at position {position + 1} of: {text}")
        kind = match.lastgroup
        start = match.start(kind)
        tokens.append(_Token(kind, match.group(kind), start + 1))
        position = match.end()
    return tokens


class _Parser:
    """Precedence climbing over the tokens."""

    def __init__(self, tokens: list[_Token], text: str) -> None:
        self._tokens = tokens
        self._at = 0
        self._text = text

    def level(self, number: int, depth: int) -> Node:
        """Read operators of this level and those that bind tighter."""
        if depth > _MAX_DEPTH:
            raise ExpressionError(f"Exceeded max expression depth {_MAX_DEPTH}")
        if number == len(_LEVELS):
            return self._unary(depth)
        left = self.level(number + 1, depth)
        while (operator := self._take_any(_LEVELS[number])) is not None:
            left = Binary(operator, left, self.level(number + 1, depth))
        return left

    def expect_end(self) -> None:
        """Refuse what follows a complete expression."""
        if self._at < len(self._tokens):
            raise self._unexpected()

    def _unary(self, depth: int) -> Node:
        if self._take("!"):
            return Not(self._unary(depth + 1))
        return self._postfix(self._primary(depth), depth)

    def _primary(self, depth: int) -> Node:
        if self._take("("):
            node = self.level(0, depth + 1)
            self._need(")")
            return node
        token = self._peek()
        if token is None or token.kind == "operator":
            raise self._unexpected()
        self._at += 1
        if token.kind == "string":
            return Literal(token.text[1:-1].replace("''", "'"))
        if token.kind == "number":
            return Literal(number_of(token.text))
        return self._named(token, depth)

    def _named(self, token: _Token, depth: int) -> Node:
        word = token.text.lower()
        if self._take("("):
            return Call(word, self._arguments(depth))
        words = {"true": True, "false": False, "null": None, "nan": float("nan"), "infinity": float("inf")}
        return Literal(words[word]) if word in words else Context(token.text)

    def _arguments(self, depth: int) -> tuple[Node, ...]:
        if self._take(")"):
            return ()
        arguments = [self.level(0, depth + 1)]
        while self._take(","):
            arguments.append(self.level(0, depth + 1))
        self._need(")")
        return tuple(arguments)

    def _postfix(self, node: Node, depth: int) -> Node:
        while True:
            if self._take("."):
                node = self._member(node)
            elif self._take("["):
                node = Star(node) if self._take("*") else Index(node, self.level(0, depth + 1))
                self._need("]")
            else:
                return node

    def _member(self, node: Node) -> Node:
        if self._take("*"):
            return Star(node)
        token = self._peek()
        if token is None or token.kind != "name":
            raise self._unexpected()
        self._at += 1
        return Index(node, Literal(token.text))

    def _peek(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self, operator: str) -> bool:
        return self._take_any((operator,)) is not None

    def _take_any(self, operators: tuple[str, ...]) -> str | None:
        token = self._peek()
        if token is None or token.kind != "operator" or token.text not in operators:
            return None
        self._at += 1
        return token.text

    def _need(self, operator: str) -> None:
        if not self._take(operator):
            raise self._unexpected()

    def _unexpected(self) -> ExpressionError:
        token = self._peek()
        if token is None:
            return ExpressionError(f"Unexpected end of expression: '{self._text}'")
        return ExpressionError(
            f"Unexpected symbol: '{token.text}'. Located at position {token.column} of: {self._text}"
        )


def number_of(text: str) -> float:
    """A number as the language writes it: decimal, exponent, `0x`, `0o`; raises `ValueError`."""
    sign = -1.0 if text.startswith("-") else 1.0
    digits = text.lstrip("+-")
    if digits.startswith(("0x", "0o")):
        return sign * int(digits, 0)
    return sign * float(digits)
