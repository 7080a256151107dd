"""What is decided, and asked of people, about branches of failres's own that no live record owns, as the journal
keeps it.
"""

from __future__ import annotations

from resolver.facts.repairs import Thing
from resolver.policy import Action
from resolver.records import Record

FAIL_CLASS = "orphan-worktree"


class OwnRefsSeen(Record):
    """All branches under names of failres's own, as GitHub listed them at `at` (seconds)."""

    refs: tuple[Thing, ...]
    at: float


class OrphansDecided(Record):
    """What follows for branches without an owner. `seq` counts these decisions of the repository."""

    seq: int
    things: tuple[Thing, ...]
    attempt: int
    action: Action
    at: float
    fail_class: str = FAIL_CLASS


class OrphansEnded(Record):
    """What came of it; success is that all of them are gone. `left` names those that are not, `reason` says why."""

    ref_decision_seq: int
    success: bool
    left: tuple[str, ...] = ()
    reason: str = ""


class OrphansAsked(Record):
    """The question that decision `ref_decision_seq` puts to people at `at` (seconds): who removes `things`? `why` is
    what kept failres from it. It ends when they are gone, or at another commit.
    """

    decision_id: str
    ref_decision_seq: int
    things: tuple[Thing, ...]
    why: str
    at: float


OrphanFact = OwnRefsSeen | OrphansDecided | OrphansEnded | OrphansAsked
