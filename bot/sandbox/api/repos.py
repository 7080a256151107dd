"""Repositories, branches, commits, comparisons, and who may do what."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from bot.sandbox import objects
from bot.sandbox.api.call import Call, Reply, Table, found, route
from bot.sandbox.api.diffs import diff_reply, wants_diff
from bot.sandbox.changes import pushes
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.changes.repositories import in_network, role_of
from bot.sandbox.state import Account

MAX_COMPARED_COMMITS = 250
MAX_COMPARED_FILES = 300
_LEGACY = {"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read"}


async def get_repository(call: Call) -> Reply:
    """`GET repos/{o}/{r}`."""
    return Reply(body=objects.full_repository(call.github, call.repo))


async def get_branch(call: Call) -> Reply:
    """`GET branches/{branch}`."""
    name = call.parameters["branch"]
    sha = call.repo.git.branch(name)
    if sha is None:
        raise Refused(404, "Branch not found")
    url = f"{call.github.api_url}/repos/{call.repo.full_name}/branches/{quote(name)}"
    protection = call.repo.protection.get(name)
    body = {
        "name": name,
        "commit": objects.commit(call.github, call.repo, call.repo.git.commit(sha)),
        "_links": {"self": url, "html": f"{call.github.web_url}/{call.repo.full_name}/tree/{quote(name)}"},
        "protected": protection is not None or bool(call.repo.rulesets),
        "protection": {"enabled": protection is not None},
        "protection_url": f"{url}/protection",
    }
    return Reply(body=body)


async def list_branches(call: Call) -> Reply:
    """`GET branches`."""

    def show(pair: tuple[str, str]) -> dict[str, Any]:
        name, sha = pair
        url = f"{call.github.api_url}/repos/{call.repo.full_name}/commits/{sha}"
        return {"name": name, "commit": {"sha": sha, "url": url}, "protected": name in call.repo.protection}

    branches = list(call.repo.git.branches().items())
    if "protected" in call.query:
        wanted = call.query["protected"] == "true"
        branches = [pair for pair in branches if (pair[0] in call.repo.protection) is wanted]
    return call.page(branches, show)


async def get_commit(call: Call) -> Reply:
    """`GET commits/{ref}`: with its files against the first parent."""
    one = call.repo.git.commit(call.commit(call.parameters["ref"]))
    before = one.parents[0] if one.parents else None
    if wants_diff(call):
        return await diff_reply(call, "Commit", before, one.sha)
    files = await call.repo.git.diff(before, one.sha)
    return Reply(body=objects.commit(call.github, call.repo, one, files[:MAX_COMPARED_FILES]))


async def list_commits(call: Call) -> Reply:
    """`GET commits`: of `sha` (a branch or commit), newest first, those that touch `path`."""
    start = call.repo.git.resolve(call.query.get("sha", call.repo.default_branch))
    if start is None:
        raise Refused(404 if "sha" in call.query else 409, "Git Repository is empty.")
    commits = call.repo.git.log(start)
    if path := call.query.get("path"):
        commits = [one for one in commits if _touches(call, one.sha, one.parents, path)]
    return call.page(commits, lambda one: objects.commit(call.github, call.repo, one))


def _touches(call: Call, sha: str, parents: tuple[str, ...], path: str) -> bool:
    git = call.repo.git
    here = git.store.lookup(git.commit(sha).tree, path)
    return all(git.store.lookup(git.commit(parent).tree, path) != here for parent in parents) and (
        bool(parents) or here is not None
    )


async def compare(call: Call) -> Reply:
    """`GET compare/{base}...{head}`: at most 250 commits without paging and 300 files."""
    base_name, dots, head_name = call.parameters["basehead"].partition("...")
    git = call.repo.git
    base, head = _side(call, base_name), _side(call, head_name)
    start = git.merge_base(base, head) if base and head else None
    if not dots or base is None or head is None or start is None:
        raise Refused(404, "Not Found")
    if wants_diff(call):
        return await diff_reply(call, "Comparison", start, head)
    ahead, behind = git.log(head, base), git.log(base, head)
    files = await git.diff(start, head)
    url = f"{call.github.api_url}/repos/{call.repo.full_name}/compare/{quote(base_name)}...{quote(head_name)}"
    page = f"{call.github.web_url}/{call.repo.full_name}/compare/{quote(base_name)}...{quote(head_name)}"

    def show(sha: str) -> dict[str, Any]:
        return objects.commit(call.github, call.repo, git.commit(sha))

    body = {
        "url": url,
        "html_url": page,
        "permalink_url": f"{call.github.web_url}/{call.repo.full_name}/compare/{base}...{head}",
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "base_commit": show(base),
        "merge_base_commit": show(start),
        "status": _relation(len(ahead), len(behind)),
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": [show(one.sha) for one in list(reversed(ahead))[:MAX_COMPARED_COMMITS]],
        "files": [objects.diff_entry(call.github, call.repo, head, file) for file in files[:MAX_COMPARED_FILES]],
    }
    return Reply(body=body)


def _side(call: Call, name: str) -> str | None:
    """A branch, tag or SHA, or `owner:branch` of a fork."""
    owner, colon, branch = name.rpartition(":")
    repo = in_network(call.github, call.repo, owner) if colon else call.repo
    return repo.git.resolve(branch) if repo else None


def _relation(ahead: int, behind: int) -> str:
    if ahead and behind:
        return "diverged"
    return "ahead" if ahead else "behind" if behind else "identical"


async def merge_branches(call: Call) -> Reply:
    """`POST merges`: 201 with the merge commit, 204 where there is nothing to merge, 409 for a conflict."""
    git, body = call.repo.git, call.body
    base, head = git.branch(body["base"]), git.resolve(body["head"])
    if base is None or head is None:
        raise Refused(404, "Base does not exist" if base is None else "Head does not exist")
    if git.is_ancestor(head, base):
        return Reply(204)
    merged = await git.merge_trees(base, head)
    if merged.tree is None:
        raise Refused(409, "Merge conflict")
    act = call.act
    message = body.get("commit_message") or f"Merge {body['head']} into {body['base']}"
    sha = git.store.write_commit(merged.tree, (base, head), message, act.by.account.signature(act.now))
    pushes.move_ref(act, f"refs/heads/{body['base']}", sha, force=False)
    return Reply(201, objects.commit(call.github, call.repo, git.commit(sha)))


def _account(call: Call) -> Account:
    wanted = call.parameters["username"].lower()
    return found(next((one for login, one in call.github.accounts.items() if login.lower() == wanted), None))


async def permission_of(call: Call) -> Reply:
    """`GET collaborators/{username}/permission`: `permission` has four words, `role_name` the real role."""
    account = _account(call)
    role = role_of(call.repo, account)
    user = {
        **objects.simple_user(call.github, account),
        "role_name": role or "none",
        "permissions": {
            "pull": role is not None,
            "triage": role in {"triage", "write", "maintain", "admin"},
            "push": role in {"write", "maintain", "admin"},
            "maintain": role in {"maintain", "admin"},
            "admin": role == "admin",
        },
    }
    return Reply(body={"permission": _LEGACY[role] if role else "none", "role_name": role or "none", "user": user})


async def is_collaborator(call: Call) -> Reply:
    """`GET collaborators/{username}`: 204, or 404."""
    account = _account(call)
    if account is not call.repo.owner and account.login not in call.repo.collaborators:
        raise Refused(404, "Not Found")
    return Reply(204)


ROUTES: Table = {
    "repos/get": route(get_repository, "metadata:read"),
    "repos/get-branch": route(get_branch, "contents:read"),
    "repos/list-branches": route(list_branches, "contents:read"),
    "repos/get-commit": route(get_commit, "contents:read"),
    "repos/list-commits": route(list_commits, "contents:read"),
    "repos/compare-commits-with-basehead": route(compare, "contents:read"),
    "repos/merge": route(merge_branches, "contents:write"),
    "repos/get-collaborator-permission-level": route(permission_of, "metadata:read"),
    "repos/check-collaborator": route(is_collaborator, "metadata:read"),
}
