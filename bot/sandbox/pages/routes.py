"""
Serves the pages. Reading needs nothing; the two forms say as whom, carry a token, and act through the story's verbs.

Meant for loopback: a request whose `Host` is another name is refused, so that no page elsewhere can reach these.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from importlib import resources

from aiohttp import web

from bot.sandbox.changes.refusals import Refused
from bot.sandbox.pages import changes, checks, lists
from bot.sandbox.pages.blob import blob
from bot.sandbox.pages.conversation import conversation
from bot.sandbox.pages.layout import Html, page, text
from bot.sandbox.pages.pull import Seen
from bot.sandbox.people import People
from bot.sandbox.state import Account, GitHub, Repository, WorkflowRun

_LOCAL = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Pages:
    """The pages over one GitHub. `add_to(application)` must come before a route that takes everything."""

    def __init__(self, github: GitHub, people: People) -> None:
        self._github = github
        self._people = people
        self._token = secrets.token_urlsafe(16)
        self._style = resources.files("bot.sandbox.pages").joinpath("style.css").read_text()

    def add_to(self, application: web.Application) -> None:
        """Add the routes."""
        router = application.router
        pull, runs = "/{owner}/{name}/pull/{number:\\d+}", "/{owner}/{name}/actions/runs/{run:\\d+}"
        for path, handler in (
            ("/", self._repositories),
            ("/-/style.css", self._stylesheet),
            ("/{owner}/{name}", self._pulls),
            ("/{owner}/{name}/pulls", self._pulls),
            (pull, self._conversation),
            (f"{pull}/commits", self._commits),
            (f"{pull}/checks", self._checks),
            (f"{pull}/files", self._files),
            ("/{owner}/{name}/commit/{sha}", self._commit),
            ("/{owner}/{name}/blob/{place:.+}", self._blob),
            ("/{owner}/{name}/runs/{check:\\d+}", self._check),
            (runs, self._run),
            (f"{runs}/job/{{job:\\d+}}", self._job),
        ):
            router.add_get(path, self._guarded(handler))
        router.add_post(f"{pull}/comment", self._guarded(self._comment))
        router.add_post("/{owner}/{name}/runs/{check:\\d+}/press", self._guarded(self._press))

    def _guarded(self, handler: Handler) -> Handler:
        async def guarded(request: web.Request) -> web.StreamResponse:
            if (request.url.host or "") not in _LOCAL:
                return web.Response(status=403, text="These pages are for this machine only.\n")
            try:
                return await handler(request)
            except Refused as refused:
                return _html(page("No", Html(f"<h1>{refused.status}</h1><p>{text(refused)}</p>")), refused.status)

        return guarded

    async def _stylesheet(self, request: web.Request) -> web.StreamResponse:  # noqa: ARG002 - aiohttp passes it
        return web.Response(text=self._style, content_type="text/css")

    async def _repositories(self, request: web.Request) -> web.StreamResponse:  # noqa: ARG002 - aiohttp passes it
        return _html(lists.repositories(self._github))

    async def _pulls(self, request: web.Request) -> web.StreamResponse:
        return _html(lists.pulls(self._github, self._repo(request)))

    async def _conversation(self, request: web.Request) -> web.StreamResponse:
        seen = self._seen(request)
        files = await self._count(seen)
        return _html(conversation(seen, files=files, people=self._writers(), token=self._token))

    async def _commits(self, request: web.Request) -> web.StreamResponse:
        seen = self._seen(request)
        return _html(changes.commits(seen, files=await self._count(seen)))

    async def _checks(self, request: web.Request) -> web.StreamResponse:
        seen = self._seen(request)
        return _html(checks.checks(seen, files=await self._count(seen), logins=self._logins(), token=self._token))

    async def _files(self, request: web.Request) -> web.StreamResponse:
        seen = self._seen(request)
        git = seen.repo.git
        changed = await git.diff(git.merge_base(seen.pull.base_sha, seen.pull.head_sha), seen.pull.head_sha)
        return _html(changes.files_changed(seen, changed))

    async def _commit(self, request: web.Request) -> web.StreamResponse:
        repo = self._repo(request)
        sha = repo.git.resolve(request.match_info["sha"])
        if sha is None:
            raise Refused(404, "There is no such commit.")
        commit = repo.git.commit(sha)
        changed = await repo.git.diff(commit.parents[0] if commit.parents else None, sha)
        return _html(changes.one_commit(self._github, repo, commit, changed))

    async def _blob(self, request: web.Request) -> web.StreamResponse:
        repo, parts = self._repo(request), request.match_info["place"].split("/")
        for split in range(1, len(parts)):  # a branch's name may hold slashes
            ref, path = "/".join(parts[:split]), "/".join(parts[split:])
            sha = repo.git.resolve(ref)
            content = repo.git.read(sha, path) if sha else None
            if content is not None:
                return _html(blob(repo, ref, path, content, plain="plain" in request.query))
        raise Refused(404, "There is no such file.")

    async def _check(self, request: web.Request) -> web.StreamResponse:
        repo = self._repo(request)
        run = repo.check_runs.get(int(request.match_info["check"]))
        if run is None:
            raise Refused(404, "There is no such check.")
        return _html(checks.check_page(self._github, repo, run, self._logins(), self._token))

    async def _run(self, request: web.Request) -> web.StreamResponse:
        repo = self._repo(request)
        return _html(checks.run_page(self._github, repo, self._workflow_run(request, repo)))

    async def _job(self, request: web.Request) -> web.StreamResponse:
        repo = self._repo(request)
        run = self._workflow_run(request, repo)
        for attempt in run.attempts:
            for job in attempt.jobs:
                if str(job.id) == request.match_info["job"]:
                    return _html(checks.job_page(repo, run, job))
        raise Refused(404, "There is no such job.")

    async def _comment(self, request: web.Request) -> web.StreamResponse:
        seen, form = self._seen(request), await self._form(request)
        self._people.comment(seen.pull, form["body"].replace("\r\n", "\n"), by=form["by"], repo=seen.repo)
        raise web.HTTPSeeOther(seen.path)

    async def _press(self, request: web.Request) -> web.StreamResponse:
        repo, form = self._repo(request), await self._form(request)
        run = repo.check_runs.get(int(request.match_info["check"]))
        if run is None:
            raise Refused(404, "There is no such check.")
        self._people.press(run, form["button"], by=form["by"], repo=repo)
        raise web.HTTPSeeOther(f"/{repo.full_name}/runs/{run.id}")

    async def _form(self, request: web.Request) -> dict[str, str]:
        """The fields of a form that this page made; 403 for another's, 422 for an unknown person."""
        form = {key: str(value) for key, value in (await request.post()).items()}
        if not secrets.compare_digest(form.get("token", "").encode(), self._token.encode()):
            raise Refused(403, "This form was not made by this page; load it again.")
        if form.get("by") not in self._logins():
            raise Refused(422, "Nobody of that name is here.")
        return {"body": "", "button": "", **form}

    def _repo(self, request: web.Request) -> Repository:
        found = self._github.repository(f"{request.match_info['owner']}/{request.match_info['name']}")
        if found is None:
            raise Refused(404, "There is no such repository.")
        return found

    def _seen(self, request: web.Request) -> Seen:
        repo = self._repo(request)
        pull = repo.pulls.get(int(request.match_info["number"]))
        if pull is None:
            raise Refused(404, "There is no such pull request.")
        return Seen(self._github, repo, pull)

    def _workflow_run(self, request: web.Request, repo: Repository) -> WorkflowRun:
        found = repo.runs.get(int(request.match_info["run"]))
        if found is None:
            raise Refused(404, "There is no such run.")
        return found

    async def _count(self, seen: Seen) -> int:
        git = seen.repo.git
        base = git.merge_base(seen.pull.base_sha, seen.pull.head_sha)
        return sum(len(paths) for paths in git.names(base, seen.pull.head_sha).values())

    def _writers(self) -> list[Account]:
        return [self._github.accounts[login] for login in self._logins()]

    def _logins(self) -> list[str]:
        """Who may be chosen in a form: the people, the maintainer first."""
        people = [one.login for one in self._github.accounts.values() if one.type == "User"]
        return sorted(people, key=lambda login: (login != "maintainer", login))


def _html(body: str, status: int = 200) -> web.Response:
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'self' 'unsafe-inline'; form-action 'self'"}
    return web.Response(status=status, text=body, content_type="text/html", headers=headers)
