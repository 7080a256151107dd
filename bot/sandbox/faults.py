"""
One table of faults: this call fails so often, like this. The first row that fits a call and is not used up decides.

Lag after a webhook (GITHUB.md 5.2, 5.14) is a row too: `Fault("GET", "/repos/*/pulls/*", how="stale", times=2)`.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

UNICORN = "<!DOCTYPE html>\n<html><body><h1>502 Bad Gateway</h1></body></html>\n"


@dataclass
class Fault:
    """
    What goes wrong with calls of `method` (`*`: any) on a path that fits the pattern (`*` crosses slashes).

    `status` answers instead of the operation, with `body` (JSON, or text as HTML). `how="drop"` ends the connection
    before anything happens; `how="lose"` lets it happen and ends the connection without an answer; `how="replace"` lets
    it happen and gives the fault's answer; `how="stale"` gives what the same GET answered last, else 404, as a lagging
    replica does; `how="delay"` only takes its time. `seconds` of the
    sandbox's clock pass first. The first `after` fitting calls go well, then `times` fail (`None`: all). `meanwhile` is
    what somebody does at that very moment, before the call.
    """

    method: str
    path: str
    how: Literal["answer", "replace", "stale", "drop", "lose", "delay"] = "answer"
    status: int = 500
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    after: int = 0
    times: int | None = 1
    meanwhile: Callable[[], object] | None = None
    met: int = 0
    """How many calls it has struck."""

    def fits(self, method: str, path: str, mutation: str = "") -> bool:
        """Whether the row is about this call; one of GraphQL may be named by its mutation, as `/graphql#mergeQueue`."""
        paths = (path, f"{path}#{mutation}") if mutation else (path,)
        return self.method in {"*", method} and any(fnmatch.fnmatchcase(each, self.path) for each in paths)


class Faults:
    """The table. Empty: nothing fails."""

    def __init__(self) -> None:
        self._rows: list[Fault] = []

    def add(self, fault: Fault) -> Fault:
        """Add a row below the others."""
        self._rows.append(fault)
        return fault

    def never_met(self) -> list[Fault]:
        """Give the rows that no call has met: whoever added them tells of something that did not happen."""
        return [row for row in self._rows if row.met == 0]

    def clear(self) -> None:
        """Let everything go well again."""
        self._rows.clear()

    def next(self, method: str, path: str, mutation: str = "") -> Fault | None:
        """Find what happens to a call, and count it."""
        for row in self._rows:
            if not row.fits(method, path, mutation) or row.times == 0:
                continue
            if row.after > 0:
                row.after -= 1
                continue
            if row.times is not None:
                row.times -= 1
            row.met += 1
            if row.meanwhile is not None:
                row.meanwhile()
            return row
        return None
