"""The action that rebases a task onto its base: what it names, and the id by which it is found again."""

from __future__ import annotations

from resolver.actions import SyncBranch
from resolver.answers import widened
from resolver.decisions import Head
from resolver.ids import Sha
from resolver.runs import task_id
from resolver.state import Pull
from resolver.task_scope import TaskScope


def sync_of(pull: Pull, base_sha: Sha, *, drift: bool = False, asked: bool = False) -> SyncBranch:
    """Rebase the head as it is onto `base_sha`: for drift, or because a person `asked`. One id for each pair of
    commits.
    """
    head = pull.seen.head_sha
    return SyncBranch(
        number=pull.seen.number,
        head_sha=head,
        base_ref=pull.seen.base_ref,
        base_sha=base_sha,
        sync_id=f"sync:{task_id(pull.seen.number)}:{base_sha}:{head}",
        scope=scope_now(pull, base_sha),
        drift=drift,
        asked=asked,
    )


def scope_now(pull: Pull, base_sha: Sha | None) -> TaskScope | None:
    """Give what the task may change, with the files that answers have added; a push of anybody ends that."""
    head = Head(sha=pull.seen.head_sha, pushed=pull.pushed)
    wider = widened(pull.talk.answers.values(), task_id(pull.seen.number), head, base_sha or Sha(""))
    return pull.scope.with_answered(wider) if pull.scope is not None and wider else pull.scope
