"""
Git over HTTP by git's own `http-backend`: real clones and real pushes with a token as the password.

What a push moved is found by comparing refs before and after; then the same follows as for a ref moved by the API.
"""

from __future__ import annotations

import asyncio
import re

from aiohttp import web

from bot.sandbox.auth import Caller, Tokens
from bot.sandbox.changes import pushes
from bot.sandbox.changes.accounts import reaches
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.changes.repositories import role_of
from bot.sandbox.git.process import environment
from bot.sandbox.permissions import LEVELS, at_least
from bot.sandbox.state import Act, GitHub, Repository

_PATH = re.compile(r"/(?P<name>[^/]+/[^/]+?)(?:\.git)?/(?P<rest>info/refs|git-upload-pack|git-receive-pack)")


def is_git(path: str) -> bool:
    """Whether a path is one that git asks for."""
    return _PATH.fullmatch(path) is not None


async def serve(github: GitHub, tokens: Tokens, request: web.Request) -> web.Response:
    """Answer one request of a git client."""
    found = _PATH.fullmatch(request.path)
    repo = github.repository(found["name"]) if found else None
    pushing = "git-receive-pack" in request.path_qs
    try:
        caller = tokens.identify(request.headers.get("Authorization"))
        if found is None or repo is None or not _may(caller, repo, pushing=pushing):
            return _denied(caller)
        if pushing and repo.archived:
            return web.Response(status=403, text="This repository was archived so it is read-only.\n")
    except Refused as refused:
        return web.Response(status=refused.status, text=f"{refused.message}\n", headers=_challenge(refused.status))
    before = repo.git.refs.all()
    answer = await _backend(repo, request, found["rest"])
    repo.git.refs.reload()
    after = repo.git.refs.all()
    if before != after:
        act = Act(github, repo, caller.actor)
        for ref in sorted(before.keys() | after.keys()):
            if before.get(ref) != after.get(ref):
                pushes.ref_moved(act, ref, before.get(ref), after.get(ref))
    return answer


def _may(caller: Caller, repo: Repository, *, pushing: bool) -> bool:
    token = caller.token
    if token is not None and token.installation is not None:
        granted = LEVELS.get(token.permissions.get("contents", ""), 0)
        inside = reaches(token.installation, repo) and (token.repositories is None or repo.id in token.repositories)
        return (inside and granted >= (LEVELS["write"] if pushing else LEVELS["read"])) or (
            not pushing and not repo.private
        )
    if caller.user is not None:
        return at_least(role_of(repo, caller.user), "write" if pushing else "read")
    return not pushing and not repo.private


def _denied(caller: Caller) -> web.Response:
    status = 401 if caller.token is None else 403
    return web.Response(status=status, text="Repository not found.\n", headers=_challenge(status))


def _challenge(status: int) -> dict[str, str]:
    return {"WWW-Authenticate": 'Basic realm="GitHub"'} if status == 401 else {}


async def _backend(repo: Repository, request: web.Request, rest: str) -> web.Response:
    body = await request.read()
    variables = {
        **environment(),
        "GIT_PROJECT_ROOT": str(repo.git_dir.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{repo.git_dir.name}/{rest}",
        "QUERY_STRING": request.query_string,
        "REQUEST_METHOD": request.method,
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(body)),  # aiohttp has unpacked what came compressed
        "REMOTE_USER": "sandbox",
        "REMOTE_ADDR": "127.0.0.1",
    }
    if "Git-Protocol" in request.headers:
        variables["GIT_PROTOCOL"] = request.headers["Git-Protocol"]
    process = await asyncio.create_subprocess_exec(
        "git",
        "http-backend",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=variables,
    )
    out, err = await process.communicate(body)
    head, _, content = out.partition(b"\r\n\r\n")
    if process.returncode != 0 and not head:
        return web.Response(status=500, text=err.decode(errors="replace"))
    headers: dict[str, str] = {}
    for line in head.decode().splitlines():
        name, _, value = line.partition(": ")
        headers[name] = value
    status = int(headers.pop("Status", "200").split(" ")[0])
    return web.Response(status=status, body=content, headers=headers)
