"""
A merge queue: who is in it, and what becomes of its groups. Each change is told.

GitHub: an entry is tested on a branch `gh-readonly-queue/{base}/pr-{n}-{base sha}`, whose commit holds the base, all
entries ahead and this one; CI must report the required checks on that commit (GITHUB.md 3.3, 5 "merge queue refs").
A removal rebuilds every group behind it, so that results of the old commits are void (trap 33).
"""

from __future__ import annotations

from typing import Any, Literal

from bot.sandbox.changes.pulls import Method, landing_commit
from bot.sandbox.changes.pushes import delete_ref, mark_merged, move_ref
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.changes.rules import lacking, rules_of
from bot.sandbox.state import Act, MergeGroup, Pull, QueueEntry, QueueExit, Repository

Gone = Literal["merged", "invalidated", "dequeued"]
"""Why a merge group was destroyed."""

_METHODS: dict[str, Method] = {"MERGE": "merge", "SQUASH": "squash", "REBASE": "rebase"}


def queue_rule(repo: Repository, branch: str) -> dict[str, Any] | None:
    """The parameters of a branch's merge queue; None where it has none."""
    return next(iter(rules_of(repo, branch, "merge_queue")), None)


def entry_of(repo: Repository, pull: Pull) -> QueueEntry | None:
    """The entry of a pull request in its base's queue."""
    return next((one for one in repo.queues.get(pull.base_ref, ()) if one.pull == pull.number), None)


def enqueue(act: Act, pull: Pull, *, expected_head: str | None = None, jump: bool = False) -> QueueEntry:
    """Put a pull request at the end of its base's queue, or with `jump` at its front. Tells `enqueued`.

    GitHub: it must be ready: open, no draft, its required checks and reviews satisfied on its head.
    """
    if queue_rule(act.repo, pull.base_ref) is None:
        raise Refused(422, f"The base branch {pull.base_ref} has no merge queue")
    if pull.state != "open" or pull.draft:
        raise Refused(422, "Pull request is not mergeable")
    if expected_head is not None and expected_head != pull.head_sha:
        raise Refused(422, f"Head branch was modified: expected {expected_head}")
    if entry_of(act.repo, pull) is not None:
        raise Refused(422, "Pull request is already in the merge queue")
    missing = lacking(act.repo, pull)
    if missing is not None:
        raise Refused(422, f"Pull request is not mergeable: {missing}")
    entry = QueueEntry(act.github.new_id(), pull.number, pull.head_sha, act.by.account, act.now, jump)
    entries = act.repo.queues.setdefault(pull.base_ref, [])
    entries.insert(0 if jump else len(entries), entry)
    pull.updated_at = act.now
    act.tell("pull_request", "enqueued", pull=pull)
    return entry


def dequeue(act: Act, pull: Pull, reason: str = "MANUAL") -> None:
    """Take a pull request out of its base's queue, for a reason of GitHub's."""
    entry = entry_of(act.repo, pull)
    if entry is None:
        raise Refused(422, "Pull request is not in the merge queue")
    remove(act, pull.base_ref, entry, reason)


def remove(act: Act, base_ref: str, entry: QueueEntry, reason: str) -> None:
    """Take an entry out of a branch's queue. Tells `dequeued`, and that its group is gone."""
    pull = act.repo.pulls[entry.pull]
    act.repo.queues[base_ref].remove(entry)
    if pull.state == "open":
        pull.updated_at = act.now
    _note_exit(act, entry, reason)
    act.tell("pull_request", "dequeued", pull=pull, reason=reason)
    destroy_group(act, base_ref, entry, "dequeued")


def _note_exit(act: Act, entry: QueueEntry, reason: str) -> None:
    """Write into the conversation that an entry has left: it stays there, also where no delivery arrives."""
    commit = entry.group.head_sha if entry.group is not None else entry.head_sha
    exits = act.repo.pulls[entry.pull].queue_exits
    exits.append(QueueExit(act.github.new_id(), act.now, reason, commit, entry.enqueuer))


async def form_group(act: Act, base_ref: str, entry: QueueEntry, base: str) -> bool:
    """Make the group of an entry on `base`, the branch's tip or the group ahead. False where git finds a conflict.

    Tells `push` of the group's branch, as for any branch, and `merge_group.checks_requested`.
    """
    pull = act.repo.pulls[entry.pull]
    merged = await act.repo.git.merge_trees(base, entry.head_sha)
    if merged.tree is None:
        return False
    rule = queue_rule(act.repo, base_ref) or {}
    method = _METHODS[rule.get("merge_method", "MERGE")]
    at, commit = act.now, ""
    while not commit or commit in act.repo.grouped:  # on GitHub no two groups are made at one and the same moment
        try:
            commit = await landing_commit(act, pull, base, merged.tree, method=method, at=at)
        except Refused:
            return False
        at += 1.0
    act.repo.grouped.add(commit)
    branch = f"gh-readonly-queue/{base_ref}/pr-{entry.pull}-{base}"
    entry.group = MergeGroup(commit, base, branch, act.now)
    move_ref(act, f"refs/heads/{branch}", commit, force=True)
    act.tell("merge_group", "checks_requested", group=entry.group, base_ref=base_ref)
    return True


def destroy_group(act: Act, base_ref: str, entry: QueueEntry, reason: Gone) -> None:
    """Give up the group of an entry, its branch too. Tells `merge_group.destroyed`."""
    group, entry.group = entry.group, None
    if group is None:
        return
    act.tell("merge_group", "destroyed", group=group, base_ref=base_ref, reason=reason)
    ref = f"refs/heads/{group.branch}"
    if act.repo.git.refs.read(ref) is not None:
        delete_ref(act, ref)


def land(act: Act, base_ref: str, entry: QueueEntry) -> None:
    """Move the base to the group of its first entry, whose pull request is merged by that."""
    group, pull = entry.group, act.repo.pulls[entry.pull]
    if group is None:
        return
    act.repo.queues[base_ref].remove(entry)
    _note_exit(act, entry, "MERGE")
    act.tell("pull_request", "dequeued", pull=pull, reason="MERGE")
    # Marked before the base moves, so that the move does not take it for merged by hand.
    mark_merged(act, pull, group.head_sha)
    move_ref(act, f"refs/heads/{base_ref}", group.head_sha, force=False)
    destroy_group(act, base_ref, entry, "merged")
