"""A job's matrix as the list of its combinations. GitHub: at most 256 jobs for one matrix."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, TypeAlias

from bot.sandbox.ci.expressions import ExpressionError
from bot.sandbox.ci.expressions.values import to_text

Combination: TypeAlias = dict[str, Any]
MOST_JOBS = 256


def combinations(matrix: object) -> list[Combination]:
    """
    Give the combinations of an already filled-in matrix, in GitHub's order (the first axis changes slowest).

    Raises `ExpressionError` when it is no matrix or too big.
    """
    if not isinstance(matrix, Mapping):
        raise ExpressionError("The matrix must be a mapping")
    axes = {str(key): value for key, value in matrix.items() if key not in ("include", "exclude")}
    for key, value in axes.items():
        if not isinstance(value, list) or not value:
            raise ExpressionError(f"Matrix vector '{key}' does not contain any values")
    base = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())] if axes else []
    kept = [one for one in base if not any(_within(entry, one) for entry in _entries(matrix, "exclude"))]
    found = _with_included(kept, _entries(matrix, "include"), frozenset(axes))
    if len(found) > MOST_JOBS:
        raise ExpressionError(f"Strategy produced {len(found)} jobs; at most {MOST_JOBS} are allowed")
    return found


def suffix(combination: Mapping[str, Any]) -> str:
    """What GitHub appends to a matrix job's name: ` (3.11, linux)`; nothing for an empty one."""
    values = [text for value in combination.values() for text in _scalars(value)]
    return f" ({', '.join(values)})" if values else ""


def _entries(matrix: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    entries = matrix.get(key) or []
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise ExpressionError(f"The matrix's {key} must be a list of mappings")
    return entries


def _within(entry: Mapping[str, Any], combination: Combination) -> bool:
    return all(key in combination and combination[key] == value for key, value in entry.items())


def _with_included(
    kept: list[Combination], entries: list[Mapping[str, Any]], axes: frozenset[str]
) -> list[Combination]:
    """GitHub: an include joins every original combination whose own values it leaves alone; else it is a new one."""
    extended = [dict(one) for one in kept]
    added: list[Combination] = []
    for entry in entries:
        fitting = [
            combination
            for original, combination in zip(kept, extended, strict=True)
            if all(original[key] == value for key, value in entry.items() if key in axes)
        ]
        for combination in fitting:
            combination.update(entry)
        if not fitting:
            added.append(dict(entry))
    return extended + added


def _scalars(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _scalars(item)]
    if isinstance(value, list):
        return [text for item in value for text in _scalars(item)]
    return [to_text(value)]
