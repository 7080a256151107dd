"""What is to be said of the repairs of a check's surroundings that were called for on a head."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.facts.resolve import Resolution
from resolver.policy import ENV_REPAIR
from resolver.report import RepairTold
from resolver.state import Pull


def repairs_told(pull: Pull) -> Iterator[RepairTold]:
    """Give how far each has come, in the order of the decisions; one that has reported nothing yet is left out."""
    for each in pull.resolutions.values():
        decided = each.decided
        if decided.head_sha == pull.seen.head_sha and decided.action.startswith(ENV_REPAIR):
            told = _told(each, decided.action.removeprefix(ENV_REPAIR))
            if told is not None:
                yield told


def _told(each: Resolution, repair: str) -> RepairTold | None:
    reported = each.reported.things if each.reported is not None else ()
    job = each.reported.job if each.reported is not None else None
    if each.failed is not None:
        return RepairTold(repair=repair, state="failed", job=job, reason=each.failed.reason)
    if each.repaired is not None:
        gone = set(each.repaired.removed)
        things = tuple((thing.kind, thing.name) for thing in reported if thing.name in gone)
        return RepairTold(repair=repair, state="done", things=things, job=job)
    if each.reported is None:
        return None
    return RepairTold(repair=repair, state="reported", things=tuple((t.kind, t.name) for t in reported), job=job)
