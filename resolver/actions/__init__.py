"""Everything that can be done, in the imperative, as one closed union. Reading GitHub is an action too: its outcome is
a fact.

`target` is what an action reads or writes (the newest one for a target wins), `key` its identity by content: the same
key twice is the same action. Actions carry values for `bot.words` to phrase, never sentences.
"""

from __future__ import annotations

from typing import Literal

from resolver.actions.base import Action
from resolver.actions.landings import LandingAction
from resolver.actions.model import CallModel
from resolver.actions.queue import QueueAction
from resolver.actions.repairs import RemoveOrphans, RepairAction, TellOfOrphans
from resolver.actions.talk import TalkAction
from resolver.actions.trouble import TellOfTrouble
from resolver.digest import digest
from resolver.executions import Check
from resolver.facts import RollupSeen, StepFinished
from resolver.facts.commands import Button
from resolver.handoff import BRANCH, Handoff
from resolver.ids import PullNumber, RunId, Sha
from resolver.report import Report
from resolver.task_scope import TaskScope


class ReadPull(Action):
    """Read a pull request anew."""

    type: Literal["read-pull"] = "read-pull"
    number: PullNumber

    @property
    def target(self) -> str:
        """The pull request's own state."""
        return f"pull:{self.number}"


class ReadFiles(Action):
    """List the files that a pull request changes at a head, against its base branch."""

    type: Literal["read-files"] = "read-files"
    number: PullNumber
    head_sha: Sha
    base_ref: str

    @property
    def target(self) -> str:
        """The files of that pull request."""
        return f"files:{self.number}"


class ReadConfig(Action):
    """Read and check `.github/failres.yml` on a base branch."""

    type: Literal["read-config"] = "read-config"
    ref: str
    sha: Sha | None

    @property
    def target(self) -> str:
        """The configuration on that branch."""
        return f"config:{self.ref}"


class ReadPullConfig(Action):
    """Check the configuration file that a pull request brings."""

    type: Literal["read-pull-config"] = "read-pull-config"
    number: PullNumber
    head_sha: Sha

    @property
    def target(self) -> str:
        """The configuration at that head."""
        return f"pull-config:{self.number}"


class ReadRuns(Action):
    """List a head's workflow runs with their jobs: what webhooks may not have told. `others`: other CI's checks too."""

    type: Literal["read-runs"] = "read-runs"
    head_sha: Sha
    rollup: RollupSeen | None = None
    slot: int = 0
    others: bool = True

    @property
    def target(self) -> str:
        """The runs of that head."""
        return f"runs:{self.head_sha}"


class FindPull(Action):
    """Find the open pull request that a failing head belongs to; events of forks do not name it."""

    type: Literal["find-pull"] = "find-pull"
    head_sha: Sha
    head_owner: str | None
    head_branch: str | None

    @property
    def target(self) -> str:
        """The pull request of that head."""
        return f"pull-of:{self.head_sha}"


class ReadLog(Action):
    """Read a job's log: a failed one for its failures, a green one for the `wanted` items that ran.

    `junit` are patterns of the names of artifacts with JUnit reports, `matchers` files with problem matchers, both as
    the base's configuration has them. `check_run_id` is where GitHub keeps a failed job's annotations, `job` its name
    in the file `workflow`: both say where to look for what it needs. `idle`: it failed before any step of it began.
    """

    type: Literal["read-log"] = "read-log"
    our_run: RunId
    job_id: int
    run_id: int
    attempt: int
    head_sha: Sha
    check: str
    workflow: str = ""
    job: str = ""
    failed_steps: tuple[StepFinished, ...] = ()
    idle: bool = False
    wanted: tuple[str, ...] = ()
    junit: tuple[str, ...] = ()
    matchers: tuple[str, ...] = ()
    check_run_id: int | None = None

    @property
    def target(self) -> str:
        """The log of that job."""
        return f"log:{self.job_id}"


class ReadCheckAnnotations(Action):
    """Read the annotations of another App's failed check run, in one call. `completed_at` says of which end."""

    type: Literal["read-check-annotations"] = "read-check-annotations"
    check_run_id: int
    head_sha: Sha
    completed_at: float | None
    check: Check

    @property
    def target(self) -> str:
        """The annotations of that check run."""
        return f"annotations:{self.check_run_id}"


class ReadJob(Action):
    """Read a job that runs: how far it has come since it was seen at `known_at` (seconds)."""

    type: Literal["read-job"] = "read-job"
    number: PullNumber
    job_id: int
    head_sha: Sha
    known_at: float

    @property
    def target(self) -> str:
        """That job."""
        return f"job:{self.job_id}"


class RerunJobs(Action):
    """Run the failed jobs of a run again: for a flake, or for evidence. GitHub keeps the run and its frozen merge
    commit.

    `attempt` is the one that failed; a later one means that somebody was quicker. `asked`: by a person who may.
    """

    type: Literal["rerun-jobs"] = "rerun-jobs"
    number: PullNumber
    head_sha: Sha
    run_id: int
    attempt: int
    path: str
    jobs: tuple[str, ...]
    rerun_id: str
    asked: bool = False

    @property
    def target(self) -> str:
        """The run."""
        return f"rerun:{self.run_id}"

    @property
    def spends(self) -> str:
        """The rerun in the ledger."""
        return self.rerun_id


def probe_target(check: Check, base_sha: Sha, attempt: int) -> str:
    """Name the n-th probe of a check on a base commit."""
    return f"probe:{digest(check.model_dump(mode='json', by_alias=True), 8)}:{base_sha[:12]}:{attempt}"


class StartProbe(Action):
    """Execute a check on a clean base commit: look for a probe that is there, else start one the cheapest valid way.

    `item` is what failed, for a probe workflow that can run one item first. `draft`: of today's draft pull requests one
    is left for it; else one may be opened from `draft_again_at` (seconds).
    """

    type: Literal["start-probe"] = "start-probe"
    check: Check
    base_ref: str
    base_sha: Sha
    attempt: int
    probe_id: str
    item: str = ""
    draft: bool = False
    draft_again_at: float | None = None

    @property
    def target(self) -> str:
        """The probe of that check on that commit."""
        return probe_target(self.check, self.base_sha, self.attempt)

    @property
    def spends(self) -> str:
        """The probe in the ledger."""
        return self.probe_id


class RemoveProbe(Action):
    """Remove a probe's branch, and close its draft pull request where it has one; the probe has ended."""

    type: Literal["remove-probe"] = "remove-probe"
    probe_id: str
    branch: str
    commit: Sha
    reason: str
    pull: PullNumber | None = None

    @property
    def target(self) -> str:
        """The probe's branch."""
        return f"unprobe:{self.probe_id}"


class SyncBranch(Action):
    """Rebase a task's branch onto its base by GitHub's own update, with the expected head given.

    `scope` is what the task may change, where that is known; else it is what its head changes now. `asked`: by a person
    who may.
    """

    type: Literal["sync-branch"] = "sync-branch"
    number: PullNumber
    head_sha: Sha
    base_ref: str
    base_sha: Sha
    sync_id: str
    scope: TaskScope | None = None
    drift: bool = False
    asked: bool = False

    @property
    def target(self) -> str:
        """The task's branch."""
        return f"sync:{self.number}"


class SweepPulls(Action):
    """List the repository's open pull requests, so that a lost event is only late; and failres's `own_refs`.

    `open` are those that are known to be open: one that is not in the list was closed meanwhile, and is read.
    """

    type: Literal["sweep-pulls"] = "sweep-pulls"
    slot: int
    own_refs: bool = False
    open: tuple[PullNumber, ...] = ()

    @property
    def target(self) -> str:
        """The list of open pull requests."""
        return "sweep"


class PostCheck(Action):
    """Create or update the check run **failres** on a head, with the buttons behind which something is possible."""

    type: Literal["post-check"] = "post-check"
    number: PullNumber
    report: Report
    buttons: tuple[Button, ...] = ()

    @property
    def target(self) -> str:
        """The check run on that head."""
        return f"check:{self.number}:{self.report.head_sha}"


class PostComment(Action):
    """Create or edit the one sticky comment; `resolved` hides it, since all is green. `landed`: on a pull request that
    is closed, where only the comment that stands is edited.

    `comment_id` and `hidden` are what is known of the comment that stands there; `unfolded` shows all evidence at once.
    """

    type: Literal["post-comment"] = "post-comment"
    number: PullNumber
    report: Report
    resolved: bool = False
    unfolded: bool = False
    landed: bool = False
    comment_id: int | None = None
    hidden: bool = False

    @property
    def target(self) -> str:
        """The sticky comment of that pull request."""
        return f"comment:{self.number}"

    @property
    def key(self) -> str:
        """Identity by what is said; which comment says it does not matter."""
        said = self.model_dump(mode="json", by_alias=True, exclude={"comment_id", "hidden"})
        return f"{self.target}@{digest(said)}"


class WriteHandoffs(Action):
    """Commit handoff bundles to our own branch, those that are not there yet, in one commit."""

    type: Literal["write-handoffs"] = "write-handoffs"
    bundles: tuple[Handoff, ...]

    @property
    def target(self) -> str:
        """Our own branch in the repository: one commit at a time."""
        return f"branch:{BRANCH}"

    @property
    def key(self) -> str:
        """Identity by the files: what was known when they became due stands, whatever is learnt meanwhile."""
        return f"{self.target}@{digest(sorted(each.path for each in self.bundles))}"


AnyAction = (
    ReadPull
    | ReadFiles
    | ReadConfig
    | ReadPullConfig
    | ReadRuns
    | FindPull
    | ReadJob
    | ReadLog
    | ReadCheckAnnotations
    | RerunJobs
    | StartProbe
    | RemoveProbe
    | SyncBranch
    | RepairAction
    | RemoveOrphans
    | TellOfOrphans
    | TellOfTrouble
    | SweepPulls
    | WriteHandoffs
    | PostCheck
    | PostComment
    | CallModel
    | TalkAction
    | LandingAction
    | QueueAction
)
