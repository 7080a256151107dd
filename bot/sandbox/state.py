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
from typing import Any, Literal

from bot.clock import Clock
from bot.sandbox.git import Git, Person

Role = Literal["read", "triage", "write", "maintain", "admin"]
ACTIONS_APP_ID = 15368


@dataclass
class Account:
    """A user, an organisation, or an App's bot user (`slug[bot]`)."""

    id: int
    login: str
    type: Literal["User", "Organization", "Bot"] = "User"

    @property
    def email(self) -> str:
        """The address in this account's commits; it leads back to the account."""
        return f"{self.id}+{self.login}@users.noreply.github.com"

    def signature(self, when: float) -> Person:
        """This account as the author of a commit."""
        return Person(self.login, self.email, int(when))


@dataclass
class App:
    """A GitHub App as its manifest made it: the events it gets and the permissions it may ask for."""

    id: int
    slug: str
    name: str
    owner: Account
    bot: Account
    public_key: str
    webhook_url: str | None
    webhook_secret: str
    events: frozenset[str]
    permissions: dict[str, str]


@dataclass(frozen=True)
class Actor:
    """Who does something: a person, or an App through its bot; an Actions job's own token says so."""

    account: Account
    app: App | None = None
    by_workflow_token: bool = False


@dataclass
class Installation:
    """An App on an account; `repositories` holds repository ids, `None` means all of the account's."""

    id: int
    app: App
    account: Account
    repositories: set[int] | None
    permissions: dict[str, str]
    created_at: float
    suspended_at: float | None = None


@dataclass
class Token:
    """A credential: an installation's (with its expiry) or a user's own."""

    value: str
    created_at: float
    expires_at: float | None
    installation: Installation | None = None
    user: Account | None = None
    permissions: dict[str, str] = field(default_factory=dict)
    repositories: set[int] | None = None
    of_workflow: bool = False

    @property
    def actor(self) -> Actor:
        """Who acts by this token: its user, or the App's bot."""
        if self.installation is not None:
            return Actor(self.installation.app.bot, self.installation.app, self.of_workflow)
        if self.user is None:
            raise ValueError("a token belongs to an installation or to a user")
        return Actor(self.user)


@dataclass
class Reaction:
    """One person's reaction, by GitHub's name for it (`+1`, `eyes`, …)."""

    id: int
    user: Account
    content: str
    created_at: float


@dataclass
class Comment:
    """A comment in a pull request's (or issue's) conversation."""

    id: int
    number: int
    author: Account
    body: str
    created_at: float
    updated_at: float
    via_app: App | None = None
    minimized: str | None = None
    reactions: list[Reaction] = field(default_factory=list)


@dataclass
class Review:
    """A submitted review, bound to the commit that was read."""

    id: int
    author: Account
    state: Literal["APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED"]
    body: str
    commit: str
    submitted_at: float


@dataclass
class Pull:
    """A pull request. `head_repo` is the fork's id for one from a fork; `merge_commit` is the test merge of
    `merge_tested` (base, head), made lazily; once merged, the commit that landed.
    """

    number: int
    id: int
    title: str
    body: str | None
    author: Account
    head_repo: int
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    created_at: float
    updated_at: float
    state: Literal["open", "closed"] = "open"
    draft: bool = False
    merged_at: float | None = None
    merged_by: Account | None = None
    closed_at: float | None = None
    merge_commit: str | None = None
    mergeable: bool | None = None
    merge_tested: tuple[str, str] | None = None
    maintainer_can_modify: bool = True
    locked: bool = False
    labels: list[str] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    auto_merge: dict[str, Any] | None = None


@dataclass
class Issue:
    """An issue that is no pull request."""

    number: int
    id: int
    title: str
    body: str | None
    author: Account
    created_at: float
    updated_at: float
    state: Literal["open", "closed"] = "open"
    labels: list[str] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)


@dataclass
class CheckSuite:
    """What groups an App's check runs on a commit; Actions makes one for each workflow run."""

    id: int
    app: App
    head_sha: str
    head_branch: str | None
    created_at: float
    updated_at: float
    status: str = "queued"
    conclusion: str | None = None
    before: str | None = None
    after: str | None = None
    run_id: int | None = None


@dataclass
class CheckRun:
    """One check run, an Actions job's or an App's own."""

    id: int
    suite: int
    app: App
    name: str
    head_sha: str
    started_at: float
    status: str = "queued"
    conclusion: str | None = None
    completed_at: float | None = None
    external_id: str = ""
    details_url: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list)
    actions: list[dict[str, str]] = field(default_factory=list)
    job_id: int | None = None


@dataclass
class Step:
    """One step of a job as the jobs API shows it."""

    number: int
    name: str
    status: str = "queued"
    conclusion: str | None = None
    started_at: float | None = None
    completed_at: float | None = None


@dataclass
class Job:
    """One job of one attempt. `log` is what the log endpoint serves once it is completed; `None`: never written."""

    id: int
    run_id: int
    attempt: int
    key: str
    name: str
    head_sha: str
    created_at: float
    labels: list[str]
    check_run: int
    status: str = "queued"
    conclusion: str | None = None
    started_at: float | None = None
    completed_at: float | None = None
    steps: list[Step] = field(default_factory=list)
    runner_id: int | None = None
    runner_name: str | None = None
    matrix: dict[str, Any] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    log: bytes | None = None
    carried_over: bool = False


@dataclass
class Artifact:
    """A zip that a run uploaded."""

    id: int
    run_id: int
    name: str
    data: bytes
    created_at: float
    expires_at: float


@dataclass
class Attempt:
    """One attempt of a workflow run and its jobs."""

    number: int
    started_at: float
    triggering_actor: Account
    status: str = "queued"
    conclusion: str | None = None
    updated_at: float = 0.0
    jobs: list[Job] = field(default_factory=list)


@dataclass
class WorkflowRun:
    """A workflow run: one id over all attempts. `checkout` is the tested commit, frozen when the run was made."""

    id: int
    workflow_id: int
    path: str
    name: str
    title: str
    event: str
    head_branch: str | None
    head_sha: str
    head_repo: int
    checkout: str
    run_number: int
    actor: Account
    created_at: float
    suite: int
    pull: int | None = None
    ref: str = ""
    inputs: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def latest(self) -> Attempt:
        """The newest attempt; there is always one."""
        return self.attempts[-1]


@dataclass
class Workflow:
    """A workflow file that GitHub has registered; its id outlives edits of the file."""

    id: int
    path: str
    name: str
    state: str = "active"


@dataclass
class Status:
    """One commit status of another CI."""

    id: int
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    creator: Account
    created_at: float


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
    rulesets: list[dict[str, Any]] = field(default_factory=list)
    protection: dict[str, dict[str, Any]] = field(default_factory=dict)
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
