"""
Everything the embedded GitHub remembers, as plain mutable records.

Nothing here decides or sends: `changes/` alters these records the way GitHub would and reports each alteration through
`GitHub.happen`; `objects/` turns them into GitHub's JSON; `ci/` and `webhooks` listen. Ids are numbers above 2**31,
as GitHub's have long been. Times are seconds since the epoch, from the injected clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.clock import Clock
from bot.sandbox.git import Git, Person
from bot.sandbox.records import (
    Account,
    Actor,
    App,
    Artifact,
    Attempt,
    Cache,
    CheckRun,
    CheckSuite,
    Comment,
    Installation,
    Issue,
    Job,
    MergeGroup,
    Pull,
    QueueEntry,
    QueueExit,
    Reaction,
    Review,
    Role,
    Status,
    Step,
    Token,
    Workflow,
    WorkflowRun,
)

__all__ = [
    "ACTIONS_APP_ID",
    "Account",
    "Act",
    "Actor",
    "App",
    "Artifact",
    "Attempt",
    "Cache",
    "CheckRun",
    "CheckSuite",
    "Comment",
    "GitHub",
    "Happening",
    "Installation",
    "Issue",
    "Job",
    "MergeGroup",
    "Pull",
    "QueueEntry",
    "QueueExit",
    "Reaction",
    "Repository",
    "Review",
    "Role",
    "Status",
    "Step",
    "Token",
    "Workflow",
    "WorkflowRun",
]
ACTIONS_APP_ID = 15368


@dataclass
class Repository:
    """A repository: git in a bare directory, everything else in these lists and tables."""

    id: int
    owner: Account
    name: str
    git: Git
    created_at: float
    default_branch: str = "main"
    private: bool = False
    archived: bool = False
    fork_of: int | None = None
    collaborators: dict[str, Role] = field(default_factory=dict)
    former_names: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    suites: dict[int, CheckSuite] = field(default_factory=dict)
    check_runs: dict[int, CheckRun] = field(default_factory=dict)
    statuses: list[Status] = field(default_factory=list)
    workflows: dict[str, Workflow] = field(default_factory=dict)
    runs: dict[int, WorkflowRun] = field(default_factory=dict)
    artifacts: dict[int, Artifact] = field(default_factory=dict)
    caches: dict[int, Cache] = field(default_factory=dict)
    rulesets: list[dict[str, Any]] = field(default_factory=list)
    protection: dict[str, dict[str, Any]] = field(default_factory=dict)
    queues: dict[str, list[QueueEntry]] = field(default_factory=dict)
    grouped: set[str] = field(default_factory=set)
    next_number: int = 1
    description: str | None = None
    pushed_at: float | None = None

    @property
    def git_dir(self) -> Path:
        """The bare repository's directory."""
        return self.git.git_dir

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return f"{self.owner.login}/{self.name}"


@dataclass(frozen=True)
class Happening:
    """
    Something that happened and that GitHub tells: `event` and `action` in webhook words, `actor` who did it.

    `subject` holds the records concerned (`pull`, `comment`, `check_run`, `suite`, `run`, `job`, `label`, …) and event
    fields (`before`, `after`, `ref`, `changes`), for listeners that build a payload or start workflows.
    `by_workflow_token` is true for what an Actions job did with its own token: such events start no workflow.
    """

    event: str
    action: str | None
    repo: Repository | None
    actor: Account
    subject: dict[str, Any]
    by_workflow_token: bool = False


@dataclass
class GitHub:
    """The whole of the embedded GitHub."""

    root: Path
    clock: Clock
    accounts: dict[str, Account] = field(default_factory=dict)
    apps: dict[int, App] = field(default_factory=dict)
    installations: dict[int, Installation] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    repositories: dict[int, Repository] = field(default_factory=dict)
    listeners: list[Callable[[Happening], None]] = field(default_factory=list)
    web_url: str = "http://github.sandbox"
    api_url: str = "http://api.github.sandbox"
    _last_id: int = 3_000_000_000
    _last_number: int = 180_000_000

    def new_id(self) -> int:
        """Give a number that no record has yet."""
        self._last_id += 1
        return self._last_id

    def new_number(self) -> int:
        """Give a number that fits 32 bits, as those of accounts, repositories, Apps and installations still do."""
        self._last_number += 1
        return self._last_number

    def actions_app(self) -> App:
        """GitHub Actions, the App to which workflow runs and their checks belong (its real id is 15368)."""
        return self.apps[ACTIONS_APP_ID]

    def account_of(self, person: Person) -> Account | None:
        """Find the account behind a commit's author by its address."""
        number = person.email.partition("+")[0]
        return next((one for one in self.accounts.values() if str(one.id) == number), None)

    def happen(self, happening: Happening) -> None:
        """Tell every listener, in the order in which they subscribed."""
        for listener in self.listeners:
            listener(happening)

    def repository(self, full_name: str) -> Repository | None:
        """Find a repository by `owner/name` (a former name counts), case-insensitively as GitHub does."""
        wanted = full_name.lower()
        repos = self.repositories.values()
        for repo in repos:
            if wanted == repo.full_name.lower():
                return repo
        return next((repo for repo in repos if wanted in (name.lower() for name in repo.former_names)), None)


@dataclass(frozen=True)
class Act:
    """One act: who does it, in which repository. What every change of state is given."""

    github: GitHub
    repo: Repository
    by: Actor

    @property
    def now(self) -> float:
        """The time of it."""
        return self.github.clock.now()

    def elsewhere(self, repo: Repository) -> Act:
        """The same actor in another repository."""
        return Act(self.github, repo, self.by)

    def tell(self, event: str, action: str | None, **subject: Any) -> None:
        """Let GitHub tell of it."""
        self.github.happen(Happening(event, action, self.repo, self.by.account, subject, self.by.by_workflow_token))
