"""Issues, comments, labels, reactions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bot.sandbox import objects
from bot.sandbox.api.call import Call, Reply, Table, found, route
from bot.sandbox.changes import comments, issues, labels, pulls
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.changes.repositories import role_of
from bot.sandbox.permissions import at_least
from bot.sandbox.state import Comment, Issue, Pull, Role

_EITHER_READ = ("issues:read", "pull_requests:read")
_EITHER_WRITE = ("issues:write", "pull_requests:write")


def _on(call: Call) -> Pull | Issue:
    return comments.conversation(call.repo, call.number("issue_number"))


def _comment(call: Call) -> Comment:
    return found(call.repo.comments.get(call.number("comment_id")))


def _need(call: Call, role: Role, *, unless: object = None) -> None:
    """A person needs the role, except for what is their own."""
    user = call.caller.user
    if user is not None and user is not unless and not at_least(role_of(call.repo, user), role):
        raise Refused(403, "Must have push access to repository" if role == "write" else "Must have triage access")


def _show(call: Call, one: Pull | Issue) -> dict[str, Any]:
    if isinstance(one, Pull):
        return objects.issue_of_pull(call.github, call.repo, one)
    return objects.issue(call.github, call.repo, one)


async def list_issues(call: Call) -> Reply:
    """`GET issues`: issues and pull requests, newest first, by `state`, `labels`, `creator`."""
    query = call.query
    state = query.get("state", "open")
    wanted = {name for name in query.get("labels", "").split(",") if name}
    everything: list[Pull | Issue] = [*call.repo.issues.values(), *call.repo.pulls.values()]
    fits = [
        one
        for one in everything
        if state in {"all", one.state}
        and wanted <= set(one.labels)
        and query.get("creator", one.author.login) == one.author.login
    ]
    fits.sort(key=lambda one: one.number, reverse=query.get("direction", "desc") == "desc")
    return call.page(fits, lambda one: _show(call, one))


async def create_issue(call: Call) -> Reply:
    """`POST issues`."""
    one = issues.open_issue(call.act, str(call.body["title"]), call.body.get("body"))
    for name in call.body.get("labels", []):
        labels.add_label(call.act, one.number, name if isinstance(name, str) else name["name"])
    return Reply(201, objects.issue(call.github, call.repo, one))


async def get_issue(call: Call) -> Reply:
    """`GET issues/{n}`: a pull request is an issue too."""
    return Reply(body=_show(call, _on(call)))


async def update_issue(call: Call) -> Reply:
    """`PATCH issues/{n}`: title, body, state, labels."""
    one, body = _on(call), call.body or {}
    _need(call, "triage", unless=one.author)
    if isinstance(one, Pull):
        pulls.edit_pull(call.act, one, title=body.get("title"), body=body.get("body"))
        if body.get("state") == "closed":
            pulls.close_pull(call.act, one)
        elif body.get("state") == "open" and one.state == "closed":
            pulls.reopen_pull(call.act, one)
    else:
        issues.edit_issue(call.act, one, title=body.get("title"), body=body.get("body"), state=body.get("state"))
    if "labels" in body:
        _set_labels(call, one, [name if isinstance(name, str) else name["name"] for name in body["labels"]])
    return Reply(body=_show(call, one))


def _set_labels(call: Call, one: Pull | Issue, wanted: list[str]) -> None:
    for name in [name for name in one.labels if name not in wanted]:
        labels.remove_label(call.act, one.number, name)
    for name in wanted:
        labels.add_label(call.act, one.number, name)


async def list_comments(call: Call) -> Reply:
    """`GET issues/{n}/comments`, oldest first; with `since` those that were changed then or later."""
    number = _on(call).number
    since = datetime.fromisoformat(call.query["since"]).timestamp() if "since" in call.query else 0.0
    found_all = [one for one in call.repo.comments.values() if one.number == number and one.updated_at >= since]
    return call.page(found_all, lambda one: objects.issue_comment(call.github, call.repo, one))


async def get_comment(call: Call) -> Reply:
    """`GET issues/comments/{id}`."""
    return Reply(body=objects.issue_comment(call.github, call.repo, _comment(call)))


async def create_comment(call: Call) -> Reply:
    """`POST issues/{n}/comments`: at most 65,536 characters."""
    one = _on(call)
    if isinstance(one, Pull) and one.locked:
        _need(call, "write")
    comment = comments.add_comment(call.act, one.number, call.body["body"])
    return Reply(201, objects.issue_comment(call.github, call.repo, comment))


def _own(call: Call, comment: Comment) -> None:
    """GitHub: an App edits only its own comments, a person theirs or, with write access, anybody's."""
    installation = call.caller.installation
    if installation is not None and comment.author is not installation.app.bot:
        raise Refused(403, "Resource not accessible by integration")
    _need(call, "write", unless=comment.author)


async def update_comment(call: Call) -> Reply:
    """`PATCH issues/comments/{id}`."""
    comment = _comment(call)
    _own(call, comment)
    comments.edit_comment(call.act, comment, call.body["body"])
    return Reply(body=objects.issue_comment(call.github, call.repo, comment))


async def delete_comment(call: Call) -> Reply:
    """`DELETE issues/comments/{id}`."""
    comment = _comment(call)
    _own(call, comment)
    comments.delete_comment(call.act, comment)
    return Reply(204)


async def add_labels(call: Call) -> Reply:
    """`POST issues/{n}/labels`: names, or objects with a name; unknown ones are made."""
    one = _on(call)
    _need(call, "triage")
    given = call.body if isinstance(call.body, list) else (call.body or {}).get("labels", [])
    for name in given:
        labels.add_label(call.act, one.number, name if isinstance(name, str) else name["name"])
    return Reply(body=[objects.label(call.github, call.repo, name) for name in one.labels])


async def remove_label(call: Call) -> Reply:
    """`DELETE issues/{n}/labels/{name}`."""
    one = _on(call)
    _need(call, "triage")
    labels.remove_label(call.act, one.number, call.parameters["name"])
    return Reply(body=[objects.label(call.github, call.repo, name) for name in one.labels])


async def create_label(call: Call) -> Reply:
    """`POST labels`."""
    _need(call, "write")
    name = call.body["name"]
    labels.create_label(call.repo, name, call.body.get("color", labels.NEW_COLOUR))
    return Reply(201, objects.label(call.github, call.repo, name))


async def react_to_comment(call: Call) -> Reply:
    """`POST issues/comments/{id}/reactions`: 201, or 200 where it is there already."""
    reaction, new = comments.react(call.act, _comment(call), call.body["content"])
    return Reply(201 if new else 200, objects.reaction(call.github, reaction))


async def react_to_issue(call: Call) -> Reply:
    """`POST issues/{n}/reactions`."""
    reaction, new = comments.react(call.act, _on(call), call.body["content"])
    return Reply(201 if new else 200, objects.reaction(call.github, reaction))


async def list_reactions(call: Call) -> Reply:
    """`GET issues/comments/{id}/reactions`, all or those of one `content`."""
    wanted = call.query.get("content")
    found_all = [one for one in _comment(call).reactions if wanted in {None, one.content}]
    return call.page(found_all, lambda one: objects.reaction(call.github, one))


ROUTES: Table = {
    "issues/list-for-repo": route(list_issues, "issues:read"),
    "issues/create": route(create_issue, "issues:write"),
    # GitHub: reading an issue needs issues:read, even for a pull request (GITHUB.md 1.8).
    "issues/get": route(get_issue, "issues:read"),
    "issues/update": route(update_issue, *_EITHER_WRITE),
    "issues/list-comments": route(list_comments, *_EITHER_READ),
    "issues/get-comment": route(get_comment, *_EITHER_READ),
    "issues/create-comment": route(create_comment, *_EITHER_WRITE),
    "issues/update-comment": route(update_comment, *_EITHER_WRITE),
    "issues/delete-comment": route(delete_comment, *_EITHER_WRITE),
    "issues/add-labels": route(add_labels, *_EITHER_WRITE),
    "issues/remove-label": route(remove_label, *_EITHER_WRITE),
    "issues/create-label": route(create_label, *_EITHER_WRITE),
    # GitHub: reactions are not in the list of pull_requests (GITHUB.md 1.8).
    "reactions/create-for-issue-comment": route(react_to_comment, "issues:write"),
    "reactions/create-for-issue": route(react_to_issue, "issues:write"),
    "reactions/list-for-issue-comment": route(list_reactions, "issues:read"),
}
