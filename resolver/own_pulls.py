"""Which pull requests are failres's own, and so never tasks (specification, section 1)."""

from __future__ import annotations

from resolver.facts import PullObserved
from resolver.ids import RepoId
from resolver.probes import is_probe_branch


def is_own_pull(pull: PullObserved, repo: RepoId | None) -> bool:
    """Say whether failres opened it: an App did, from a branch of the repository itself whose name is a probe's."""
    return pull.author.type == "Bot" and pull.head_repo_id == repo and is_probe_branch(pull.head_ref)
