"""
Branches of failres's own that no live record owns: failure class `orphan-worktree` (specification, section 3).

The regular look tells which there are. What is decided on them is kept as `resolve.decision` is for a task: `attempt`
counts the decisions on the same branch at the same commit, and the table's row says what follows. Where that is to
escalate, people are asked; no pull request is concerned, so that they are told outside of one, and answer by what they
do with the branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from resolver.facts.orphans import OrphanFact, OrphansAsked, OrphansDecided, OrphansEnded, OwnRefsSeen
from resolver.facts.repairs import Thing
from resolver.records import nothing


@dataclass(frozen=True, slots=True)
class Orphans:
    """Own branches with since when they are known at that commit (seconds), and the decisions by number, with how they
    ended and the questions that they put.
    """

    seen: Mapping[str, tuple[Thing, float]] = field(default_factory=nothing)
    decided: Mapping[int, OrphansDecided] = field(default_factory=nothing)
    ended: Mapping[int, OrphansEnded] = field(default_factory=nothing)
    asked: Mapping[int, OrphansAsked] = field(default_factory=nothing)

    def with_fact(self, fact: OrphanFact) -> Orphans:
        """Give the same with one more thing known."""
        match fact:
            case OwnRefsSeen():
                return replace(self, seen={each.name: (each, self._since(each, fact.at)) for each in fact.refs})
            case OrphansDecided():
                return replace(self, decided={**self.decided, fact.seq: fact})
            case OrphansEnded():
                return replace(self, seen=self._without(fact), ended={**self.ended, fact.ref_decision_seq: fact})
            case OrphansAsked():
                return replace(self, asked={**self.asked, fact.ref_decision_seq: fact})
            case _:
                assert_never(fact)

    def _since(self, thing: Thing, at: float) -> float:
        known = self.seen.get(thing.name)
        return known[1] if known is not None and known[0] == thing else at

    def _without(self, ended: OrphansEnded) -> Mapping[str, tuple[Thing, float]]:
        decided = self.decided.get(ended.ref_decision_seq)
        gone = {each.name for each in decided.things} - set(ended.left) if decided is not None else set()
        return {name: each for name, each in self.seen.items() if name not in gone}

    def open(self) -> OrphansDecided | None:
        """Give the decision that has not ended."""
        return next((each for seq, each in self.decided.items() if seq not in self.ended), None)

    def questions(self) -> list[OrphansAsked]:
        """Give the questions that are open: some branch of theirs is still there, at that commit."""
        there = [thing for thing, _ in self.seen.values()]
        return [each for each in self.asked.values() if any(thing in there for thing in each.things)]

    def why_left(self, things: Sequence[Thing]) -> str:
        """Say why the last decision on those branches left them where they are."""
        mine = [seq for seq, each in self.decided.items() if any(thing in each.things for thing in things)]
        told = [self.ended[seq].reason for seq in mine if seq in self.ended]
        return told[-1] if told else ""

    def attempts(self, thing: Thing) -> int:
        """Count the decisions on that branch at that commit."""
        return sum(thing in each.things for each in self.decided.values())
