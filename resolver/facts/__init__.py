"""Everything that can have happened, as one closed union of past-tense values. `resolver.journal` writes and reads
them.

A fact is what was observed, decided or done. It never says what follows from it: that is `decide`'s part.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from resolver.attribution.diff import ChangedFile
from resolver.attribution.outage import OutageMode
from resolver.attribution.outcome import Verdict
from resolver.attribution.withdraw import Reattributed
from resolver.backoff import LimitSigns
from resolver.config import ConfigProblem, RepoConfig
from resolver.executions import Check
from resolver.facts.commands import CommandFact
from resolver.facts.decisions import DecisionFact
from resolver.facts.landings import LandingFact
from resolver.facts.orphans import OrphanFact
from resolver.facts.quarantine import QuarantineFact
from resolver.facts.queue import QueueFact
from resolver.facts.resolve import ResolveFact
from resolver.facts.runs import RunFact
from resolver.failure import Failure
from resolver.ids import InstallationId, PullNumber, RepoId, Sha
from resolver.ledger.events import GroupFailed, ProbeStarted, RerunEnded, RerunStarted, Synced
from resolver.log.cache_keys import CacheKeys
from resolver.other_ci import AnnotationsRead, CheckBegun, CheckFinished, StatusSeen
from resolver.people import Person
from resolver.plan import Plan
from resolver.progress import JobProgressed, JobStalled
from resolver.records import Record
from resolver.secrets import mask

Json = dict[str, Any]
Masked = Annotated[str, AfterValidator(mask)]
"""Text of people that is kept: without secrets (specification, invariant 10)."""


class RepoObserved(Record):
    """A repository as GitHub showed it. It is known by its id; names change."""

    repo_id: RepoId
    full_name: str
    default_branch: str
    installation_id: InstallationId | None
    private: bool = False
    archived: bool = False


class InstallationChanged(Record):
    """The App lost or regained its access to this repository. `installation_id` is None where no delivery told of it:
    the repository was in no installation's list any more.
    """

    installation_id: InstallationId | None
    active: bool
    at: float


class PullObserved(Record):
    """A pull request as GitHub showed it at `updated_at` (seconds): an older view never replaces a newer one. `plan` is
    the `failres` block of its description, None where it has none.
    """

    number: PullNumber
    title: Masked
    author: Person
    head_sha: Sha
    head_ref: str
    head_repo_id: RepoId | None
    head_owner: str | None
    base_ref: str
    state: Literal["open", "closed"]
    updated_at: float
    draft: bool = False
    merged: bool = False
    labels: tuple[str, ...] = ()
    plan: Plan | None = None


class PullFilesRead(Record):
    """The files that a pull request changes at one head, and for the first of them which lines.

    `truncated` when GitHub listed no more than 3,000 files, or when not all files' lines are kept.
    """

    number: PullNumber
    head_sha: Sha
    files: tuple[str, ...]
    changes: tuple[ChangedFile, ...] = ()
    truncated: bool = False


class BaseMoved(Record):
    """A branch got a new commit. `config_touched` is None where the push listed too many commits to tell."""

    ref: str
    sha: Sha
    config_touched: bool | None


class ConfigRead(Record):
    """`.github/failres.yml` on a base branch: its content when valid, its problems when not, neither when absent.

    `misnamed` are files that stand there instead and that nothing reads.
    """

    ref: str
    sha: Sha | None
    found: bool
    settings: RepoConfig | None = None
    problems: tuple[ConfigProblem, ...] = ()
    misnamed: tuple[str, ...] = ()


class PullConfigRead(Record):
    """The configuration file that a pull request brings, checked; it is never acted on from there."""

    number: PullNumber
    head_sha: Sha
    found: bool
    problems: tuple[ConfigProblem, ...] = ()


class RunObserved(Record):
    """A workflow run in one attempt. A rerun keeps the id and raises `attempt`."""

    run_id: int
    attempt: int
    path: str
    name: str
    event: str
    head_sha: Sha
    head_branch: str | None
    head_owner: str | None
    status: str
    conclusion: str | None
    url: str
    updated_at: float


class StepFinished(Record):
    """One step of a finished job. Times are in seconds."""

    number: int
    name: str
    conclusion: str | None
    started_at: float | None = None
    completed_at: float | None = None


class JobFinished(Record):
    """One execution: a job of one attempt that has ended, whatever told us so. GitHub keeps its annotations at
    `check_run_id`. `runs_on` are the labels that its runner had to have, in their order by name.
    """

    job_id: int
    run_id: int
    attempt: int
    name: str
    workflow: str
    head_sha: Sha
    head_branch: str | None
    conclusion: str
    started_at: float | None
    completed_at: float | None
    runner: str | None
    url: str
    steps: tuple[StepFinished, ...] = ()
    check_run_id: int | None = None
    runs_on: str = ""


class JobTriaged(Record):
    """What a job's log said, with its reports and annotations. `missing` says why nothing is known of it; then there is
    no verdict either.

    `tested_base` is the base commit that the checkout named; `tested_head`: it was the head without a merge. `passed`
    are items, or what holds them, that were seen executed and passed; `tests` is the runner's own count. `caches` are
    the keys that the job used, `limit` the headers of a limit that it met. `because_of` are failed jobs of the same run
    that it needs, where it names nothing that failed of its own: it is only derived.
    """

    job_id: int
    run_id: int
    attempt: int
    head_sha: Sha
    kind: str
    tested_base: Sha | None = None
    tested_head: bool = False
    failures: tuple[Failure, ...] = ()
    passed: tuple[str, ...] = ()
    tests: int | None = None
    flaky: tuple[str, ...] = ()
    capped: int = 0
    lines: int = 0
    size: int = 0
    missing: str | None = None
    caches: CacheKeys = CacheKeys()
    limit: LimitSigns = LimitSigns()
    because_of: tuple[str, ...] = ()


class RollupSeen(Record):
    """How many checks of a head had failed, had passed and were running when the open pull requests were listed.

    `changed_at` is when GitHub last changed anything of Actions' suites there (seconds): a rerun that ends as before
    shows in nothing else.
    """

    head_sha: Sha
    failed: int
    passed: int
    running: int = 0
    changed_at: float | None = None


class RunsRead(Record):
    """All runs of a head were listed, so that what webhooks did not tell is known; `rollup` is what made us look.

    `others`: the checks of other CI were listed as well.
    """

    head_sha: Sha
    at: float
    rollup: RollupSeen | None = None
    others: bool = True


class ActionStarted(Record):
    """An action went to the workers. `ticket` names this start of it, `key` its content, `target` what it writes,
    `spends` the ledger's record that counts it.
    """

    ticket: str
    key: str
    target: str
    type: str
    number: PullNumber | None
    at: float
    spends: str | None = None


class ActionDone(Record):
    """GitHub has carried out an action; `result` holds what later actions need (a comment's id)."""

    ticket: str
    key: str
    target: str
    number: PullNumber | None
    result: Json = Field(default_factory=dict)


class ActionRefused(Record):
    """An action did not happen and is not tried again for the same content: why, in words.

    `unspent` names the ledger's record that it would have spent, where certainly nothing has reached GitHub. What only
    interrupted it has a `fail_class` of the taxonomy.
    """

    ticket: str
    key: str
    target: str
    number: PullNumber | None
    reason: str
    retry_at: float | None = None
    unspent: str | None = None
    fail_class: str = ""


class HeadPushed(Record):
    """Somebody pushed a pull request's head at `at` (seconds); a person's push starts the counting anew."""

    number: PullNumber
    head_sha: Sha
    by: Person
    at: float


class GateAttributed(Verdict):
    """A failing item of a pull request's head got its cause at `at` (seconds): `gate.attributed` (section 5)."""

    number: PullNumber
    head_sha: Sha
    task_id: str
    at: float

    def verdict(self) -> Verdict:
        """Give the verdict alone."""
        return Verdict.model_validate({name: getattr(self, name) for name in Verdict.model_fields})


class GateReattributed(Reattributed):
    """A verdict was withdrawn, or the world moved on: `gate.reattributed`."""

    number: PullNumber
    head_sha: Sha


class ProbeDispatched(Record):
    """A check was started on a clean base commit at our own wish. `commit` is what runs: an empty child of `base_sha`,
    on `branch`. `run_id` is None where GitHub did not say which run it started; `nonce` then finds it.

    `event` is what makes the run that counts, `workflow` its file (empty: any on that commit), `pull` the draft pull
    request that was opened for it, `item` the test that the workflow was told to run first.
    """

    probe_id: str
    check: Check
    base_sha: Sha
    commit: Sha
    branch: str
    run_id: int | None
    nonce: str
    event: str = "workflow_dispatch"
    workflow: str = ""
    pull: PullNumber | None = None
    item: str = ""


class ProbeRemoved(Record):
    """A probe's branch is gone: the probe has ended, or was given up, for the reason given."""

    probe_id: str
    reason: str


class OutageChanged(Record):
    """Many tasks fail together, or do not any more: `mode` says since when and by what (specification, section 5)."""

    mode: OutageMode


class CommentGone(Record):
    """The comment that failres kept up to date was deleted by somebody."""

    number: PullNumber
    comment_id: int


class EngineStuck(Record):
    """A pull request whose records could not be folded or decided; nothing is done on it until its head changes."""

    number: PullNumber
    head_sha: Sha | None
    error: str


Decided = DecisionFact | ResolveFact | QuarantineFact | RunFact
"""What failres or a person decided, as opposed to what was seen or done."""

Fact = (
    RepoObserved
    | InstallationChanged
    | PullObserved
    | PullFilesRead
    | BaseMoved
    | ConfigRead
    | PullConfigRead
    | RunObserved
    | JobFinished
    | JobTriaged
    | JobProgressed
    | JobStalled
    | CheckBegun
    | CheckFinished
    | StatusSeen
    | AnnotationsRead
    | RollupSeen
    | RunsRead
    | ActionStarted
    | ActionDone
    | ActionRefused
    | HeadPushed
    | GateAttributed
    | GateReattributed
    | ProbeDispatched
    | ProbeRemoved
    | RerunStarted
    | RerunEnded
    | ProbeStarted
    | Synced
    | GroupFailed
    | OutageChanged
    | OrphanFact
    | CommandFact
    | Decided
    | LandingFact
    | QueueFact
    | CommentGone
    | EngineStuck
)
