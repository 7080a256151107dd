"""Refs, blobs, trees and commits one by one."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import Any
from urllib.parse import quote

from bot.sandbox import objects
from bot.sandbox.api.call import Call, Reply, Table, route
from bot.sandbox.changes import pushes
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.changes.rules import rules_of
from bot.sandbox.git import Entry, Person
from bot.sandbox.git.objects import EMPTY_TREE
from bot.sandbox.objects.nodes import node_id

_WORKFLOWS = ".github/workflows"


def _ref(call: Call, name: str, sha: str) -> dict[str, Any]:
    base = f"{call.github.api_url}/repos/{call.repo.full_name}/git"
    return {
        "ref": name,
        "node_id": node_id("Ref", call.repo.id, name),
        "url": f"{base}/{quote(name)}",
        "object": {"sha": sha, "type": "commit", "url": f"{base}/commits/{sha}"},
    }


async def get_ref(call: Call) -> Reply:
    """`GET git/ref/{ref}`: `heads/main`, no prefix search."""
    name = f"refs/{call.parameters['ref']}"
    sha = call.repo.git.refs.read(name)
    if sha is None:
        raise Refused(404, "Not Found")
    return Reply(body=_ref(call, name, sha))


async def matching_refs(call: Call) -> Reply:
    """`GET git/matching-refs/{ref}`: all refs that begin so."""
    refs = call.repo.git.refs.all(f"refs/{call.parameters['ref']}")
    return call.page(list(refs.items()), lambda pair: _ref(call, *pair))


async def create_ref(call: Call) -> Reply:
    """`POST git/refs`."""
    name, sha = call.body["ref"], call.body["sha"]
    check_workflows(call, call.repo.git.branch(call.repo.default_branch), sha)
    check_rules(call, name, "creation")
    pushes.create_ref(call.act, name, sha)
    return Reply(201, _ref(call, name, sha))


async def update_ref(call: Call) -> Reply:
    """`PATCH git/refs/{ref}`: 422 for what is no fast-forward, unless `force`."""
    name, sha = f"refs/{call.parameters['ref']}", call.body["sha"]
    before = call.repo.git.refs.read(name)
    if before is None:
        raise Refused(422, "Reference does not exist")
    check_workflows(call, before, sha)
    check_rules(call, name, "update")
    pushes.move_ref(call.act, name, sha, force=call.body.get("force", False))
    return Reply(body=_ref(call, name, sha))


async def delete_ref(call: Call) -> Reply:
    """`DELETE git/refs/{ref}`."""
    pushes.delete_ref(call.act, f"refs/{call.parameters['ref']}")
    return Reply(204)


_RULES = {
    "creation": "Cannot create ref due to creations being restricted.",
    "update": "Cannot update this protected ref.",
}


def check_rules(call: Call, ref: str, kind: str) -> None:
    """GitHub: a ruleset's `creation` and `update` rules keep a branch back; 422 with the broken rule's sentence."""
    if rules_of(call.repo, ref.removeprefix("refs/heads/"), kind):
        raise Refused(422, f"Repository rule violations found\n\n{_RULES[kind]}\n\n")


def check_workflows(call: Call, before: str | None, after: str) -> None:
    """
    GitHub: an App without `workflows: write` may not bring workflow files that are new to the branch (5.29).

    Files that the default branch has as well are let pass.
    """
    token, git = call.caller.token, call.repo.git
    if token is None or token.installation is None or token.permissions.get("workflows") == "write":
        return
    if git.resolve(after) != after:
        return
    known = [git.branch(call.repo.default_branch), before]
    new = git.store.lookup(git.commit(after).tree, _WORKFLOWS)
    if new is None or any(one and git.store.lookup(git.commit(one).tree, _WORKFLOWS) == new for one in known):
        return
    files = [f"{_WORKFLOWS}/{entry.name}" for entry in git.store.tree(new.sha)]
    raise Refused(
        403,
        f"refusing to allow a GitHub App to create or update workflow `{files[0]}` without `workflows` permission",
    )


async def create_blob(call: Call) -> Reply:
    """`POST git/blobs`: `utf-8` or `base64`."""
    content = decode(call.body["content"], call.body.get("encoding", "utf-8"))
    sha = call.repo.git.store.write("blob", content)
    return Reply(201, {"sha": sha, "url": f"{call.github.api_url}/repos/{call.repo.full_name}/git/blobs/{sha}"})


def decode(content: str, encoding: str) -> bytes:
    """A file's bytes as the API takes them; 422 for what is no base64."""
    if encoding != "base64":
        return content.encode()
    try:
        return base64.b64decode(content, validate=False)
    except binascii.Error:
        raise Refused(422, "content is not valid Base64") from None


async def create_tree(call: Call) -> Reply:
    """`POST git/trees`: entries on top of `base_tree`; a `sha` of null deletes."""
    store = call.repo.git.store
    changes: dict[str, Entry | None] = {}
    for one in call.body["tree"]:
        sha = one.get("sha")
        if "content" in one:
            sha = store.write("blob", one["content"].encode())
        elif sha is not None and not store.has(sha):
            raise Refused(422, "GitRPC::BadObjectState", [f"tree.sha {sha} is not a valid blob"])
        changes[one["path"]] = None if sha is None else Entry(one.get("mode", "100644").lstrip("0"), "", sha)
    base = call.body.get("base_tree")
    tree = store.change_tree(_tree_of(call, base) if base else EMPTY_TREE, changes)
    return Reply(201, _tree(call, tree, recursive=False))


async def get_tree(call: Call) -> Reply:
    """`GET git/trees/{sha}`: a tree, commit or branch; `recursive` with any value walks down."""
    return Reply(body=_tree(call, _tree_of(call, call.parameters["tree_sha"]), recursive="recursive" in call.query))


def _tree_of(call: Call, name: str) -> str:
    store = call.repo.git.store
    commit = call.repo.git.resolve(name)
    if commit is not None:
        return store.commit(commit).tree
    try:
        store.tree(name)
    except KeyError:
        raise Refused(404, "Not Found") from None
    return name


def _tree(call: Call, sha: str, *, recursive: bool) -> dict[str, Any]:
    base = f"{call.github.api_url}/repos/{call.repo.full_name}/git"
    store = call.repo.git.store
    shown = []
    todo = [("", entry) for entry in store.tree(sha)]
    while todo:
        prefix, entry = todo.pop(0)
        kind = {"40000": "tree", "160000": "commit"}.get(entry.mode, "blob")
        one: dict[str, Any] = {"path": prefix + entry.name, "mode": entry.mode.zfill(6), "type": kind, "sha": entry.sha}
        if kind == "blob":
            one["size"] = len(store.blob(entry.sha))
        one["url"] = f"{base}/{kind}s/{entry.sha}"
        shown.append(one)
        if kind == "tree" and recursive:
            todo = [(f"{prefix}{entry.name}/", inner) for inner in store.tree(entry.sha)] + todo
    return {"sha": sha, "url": f"{base}/trees/{sha}", "tree": shown, "truncated": False}


async def create_commit(call: Call) -> Reply:
    """`POST git/commits`: author and committer default to the caller and now."""
    body, store, act = call.body, call.repo.git.store, call.act
    for parent in body.get("parents", []):
        if call.repo.git.resolve(parent) != parent:
            raise Refused(422, "Parent SHA does not exist or is not a commit object")
    if not store.has(body["tree"]):
        raise Refused(422, "Tree SHA does not exist")
    default = act.by.account.signature(act.now)
    author = person(body.get("author"), default)
    committer = person(body.get("committer"), author if "author" in body else default)
    sha = store.write_commit(body["tree"], tuple(body.get("parents", [])), body["message"], author, committer)
    return Reply(201, objects.git_commit(call.github, call.repo, store.commit(sha)))


def person(given: dict[str, Any] | None, default: Person) -> Person:
    """Read an author or committer."""
    if given is None:
        return default
    when = int(datetime.fromisoformat(given["date"]).timestamp()) if "date" in given else default.when
    return Person(given.get("name", default.name), given.get("email", default.email), when)


async def get_commit(call: Call) -> Reply:
    """`GET git/commits/{sha}`."""
    sha = call.parameters["commit_sha"]
    if call.repo.git.resolve(sha) != sha:
        raise Refused(404, "Not Found")
    return Reply(body=objects.git_commit(call.github, call.repo, call.repo.git.commit(sha)))


ROUTES: Table = {
    "git/get-ref": route(get_ref, "contents:read"),
    "git/list-matching-refs": route(matching_refs, "contents:read"),
    "git/create-ref": route(create_ref, "contents:write"),
    "git/update-ref": route(update_ref, "contents:write"),
    "git/delete-ref": route(delete_ref, "contents:write"),
    "git/create-blob": route(create_blob, "contents:write"),
    "git/create-tree": route(create_tree, "contents:write"),
    "git/get-tree": route(get_tree, "contents:read"),
    "git/create-commit": route(create_commit, "contents:write"),
    "git/get-commit": route(get_commit, "contents:read"),
}
