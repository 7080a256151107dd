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
