"""Apply problem matchers to the windows of a log, beside the rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from resolver.log.blocks import Window
from resolver.log.lines import clean
from resolver.log.matchers import CompiledMatcher, MatcherPattern, ProblemMatcher, compile_matchers
from resolver.log.near import lines_after, lines_before
from resolver.log.scan import TAGS, build_engine

HIT_BUDGET = 2_000
"""Lines of one log that matchers may look at; a matcher that matches everything must not cost more than this."""
LOOP_LIMIT = 200
"""Problems that one loop may report."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What a matcher read: a place with a message, and how bad its declaration calls it."""

    owner: str
    severity: str
    groups: dict[str, str]
    line: int
    start: int
    end: int


@dataclass(slots=True)
class Marks:
    """When matchers were switched on and off: (line of the log, what the mark names, on)."""

    seen: list[tuple[int, str, bool]] = field(default_factory=list)

    def active(self, matcher: ProblemMatcher, line: int) -> bool:
        """Whether a matcher was on at a line. One without a source always is."""
        if not matcher.source:
            return True
        state = False
        for at, what, on in self.seen:
            if at > line:
                break
            if what.endswith(matcher.source) if on else what == matcher.owner:
                state = on
        return state


class MatcherScan:
    """The matchers of one log."""

    def __init__(self, matchers: tuple[ProblemMatcher, ...]) -> None:
        self.marks = Marks()
        self.compiled, self.refused = compile_matchers(matchers)
        pairs = [(piece, n) for n, m in enumerate(self.compiled) for piece in m.loose]
        self._owner = [n for _, n in pairs]
        self._engine = build_engine([piece for piece, _ in pairs]) if pairs else None
        self._budget = HIT_BUDGET
        self._looped: dict[int, int] = {}

    def problems(self, window: Window) -> Iterator[Problem]:
        """Problems whose anchor line is new in this window."""
        if self._engine is None or self._budget <= 0:
            return
        data, done = window.data, set[tuple[int, int]]()
        line, counted = window.line, window.start
        for spot in sorted(self._engine.scan(data)):
            end, tag = divmod(spot, TAGS)
            start = data.rfind(b"\n", 0, max(end - 1, 0)) + 1
            which = self._owner[tag]
            if not window.start <= start < window.limit or (start, which) in done:
                continue
            done.add((start, which))
            line += data.count(b"\n", counted, start)
            counted = start
            self._budget -= 1
            if self._budget < 0:
                return
            stop = data.find(b"\n", start)
            stop = len(data) if stop < 0 else stop
            matcher = self.compiled[which]
            if self.marks.active(matcher.matcher, line):
                yield from self._read(matcher, window, line, (start, stop))

    def _read(self, compiled: CompiledMatcher, window: Window, line: int, span: tuple[int, int]) -> Iterator[Problem]:
        steps, patterns, anchor = compiled.steps, compiled.matcher.pattern, compiled.anchor
        before = [c.data for c in lines_before(window, span[0], anchor)][::-1]
        after = lines_after(window, span[1], LOOP_LIMIT)
        own = clean(window.data[span[0] : span[1]]).data
        if len(before) < anchor:
            return
        found: dict[str, str] = {}
        rest = iter([*before, own])
        last = len(steps) - 1
        for number, step in enumerate(steps):
            text = next(rest, None) if number <= anchor else next((c.data for c in after), None)
            groups = step.numbered(text) if text is not None else None
            if groups is None:
                return
            base = dict(found)
            found.update(_named(patterns[number], groups))
            if number == last:
                yield self._problem(compiled, found, line + number - anchor, span)
                if patterns[last].loop:
                    yield from self._loop(compiled, base, (c.data for c in after), line + number - anchor, span)

    def _loop(
        self, compiled: CompiledMatcher, base: dict[str, str], lines: Iterator[bytes], line: int, span: tuple[int, int]
    ) -> Iterator[Problem]:
        last = len(compiled.steps) - 1
        for text in lines:
            groups = compiled.steps[last].numbered(text)
            if groups is None:
                return
            line += 1
            yield self._problem(compiled, {**base, **_named(compiled.matcher.pattern[last], groups)}, line, span)

    def _problem(self, compiled: CompiledMatcher, found: dict[str, str], line: int, span: tuple[int, int]) -> Problem:
        severity = found.get("severity", compiled.matcher.severity).lower()
        return Problem(compiled.matcher.owner, severity, found, line, *span)


def _named(pattern: MatcherPattern, groups: list[str]) -> dict[str, str]:
    """The groups that a pattern names, by failres's names."""
    wanted = {
        "path": pattern.file, "line": pattern.line, "col": pattern.column, "severity": pattern.severity,
        "code": pattern.code, "message": pattern.message,
    }  # fmt: skip
    return {name: groups[n] for name, n in wanted.items() if n is not None and n < len(groups) and groups[n]}
