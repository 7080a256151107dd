"""A stop takes a pull request out of the merge queue again, where failres itself put it: a pass there would land it.

What people put there is theirs: anybody may stop failres, and nobody's own way to landing with it.
"""

from __future__ import annotations

from collections.abc import Iterator

from resolver.actions.queue import DequeuePull
from resolver.facts.queue import PullEnqueued
from resolver.state import STOP_LABEL, Pull


def leave_queue(pull: Pull) -> Iterator[DequeuePull]:
    """Give the way out of the queue that is due."""
    queued, effect = pull.queued, pull.effects.get(f"enqueue:{pull.seen.number}")
    if not pull.stopped or not isinstance(queued, PullEnqueued) or effect is None:
        return
    if effect.status == "refused" or effect.result.get("already"):
        return
    yield DequeuePull(
        number=pull.seen.number,
        head_sha=pull.seen.head_sha,
        queued_at=queued.at,
        commanded=STOP_LABEL not in pull.seen.labels,
    )
