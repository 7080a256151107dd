"""The ledger's records by what they are asked about, so that a question looks at those of one head, task or base alone,
however long the repository's past is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from resolver.ledger.events import (
    FailedAfterRepair,
    GroupFailed,
    LedgerEvent,
    ProbeStarted,
    Quarantined,
    RepairTried,
    RerunEnded,
    RerunStarted,
    Synced,
    TriedAfresh,
)
from resolver.records import Record

KEPT = 2_000
"""With no more records than these none is forgotten."""

REMEMBERED = 30 * 86_400.0
"""For so long (seconds) executions count: GitHub starts no older run again, and no older result is fresh."""

Places = Mapping[tuple[type[Record], str], tuple[LedgerEvent, ...]]
"""Records by their kind and what they are about, in the order in which they came."""


def with_record(places: Places, event: LedgerEvent) -> Places:
    """Give the index after one more record."""
    place = (type(event), about(event))
    return {**places, place: (*places.get(place, ()), event)}


def places_of(events: Iterable[LedgerEvent]) -> Places:
    """Give the index of many records at once."""
    found: dict[tuple[type[Record], str], list[LedgerEvent]] = {}
    for event in events:
        found.setdefault((type(event), about(event)), []).append(event)
    return {place: tuple(there) for place, there in found.items()}


def outdated(event: LedgerEvent, now: float) -> bool:
    """Say whether a record's limit has no use any more: of a head or a group that nobody tries again. What binds a task
    or a base defect stays for good.
    """
    return isinstance(event, RerunStarted | RerunEnded | ProbeStarted | GroupFailed) and event.at < now - REMEMBERED


def about(event: LedgerEvent) -> str:
    """Name what a record is about: the commit that ran, the rerun that ended, the task, or the base."""
    match event:
        case RerunStarted():
            return event.head
        case RerunEnded():
            return event.rerun
        case ProbeStarted():
            return event.commit
        case Synced() | TriedAfresh():
            return event.task
        case FailedAfterRepair() | Quarantined():
            return event.key.task
        case RepairTried():
            return event.base_ref
        case GroupFailed():
            return event.base
        case _:
            assert_never(event)
