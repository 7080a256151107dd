"""Whose failure is it: executions → a verdict with evidence, or `Undecided(reason, wants)` (section 5)."""

from resolver.attribution.beside import Cause, Claim, NeverRan, OwnMerge
from resolver.attribution.case import Case, DriftVerdict, TaskFacts
from resolver.attribution.diff import ChangedFile, Diff, read_patch
from resolver.attribution.groups import Group, Suspect, suspect
from resolver.attribution.outage import OutageMode, TaskRed, Wave, outage_mode
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
from resolver.attribution.verdicts import Attribution, attribute
from resolver.attribution.withdraw import Reattributed, Standing, as_it_stands, settle
from resolver.attribution.within import attribute_within, rerun_asked

__all__ = [
    "ORDER",
    "Attribution",
    "Case",
    "Cause",
    "ChangedFile",
    "Claim",
    "Class",
    "Diff",
    "DriftVerdict",
    "Evidence",
    "Group",
    "NeverRan",
    "NextAction",
    "OutageMode",
    "Outcome",
    "OwnMerge",
    "Reattributed",
    "Refusal",
    "Standing",
    "Strength",
    "Suspect",
    "TaskFacts",
    "TaskRed",
    "Undecided",
    "Verdict",
    "Want",
    "WantBase",
    "WantLog",
    "WantRerun",
    "WantRow",
    "WantWait",
    "Wave",
    "as_it_stands",
    "attribute",
    "attribute_within",
    "outage_mode",
    "read_patch",
    "rerun_asked",
    "settle",
    "suspect",
]
