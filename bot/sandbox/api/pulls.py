"""Pull requests: read, opened, changed, merged, brought up to date, reviewed."""

from __future__ import annotations

from typing import Any

from bot.sandbox import objects
from bot.sandbox.api.call import Call, Reply, Table, route
from bot.sandbox.api.diffs import diff_reply, wants_diff
from bot.sandbox.changes import pulls, reviews
from bot.sandbox.changes.refusals import Refused, invalid
from bot.sandbox.changes.repositories import in_network, role_of
from bot.sandbox.permissions import at_least
from bot.sandbox.state import Pull, Repository

MAX_FILES = 3_000
MAX_COMMITS = 250
_EVENTS: dict[str, reviews.Verdict] = {
    "APPROVE": "APPROVED",
    "REQUEST_CHANGES": "CHANGES_REQUESTED",
    "COMMENT": "COMMENTED",
}


async def list_pulls(call: Call) -> Reply:
    """`GET pulls`: by `state`, `head` (`owner:branch`, otherwise no filter), `base`, sorted."""
    query = call.query
    state = query.get("state", "open")
    found = [pull for pull in call.repo.pulls.values() if state in {"all", pull.state}]
    if ":" in query.get("head", ""):
        owner, _, branch = query["head"].partition(":")
        found = [pull for pull in found if pull.head_ref == branch and _owner(call, pull).lower() == owner.lower()]
    if "base" in query:
        found = [pull for pull in found if pull.base_ref == query["base"]]
    by_update = query.get("sort") == "updated"
    newest_first = query.get("direction", "asc" if "sort" in query and not by_update else "desc") == "desc"
    found.sort(key=lambda pull: (pull.updated_at if by_update else pull.created_at, pull.number), reverse=newest_first)
    return call.page(found, lambda pull: objects.pull_request_simple(call.github, call.repo, pull))


def _owner(call: Call, pull: Pull) -> str:
    head = call.github.repositories.get(pull.head_repo)
    return head.owner.login if head else ""


async def get_pull(call: Call) -> Reply:
    """`GET pulls/{n}`: `mergeable` is null at first; asking starts the job that finds out (GITHUB.md 5.30)."""
    if wants_diff(call):
        pull = call.pull
        start = call.repo.git.merge_base(pull.base_sha, pull.head_sha)
        return await diff_reply(call, "PullRequest", start, pull.head_sha)
    shown = objects.pull_request(call.github, call.repo, call.pull)
    if call.caller.token is not None:
        await pulls.find_mergeable(call.act, call.pull)
    return Reply(body=shown)


async def list_files(call: Call) -> Reply:
    """`GET pulls/{n}/files`: against the merge base, at most 3,000."""
    pull = call.pull
    start = call.repo.git.merge_base(pull.base_sha, pull.head_sha)
    files = (await call.repo.git.diff(start, pull.head_sha))[:MAX_FILES]
    return call.page(files, lambda file: objects.diff_entry(call.github, call.repo, pull.head_sha, file))


async def list_commits(call: Call) -> Reply:
    """`GET pulls/{n}/commits`: oldest first, at most 250."""
    pull = call.pull
    commits = list(reversed(call.repo.git.log(pull.head_sha, pull.base_sha)))[:MAX_COMMITS]
    return call.page(commits, lambda one: objects.commit(call.github, call.repo, one))


async def create_pull(call: Call) -> Reply:
    """`POST pulls`: `head` is a branch, or `owner:branch` of a fork."""
    body = call.body
    head_repo, branch = _head(call, body["head"])
    if "title" not in body:
        raise invalid("PullRequest", "title", "missing_field")
    pull = pulls.open_pull(
        call.act,
        title=body["title"],
        head=branch,
        base=body["base"],
        body=body.get("body"),
        head_repo=head_repo,
        draft=body.get("draft", False),
    )
    return Reply(201, objects.pull_request(call.github, call.repo, pull))


def _head(call: Call, head: str) -> tuple[Repository, str]:
    owner, colon, branch = head.rpartition(":")
    repo = in_network(call.github, call.repo, owner) if colon else call.repo
    if repo is None:
        raise invalid("PullRequest", "head")
    return repo, branch


async def update_pull(call: Call) -> Reply:
    """`PATCH pulls/{n}`: by its author or with write access."""
    body, pull = call.body or {}, call.pull
    _may_edit(call, pull)
    pulls.edit_pull(call.act, pull, title=body.get("title"), body=body.get("body"), base=body.get("base"))
    if body.get("state") == "closed":
        pulls.close_pull(call.act, pull)
    elif body.get("state") == "open" and pull.state == "closed":
        pulls.reopen_pull(call.act, pull)
    return Reply(body=objects.pull_request(call.github, call.repo, pull))


def _may_edit(call: Call, pull: Pull) -> None:
    user = call.caller.user
    if user is not None and user is not pull.author and not at_least(role_of(call.repo, user), "write"):
        raise Refused(403, "Must have write access to the repository or be the author.")


async def merge(call: Call) -> Reply:
    """`PUT pulls/{n}/merge`: 405 where it cannot be, 409 where the head is another."""
    body: dict[str, Any] = call.body or {}
    sha = await pulls.merge_pull(
        call.act,
        call.pull,
        method=body.get("merge_method", "merge"),
        sha=body.get("sha"),
        title=body.get("commit_title"),
        message=body.get("commit_message"),
    )
    return Reply(body={"sha": sha, "merged": True, "message": "Pull Request successfully merged"})


async def update_branch(call: Call) -> Reply:
    """`PUT pulls/{n}/update-branch`: 202, merges the base into the head; REST cannot rebase."""
    pull = call.pull
    may_push(call, pull)
    await pulls.update_branch(call.act, pull, expected_head=(call.body or {}).get("expected_head_sha"))
    url = f"{call.github.web_url}/{call.repo.full_name}/pull/{pull.number}"
    return Reply(202, {"message": "Updating pull request branch.", "url": url})


def may_push(call: Call, pull: Pull) -> None:
    """GitHub: an App needs write access to the head repository too, which it never has in a fork."""
    installation, user = call.caller.installation, call.caller.user
    head = call.github.repositories.get(pull.head_repo)
    if head is None:
        raise Refused(422, "The head repository is gone.")
    if installation is not None and (head.owner is not installation.account):
        raise Refused(403, "Resource not accessible by integration")
    if user is not None and not at_least(role_of(head, user), "write"):
        raise Refused(403, "Must have write access to the head repository.")


async def list_reviews(call: Call) -> Reply:
    """`GET pulls/{n}/reviews`."""
    pull = call.pull
    return call.page(pull.reviews, lambda one: objects.review(call.github, call.repo, pull, one))


async def create_review(call: Call) -> Reply:
    """`POST pulls/{n}/reviews`, submitted at once (without `event` GitHub would keep it pending; 422 here)."""
    body: dict[str, Any] = call.body or {}
    if "event" not in body:
        raise invalid("PullRequestReview", "event", "missing_field")
    verdict = _EVENTS[body["event"]]
    one = reviews.submit_review(call.act, call.pull, verdict, body.get("body", ""), body.get("commit_id"))
    return Reply(body=objects.review(call.github, call.repo, call.pull, one))


async def pulls_of_commit(call: Call) -> Reply:
    """`GET commits/{sha}/pulls`: pull requests whose commits hold it; those from forks are not listed (5.3)."""
    sha = call.commit(call.parameters["commit_sha"])
    found = [
        pull
        for pull in call.repo.pulls.values()
        if pull.head_repo == call.repo.id
        and sha in {commit.sha for commit in call.repo.git.log(pull.head_sha, pull.base_sha)} | {pull.merge_commit}
    ]
    return call.page(found, lambda pull: objects.pull_request_simple(call.github, call.repo, pull))


ROUTES: Table = {
    "pulls/list": route(list_pulls, "pull_requests:read"),
    "pulls/get": route(get_pull, "pull_requests:read", "contents:read"),
    "pulls/list-files": route(list_files, "pull_requests:read"),
    "pulls/list-commits": route(list_commits, "pull_requests:read"),
    "pulls/create": route(create_pull, "pull_requests:write"),
    "pulls/update": route(update_pull, "pull_requests:write"),
    "pulls/merge": route(merge, "contents:write"),
    "pulls/update-branch": route(update_branch, "pull_requests:write"),
    "pulls/list-reviews": route(list_reviews, "pull_requests:read"),
    "pulls/create-review": route(create_review, "pull_requests:write"),
    "repos/list-pull-requests-associated-with-commit": route(pulls_of_commit, "pull_requests:read"),
}
