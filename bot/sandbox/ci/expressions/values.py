"""
How values of the expression language turn into one another and compare.

Values are JSON's: None, bool, float or int, str, list, dict. The rules are those of GitHub's documentation.
"""

from __future__ import annotations

import json
import math

from bot.sandbox.ci.expressions.syntax import number_of


def truthy(value: object) -> bool:
    """False, 0, '', null and NaN are false; objects and arrays are true even when empty."""
    if isinstance(value, (dict, list)):
        return True
    if isinstance(value, float) and math.isnan(value):
        return False
    return bool(value)


def to_number(value: object) -> float:
    """Null is 0, true is 1, a string that is no number is NaN, objects and arrays are NaN."""
    if value is None:
        return 0.0
    if isinstance(value, (bool, int, float)):
        return float(value)
    if isinstance(value, str):
        text = value.strip()
        try:
            return number_of(text) if text else 0.0
        except ValueError:
            return math.nan
    return math.nan


def to_text(value: object) -> str:
    """What a value looks like inside a string: `true`, `1`, `1.5`, nothing for null, `Object`, `Array`."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(float(value))
    if isinstance(value, dict):
        return "Object"
    if isinstance(value, list):
        return "Array"
    return str(value)


def number_text(number: float) -> str:
    """A number with at most 15 digits and no trailing `.0`."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == int(number) and abs(number) < 1e15:
        return str(int(number))
    return f"{number:.15g}"


def to_json(value: object) -> str:
    """What `toJSON` gives: indented by two blanks, whole numbers without a point."""
    return json.dumps(_whole_numbers(value), indent=2, ensure_ascii=False)


def equal(left: object, right: object) -> bool:
    """Loose equality: text without regard to case, other kinds as numbers, objects only with themselves."""
    if isinstance(left, str) and isinstance(right, str):
        return left.upper() == right.upper()
    if isinstance(left, (dict, list)) and isinstance(right, (dict, list)):
        return left is right
    if left is None and right is None:
        return True
    return to_number(left) == to_number(right)


def less(left: object, right: object) -> bool:
    """Order: text without regard to case, everything else as numbers; NaN is never less."""
    if isinstance(left, str) and isinstance(right, str):
        return left.upper() < right.upper()
    return to_number(left) < to_number(right)


def _whole_numbers(value: object) -> object:
    if isinstance(value, dict):
        return {key: _whole_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(item) for item in value]
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return int(value)
    return value
