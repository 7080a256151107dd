"""
The second origin: where logs and artifacts are downloaded by signed links.

GitHub: a link works for one minute; the store refuses an `Authorization` header that a client forwards; a job's log is
404 `BlobNotFound` (XML) until the job is completed, and for ever where none was written (GITHUB.md traps 16, 18, 19).
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from aiohttp import web

from bot.sandbox.ci.runner.archive import pack
from bot.sandbox.state import Artifact, GitHub, Job, WorkflowRun

LINK_SECONDS = 60.0
Kind = Literal["logs", "run-logs", "artifacts"]


@dataclass(frozen=True)
class Fault:
    """What an error of the store looks like: status, code, sentence."""

    status: int
    code: str
    message: str


_NOT_FOUND = Fault(404, "BlobNotFound", "The specified blob does not exist.")
_EXPIRED = Fault(403, "AuthenticationFailed", "Server failed to authenticate the request. Signature not valid.")
_TWO_SECRETS = Fault(401, "InvalidAuthenticationInfo", "Authentication information is not given in the correct format.")


class LogOrigin:
    """Makes links and serves what they lead to. `url` is the origin's address, set once its port is open."""

    def __init__(self, github: GitHub, url: str = "http://logs.github.sandbox") -> None:
        self.url = url
        self._github = github
        self._key = secrets.token_bytes(32)

    def application(self) -> web.Application:
        """The origin as an aiohttp application; open it on a port of its own."""
        application = web.Application()
        application.router.add_get("/{kind}/{name}", self._serve)
        return application

    def job_log(self, job: Job) -> str:
        """Link to a job's log."""
        return self._link("logs", str(job.id))

    def run_logs(self, run: WorkflowRun, attempt: int) -> str:
        """Link to a zip with one text file for each job of an attempt that wrote a log."""
        return self._link("run-logs", f"{run.id}-{attempt}")

    def artifact(self, artifact: Artifact) -> str:
        """Link to an artifact's zip."""
        return self._link("artifacts", str(artifact.id))

    def _link(self, kind: Kind, name: str) -> str:
        expires = f"{self._github.clock.now() + LINK_SECONDS:.3f}"
        return f"{self.url}/{kind}/{name}?se={expires}&sig={self._sign(kind, name, expires)}"

    def _sign(self, kind: str, name: str, expires: str) -> str:
        return hmac.new(self._key, f"{kind}/{name}/{expires}".encode(), "sha256").hexdigest()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        kind, name = request.match_info["kind"], request.match_info["name"]
        if "Authorization" in request.headers:
            return _answer(_TWO_SECRETS)
        if not self._valid(kind, name, request.query.get("se", ""), request.query.get("sig", "")):
            return _answer(_EXPIRED)
        readers: dict[str, Callable[[str], bytes | None]] = {
            "logs": self._job_log,
            "run-logs": self._run_logs,
            "artifacts": self._artifact,
        }
        content = readers[kind](name)
        if content is None:
            return _answer(_NOT_FOUND)
        return web.Response(body=content, content_type="text/plain" if kind == "logs" else "application/zip")

    def _valid(self, kind: str, name: str, expires: str, given: str) -> bool:
        if not hmac.compare_digest(self._sign(kind, name, expires).encode(), given.encode()):
            return False
        return self._github.clock.now() <= float(expires)

    def _job_log(self, name: str) -> bytes | None:
        for repo in self._github.repositories.values():
            for run in repo.runs.values():
                for attempt in run.attempts:
                    for job in attempt.jobs:
                        if str(job.id) == name:
                            return job.log if job.status == "completed" else None
        return None

    def _run_logs(self, name: str) -> bytes | None:
        number, _, attempt = name.partition("-")
        for repo in self._github.repositories.values():
            run = repo.runs.get(int(number))
            if run is not None:
                jobs = run.attempts[int(attempt) - 1].jobs
                return pack((f"{at}_{_file_name(job)}.txt", job.log) for at, job in enumerate(jobs) if job.log)
        return None

    def _artifact(self, name: str) -> bytes | None:
        for repo in self._github.repositories.values():
            found = repo.artifacts.get(int(name))
            if found is not None:
                return found.data
        return None


def _file_name(job: Job) -> str:
    return "".join("_" if letter in '/\\:*?"<>|' else letter for letter in job.name)[:90]


def _answer(fault: Fault) -> web.Response:
    error = f"<Error><Code>{fault.code}</Code><Message>{fault.message}</Message></Error>"
    text = f'\ufeff<?xml version="1.0" encoding="utf-8"?>{error}'
    return web.Response(
        status=fault.status, text=text, content_type="application/xml", headers={"x-ms-error-code": fault.code}
    )
