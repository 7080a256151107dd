"""
From a log to its failures: push bytes into a `LogScan`, close it, read the `Triage`.

Memory is bounded whatever the log; time is linear. What is scanned for are the rules (`rulebook`); what they found is
collected (`collect`) and weighed at the end (`verdict`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from resolver.log.blocks import BlockReader, Window
from resolver.log.collect import Collector, Hit
from resolver.log.context import LogContext, StepWindow
from resolver.log.lines import CleanLine, clean
from resolver.log.matching import MatcherScan
from resolver.log.rulebook import CompiledRules, Rule, compiled, load_rules
from resolver.log.scan import TAGS
from resolver.log.triage import Triage
from resolver.log.verdict import Scanned, conclude

__all__ = ["LogContext", "LogScan", "StepWindow", "Triage", "classify", "load_rules"]

_ECHO = ("+ ", "++ ", "+++ ", "$ ")
"""What a shell with `-x`, or a person, writes before a command: its words are no output."""


_ALIASES = {"row": "line", "column": "col", "file": "path", "name": "item", "text": "message"}
"""Second names, where two alternatives of a pattern need a group each."""


_MATCHER_WEIGHT = 61
"""A matched problem stands for itself, and weighs less than what a rule knows the kind of."""


class LogScan:
    """One log, read once from its beginning. Not for several threads."""

    def __init__(self, context: LogContext | None = None, rules: CompiledRules | None = None) -> None:
        self.context = context or LogContext()
        self.rules = rules or load_rules()
        self.reader = BlockReader()
        self.collector = Collector(sections=self.rules.sections)
        self.considered: list[tuple[int, Rule, str]] = []
        self._counts = [0] * len(self.rules.rules)
        self._inside: bool | None = None
        self._matching = MatcherScan(self.context.matchers) if self.context.matchers else None

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes, in any chunking."""
        for window in self.reader.feed(chunk):
            self._window(window)

    def close(self) -> Triage:
        """End the log and say what it told."""
        for window in self.reader.finish():
            self._window(window)
        reader = self.reader
        return conclude(Scanned(self.context, self.collector, self.considered, reader.lines, reader.bytes))

    def _window(self, window: Window) -> None:
        data = window.data
        base, fresh = window.start, data[window.start : window.limit]
        spots = sorted(self.rules.engine.scan(fresh))
        line, counted, done = window.line, 0, -1
        index, total = 0, len(spots)
        limit, owner, counts = self.collector.limits.hits_per_rule, self.rules.owner, self._counts
        while index < total:
            end, tag = divmod(spots[index], TAGS)
            index += 1
            if counts[owner[tag]] >= limit:
                continue
            start, stop = _line(fresh, end)
            rules = {owner[tag]}
            reach = stop + 1 if fresh[stop : stop + 1] == b"\r" else stop  # a pattern's `$` stands behind the CR
            last = (reach + 1) * TAGS
            while index < total and spots[index] < last:
                rules.add(owner[spots[index] % TAGS])
                index += 1
            if start == done:
                continue
            done = start
            line += fresh.count(b"\n", counted, start)
            counted = start
            self._line(sorted(n for n in rules if counts[n] < limit), line, window, base + start, base + stop)
        if self._matching is not None:
            self._problems(self._matching, window)

    def _problems(self, matching: MatcherScan, window: Window) -> None:
        """What the repository's own matchers say of the window."""
        matching.marks.seen = self.collector.matcher_marks
        for problem in matching.problems(window):
            failed = problem.severity == "error"
            rule = Rule(
                id=f"matcher-{problem.owner}",
                role="error" if failed else "place",
                pattern="",
                kind="lint",
                weight=_MATCHER_WEIGHT if failed else 20,
                tool=f"matcher-{problem.owner}-{problem.severity}",
            )
            text = clean(window.data[problem.start : problem.end]).text
            self.collector.take(Hit(rule, dict(problem.groups), problem.line, text, window, problem.start, problem.end))

    def _line(self, tags: Iterable[int], number: int, window: Window, start: int, stop: int) -> None:
        line = clean(window.data[start:stop])
        if self.context.failed_steps and line.stamp is not None:
            self._step(line.stamp)
        for tag in tags:
            rule = self.rules.rules[tag]
            self._counts[tag] += 1
            groups = self._match(rule, line)
            if groups is not None:
                took = self.collector.take(Hit(rule, groups, number, line.text, window, start, stop))
                if len(self.considered) < self.collector.limits.considered and took is not None:
                    self.considered.append((number, rule, line.text[:200]))
                if took:
                    return

    def _match(self, rule: Rule, line: CleanLine) -> dict[str, str] | None:
        if line.mark not in rule.marks or not self.collector.admits(rule):
            return None
        if line.text.startswith(_ECHO) and rule.role != "mark":
            return None
        found = compiled(rule.pattern).groups(line.data)
        if found is None or (rule.unless is not None and compiled(rule.unless).finds(line.data)):
            return None
        return {_ALIASES.get(name, name): value for name, value in found.items()}

    def _step(self, stamp: bytes) -> None:
        """Notice by its time when the log enters or leaves a failed step."""
        at = seconds(stamp)
        inside = any(
            (step.started_at or 0.0) <= at < (step.completed_at or float("inf")) + 1.0
            for step in self.context.failed_steps
        )
        if inside is not self._inside:
            self._inside = inside
            self.collector.enter(inside=inside)


def seconds(stamp: bytes) -> float:
    """An Actions timestamp (``2026-01-02T03:04:05.1234567Z``) as seconds since the epoch."""
    text = stamp.decode("ascii", "replace").rstrip("Z")
    whole, _, part = text.partition(".")
    try:
        return datetime.fromisoformat(whole + "+00:00").timestamp() + float(f"0.{part or 0}")
    except ValueError:
        return 0.0


def _line(data: bytes, end: int) -> tuple[int, int]:
    """The span of the line before `end`; a lone CR ends a line for its words, not for its number."""
    at = end - 1 if data[end - 1] in b"\r\n" else end
    start = data.rfind(b"\n", 0, at) + 1
    stop = data.find(b"\n", at)
    stop = len(data) if stop < 0 else stop
    turn = data.rfind(b"\r", start, at)
    if turn >= 0:
        start = turn + 1
    turn = data.find(b"\r", at, stop)
    return start, stop if turn < 0 else turn


def classify(log: bytes, context: LogContext | None = None) -> Triage:
    """Classify a whole log that is in memory."""
    scan = LogScan(context)
    scan.feed(log)
    return scan.close()
