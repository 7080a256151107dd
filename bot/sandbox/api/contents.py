"""Files by their path: read as JSON or raw, written one at a time."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote

from bot.sandbox import objects
from bot.sandbox.api.call import Call, Reply, Table, route
from bot.sandbox.api.gitdata import check_workflows, decode, person
from bot.sandbox.changes import pushes
from bot.sandbox.changes.refusals import Refused, invalid
from bot.sandbox.git import Entry

MAX_JSON = 1024 * 1024  # a bigger file has no content in JSON, only raw
_KINDS = {"40000": "dir", "120000": "symlink", "160000": "submodule"}


async def get_content(call: Call) -> Reply:
    """`GET contents/{path}`: a file, a directory as a list, or with the raw media type the bytes."""
    ref = call.query.get("ref", call.repo.default_branch)
    commit = call.repo.git.resolve(ref)
    if commit is None:
        raise Refused(404, f"No commit found for the ref {ref}")
    path = call.parameters["path"].strip("/")
    store = call.repo.git.store
    entry = store.lookup(store.commit(commit).tree, path)
    if entry is None:
        raise Refused(404, "Not Found")
    if entry.is_tree:
        prefix = f"{path}/" if path else ""
        return Reply(body=[_described(call, ref, prefix + one.name, one) for one in store.tree(entry.sha)])
    if "raw" in call.accept:
        return Reply(200, store.blob(entry.sha), {"Content-Type": f"{call.accept}; charset=utf-8"})
    shown = _described(call, ref, path, entry)
    content = store.blob(entry.sha)
    if len(content) > MAX_JSON:
        return Reply(body={**shown, "content": "", "encoding": "none"})
    return Reply(body={**shown, "content": base64.encodebytes(content).decode(), "encoding": "base64"})


def _described(call: Call, ref: str, path: str, entry: Entry) -> dict[str, Any]:
    repo_url = f"{call.github.api_url}/repos/{call.repo.full_name}"
    page = f"{call.github.web_url}/{call.repo.full_name}"
    kind = _KINDS.get(entry.mode, "file")
    url = f"{repo_url}/contents/{quote(path)}?ref={quote(ref)}"
    git_url = f"{repo_url}/git/{'trees' if kind == 'dir' else 'blobs'}/{entry.sha}"
    html_url = f"{page}/{'tree' if kind == 'dir' else 'blob'}/{quote(ref)}/{quote(path)}"
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": entry.sha,
        "size": len(call.repo.git.store.blob(entry.sha)) if kind == "file" else 0,
        "type": kind,
        "url": url,
        "html_url": html_url,
        "git_url": git_url,
        "download_url": f"{page}/raw/{quote(ref)}/{quote(path)}" if kind == "file" else None,
        "_links": {"self": url, "git": git_url, "html": html_url},
    }


async def put_content(call: Call) -> Reply:
    """`PUT contents/{path}`: 201 for a new file, 200 for a changed one, whose old `sha` is needed (409, 422)."""
    body, act, git = call.body, call.act, call.repo.git
    branch, path = body.get("branch", call.repo.default_branch), call.parameters["path"]
    head = git.branch(branch)
    if head is None:
        raise Refused(404, f"Branch {branch} not found")
    old = git.store.lookup(git.commit(head).tree, path)
    if old is not None and "sha" not in body:
        raise invalid("Content", "sha", "missing_field", '"sha" wasn\'t supplied.')
    if "sha" in body and body["sha"] != (old.sha if old else None):
        raise Refused(409, f"{path} does not match {body['sha']}")
    author = person(body.get("author") or body.get("committer"), act.by.account.signature(act.now))
    commit = git.commit_files(head, {path: decode(body["content"], "base64")}, body["message"], author)
    check_workflows(call, head, commit)
    pushes.move_ref(act, f"refs/heads/{branch}", commit, force=False)
    entry = git.store.lookup(git.commit(commit).tree, path)
    if entry is None:
        raise Refused(422, f"{path} is no file name")
    shown = objects.git_commit(call.github, call.repo, git.commit(commit))
    return Reply(201 if old is None else 200, {"content": _described(call, branch, path, entry), "commit": shown})


ROUTES: Table = {
    "repos/get-content": route(get_content, "contents:read"),
    "repos/create-or-update-file-contents": route(put_content, "contents:write"),
}
