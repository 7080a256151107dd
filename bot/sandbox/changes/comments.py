"""Comments of a conversation: written, edited, deleted, hidden, reacted to."""

from __future__ import annotations

from bot.sandbox.changes.refusals import Refused, invalid
from bot.sandbox.state import Act, Comment, Issue, Pull, Reaction, Repository

MAX_BODY = 65_536
REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")


def add_comment(act: Act, number: int, body: str) -> Comment:
    """Comment on a pull request or issue. 422 for an empty body or one over 65,536 characters. Tells `created`."""
    conversation(act.repo, number)
    _check(body)
    now = act.now
    comment = Comment(act.github.new_id(), number, act.by.account, body, now, now, via_app=act.by.app)
    act.repo.comments[comment.id] = comment
    _tell(act, "created", comment)
    return comment


def edit_comment(act: Act, comment: Comment, body: str) -> None:
    """Replace a comment's text; the same limit holds. Tells `edited` with the old text."""
    _check(body)
    old, comment.body = comment.body, body
    comment.updated_at = act.now
    _tell(act, "edited", comment, changes={"body": {"from": old}})


def delete_comment(act: Act, comment: Comment) -> None:
    """Delete a comment. Tells `deleted`."""
    del act.repo.comments[comment.id]
    _tell(act, "deleted", comment)


def minimize_comment(comment: Comment, reason: str | None) -> None:
    """Fold a comment away as `RESOLVED`, `OUTDATED` and so on, or (`None`) show it again. No event tells it."""
    comment.minimized = reason


def react(act: Act, on: Comment | Pull | Issue, content: str) -> tuple[Reaction, bool]:
    """Add a reaction; gives it and whether it is new. No event tells it."""
    if content not in REACTIONS:
        raise invalid("Reaction", "content")
    for reaction in on.reactions:
        if (reaction.user, reaction.content) == (act.by.account, content):
            return reaction, False
    reaction = Reaction(act.github.new_id(), act.by.account, content, act.now)
    on.reactions.append(reaction)
    return reaction, True


def conversation(repo: Repository, number: int) -> Pull | Issue:
    """Find the pull request or issue of a number; 404 otherwise."""
    found = repo.pulls.get(number) or repo.issues.get(number)
    if found is None:
        raise Refused(404, "Not Found")
    return found


def _check(body: str) -> None:
    if not body.strip():
        raise invalid("IssueComment", "body", "missing_field", "body can't be blank")
    if len(body) > MAX_BODY:
        raise invalid("IssueComment", "body", message=f"body is too long (maximum is {MAX_BODY} characters)")


def _tell(act: Act, action: str, comment: Comment, **more: object) -> None:
    on = conversation(act.repo, comment.number)
    on.updated_at = act.now
    if isinstance(on, Pull):
        act.tell("issue_comment", action, comment=comment, pull=on, **more)
    else:
        act.tell("issue_comment", action, comment=comment, issue=on, **more)
