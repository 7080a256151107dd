"""The functions of the expression language that need no status: each from argument values to a value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.sandbox.ci.expressions import values
from bot.sandbox.ci.expressions.syntax import ExpressionError

STATUS = frozenset({"success", "failure", "always", "cancelled"})


@dataclass(frozen=True)
class Function:
    """How many arguments a function takes (`most` None: any number) and what it does."""

    least: int
    most: int | None
    apply: Callable[[Sequence[object]], object]


def call(name: str, arguments: Sequence[object]) -> object:
    """Carry out one function; raises `ExpressionError` when a value has no answer."""
    return TABLE[name].apply(arguments)


def check_call(name: str, count: int) -> None:
    """Refuse an unknown function, an unsupported one, or a wrong number of arguments."""
    if name in STATUS:
        return
    if name == "hashfiles":
        raise ExpressionError("The function 'hashFiles' is not supported here")
    function = TABLE.get(name)
    if function is None:
        raise ExpressionError(f"Unrecognized function: '{name}'")
    if count < function.least:
        raise ExpressionError(f"Too few parameters supplied: '{name}'")
    if function.most is not None and count > function.most:
        raise ExpressionError(f"Too many parameters supplied: '{name}'")


def _contains(arguments: Sequence[object]) -> bool:
    within, wanted = arguments
    if isinstance(within, list):
        return any(values.equal(item, wanted) for item in within)
    if not _plain(within, wanted):
        return False
    return values.to_text(wanted).upper() in values.to_text(within).upper()


def _plain(*arguments: object) -> bool:
    """GitHub: an object or array has no text to look into."""
    return not any(isinstance(one, (dict, list)) for one in arguments)


def _starts_with(arguments: Sequence[object]) -> bool:
    return _plain(*arguments) and values.to_text(arguments[0]).upper().startswith(values.to_text(arguments[1]).upper())


def _ends_with(arguments: Sequence[object]) -> bool:
    return _plain(*arguments) and values.to_text(arguments[0]).upper().endswith(values.to_text(arguments[1]).upper())


def _format(arguments: Sequence[object]) -> str:
    template = values.to_text(arguments[0])
    items = [values.to_text(item) for item in arguments[1:]]

    def piece(match: re.Match[str]) -> str:
        text = match.group()
        if text in ("{{", "}}"):
            return text[0]
        number = text[1:-1]
        if not number.isdigit():
            raise ExpressionError(f"The following format string is invalid: {template}")
        if int(number) >= len(items):
            raise ExpressionError(
                f"The following format string references more arguments than were supplied: {template}"
            )
        return items[int(number)]

    return re.sub(r"\{\{|\}\}|\{[^{}]*\}|[{}]", piece, template)


def _join(arguments: Sequence[object]) -> str:
    separator = values.to_text(arguments[1]) if len(arguments) > 1 else ","
    if isinstance(arguments[0], list):
        return separator.join(values.to_text(item) for item in arguments[0])
    return "" if isinstance(arguments[0], dict) else values.to_text(arguments[0])


def _from_json(arguments: Sequence[object]) -> object:
    text = values.to_text(arguments[0])
    try:
        return json.loads(text)
    except ValueError as error:
        raise ExpressionError(f"Error reading JSON in fromJSON: {error}") from error


def _to_json(arguments: Sequence[object]) -> str:
    return values.to_json(arguments[0])


TABLE: dict[str, Function] = {
    "contains": Function(2, 2, _contains),
    "startswith": Function(2, 2, _starts_with),
    "endswith": Function(2, 2, _ends_with),
    "format": Function(1, None, _format),
    "join": Function(1, 2, _join),
    "tojson": Function(1, 1, _to_json),
    "fromjson": Function(1, 1, _from_json),
}
