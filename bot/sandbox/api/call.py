"""One call of the REST API as its handler sees it, and what it answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from bot.sandbox import paging
from bot.sandbox.api.ci import CiEngine, Downloads
from bot.sandbox.auth import Caller, Tokens
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.description import Operation
from bot.sandbox.limits import Limits
from bot.sandbox.state import Act, CheckRun, GitHub, Pull, Repository, WorkflowRun

T = TypeVar("T")


@dataclass
class Services:
    """What handlers work with."""

    github: GitHub
    tokens: Tokens
    limits: Limits
    ci: CiEngine
    downloads: Downloads


@dataclass(frozen=True)
class Reply:
    """An answer. `body` is JSON, bytes as they are, or `None` for no body."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Call:
    """A checked request: the repository is known and visible, the caller may do this, the body fits its schema."""

    services: Services
    operation: Operation
    caller: Caller
    parameters: Mapping[str, str]
    query: Mapping[str, str]
    body: Any
    accept: str
    headers: Mapping[str, str]
    rest: str
    repository: Repository | None = None

    @property
    def github(self) -> GitHub:
        """The state."""
        return self.services.github

    @property
    def repo(self) -> Repository:
        """The repository in the path."""
        if self.repository is None:
            raise Refused(404, "Not Found")
        return self.repository

    @property
    def act(self) -> Act:
        """The caller's act in this repository."""
        return Act(self.github, self.repo, self.caller.actor)

    @property
    def pull(self) -> Pull:
        """The pull request in the path; 404 where there is none."""
        return found(self.repo.pulls.get(self.number("pull_number")))

    @property
    def check_run(self) -> CheckRun:
        """The check run in the path."""
        return found(self.repo.check_runs.get(self.number("check_run_id")))

    @property
    def run(self) -> WorkflowRun:
        """The workflow run in the path."""
        return found(self.repo.runs.get(self.number("run_id")))

    def number(self, name: str) -> int:
        """A numeric path parameter; 404 for what is no number."""
        text = self.parameters[name]
        if not (text.isascii() and text.isdigit()):
            raise Refused(404, "Not Found")
        return int(text)

    def commit(self, ref: str) -> str:
        """The commit that a branch, tag or SHA in the path means; 422 where there is none."""
        sha = self.repo.git.resolve(ref)
        if sha is None:
            raise Refused(422, f"No commit found for SHA: {ref}")
        return sha

    def page(self, items: Sequence[T], show: Callable[[T], Any], *, key: str | None = None, **more: Any) -> Reply:
        """Answer one page of a list; under `key` with its `total_count` where GitHub does so."""
        page = paging.asked(self.query)
        shown = [show(item) for item in items[page.slice]]
        if self.repository is None:
            url = f"{self.github.api_url}{self.rest}"
        else:
            url = f"{self.github.api_url}/repositories/{self.repository.id}{self.rest}"
        link = paging.link(url, self.query, page, len(items))
        body = shown if key is None else {"total_count": len(items), key: shown, **more}
        return Reply(200, body, {} if link is None else {"Link": link})


Handler = Callable[[Call], Awaitable[Reply]]


@dataclass(frozen=True)
class Route:
    """
    What answers an operation.

    `permissions` are alternatives (`"issues:write"`; `"contents:write,workflows:write"` needs both). `who`: `token` for
    installations and people, `app` for an App's JWT, `installation`, or `anyone`.
    """

    handler: Handler
    permissions: tuple[str, ...] = ()
    who: Literal["token", "app", "installation", "anyone"] = "token"


Table = dict[str, Route]


def route(handler: Handler, *permissions: str) -> Route:
    """A route of a repository, for tokens with one of the permissions."""
    return Route(handler, permissions)


def found(item: T | None) -> T:
    """404 for what is not there."""
    if item is None:
        raise Refused(404, "Not Found")
    return item
