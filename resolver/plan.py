"""
The `failres` block of a pull request's description as a value, or its problems with their lines (specification,
section 1, "scope").

The text belongs to whoever wrote the pull request, so it is read as strictly as the configuration: `read_plan` never
raises, takes bounded time, and gives either the whole scope or nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Final

from resolver.config.text import ConfigProblem, ConfigProblems, Document, TextLimits, read_text, shorten
from resolver.records import Record
from resolver.secrets import mask
from resolver.tree_paths import FAULTS, is_protected, path_fault

KEYS: Final = ("scope",)
PLAN_TEXT: Final = TextLimits(size=16 * 1024, depth=4, values=500)
FILES: Final = 200
"""So many entries one scope may have, as a rule of the configuration may."""

_NO_PATTERN: Final = re.compile(r"[?]|\{[^}]*,|\*{3}")


class Plan(Record):
    """
    What a block says: the paths of its `scope` with the line of each, or `problems`, and then no path at all.

    Lines count from 1 in the description. A path may be a pattern: `*` is any text without a slash, `**` any text.
    """

    scope: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    problems: tuple[ConfigProblem, ...] = ()

    def protected(self, patterns: Sequence[str]) -> tuple[ConfigProblem, ...]:
        """Give the entries that name what the configuration protects; only the base's file tells which that is."""
        found = (each for each in zip(self.scope, self.lines, strict=True) if is_protected(each[0], patterns))
        return tuple(_problem((line, 1), "scope", _PROTECTED.format(shorten(path))) for path, line in found)


_FENCE: Final = (0, 1)
"""Where the block itself begins: the line before its text."""

_PROTECTED: Final = "{} is protected: no task may change it"


def refused_plan(line: int, message: str) -> Plan:
    """Give a plan that cannot be used for a reason that lies outside of its text."""
    return Plan(problems=(_problem((line, 1), "", message),))


def read_plan(text: str, first: int = 1) -> Plan:
    """Read a block's text, whose first line is line `first` of the description."""
    document = read_text(text, PLAN_TEXT)
    if isinstance(document, ConfigProblems):
        return Plan(problems=tuple(_moved(each, first) for each in document.problems))
    problems = [_moved(each, first) for each in _problems(document)]
    if problems:
        return Plan(problems=tuple(problems[: PLAN_TEXT.problems]))
    entries = document.at(("scope",))
    assert isinstance(entries, tuple)
    lines = tuple(document.places["scope", index][0] + first - 1 for index in range(len(entries)))
    return Plan(scope=tuple(str(each) for each in entries), lines=lines)


def _problems(document: Document) -> Iterator[ConfigProblem]:
    if not isinstance(document.value, dict):
        yield _problem(_FENCE, "", "the block must hold scope: and a list of paths")
        return
    strange = [key for key in document.value if key not in KEYS]
    yield from (_problem(document.places[key,], key, _unknown(key)) for key in strange)
    if "scope" not in document.value:
        if not any(_near(key) for key in strange):
            yield _problem(_FENCE, "", "scope is missing: the list of the paths that this task may change")
        return
    entries = document.value["scope"]
    if not isinstance(entries, tuple) or not entries:
        yield _problem(document.places["scope",], "scope", "must be a list of paths, at least one, each after a hyphen")
        return
    if len(entries) > FILES:
        yield _problem(document.places["scope",], "scope", f"must have at most {FILES} entries")
        return
    seen: dict[str, int] = {}
    for index, entry in enumerate(entries):
        place = document.places["scope", index]
        message = _fault(entry, seen)
        if message is not None:
            yield _problem(place, f"scope[{index}]", message)
        seen.setdefault(str(entry), place[0])


def _fault(entry: object, seen: dict[str, int]) -> str | None:
    """Say what is wrong with one entry; `seen` are those before it with their lines in the block."""
    if not isinstance(entry, str):
        return "must be a path as text; put it in quotes"
    shown, fault = shorten(entry), path_fault(entry)
    if fault == "uneven" and entry.endswith("/") and "//" not in entry:
        return f"{shown} is a folder; {shorten(entry)}** stands for all files in it"
    if fault is not None:
        return f"{shown} cannot be used: {FAULTS[fault]}"
    if _NO_PATTERN.search(entry):
        return f"{shown} cannot be used: only * (any text without a slash) and ** (any text) are patterns"
    if is_protected(entry, ()):
        return _PROTECTED.format(shown)
    return f"{shown} is written twice" if entry in seen else None


def _unknown(key: str) -> str:
    near = _near(key)
    return f"unknown key {shorten(key)}; {f'did you mean {near[0]}?' if near else 'the only key is scope'}"


def _near(key: str) -> list[str]:
    return get_close_matches(key.lower(), KEYS, n=1)


def _problem(place: tuple[int, int], path: str, message: str) -> ConfigProblem:
    return ConfigProblem(line=place[0], column=place[1], path=shorten(mask(path)), message=mask(message))


def _moved(problem: ConfigProblem, first: int) -> ConfigProblem:
    """The same, with the line as the description counts it."""
    message = re.sub(r"\bthe file\b", "the block", problem.message)
    place = {"line": problem.line + first - 1, "path": mask(problem.path)}
    return problem.model_copy(update={**place, "message": mask(_line_moved(message, first))})


def _line_moved(message: str, first: int) -> str:
    """A message may name another line of the block."""
    return re.sub(r"first in line (\d+)$", lambda found: f"first in line {int(found[1]) + first - 1}", message)
