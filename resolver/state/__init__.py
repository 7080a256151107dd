"""What is known of a repository: the fold of its journal, as frozen values. `resolver.fold` makes it, `resolver.decide`
reads it.

Everything here can be thrown away and folded again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from resolver.attribution.case import DriftVerdict
from resolver.attribution.outage import OutageMode
from resolver.conclusions import Meaning, meaning
from resolver.facts import (
    ConfigRead,
    GateAttributed,
    JobFinished,
    JobTriaged,
    ProbeDispatched,
    PullConfigRead,
    PullFilesRead,
    PullObserved,
    RepoObserved,
    RollupSeen,
    RunObserved,
)
from resolver.facts.landings import BaseChangesRead
from resolver.facts.model import ModelReplied
from resolver.facts.resolve import Resolution
from resolver.facts.runs import RunPaused
from resolver.ids import Fingerprint, PullNumber, RunId, Sha
from resolver.ledger import Ledger
from resolver.once import Follows
from resolver.other_ci import AnnotationsRead, CheckBegun, CheckFinished, StatusSeen, ThirdParty, third_party_id
from resolver.progress import JobProgressed, JobStalled
from resolver.records import nothing
from resolver.state.executed import kept
from resolver.state.landings import Landings
from resolver.state.merge_queue import MergeQueue, Queued
from resolver.state.orphans import Orphans
from resolver.state.quarantine import Quarantine, standing_quarantine
from resolver.state.spent import Spent
from resolver.state.step_history import StepHistory
from resolver.state.talk import Talk
from resolver.task_scope import TaskScope


@dataclass(frozen=True, slots=True)
class Effect:
    """How far an action on one target has come.

    `count` is how often one was started since it is remembered, `ticket` names the newest start, `key` its content,
    `done_key` that of the last one carried out. `fail_class` is what interrupted a refused one.
    """

    count: int
    ticket: str
    key: str
    status: Literal["started", "done", "refused"]
    started_at: float
    done_key: str | None = None
    result: Mapping[str, Any] = field(default_factory=nothing)
    reason: str | None = None
    retry_at: float | None = None
    fail_class: str = ""


@dataclass(frozen=True, slots=True)
class Head(Follows):
    """All executions that are known on one commit. Jobs are kept of every attempt: each counts as evidence. Those that
    failed are named in `failed_ids`: of hundreds mostly none. Those that passed keep no steps (`executed`).

    `checks` are other Apps' check runs by id, `begun` those that go on, `annotated` their annotations, `statuses` the
    newest of each context.
    `progress` are the jobs that have not ended, `stalls` the last stall that was seen of each job, by job id. `rollup`
    is GitHub's own count as last seen, `read_for` the one for which the runs were last listed, `listed_at` when that
    was.
    """

    runs: Mapping[int, RunObserved] = field(default_factory=nothing)
    jobs: Mapping[int, JobFinished] = field(default_factory=nothing)
    failed_ids: frozenset[int] = frozenset()
    triaged: Mapping[int, JobTriaged] = field(default_factory=nothing)
    progress: Mapping[int, JobProgressed] = field(default_factory=nothing)
    stalls: Mapping[int, JobStalled] = field(default_factory=nothing)
    checks: Mapping[int, CheckFinished] = field(default_factory=nothing)
    begun: Mapping[int, CheckBegun] = field(default_factory=nothing)
    annotated: Mapping[int, AnnotationsRead] = field(default_factory=nothing)
    statuses: Mapping[str, StatusSeen] = field(default_factory=nothing)
    rollup: RollupSeen | None = None
    read_for: RollupSeen | None = None
    listed_at: float | None = None
    others_listed: bool = False

    def with_job(self, job: JobFinished) -> Head:
        """Give the head after one more execution has ended."""
        failed = {job.job_id} if meaning(job.conclusion) is Meaning.FAILED else set()
        ids = (self.failed_ids - {job.job_id}) | failed
        return replace(self, jobs={**self.jobs, job.job_id: kept(job)}, failed_ids=ids)

    def current(self) -> Iterator[JobFinished]:
        """Give the newest execution of each job: what GitHub shows now.

        Of several runs of one workflow for the same event (a pull request that was opened again) the newest counts, as
        for a required check (GITHUB.md 5.5).
        """
        return iter(self.once(_current))

    def ever_failed(self) -> bool:
        """Say whether any execution of any attempt failed here, or ran and got nowhere."""
        return self.once(_ever_failed)

    def failed(self) -> list[JobFinished]:
        """Give the newest executions that failed of themselves, oldest first."""
        return list(self.once(_failed))

    def asked(self) -> frozenset[str]:
        """Give the names of the jobs that have failed or stalled here: what others' executions are asked about."""
        return self.once(_asked)

    def derived(self) -> frozenset[int]:
        """Give the jobs, by id, that are red only because of others: shown, never attributed, never counted."""
        return self.once(_derived)

    def named(self, name: str) -> tuple[JobFinished, ...]:
        """Give what the jobs of that name show of themselves, in all runs and attempts."""
        return self.once(_by_name).get(name, ())

    def third_party(self) -> list[ThirdParty]:
        """Give what other CI shows now, by name: of several check runs of one App and name the newest.

        GitHub: `filter=latest` keeps the newest of a suite only, so an old failure stays in the list (GITHUB.md 5.5).
        """
        newest: dict[str, ThirdParty] = {}
        for check in sorted(self.checks.values(), key=lambda check: check.order):
            newest[third_party_id(check)] = check
        newest.update({third_party_id(status): status for status in self.statuses.values()})
        return [newest[name] for name in sorted(newest)]

    def failed_third_party(self) -> list[ThirdParty]:
        """Give those of them that failed."""
        return [told for told in self.third_party() if meaning(told.conclusion) is Meaning.FAILED]


def _current(head: Head) -> tuple[JobFinished, ...]:
    newest: dict[tuple[Any, ...], JobFinished] = {}
    places: dict[int, tuple[Any, ...]] = {run.run_id: _place(run) for run in head.runs.values()}
    for job in head.jobs.values():
        place = (*places.get(job.run_id, (job.run_id,)), job.name)
        known = newest.get(place)
        if known is None or (job.run_id, job.attempt, job.job_id) > (known.run_id, known.attempt, known.job_id):
            newest[place] = job
    return tuple(newest.values())


def _place(run: RunObserved) -> tuple[str | None, ...]:
    """What a later run of the same takes over: GitHub's run ids rise."""
    return run.path.partition("@")[0], run.event, run.head_branch, run.head_owner


def _reds(head: Head) -> list[JobFinished]:
    return [head.jobs[job_id] for job_id in sorted(head.failed_ids) if job_id in head.jobs]


def _ever_failed(head: Head) -> bool:
    if head.stalls or _reds(head):
        return True
    conclusions = [
        *(check.conclusion for check in head.checks.values()),
        *(status.conclusion for status in head.statuses.values()),
    ]
    return any(meaning(conclusion) is Meaning.FAILED for conclusion in conclusions)


def _derived(head: Head) -> frozenset[int]:
    return frozenset(job_id for job_id, told in head.triaged.items() if told.because_of)


def _failed(head: Head) -> tuple[JobFinished, ...]:
    reds = _reds(head)
    if not reds:
        return ()
    red = {job.job_id for job in reds} - head.derived()
    shown = [job for job in head.current() if job.job_id in red]
    return tuple(sorted(shown, key=lambda job: (job.completed_at or 0.0, job.job_id)))


def _asked(head: Head) -> frozenset[str]:
    red = (job for job in _reds(head) if job.job_id not in head.derived())
    return frozenset({job.name for job in red} | {stall.name for stall in head.stalls.values()})


def _by_name(head: Head) -> Mapping[str, tuple[JobFinished, ...]]:
    found: dict[str, list[JobFinished]] = {}
    derived = head.derived()
    for job in head.jobs.values():
        if job.job_id not in derived:
            found.setdefault(job.name, []).append(job)
    return {name: tuple(jobs) for name, jobs in found.items()}


@dataclass(frozen=True, slots=True)
class Pull:
    """One pull request. `reds` are the checks (by `check_id`) that have failed on any of its heads.

    `scope` is what the task may change, once that is known. `pushes` are the times of people's pushes, `drifts`
    the verdicts `base-drift` on any head, `verdicts` those that stand on this head, by `verdict_key`. `comment_id` is
    the sticky comment, `comments_at` when new ones were made; `stuck` says why nothing is done on it. `replies` are the
    model's, by the call's target. `base_changes` is what the base has changed since this head left it. `queued` is its
    last step into a merge queue or out of it, `queue_red` the last head with which a job of a merge group failed.
    """

    seen: PullObserved
    files: PullFilesRead | None = None
    scope: TaskScope | None = None
    config: PullConfigRead | None = None
    reds: frozenset[str] = frozenset()
    pushes: tuple[float, ...] = ()
    drifts: tuple[DriftVerdict, ...] = ()
    verdicts: Mapping[str, GateAttributed] = field(default_factory=nothing)
    effects: Mapping[str, Effect] = field(default_factory=nothing)
    comment_id: int | None = None
    comments_at: tuple[float, ...] = ()
    stuck: str | None = None
    talk: Talk = field(default_factory=Talk)
    resolutions: Mapping[int, Resolution] = field(default_factory=nothing)
    replies: Mapping[str, ModelReplied] = field(default_factory=nothing)
    quarantines: tuple[Quarantine, ...] = ()
    base_changes: BaseChangesRead | None = None
    queued: Queued | None = None
    queue_red: Sha | None = None

    @property
    def pushed(self) -> Sha:
        """The newest commit that somebody other than failres pushed."""
        return self.talk.pushed or self.seen.head_sha

    @property
    def quarantine(self) -> Quarantine | None:
        """The quarantine under which nothing automatic is done here; None where there is none, or it was lifted."""
        return standing_quarantine(self.quarantines, self.pushed)

    @property
    def stopped(self) -> bool:
        """True where a person set the label that stops failres here, or has just asked for it."""
        return STOP_LABEL in self.seen.labels or self.talk.stopping


STOP_LABEL = "failres:stop"
"""The kill switch of one pull request (specification, invariant 14)."""


@dataclass(frozen=True, slots=True)
class Base:
    """A base branch: its newest known commit, and the configuration as read at `config_at`.

    `line` are its newest commits that were seen, oldest first, the current one last.
    """

    sha: Sha | None = None
    line: tuple[Sha, ...] = ()
    config: ConfigRead | None = None
    config_at: Sha | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """An execution of a check on a clean base at our own wish; `removed` says why its branch is gone."""

    dispatched: ProbeDispatched
    removed: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run: its pause, how often it was paused, and which resolutions (by `seq`) were made before it last went on."""

    paused: RunPaused | None = None
    pauses: int = 0
    settled: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class RepoState(Follows):
    """A whole repository.

    `pulls` are those that are open or were closed lately, `closed` those that were put away, of which nothing is asked
    until they are opened again. `open_at` are the open pull requests by head, `effects` those of the repository's own
    actions, `ledger` what was tried, `steps` how long the steps of its jobs have taken, `landings` what is known of
    changes that landed, `handoff_at` when the last handoff bundles were written, `spent` what today has cost, `queues`
    the merge queues by base branch, `comments_coming` the new comments that are on their way, by their targets.
    """

    repo: RepoObserved | None = None
    active: bool = True
    pulls: Mapping[PullNumber, Pull] = field(default_factory=nothing)
    closed: Mapping[PullNumber, Pull] = field(default_factory=nothing)
    open_at: Mapping[Sha, tuple[PullNumber, ...]] = field(default_factory=nothing)
    heads: Mapping[Sha, Head] = field(default_factory=nothing)
    bases: Mapping[str, Base] = field(default_factory=nothing)
    effects: Mapping[str, Effect] = field(default_factory=nothing)
    probes: Mapping[str, Probe] = field(default_factory=nothing)
    runs: Mapping[RunId, Run] = field(default_factory=nothing)
    ledger: Ledger = field(default_factory=Ledger)
    flakes: tuple[GateAttributed, ...] = ()
    outage: OutageMode = field(default_factory=OutageMode)
    orphans: Orphans = field(default_factory=Orphans)
    steps: StepHistory = field(default_factory=StepHistory)
    landings: Landings = field(default_factory=Landings)
    comments_at: tuple[float, ...] = ()
    comments_coming: frozenset[str] = frozenset()
    handoff_at: float | None = None
    spent: Spent = field(default_factory=Spent)
    queues: Mapping[str, MergeQueue] = field(default_factory=nothing)
    unreadable: tuple[str, ...] = ()

    def head(self, sha: Sha) -> Head:
        """Give what is known of a commit, which may be nothing."""
        return self.heads.get(sha, _UNKNOWN_HEAD)

    def pulls_of(self, sha: Sha) -> list[PullNumber]:
        """Give the open pull requests whose head is that commit."""
        return list(self.open_at.get(sha, ()))


_UNKNOWN_HEAD = Head()


def red_ones(state: RepoState) -> tuple[Pull, ...]:
    """Give the pull requests of which a check has ever failed: few of many, and all that others may ask about."""
    return state.once(_red_ones)


def _red_ones(state: RepoState) -> tuple[Pull, ...]:
    return tuple(pull for pull in state.pulls.values() if pull.reds)


def check_id(job: JobFinished | JobProgressed | JobStalled, run: RunObserved | None) -> str:
    """Name a check: the workflow's file, the job's name with its matrix values, and the event (specification, section
    1).

    Job names repeat across workflows. Where the run is not known yet, the workflow's name stands in for its file.
    """
    if run is None:
        return f"{job.workflow}: {job.name}"
    return f"{run.path.partition('@')[0]}: {job.name} ({run.event})"


def verdict_key(check: str, fingerprint: Fingerprint | None, item: str | None) -> str:
    """Name what a verdict is about: a check (by `Check.key`) and the failure in it."""
    return f"{check}|{fingerprint or ''}|{item or ''}"
