"""The queries and mutations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from bot.sandbox.changes import comments, pulls, queue
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.changes.repositories import role_of
from bot.sandbox.graphql import commits, nodes, queues
from bot.sandbox.graphql.failures import FORBIDDEN, Failed, not_found
from bot.sandbox.graphql.viewing import Viewing
from bot.sandbox.objects.nodes import read_node
from bot.sandbox.permissions import at_least
from bot.sandbox.state import Act, Comment, Pull, Repository

Node = dict[str, Any]
_PULLS = "pull_requests:write"


def roots(viewing: Viewing) -> Node:
    """Everything that a query or mutation can begin with."""
    mutations: dict[str, Callable[[Viewing, Node], Any]] = {
        "minimizeComment": _minimize,
        "unminimizeComment": _unminimize,
        "updatePullRequestBranch": _update_branch,
        "mergePullRequest": _merge,
        "convertPullRequestToDraft": partial(_draft, draft=True),
        "markPullRequestReadyForReview": partial(_draft, draft=False),
        "enqueuePullRequest": _enqueue,
        "dequeuePullRequest": _dequeue,
    }

    def mutation(change: Callable[[Viewing, Node], Any]) -> Callable[..., Any]:
        return lambda _info, **asked: change(viewing, asked["input"])

    return {
        "repository": lambda _info, **asked: _repository(viewing, asked),
        "node": lambda _info, **asked: _node(viewing, asked["id"]),
        "nodes": lambda _info, **asked: [_node(viewing, one) for one in asked["ids"]],
        "rateLimit": lambda _info, **_asked: _rate_limit(viewing),
        **{name: mutation(change) for name, change in mutations.items()},
    }


def _repository(viewing: Viewing, asked: Node) -> Node:
    full_name = f"{asked['owner']}/{asked['name']}"
    repo = viewing.github.repository(full_name)
    renamed = repo is not None and repo.full_name.lower() != full_name.lower()
    if repo is None or not viewing.sees(repo) or (renamed and not asked.get("followRenames", True)):
        raise not_found(f"a Repository with the name '{full_name}'")
    return nodes.repository(viewing, repo)


def _node(viewing: Viewing, value: str) -> Node | None:
    found = read_node(value)
    if found is not None and found[0] == "User":
        one = next((one for one in viewing.github.accounts.values() if str(one.id) == found[1][0]), None)
        return commits.account(one) if one else None
    repo = _repo_of(viewing, value)
    kind, parts = found or ("", ())
    if kind == "Repository":
        return nodes.repository(viewing, repo)
    if kind == "PullRequest":
        return nodes.pull(viewing, repo, _pull(viewing, value)[1])
    if kind == "IssueComment":
        return nodes.comment(repo, _comment(viewing, value)[1])
    if kind == "Commit" and len(parts) > 1 and repo.git.resolve(parts[1]) == parts[1]:
        return commits.commit(repo, repo.git.commit(parts[1]))
    raise not_found(f"a node with the global id of '{value}'")


def _repo_of(viewing: Viewing, value: str) -> Repository:
    found = read_node(value)
    number = found[1][0] if found else ""
    repo = viewing.github.repositories.get(int(number)) if number.isdigit() else None
    if repo is None or not viewing.sees(repo):
        raise not_found(f"a node with the global id of '{value}'")
    return repo


def _pull(viewing: Viewing, value: str) -> tuple[Repository, Pull]:
    repo, found = _repo_of(viewing, value), read_node(value)
    pull = repo.pulls.get(int(found[1][1])) if found and found[0] == "PullRequest" else None
    if pull is None:
        raise not_found(f"a PullRequest with the global id of '{value}'")
    return repo, pull


def _comment(viewing: Viewing, value: str) -> tuple[Repository, Comment]:
    repo, found = _repo_of(viewing, value), read_node(value)
    comment = repo.comments.get(int(found[1][1])) if found and found[0] == "IssueComment" else None
    if comment is None:
        raise not_found(f"a node with the global id of '{value}'")
    return repo, comment


def _rate_limit(viewing: Viewing) -> Node:
    shown = viewing.limits.overview(viewing.caller.key, "graphql")
    reset = datetime.fromtimestamp(shown["reset"], UTC).isoformat().replace("+00:00", "Z")
    return {**shown, "cost": 1, "nodeCount": 1, "resetAt": reset}


def _may_hide(viewing: Viewing, repo: Repository) -> None:
    """GitHub: hiding a comment needs triage, or the App's write permission."""
    user = viewing.caller.user
    if user is not None and not at_least(role_of(repo, user), "triage"):
        raise Failed("FORBIDDEN", FORBIDDEN)


def _minimize(viewing: Viewing, asked: Node) -> Node:
    repo, comment = _comment(viewing, asked["subjectId"])
    viewing.act(repo, "issues:write", _PULLS)
    _may_hide(viewing, repo)
    comments.minimize_comment(comment, asked["classifier"])
    return _payload(asked, minimizedComment=nodes.comment(repo, comment))


def _unminimize(viewing: Viewing, asked: Node) -> Node:
    repo, comment = _comment(viewing, asked["subjectId"])
    viewing.act(repo, "issues:write", _PULLS)
    _may_hide(viewing, repo)
    comments.minimize_comment(comment, None)
    return _payload(asked, unminimizedComment=nodes.comment(repo, comment))


async def _update_branch(viewing: Viewing, asked: Node) -> Node:
    repo, pull = _pull(viewing, asked["pullRequestId"])
    act = viewing.act(repo, _PULLS)
    _may_push(viewing, act, pull)
    method = "rebase" if asked.get("updateMethod") == "REBASE" else "merge"
    try:
        await pulls.update_branch(
            act, pull, method="rebase" if method == "rebase" else "merge", expected_head=asked.get("expectedHeadOid")
        )
    except Refused as refused:
        raise Failed("UNPROCESSABLE", refused.message) from None
    return _payload(asked, pullRequest=nodes.pull(viewing, repo, pull))


def _may_push(viewing: Viewing, act: Act, pull: Pull) -> None:
    """The same as in REST: write access to the head repository, which an App never has in a fork."""
    head = act.github.repositories.get(pull.head_repo)
    if head is None:
        raise Failed("UNPROCESSABLE", "The head repository is gone.")
    if head is not act.repo:
        viewing.act(head, "contents:write")


async def _merge(viewing: Viewing, asked: Node) -> Node:
    repo, pull = _pull(viewing, asked["pullRequestId"])
    act = viewing.act(repo, "contents:write")
    methods: dict[str, pulls.Method] = {"SQUASH": "squash", "REBASE": "rebase"}
    try:
        await pulls.merge_pull(
            act,
            pull,
            method=methods.get(asked.get("mergeMethod", "MERGE"), "merge"),
            sha=asked.get("expectedHeadOid"),
            title=asked.get("commitHeadline"),
            message=asked.get("commitBody"),
        )
    except Refused as refused:
        raise Failed("UNPROCESSABLE", refused.message) from None
    return _payload(asked, pullRequest=nodes.pull(viewing, repo, pull))


def _draft(viewing: Viewing, asked: Node, *, draft: bool) -> Node:
    repo, pull = _pull(viewing, asked["pullRequestId"])
    pulls.set_draft(viewing.act(repo, _PULLS), pull, draft=draft)
    return _payload(asked, pullRequest=nodes.pull(viewing, repo, pull))


def _enqueue(viewing: Viewing, asked: Node) -> Node:
    """GitHub: an App needs `merge_queues: write` and `pull_requests: write` (trap 27)."""
    repo, pull = _pull(viewing, asked["pullRequestId"])
    act = viewing.act(repo, f"merge_queues:write,{_PULLS}")
    try:
        entry = queue.enqueue(act, pull, expected_head=asked.get("expectedHeadOid"), jump=bool(asked.get("jump")))
    except Refused as refused:
        raise Failed("UNPROCESSABLE", refused.message) from None
    return _payload(asked, mergeQueueEntry=queues.entry(viewing, repo, entry, nodes.pull))


def _dequeue(viewing: Viewing, asked: Node) -> Node:
    repo, pull = _pull(viewing, asked["id"])
    act = viewing.act(repo, f"merge_queues:write,{_PULLS}")
    before = queue.entry_of(repo, pull)
    try:
        queue.dequeue(act, pull)
    except Refused as refused:
        raise Failed("UNPROCESSABLE", refused.message) from None
    return _payload(asked, mergeQueueEntry=None if before is None else queues.entry(viewing, repo, before, nodes.pull))


def _payload(asked: Node, **fields: Any) -> Node:
    return {"clientMutationId": asked.get("clientMutationId"), **fields}
