"""Commit statuses, as other CI systems report."""

from __future__ import annotations

from bot.sandbox.changes.refusals import Refused
from bot.sandbox.state import Act, Status

MAX_PER_CONTEXT = 1_000


def set_status(
    act: Act,
    sha: str,
    *,
    state: str,
    context: str = "default",
    description: str | None = None,
    target_url: str | None = None,
) -> Status:
    """Report a status on a commit; at most 1,000 for a commit and context. Tells `status`."""
    if act.repo.git.resolve(sha) != sha:
        raise Refused(422, f"No commit found for SHA: {sha}")
    if sum(one.sha == sha and one.context == context for one in act.repo.statuses) >= MAX_PER_CONTEXT:
        raise Refused(422, "This SHA and context has reached the maximum number of statuses.")
    now = act.now
    status = Status(act.github.new_id(), sha, state, context, description, target_url, act.by.account, now)
    act.repo.statuses.append(status)
    act.tell("status", None, status=status)
    return status
