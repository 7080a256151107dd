"""What is read of another CI's failures: annotations, each failed check run's once. Nothing of it is ever started."""

from __future__ import annotations

from resolver.actions import ReadCheckAnnotations
from resolver.attribution import Refusal, WantBase, WantRerun
from resolver.ids import PullNumber
from resolver.limits import Limits
from resolver.other_ci import NOT_STARTED, CheckFinished
from resolver.other_ci.case import unread
from resolver.state import Head, Pull


def annotation_reads(number: PullNumber, head: Head, limits: Limits) -> list[ReadCheckAnnotations]:
    """Give the reads that the failed check runs of a head still need, so many at most as logs of it are read."""
    waiting = [told for told in head.failed_third_party() if isinstance(told, CheckFinished) and unread(head, told)]
    return [_read(check, number) for check in waiting[: limits.logs_per_head]]


def waits_for_annotations(pull: Pull, head: Head, limits: Limits) -> list[float | None]:
    """Give when the reads under way were started, None for one that is due; refused ones are not waited for."""
    effects = [pull.effects.get(each.target) for each in annotation_reads(pull.seen.number, head, limits)]
    waited = [effect for effect in effects if effect is None or effect.status == "started"]
    return [effect.started_at if effect else None for effect in waited]


def base_annotations(head: Head, want: WantBase) -> tuple[ReadCheckAnnotations, ...]:
    """Give the reads without which a base's failures of the wanted check have no names."""
    alike = [check for check in head.checks.values() if check.check.same_job(want.check)]
    return tuple(_read(check, None) for check in sorted(alike, key=lambda each: each.order) if unread(head, check))


def not_started(want: WantRerun | WantBase) -> Refusal:
    """Refuse to execute a check of another CI."""
    kind = want.kind
    return Refusal(kind=kind, reason=NOT_STARTED, commit=want.commit, check=want.check)


def _read(check: CheckFinished, number: PullNumber | None) -> ReadCheckAnnotations:
    return ReadCheckAnnotations(
        number=number,
        check_run_id=check.check_run_id,
        head_sha=check.head_sha,
        completed_at=check.completed_at,
        check=check.check,
    )
