"""
What GitHub does by itself for merge queues: forms groups, lands what is green, removes what is not, rebuilds the rest.

Nothing happens by itself here: `await queues.advance()` does all that is due now. Only the first entry is judged: what
is behind it is tested with it, and is rebuilt should it leave.
"""

from __future__ import annotations

from bot.sandbox.changes.accounts import add_account
from bot.sandbox.changes.queue import destroy_group, form_group, land, queue_rule, remove
from bot.sandbox.changes.rules import required_state
from bot.sandbox.state import Act, Actor, GitHub, QueueEntry, Repository

QUEUE_BOT = "github-merge-queue[bot]"
"""Who forms groups and merges."""


class MergeQueues:
    """The queues of one GitHub. `frozen` keeps green groups from landing, as has been seen on GitHub (trap 32)."""

    def __init__(self, github: GitHub) -> None:
        self._github = github
        self.frozen = False

    async def advance(self) -> bool:
        """Do what is due in every queue; whether anything was."""
        moved = False
        for repo in list(self._github.repositories.values()):
            for branch in list(repo.queues):
                while await self._move(repo, branch):
                    moved = True
        return moved

    async def _move(self, repo: Repository, branch: str) -> bool:
        """Do the first thing that is due in one queue."""
        act = Act(self._github, repo, Actor(add_account(self._github, QUEUE_BOT, "Bot")))
        entries, rule = repo.queues[branch], queue_rule(repo, branch)
        for entry in entries:
            reason = "QUEUE_CLEARED" if rule is None else _unfit(repo, branch, entry)
            if reason is not None:
                remove(act, branch, entry, reason)
                return True
        if rule is None or not entries:
            return False
        return await self._build(act, branch, rule["max_entries_to_build"]) or self._judge(act, branch, rule)

    async def _build(self, act: Act, branch: str, most: int) -> bool:
        """Form the first group that is missing, or is built on what is not there any more."""
        base = act.repo.git.branch(branch)
        entries = act.repo.queues[branch]
        for place, entry in enumerate(entries[: most or len(entries)]):
            if base is None:
                return False
            if entry.group is None:
                if not await form_group(act, branch, entry, base):
                    remove(act, branch, entry, "MERGE_CONFLICT")
                return True
            if entry.group.base_sha != base:
                for later in entries[place:]:
                    destroy_group(act, branch, later, "invalidated")
                return True
            base = entry.group.head_sha
        return False

    def _judge(self, act: Act, branch: str, rule: dict[str, int]) -> bool:
        """Land the first entry, remove it, or wait."""
        first = act.repo.queues[branch][0]
        if first.group is None:
            return False
        match required_state(act.repo, branch, first.group.head_sha):
            case "passed":
                if self.frozen:
                    return False
                land(act, branch, first)
                return True
            case "failed":
                remove(act, branch, first, "CI_FAILURE")
                return True
            case _:
                late = act.now >= first.group.formed_at + 60 * rule["check_response_timeout_minutes"]
                if late:
                    remove(act, branch, first, "CI_TIMEOUT")
                return late


def _unfit(repo: Repository, branch: str, entry: QueueEntry) -> str | None:
    """Why an entry cannot stay: its pull request is closed, a draft now, re-targeted, or has another head."""
    pull = repo.pulls[entry.pull]
    if pull.merged_at is not None:
        return "ALREADY_MERGED"
    if pull.state != "open" or pull.draft or pull.base_ref != branch:
        return "MANUAL"
    return "UNKNOWN_REMOVAL_REASON" if pull.head_sha != entry.head_sha else None
