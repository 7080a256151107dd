"""
GitHub's problem matchers: patterns that an action or a repository declares for its own tools' output, in the runner's
JSON format.

Public matchers are written for JavaScript and are often not selective: two of 59 that were measured match nearly
every line (LOGS.md, finding 3). So they are scanned for apart from the rules, only between the log's add and remove
marks, with a budget of hits; one that RE2 refuses is left out and named.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from pydantic import Field, ValidationError, field_validator
from pydantic.alias_generators import to_camel

from resolver.log.loosen import Loose, loosen
from resolver.log.regex import Error, Pattern, compile_pattern
from resolver.records import Record

MOST_LINES = 8
"""Lines of output that one problem may be spread over."""

MOST_MATCHERS = 100
"""Matchers that one log is read with."""

MOST_WEIGHT = 1_000
"""What one matcher may cost to look for (`Loose.weight`), and the characters of a pattern that are looked at to know;
all of a log's together may cost ten times that.
"""


class MatcherPattern(Record):
    """One line of a matcher. Numbers name groups of `regexp`; `loop` repeats the last pattern."""

    regexp: str = Field(max_length=4_096)
    file: int | None = None
    from_path: int | None = None
    line: int | None = None
    column: int | None = None
    severity: int | None = None
    code: int | None = None
    message: int | None = None
    loop: bool = False


class ProblemMatcher(Record):
    """
    One matcher. `source` is the file that declares it, as the log's add mark names it; without one the matcher is
    always on.
    """

    owner: str
    severity: str = "error"
    pattern: tuple[MatcherPattern, ...] = Field(min_length=1, max_length=MOST_LINES)
    source: str = ""

    @field_validator("pattern", mode="before")
    @classmethod
    def _list(cls, value: object) -> object:
        return [value] if isinstance(value, dict) else value


def parse_matchers(text: str, source: str = "") -> tuple[ProblemMatcher, ...]:
    """The matchers of a file. Raises ValueError saying what is wrong with it."""
    try:
        data = json.loads(text)
        entries = data["problemMatcher"]
        return tuple(ProblemMatcher.model_validate({**_known(entry), "source": source}) for entry in entries)
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"no problemMatcher list: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def _known(entry: dict[str, object]) -> dict[str, object]:
    """Without keys that newer runners know and failres does not use."""
    names = {*ProblemMatcher.model_fields, *(to_camel(name) for name in ProblemMatcher.model_fields)}
    kept = {key: value for key, value in entry.items() if key in names}
    patterns = kept.get("pattern")
    if isinstance(patterns, list):
        inner = {*MatcherPattern.model_fields, *(to_camel(name) for name in MatcherPattern.model_fields)}
        kept["pattern"] = [{k: v for k, v in p.items() if k in inner} for p in patterns]
    return kept


def to_re2(regexp: str) -> str:
    r"""
    A JavaScript pattern in RE2's spelling: ``(?<name>`` → ``(?P<name>``, ``[^]`` → any character, ``[\w-\/]`` →
    ``[\w\-/]``.
    """
    text = regexp.replace("(?<", "(?P<").replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")
    return text.replace("[^]", r"[\s\S]").replace(r"\/", "/").replace(r"\w-", r"\w\-").replace(r"\d-", r"\d\-")


@dataclass(slots=True)
class CompiledMatcher:
    """A matcher ready to use; `anchor` is the step whose text the scan looks for."""

    matcher: ProblemMatcher
    steps: tuple[Pattern, ...]
    anchor: int
    loose: tuple[Loose, ...]


def compile_matchers(matchers: tuple[ProblemMatcher, ...]) -> tuple[tuple[CompiledMatcher, ...], tuple[str, ...]]:
    """The usable matchers, and the owners of those that RE2 or the scan refuses (look-around, nothing to look for), or
    that would cost too much.
    """
    good: list[CompiledMatcher] = []
    bad = [matcher.owner for matcher in matchers[MOST_MATCHERS:]]
    left = 10 * MOST_WEIGHT
    for matcher in matchers[:MOST_MATCHERS]:
        if any(len(pattern.regexp) > MOST_WEIGHT for pattern in matcher.pattern):
            bad.append(matcher.owner)
            continue
        try:
            made = _compile(matcher)
        except (Error, ValueError):
            bad.append(matcher.owner)
            continue
        weight = sum(piece.weight for piece in made.loose)
        if weight > min(MOST_WEIGHT, left):
            bad.append(matcher.owner)
        else:
            left -= weight
            good.append(made)
    return tuple(good), tuple(bad)


def _compile(matcher: ProblemMatcher) -> CompiledMatcher:
    texts = [to_re2(p.regexp) for p in matcher.pattern]
    steps = tuple(compile_pattern(text) for text in texts)
    choices = [(n, loosen(text)) for n, text in enumerate(texts) if not matcher.pattern[n].loop or len(texts) == 1]
    anchor, loose = max(choices, key=lambda choice: min(len(piece.pattern) for piece in choice[1]))
    return CompiledMatcher(matcher, steps, anchor, loose)
