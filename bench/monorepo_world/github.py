"""The answers of a light GitHub below the client: the routes that failres asks, from the world's state, each counted.

What is not listed here answers 404 and is counted as `unknown`.
"""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from aiohttp import web

from monorepo_world.bodies import ACTIONS, INSTALLATION, NAME, OWNER, REPO, stamp
from monorepo_world.repository import Job, Pull, Run, World, job_object, run_object

APP: Final = 4_242
FIRST_COMMAND: Final = 9_000_000_000
"""Comments from this id on are commands; the first reaction to one is its answer."""

CONFIG: Final = "version: 1\n"
FILES: Final = ("src/a.py", "src/b.py", "tests/test_a.py")
PATCH: Final = "@@ -1,3 +1,4 @@\n one\n+two\n three\n four\n"


class Double:
    """Counts calls by route in `calls`, and notes in `heard` when a command was answered, by the comment's id."""

    def __init__(self, world: World, now: Callable[[], float]) -> None:
        self.world, self._now = world, now
        self.calls: Counter[str] = Counter()
        self.heard: dict[int, float] = {}
        self.delay = 0.0
        self._checks: dict[str, dict[str, Any]] = {}
        self._comments: dict[int, dict[str, Any]] = {}
        repo = f"/repos/{OWNER}/{NAME}"
        self._app = web.Application()
        for method, path, answer in (
            ("POST", "/app/installations/{id}/access_tokens", self._token),
            ("GET", "/app", self._me),
            ("GET", "/app/installations", self._installations),
            ("GET", "/app/hook/deliveries", self._nothing),
            ("GET", "/installation/repositories", self._repositories),
            ("POST", "/graphql", self._graphql),
            ("GET", repo + "/pulls", self._pulls),
            ("GET", repo + "/pulls/{number}", self._pull),
            ("GET", repo + "/pulls/{number}/files", self._files),
            ("GET", repo + "/contents/{path:.*}", self._contents),
            ("GET", repo + "/branches/{ref}", self._branch),
            ("GET", repo + "/rules/branches/{ref}", self._nothing),
            ("GET", repo + "/actions/runs", self._runs),
            ("GET", repo + "/actions/runs/{run}/jobs", self._jobs),
            ("GET", repo + "/actions/jobs/{job}", self._job),
            ("GET", repo + "/actions/jobs/{job}/logs", self._log),
            ("GET", "/logs/{job}", self._log_text),
            ("GET", repo + "/git/trees/{sha}", self._tree),
            ("GET", repo + "/commits/{sha}/pulls", self._nothing),
            ("GET", repo + "/compare/{pair:.*}", self._compared),
            ("GET", repo + "/commits/{sha}/check-runs", self._check_runs),
            ("GET", repo + "/commits/{sha}/status", self._statuses),
            ("POST", repo + "/check-runs", self._new_check),
            ("PATCH", repo + "/check-runs/{id}", self._old_check),
            ("GET", repo + "/check-runs/{id}/annotations", self._nothing),
            ("GET", repo + "/issues/{number}/comments", self._comments_of),
            ("POST", repo + "/issues/{number}/comments", self._new_comment),
            ("PATCH", repo + "/issues/comments/{id}", self._old_comment),
            ("GET", repo + "/issues/comments/{id}/reactions", self._nothing),
            ("POST", repo + "/issues/comments/{id}/reactions", self._reaction),
            ("GET", repo + "/collaborators/{login}/permission", self._permission),
        ):
            shown = f"{method} {path.replace(repo, '').replace(':.*', '')}"
            self._app.router.add_route(method, path, self._counted(shown, answer))
        self._app.router.add_route("*", "/{rest:.*}", self._unknown)
        self._runner = web.AppRunner(self._app, access_log=None)

    async def start(self) -> str:
        """Listen on loopback; gives the base address."""
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Listen no more."""
        await self._runner.cleanup()

    def _counted(self, shown: str, answer: Callable[[web.Request], Any]) -> Any:
        async def handler(request: web.Request) -> web.StreamResponse:
            if not shown.startswith("GET /logs/"):  # the other origin is not GitHub's API
                self.calls[shown] += 1
            if self.delay:
                await asyncio.sleep(self.delay)
            found = answer(request)
            if inspect.isawaitable(found):
                found = await found
            if isinstance(found, web.StreamResponse):
                return found
            return web.Response(text=json.dumps(found), content_type="application/json", status=_status(request))

        return handler

    async def _unknown(self, request: web.Request) -> web.Response:
        self.calls[f"unknown: {request.method} {request.path}"] += 1
        return web.json_response({"message": "Not Found"}, status=404)

    def _token(self, _: web.Request) -> Any:
        return {"token": "ghs_" + "x" * 36, "expires_at": stamp(self._now() + 3_600.0), "permissions": {}}

    def _me(self, _: web.Request) -> Any:
        return {"id": APP, "slug": "failres"}

    def _nothing(self, _: web.Request) -> Any:
        return []

    def _installations(self, _: web.Request) -> Any:
        return [{"id": INSTALLATION, "suspended_at": None}]

    def _repo(self) -> dict[str, Any]:
        whole: dict[str, Any] = {"id": REPO, "full_name": f"{OWNER}/{NAME}", "default_branch": "main"}
        return whole | {"private": False, "archived": False, "owner": {"login": OWNER}}

    def _repositories(self, _: web.Request) -> Any:
        return {"total_count": 1, "repositories": [self._repo()]}

    def _pull_object(self, pull: Pull) -> dict[str, Any]:
        return {
            "number": pull.number,
            "title": f"Change {pull.number}",
            "user": pull.author,
            "state": "open",
            "draft": False,
            "merged": False,
            "labels": [],
            "updated_at": stamp(pull.updated),
            "head": {"sha": pull.sha, "ref": pull.ref, "repo": self._repo(), "user": {"login": OWNER}},
            "base": {"ref": "main", "sha": self.world.base, "repo": self._repo()},
        }

    def _pull(self, request: web.Request) -> Any:
        return self._pull_object(self.world.pulls[int(request.match_info["number"])])

    def _pulls(self, request: web.Request) -> Any:
        wanted = request.query.get("head", "").partition(":")[2]
        return [self._pull_object(pull) for pull in self.world.pulls.values() if pull.ref == wanted]

    def _files(self, _: web.Request) -> Any:
        return [{"filename": name, "status": "modified", "patch": PATCH, "sha": "b" * 40} for name in FILES[:2]]

    def _compared(self, _: web.Request) -> Any:
        return {
            "behind_by": 1,
            "files": [{"filename": FILES[0], "status": "modified", "patch": PATCH, "sha": "c" * 40}],
        }

    def _contents(self, request: web.Request) -> Any:
        if request.match_info["path"] != ".github/failres.yml":
            return web.json_response({"message": "Not Found"}, status=404)
        return {"type": "file", "encoding": "base64", "content": base64.b64encode(CONFIG.encode()).decode()}

    def _branch(self, _: web.Request) -> Any:
        return {"commit": {"sha": self.world.base}}

    def _runs(self, request: web.Request) -> Any:
        runs = self.world.runs.get(request.query["head_sha"], [])
        return {"total_count": len(runs), "workflow_runs": [self._run_object(run) for run in runs]}

    def _run_object(self, run: Run) -> dict[str, Any]:
        ended = run.ends <= self._now()
        shown = run_object(run, "completed" if ended else "in_progress", run.ends if ended else run.made)
        return shown | {"run_attempt": 1, "name": run.path, "head_repository": {"owner": {"login": OWNER}}}

    def _job_object(self, job: Job) -> dict[str, Any]:
        now = self._now()
        action = "completed" if job.ends <= now else "in_progress" if job.starts <= now else "queued"
        shown = job_object(job, action)
        return shown | {
            "run_attempt": 1,
            "runner_name": shown["runner"],
            "html_url": f"https://github.test/job/{job.id}",
        }

    def _jobs(self, request: web.Request) -> Any:
        jobs = self.world.run[int(request.match_info["run"])].jobs
        page, size = int(request.query.get("page", 1)), int(request.query.get("per_page", 30))
        shown = [self._job_object(job) for job in jobs[(page - 1) * size : page * size]]
        headers = {}
        if page * size < len(jobs):
            following = request.url.update_query(page=page + 1)
            headers["Link"] = f'<{following}>; rel="next"'
        return web.json_response({"total_count": len(jobs), "jobs": shown}, headers=headers)

    def _job(self, request: web.Request) -> Any:
        return self._job_object(self.world.job[int(request.match_info["job"])])

    def _log(self, request: web.Request) -> Any:
        link = request.url.with_path(f"/logs/{request.match_info['job']}")
        return web.Response(status=302, headers={"Location": str(link)})

    def _log_text(self, request: web.Request) -> Any:
        return web.Response(text=log_of(self.world.job[int(request.match_info["job"])], self.world.plan.log_lines))

    def _tree(self, _: web.Request) -> Any:
        return {"truncated": False, "tree": [{"path": name, "type": "blob"} for name in FILES]}

    def _check_runs(self, request: web.Request) -> Any:
        mine = [one for one in self._checks.values() if one["head_sha"] == request.match_info["sha"]]
        return {"total_count": len(mine), "check_runs": mine if request.query.get("app_id") else []}

    def _statuses(self, _: web.Request) -> Any:
        return {"state": "success", "total_count": 0, "statuses": []}

    async def _new(self, request: web.Request) -> dict[str, Any]:
        body: dict[str, Any] = await request.json()
        return body

    async def _new_check(self, request: web.Request) -> Any:
        made = await self._new(request) | {"id": 1_000 + len(self._checks), "app": {"id": APP}}
        self._checks[str(made["id"])] = made
        return web.json_response(made, status=201)

    async def _old_check(self, request: web.Request) -> Any:
        found = self._checks[request.match_info["id"]]
        found |= await self._new(request)
        return web.json_response(found)

    def _comments_of(self, request: web.Request) -> Any:
        number = int(request.match_info["number"])
        return [one for one in self._comments.values() if one["number"] == number]

    async def _new_comment(self, request: web.Request) -> Any:
        ident = 1_000 + len(self._comments)
        made = await self._new(request) | {"id": ident, "node_id": f"C{ident}", "created_at": stamp(self._now())}
        made |= {"number": int(request.match_info["number"]), "performed_via_github_app": {"id": APP}}
        self._comments[ident] = made
        return web.json_response(made, status=201)

    async def _old_comment(self, request: web.Request) -> Any:
        found = self._comments[int(request.match_info["id"])]
        found |= await self._new(request)
        return web.json_response(found)

    async def _reaction(self, request: web.Request) -> Any:
        self.heard.setdefault(int(request.match_info["id"]), self._now())
        return web.json_response({"id": 1} | await self._new(request), status=201)

    def _permission(self, request: web.Request) -> Any:
        login = request.match_info["login"]
        ident = next(pull.author["id"] for pull in self.world.pulls.values() if pull.author["login"] == login)
        return {"permission": "write", "user": {"id": ident, "login": login}}

    async def _graphql(self, request: web.Request) -> Any:
        asked = await request.json()
        given = asked.get("variables") or {}
        if "pullRequests(" in asked["query"]:
            first = int(given.get("after") or 0)
            pulls = list(self.world.pulls.values())
            page = {
                "pageInfo": {"hasNextPage": first + 50 < len(pulls), "endCursor": str(first + 50)},
                "nodes": [self._node(pull) for pull in pulls[first : first + 50]],
            }
            return web.json_response({"data": {"repository": {"pullRequests": page}}})
        if "pullRequest(" in asked["query"]:
            return web.json_response({"data": {"repository": {"pullRequest": self._looked_at(int(given["number"]))}}})
        return web.json_response({"data": {"changed": {"isMinimized": True}}})

    def _looked_at(self, number: int) -> dict[str, Any] | None:
        """What a last look before an effect is shown."""
        pull = self.world.pulls.get(number)
        if pull is None:
            return None
        file = {"mode": 0o100644, "object": {"isTruncated": False, "text": CONFIG}}
        base = {"target": {"oid": self.world.base, "file": file}}
        return self._node(pull) | {"id": f"PR_{number}", "autoMergeRequest": None, "baseRef": base}

    def _node(self, pull: Pull) -> dict[str, Any]:
        now = self._now()
        runs = self.world.runs[pull.sha]
        begun = [job for run in runs for job in run.jobs if job.starts <= now]
        ended = [job for job in begun if job.ends <= now]
        failed = sum(job.red for job in ended)
        counts = [{"state": "FAILURE", "count": failed}, {"state": "SUCCESS", "count": len(ended) - failed}]
        counts.append({"state": "IN_PROGRESS", "count": len(begun) - len(ended)})
        rollup = {"contexts": {"checkRunCountsByState": counts, "statusContextCountsByState": []}}
        changed = [run.ends if run.ends <= now else run.made for run in runs]
        suites = [{"updatedAt": stamp(at), "app": {"slug": ACTIONS["slug"]}} for at in changed]
        return {
            "number": pull.number,
            "title": f"Change {pull.number}",
            "isDraft": False,
            "state": "OPEN",
            "isCrossRepository": False,
            "updatedAt": stamp(pull.updated),
            "headRefName": pull.ref,
            "headRefOid": pull.sha,
            "baseRefName": "main",
            "baseRef": {"target": {"oid": self.world.base}},
            "author": {"login": pull.author["login"], "__typename": "User", "databaseId": pull.author["id"]},
            "headRepository": {"databaseId": REPO, "owner": {"login": OWNER}},
            "labels": {"nodes": []},
            "commits": {"nodes": [{"commit": {"statusCheckRollup": rollup, "checkSuites": {"nodes": suites}}}]},
        }


def _status(request: web.Request) -> int:
    return 201 if request.path.endswith("access_tokens") else 200


def log_of(job: Job, lines: int) -> str:
    """A job's log in GitHub's frame: pytest, with one failure where the job is red."""
    at = stamp(job.starts + 6.0).replace("Z", ".1234567Z")
    rows = ["##[group]Run python -m pytest", "python -m pytest", "##[endgroup]"]
    rows += [f"tests/test_a.py::test_{number} PASSED [ {number * 100 // lines}%]" for number in range(lines)]
    if job.red:
        rows += [
            "=================================== FAILURES ===================================",
            f"__________________________________ test_{job.run.sha[:4]} __________________________________",
            "    def test_it():",
            ">       assert total() == 3",
            "E       assert 4 == 3",
            "tests/test_a.py:7: AssertionError",
            "=========================== short test summary info ============================",
            f"FAILED tests/test_a.py::test_{job.run.sha[:4]} - assert 4 == 3",
            f"======================== 1 failed, {lines} passed in 9.87s ========================",
            "##[error]Process completed with exit code 1.",
        ]
    else:
        rows += [f"============================= {lines} passed in 9.87s =============================="]
    return "".join(f"{at} {row}\n" for row in rows)
