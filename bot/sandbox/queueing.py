"""What people do with merge queues, in the words of a story. A part of `People`."""

from __future__ import annotations

from collections.abc import Sequence

from bot.sandbox.changes import queue
from bot.sandbox.state import Act, Pull, QueueEntry, Repository, Role

RULESET = 1_000
"""The number of the first ruleset that a person makes here."""


class Queueing:
    """Verbs over the queue of a base branch."""

    def merge_queue(
        self,
        required: Sequence[str] = ("unit",),
        *,
        branch: str = "main",
        timeout_minutes: int = 60,
        most: int = 5,
        by: str = "admin",
        repo: Repository | None = None,
    ) -> None:
        """Give a branch a merge queue with these required checks, by a ruleset."""
        act = self._act(by, repo, "admin")
        parameters = {
            "check_response_timeout_minutes": timeout_minutes,
            "grouping_strategy": "ALLGREEN",
            "max_entries_to_build": most,
            "max_entries_to_merge": most,
            "merge_method": "MERGE",
            "min_entries_to_merge": 1,
            "min_entries_to_merge_wait_minutes": 0,
        }
        checks = {
            "strict_required_status_checks_policy": False,
            "required_status_checks": [{"context": name} for name in required],
        }
        act.repo.rulesets.append(
            {
                "id": RULESET + len(act.repo.rulesets),
                "conditions": {"ref_name": {"include": [f"refs/heads/{branch}"], "exclude": []}},
                "rules": [
                    {"type": "merge_queue", "parameters": parameters},
                    {"type": "required_status_checks", "parameters": checks},
                ],
            }
        )

    def enqueue(
        self, pull: Pull, *, by: str = "author", jump: bool = False, repo: Repository | None = None
    ) -> QueueEntry:
        """Press Merge when ready on a pull request that is ready."""
        return queue.enqueue(self._act(by, repo, "write"), pull, jump=jump)

    def dequeue(self, pull: Pull, *, by: str = "author", repo: Repository | None = None) -> None:
        """Take a pull request out of its queue."""
        queue.dequeue(self._act(by, repo, "write"), pull)

    def _act(self, login: str, repo: Repository | None, wanted: Role) -> Act:
        raise NotImplementedError
