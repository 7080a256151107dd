"""What is known of a failure while its log is still being read, and the budgets that keep that bounded."""

from __future__ import annotations

from dataclasses import dataclass, field

from resolver.log.rulebook import Rule


@dataclass(frozen=True, slots=True)
class CollectLimits:
    """How much is kept of one log."""

    findings: int = 500
    places: int = 300
    places_of_draft: int = 12
    hits_per_rule: int = 1_500
    subjects: int = 200
    excerpts: int = 20
    lines_of_draft: int = 8
    message_parts: int = 8
    detail_reach: int = 3_000
    cause_reach: int = 400
    summaries: int = 24
    considered: int = 60


@dataclass(slots=True)
class Spot:
    """A place that a log names, with its line in the log."""

    path: str | None
    line: int | None
    col: int | None
    message: str
    at: int
    weight: int
    segment: int


@dataclass(slots=True)
class Draft:
    """One failure in the making: the groups of its rule's match, and what later lines added."""

    rule: Rule
    at: int
    segment: int
    item: str | None = None
    key: str = ""
    container: str = ""
    failed: bool = True
    message: str = ""
    parts: list[str] = field(default_factory=list)
    type: str = ""
    path: str | None = None
    line: int | None = None
    col: int | None = None
    lead_line: int = 0
    kind: str = ""
    at_lines: list[int] = field(default_factory=list)
    excerpt: str = ""
    spots: list[Spot] = field(default_factory=list)

    @property
    def weight(self) -> int:
        """How much this explains, against others."""
        return self.rule.weight

    @property
    def first_line(self) -> int:
        """The line to show first."""
        return self.lead_line or min(self.at_lines, default=self.at)

    def saw(self, line: int, limit: int) -> None:
        """Remember a line that speaks of this failure."""
        if len(self.at_lines) < limit and line not in self.at_lines:
            self.at_lines.append(line)

    def full_message(self) -> str:
        """The message with the lines that belong to it."""
        return "\n".join(part for part in (self.message, *self.parts) if part)


@dataclass(slots=True)
class Statement:
    """A line that says how things ended: a summary, an exit status, a pass. `excerpt`: what stands before a bad end."""

    rule: Rule
    at: int
    segment: int
    text: str
    status: int | None = None
    excerpt: str = ""
