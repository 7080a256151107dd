"""GitHub's problem matchers: patterns that an action or a repository declares for its own tools' output."""

from __future__ import annotations

from resolver.records import Record


class MatcherPattern(Record):
    """One line of a matcher. Group numbers as GitHub's format has them; `loop` repeats the last pattern."""

    regexp: str
    file: int | None = None
    from_path: int | None = None
    line: int | None = None
    column: int | None = None
    severity: int | None = None
    code: int | None = None
    message: int | None = None
    loop: bool = False


class ProblemMatcher(Record):
    """One matcher: an owner, a default severity and one or more patterns, one per line of output."""

    owner: str
    severity: str = "error"
    pattern: tuple[MatcherPattern, ...]
