"""Finds `${{ }}` in the values of a workflow file: checks them when the file is read, fills them in when a job runs."""

from __future__ import annotations

import re
from typing import Any

from bot.sandbox.ci.expressions import values
from bot.sandbox.ci.expressions.evaluate import Names, Status, condition_source, evaluate, parse
from bot.sandbox.ci.expressions.syntax import ExpressionError

_EXPRESSION = re.compile(r"\$\{\{((?:[^'}]|'(?:[^']|'')*'|\}(?!\}))*)\}\}")


def expand(value: Any, names: Names, status: Status) -> Any:
    """Fill in every expression of a YAML value; a text that is one expression keeps the kind of its value."""
    if isinstance(value, str):
        whole = _EXPRESSION.fullmatch(value.strip())
        return evaluate(parse(whole[1]), names, status) if whole else interpolate(value, names, status)
    if isinstance(value, list):
        return [expand(item, names, status) for item in value]
    if isinstance(value, dict):
        return {key: expand(item, names, status) for key, item in value.items()}
    return value


def interpolate(text: str, names: Names, status: Status) -> str:
    """Fill in every expression of a text as text."""
    return _EXPRESSION.sub(lambda match: values.to_text(evaluate(parse(match[1]), names, status)), text)


def check(text: str, *, condition: bool = False) -> None:
    """Raise `ExpressionError` when an expression in the text cannot be read or uses an unknown name or function."""
    sources = [match[1] for match in _EXPRESSION.finditer(text)]
    if condition:
        sources.append(condition_source(text))
    elif text.count("${{") > len(sources):
        raise ExpressionError(f"The expression is not closed. An unescaped ${{{{ sequence was found: {text}")
    for source in sources:
        parse(source)
