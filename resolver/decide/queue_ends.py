"""What the ledger has to know of merge queues: how re-enqueues ended, and which sets of heads failed together."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.casework import execution_of
from resolver.casework.queue import chain, red_groups
from resolver.decide.requeue import ended_requeues
from resolver.ids import Sha
from resolver.ledger.events import GroupFailed, RerunEnded
from resolver.state import Pull, RepoState


def queue_facts(state: RepoState, pull: Pull, now: float) -> Iterator[RerunEnded | GroupFailed]:
    """Give what the journal does not know yet."""
    yield from ended_requeues(state, pull, now)
    for red in red_groups(state, pull, execution_of):
        group = red.group
        ahead = chain(state, group)
        event = f"group:{group.seen.head_sha}"
        heads = [each.task_head for each in (*ahead, group)]
        known = tuple(head for head in heads if head is not None)
        if ahead and len(known) == len(heads) and event not in state.ledger.events:
            yield GroupFailed(id=event, at=now, base=Sha(ahead[0].seen.base_sha), heads=tuple(sorted(known)))
