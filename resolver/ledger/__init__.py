"""
What may still be tried, and why not (specification, section 7). A fold over small records and one question for each
kind of attempt; every figure is the configuration's.

The fold is a set: order, repetition and lateness of records change nothing. An attempt counts from its start. Missing
records can only come from attempts that were not made, since the start is written before the request. One of which it
is certain that nothing happened is unspent until it is started again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeVar

from resolver.config.sections import Ledger as Limits
from resolver.ids import Fingerprint, Sha
from resolver.ledger.events import (
    FailedAfterRepair,
    GroupFailed,
    LedgerEvent,
    LedgerKey,
    ProbeStarted,
    Purpose,
    Quarantined,
    RepairTried,
    RerunEnded,
    RerunStarted,
    Synced,
    TriedAfresh,
)
from resolver.ledger.index import KEPT, Places, outdated, places_of, with_record
from resolver.records import Record

DAY = 86_400.0
STOPPED = "the same failure was quarantined as often on this base as it may be, and nothing of it is tried afresh"
E = TypeVar("E", bound=LedgerEvent)


class Allowed(Record):
    """It may be tried. `attempt` counts it from 1; a repair's second is of the high tier."""

    attempt: int


class Refused(Record):
    """
    It may not: why, for people. `until` where time alone lifts the limit. `kind`: a limit that counts is spent (the
    reruns of a whole workflow are a budget), or the stop-loss holds. `begun`: when what is under way was started.
    """

    reason: str
    until: float | None = None
    begun: float | None = None
    kind: Literal["", "spent", "budget", "stop-loss"] = ""


Answer = Allowed | Refused


class RerunAsked(Record):
    """
    Shall failed jobs run again? `failing` counts the head's failing jobs with distinct fingerprints: too many are no
    flake, though one of them may still be executed for evidence. `newest_cancelled`: the newest attempt was cancelled.
    `not_before`: another wait that is under way, of which the longer wins.
    """

    task: str
    head: Sha
    workflow: str
    check: str
    fingerprints: tuple[Fingerprint, ...]
    purpose: Purpose
    keys: tuple[LedgerKey, ...] = ()
    failing: int = 1
    newest_cancelled: bool = False
    not_before: float | None = None

    def started(self, spends: str, now: float) -> RerunStarted:
        """Give the ledger's record that it was started, under the identity of what it spends."""
        return RerunStarted(
            id=spends,
            at=now,
            task=self.task,
            head=self.head,
            workflow=self.workflow,
            check=self.check,
            fingerprints=self.fingerprints,
            purpose=self.purpose,
        )


@dataclass(frozen=True, slots=True)
class Ledger:
    """All records by id, and in `places` by what they are about. `limits` are the repository's, `unspent` the ids of
    what certainly did not happen.
    """

    limits: Limits = field(default_factory=Limits)
    events: Mapping[str, LedgerEvent] = field(default_factory=lambda: MappingProxyType({}))
    unspent: frozenset[str] = frozenset()
    places: Places = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Work the places out where only the records were given."""
        if self.events and not self.places:
            object.__setattr__(self, "places", places_of(self.events.values()))

    @classmethod
    def of(cls, events: Iterable[LedgerEvent], limits: Limits | None = None) -> Ledger:
        """Fold many records at once."""
        ledger = cls(limits or Limits())
        for event in events:
            ledger = ledger.with_event(event)
        return ledger

    def with_event(self, event: LedgerEvent) -> Ledger:
        """Give the ledger after one more record; one that is known already changes nothing."""
        if event.id in self.events:
            return self
        known = MappingProxyType({**self.events, event.id: event})
        grown = replace(self, events=known, places=with_record(self.places, event))
        return grown if len(known) <= KEPT else grown.without_outdated(event.at)

    def without_outdated(self, now: float) -> Ledger:
        """Give the ledger without what counts for nothing any more, so that it does not grow for ever."""
        left = {name: event for name, event in self.events.items() if not outdated(event, now)}
        if len(left) == len(self.events):
            return self
        places = places_of(left.values())
        return replace(self, events=MappingProxyType(left), places=places, unspent=self.unspent & set(left))

    def spent(self, event_id: str, *, happened: bool = True) -> Ledger:
        """Give the ledger after the attempt of a record was started, or after it certainly did not happen."""
        changed = self.unspent - {event_id} if happened else self.unspent | {event_id}
        return self if changed == self.unspent else replace(self, unspent=changed)

    def counts(self, event_id: str) -> bool:
        """Say whether that record is there and spent."""
        return event_id in self.events and event_id not in self.unspent

    def rerun(self, asked: RerunAsked, now: float) -> Answer:
        """A rerun for a flake, for evidence or by command: all limits of the head and of the workflow."""
        mine = self._reruns(asked)
        if asked.newest_cancelled:
            return Refused(reason="the newest attempt was cancelled, and what was cancelled is not started again")
        if asked.failing > self.limits.failing_jobs and asked.purpose != "evidence":
            return Refused(reason=f"{asked.failing} jobs fail in different ways, which is no flake")
        if len(mine) >= self.limits.workflow_reruns:
            return Refused(reason=f"{len(mine)} reruns of this workflow on this head are spent", kind="budget")
        if any(self.closed(key) for key in asked.keys):
            return Refused(reason="it failed identically after a repair and neither head has changed", kind="spent")
        refused = self._flake(asked) if asked.purpose == "flake" else self._evidence(asked.check, asked.head)
        return refused or self._paused(mine, asked, now) or Allowed(attempt=len(mine) + 1)

    def probe(self, check: str, commit: Sha) -> Answer:
        """An execution of a check on a base commit."""
        spent = self._executions(check, commit)
        return self._evidence(check, commit) or Allowed(attempt=spent + 1)

    def sync(self, task: str, base: Sha, head: Sha, *, drift: bool, now: float) -> Answer:
        """A synchronisation of a task's head onto a base."""
        mine = list(self._of(Synced, task))
        same = [each for each in mine if (each.base, each.head) == (base, head)]
        if len(same) >= self.limits.syncs_per_heads:
            return Refused(reason="this head was already synchronised onto this base", kind="spent")
        last = max((each.at for each in mine if each.drift), default=None)
        if drift and last is not None and now < last + self.limits.drift_sync_every:
            reason = "the task was synchronised for drift lately"
            return Refused(reason=reason, until=last + self.limits.drift_sync_every)
        return Allowed(attempt=len(same) + 1)

    def repair(self, base_ref: str, fingerprint: Fingerprint) -> Answer:
        """An attempt to mend a base defect, over all tasks that wait for it."""
        spent = sum(each.fingerprint == fingerprint for each in self._of(RepairTried, base_ref))
        if spent >= self.limits.repair_attempts:
            return Refused(reason=f"{spent} repairs of this failure were tried on {base_ref}", kind="spent")
        return Allowed(attempt=spent + 1)

    def group(self, base: Sha, heads: frozenset[Sha]) -> Answer:
        """The same set of heads in a merge queue again. One head's own re-enqueue is a rerun: ask `rerun` for it."""
        failed = (frozenset(each.heads) for each in self._of(GroupFailed, base))
        if len(heads) > 1 and heads in failed:
            return Refused(reason="this set failed on this base before and is not tried again unchanged", kind="spent")
        return Allowed(attempt=1)

    def afresh(self, key: LedgerKey, now: float) -> Answer:
        """
        Taking up a quarantined task: stop-loss. Refused after identical quarantines on an unchanged base; because the
        base moved it is taken up a few times a day.
        """
        if self.closed(key):
            return Refused(reason="it failed identically after a repair and neither head has changed", kind="spent")
        if self.limits.stop_loss == "off":
            return Allowed(attempt=1)
        identical = [each for each in self._of(Quarantined, key.task) if _identical(each.key, key)]
        here = sum(each.key.base == key.base for each in identical)
        if here >= self.limits.identical_quarantines:
            return Refused(reason=STOPPED, kind="stop-loss")
        moved = any(each.key.base != key.base for each in identical)
        today = sorted(each.at for each in self._of(TriedAfresh, key.task) if each.at > now - DAY)
        most = self.limits.base_moves_per_day
        if moved and len(today) >= most:
            until = today[-most] + DAY if most else None
            return Refused(reason="it was taken up for moved bases as often as a day allows", until=until)
        return Allowed(attempt=here + 1)

    def under_way(self, asked: RerunAsked) -> bool:
        """Say whether a rerun of that workflow on that head has not been seen to end."""
        return any(self._end_of(each) is None for each in self._reruns(asked))

    def closed(self, key: LedgerKey) -> bool:
        """Say whether nothing more may be tried while both heads stand: it failed identically after a repair."""
        return any(each.key == key for each in self._of(FailedAfterRepair, key.task))

    def _flake(self, asked: RerunAsked) -> Refused | None:
        for fingerprint in asked.fingerprints:
            there = (each for each in self._of(RerunStarted, asked.head) if each.task == asked.task)
            mine = [each for each in there if fingerprint in each.fingerprints]
            spent = sum(each.purpose == "flake" or self._passed(each, fingerprint) for each in mine)
            if spent >= self.limits.flake_reruns:
                return Refused(reason="the one rerun of this failure on this head is spent", kind="spent")
        return None

    def _evidence(self, check: str, commit: Sha) -> Refused | None:
        spent = self._executions(check, commit)
        if spent >= self.limits.evidence_runs:
            return Refused(
                reason=f"{spent} executions of this check on this commit were made for evidence", kind="spent"
            )
        return None

    def _executions(self, check: str, commit: Sha) -> int:
        """What was executed for evidence, or at a person's wish, of one check on one commit."""
        reruns = (each for each in self._of(RerunStarted, commit) if each.purpose != "flake")
        again = sum(check in (each.check, *each.others) for each in reruns)
        return again + sum(each.check == check for each in self._of(ProbeStarted, commit))

    def _paused(self, mine: list[RerunStarted], asked: RerunAsked, now: float) -> Refused | None:
        running = [each.at for each in mine if self._end_of(each) is None]
        if running:
            until = now + self.limits.rerun_pause
            return Refused(reason="a rerun of this workflow is under way", until=until, begun=max(running))
        ended = [end for each in mine if (end := self._end_of(each)) is not None]
        if any(not end.useful for end in ended):
            return Refused(reason="a rerun of this workflow on this head had no effect", kind="spent")
        until = max((end.at + self.limits.rerun_pause for end in ended), default=now)
        until = max(until, asked.not_before or now)
        return Refused(reason="the pause between two reruns", until=until) if until > now else None

    def _reruns(self, asked: RerunAsked) -> list[RerunStarted]:
        return [each for each in self._of(RerunStarted, asked.head) if each.workflow == asked.workflow]

    def _end_of(self, rerun: RerunStarted) -> RerunEnded | None:
        return max(self._of(RerunEnded, rerun.id), key=lambda each: each.at, default=None)

    def _passed(self, rerun: RerunStarted, fingerprint: Fingerprint) -> bool:
        return any(fingerprint in each.passed for each in self._of(RerunEnded, rerun.id))

    def _of(self, kind: type[E], about: str) -> Iterator[E]:
        there = self.places.get((kind, about), ())
        return (each for each in there if isinstance(each, kind) and each.id not in self.unspent)


def _identical(one: LedgerKey, other: LedgerKey) -> bool:
    return (one.task, one.fail_class, one.fingerprint) == (other.task, other.fail_class, other.fingerprint)
