"""Issues that are no pull requests."""

from __future__ import annotations

from bot.sandbox.state import Act, Issue


def open_issue(act: Act, title: str, body: str | None = None) -> Issue:
    """Open an issue. Tells `issues.opened`."""
    now = act.now
    issue = Issue(act.repo.next_number, act.github.new_id(), title, body, act.by.account, now, now)
    act.repo.next_number += 1
    act.repo.issues[issue.number] = issue
    act.tell("issues", "opened", issue=issue)
    return issue


def edit_issue(
    act: Act, issue: Issue, *, title: str | None = None, body: str | None = None, state: str | None = None
) -> None:
    """Change what is given. Tells `edited` with the old values, `closed` or `reopened`."""
    changes: dict[str, object] = {}
    if title is not None and title != issue.title:
        changes["title"] = {"from": issue.title}
        issue.title = title
    if body is not None and body != issue.body:
        changes["body"] = {"from": issue.body or ""}
        issue.body = body
    issue.updated_at = act.now
    if changes:
        act.tell("issues", "edited", issue=issue, changes=changes)
    if state == "closed" and issue.state == "open":
        issue.state = "closed"
        act.tell("issues", "closed", issue=issue)
    elif state == "open" and issue.state == "closed":
        issue.state = "open"
        act.tell("issues", "reopened", issue=issue)
