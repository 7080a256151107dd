"""Problem matchers: what a step adds by `::add-matcher::`; they turn lines of output into annotations. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_GROUPS = ("file", "fromPath", "line", "column", "severity", "code", "message")
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True)
class Pattern:
    """One line of a matcher: an expression and the number of the group for each part."""

    regexp: re.Pattern[str]
    groups: Mapping[str, int]
    loop: bool


@dataclass(frozen=True)
class Matcher:
    """A named list of patterns that must match consecutive lines."""

    owner: str
    severity: str | None
    patterns: tuple[Pattern, ...]


@dataclass
class Progress:
    """How far a matcher has come in the lines seen so far."""

    matcher: Matcher
    at: int = 0
    found: dict[str, str] = field(default_factory=dict)

    def feed(self, line: str) -> dict[str, str] | None:
        """Take the next line; give the parts of a problem once the last pattern has matched."""
        clean = _ANSI.sub("", line)
        pattern = self.matcher.patterns[self.at]
        match = pattern.regexp.search(clean)
        if match is None:
            repeat = self.at > 0
            self.at, self.found = 0, {}
            return self.feed(line) if repeat else None
        parts = {name: match[group] or "" for name, group in pattern.groups.items() if group <= len(match.groups())}
        last = self.at == len(self.matcher.patterns) - 1
        if not last:
            self.found.update(parts)
            self.at += 1
            return None
        whole = {**self.found, **parts}
        if not pattern.loop:
            self.at, self.found = 0, {}
        return whole


def read_matchers(text: str) -> list[Matcher]:
    """Read a matcher file; raises `ValueError` with a sentence when it is none."""
    value = json.loads(text)
    entries = value.get("problemMatcher") if isinstance(value, dict) else None
    if not isinstance(entries, list) or not entries:
        raise ValueError("A problem matcher file must hold a list `problemMatcher`")
    return [_matcher(entry) for entry in entries]


def properties(found: Mapping[str, str]) -> dict[str, str]:
    """The parts of a problem as an annotation's properties."""
    path = found.get("file", "")
    if found.get("fromPath"):
        path = f"{found['fromPath'].rpartition('/')[0]}/{path}".lstrip("/")
    return {"file": path, "line": found.get("line", ""), "col": found.get("column", "")}


def _matcher(entry: Any) -> Matcher:
    if not isinstance(entry, dict) or not entry.get("owner") or not isinstance(entry.get("pattern"), list):
        raise ValueError("A problem matcher must have an owner and a list of patterns")
    patterns = tuple(_pattern(item) for item in entry["pattern"])
    if not patterns or any(one.loop for one in patterns[:-1]):
        raise ValueError("Only the last pattern of a problem matcher may loop")
    return Matcher(str(entry["owner"]), entry.get("severity"), patterns)


def _pattern(item: Any) -> Pattern:
    try:
        regexp = re.compile(item["regexp"])
    except (re.error, KeyError, TypeError) as error:
        raise ValueError(f"A problem matcher's pattern is not readable: {error}") from error
    groups = {name: int(item[name]) for name in _GROUPS if isinstance(item.get(name), int)}
    return Pattern(regexp, groups, item.get("loop") is True)
