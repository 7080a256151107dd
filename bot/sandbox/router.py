"""
Which operation a request means: GitHub's path templates, the most literal first.

Parameters that GitHub marks as multi-segment (`ref`, `path`, `basehead`, …) take slashes. A path by repository id
(`/repositories/{id}/…`, as `Link` headers have it) is read as that repository's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from bot.sandbox.description import Operation

_PARAMETER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Match:
    """The operation and its decoded path parameters."""

    operation: Operation
    parameters: dict[str, str]


class Router:
    """Finds operations by method and raw (still escaped) path."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._routes: dict[str, list[tuple[re.Pattern[str], Operation]]] = {}
        for operation in sorted(operations, key=_weight):
            self._routes.setdefault(operation.method, []).append((_pattern(operation), operation))

    def match(self, method: str, path: str) -> Match | None:
        """Find the operation, or `None` where GitHub's description (as kept here) has none."""
        for pattern, operation in self._routes.get(method, []):
            if found := pattern.fullmatch(path):
                return Match(operation, {name: unquote(value or "") for name, value in found.groupdict().items()})
        return None


def _weight(operation: Operation) -> tuple[int, int, str]:
    """More literal segments first, then fewer greedy parameters."""
    segments = operation.path.split("/")
    literal = sum(not segment.startswith("{") for segment in segments)
    return -literal, len(operation.multi), operation.path


def _pattern(operation: Operation) -> re.Pattern[str]:
    parts = []
    at = 0
    for found in _PARAMETER.finditer(operation.path):
        parts.append(re.escape(operation.path[at : found.start()]))
        body = ".+" if found[1] in operation.multi else "[^/]+"
        parts.append(f"(?P<{found[1]}>{body})")
        at = found.end()
    parts.append(re.escape(operation.path[at:]))
    # GitHub: the root directory's contents are at `/contents` and `/contents/`.
    return re.compile("".join(parts).replace("/(?P<path>.+)", "(?:/(?P<path>.*))?"))
