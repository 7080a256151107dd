"""The action that rebases a task onto its base: what it names, and the id by which it is found again."""

from __future__ import annotations

from resolver.actions import SyncBranch
from resolver.casework import task_id
from resolver.ids import Sha
from resolver.state import Pull


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
        scope=pull.scope,
        drift=drift,
        asked=asked,
    )
