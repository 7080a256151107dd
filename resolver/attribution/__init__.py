"""Whose failure is it: executions → a verdict with evidence, or `Undecided(reason, wants)` (section 5)."""

from resolver.attribution.attribute import Attribution, attribute
from resolver.attribution.case import Case, Claim, DriftVerdict, NeverRan, TaskFacts
from resolver.attribution.diff import ChangedFile, Diff, read_patch
from resolver.attribution.outcome import (
    ORDER,
    Class,
    Evidence,
    NextAction,
    Outcome,
    Refusal,
    Strength,
    Undecided,
    Verdict,
    Want,
    WantBase,
    WantLog,
    WantRerun,
    WantRow,
    WantWait,
)

__all__ = [
    "ORDER",
    "Attribution",
    "Case",
    "ChangedFile",
    "Claim",
    "Class",
    "Diff",
    "DriftVerdict",
    "Evidence",
    "NeverRan",
    "NextAction",
    "Outcome",
    "Refusal",
    "Strength",
    "TaskFacts",
    "Undecided",
    "Verdict",
    "Want",
    "WantBase",
    "WantLog",
    "WantRerun",
    "WantRow",
    "WantWait",
    "attribute",
    "read_patch",
]
