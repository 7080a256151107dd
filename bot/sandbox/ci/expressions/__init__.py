"""
The `${{ }}` language of workflow files: parsed to a tree, evaluated over contexts.

Promises: every operator, literal and function answers as GitHub documents it (loose equality, case-insensitive names,
`&&`/`||` giving operands); what is not supported raises an `ExpressionError` that says so. No I/O.
"""

from bot.sandbox.ci.expressions.evaluate import Names, Status, evaluate, evaluate_condition, parse
from bot.sandbox.ci.expressions.syntax import ExpressionError, Node
from bot.sandbox.ci.expressions.text import check, expand, interpolate

__all__ = [
    "ExpressionError",
    "Names",
    "Node",
    "Status",
    "check",
    "evaluate",
    "evaluate_condition",
    "expand",
    "interpolate",
    "parse",
]
