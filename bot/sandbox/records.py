"""The single records of the embedded GitHub's state: accounts, conversations, checks, runs. Plain and mutable."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from bot.sandbox.git import Person

Role = Literal["read", "triage", "write", "maintain", "admin"]


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
    queue_exits: list[QueueExit] = field(default_factory=list)


@dataclass
class QueueExit:
    """Its way out of a merge queue, as its conversation keeps it: `commit` is the group's, or without one the head."""

    id: int
    at: float
    reason: str
    commit: str
    enqueuer: Account


@dataclass
class MergeGroup:
    """What a merge queue tests for one entry: the commit `head_sha` on `branch`, made of `base_sha` and that entry."""

    head_sha: str
    base_sha: str
    branch: str
    formed_at: float


@dataclass
class QueueEntry:
    """A pull request in a merge queue, with the head that was enqueued. Without a group it waits for its turn."""

    id: int
    pull: int
    head_sha: str
    enqueuer: Account
    enqueued_at: float
    jump: bool = False
    group: MergeGroup | None = None


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
class Cache:
    """What a job left for later ones: `ref` is where it is found, `version` tells paths and compression."""

    id: int
    ref: str
    key: str
    version: str
    data: bytes
    created_at: float
    last_accessed_at: float


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
