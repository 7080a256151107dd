"""What is to be said on a pull request, as values; `bot.words` makes sentences of it."""

from __future__ import annotations

from typing import Literal

from resolver.attribution.beside import Claim
from resolver.attribution.outcome import Verdict
from resolver.config import ConfigProblem
from resolver.decisions import Kind
from resolver.facts.commands import ReplyLine
from resolver.facts.decisions import DecisionRequested
from resolver.facts.resolve import Proposal
from resolver.failure import Failure
from resolver.ids import PullNumber, RunId, Sha
from resolver.progress import JobStalled
from resolver.queue_exit import Exit
from resolver.records import Record
from resolver.state.spent import Ceiling


class FailedCheck(Record):
    """One check that is red on the head, with its failures, the primary one first.

    `missing` says why its log told nothing. `capped` counts failures beyond those listed, `flaky` names tests that
    failed and then passed inside the job. `third_party`: another CI reported it, so ids of Actions are 0, and `url` is
    where that CI says that it shows it: nobody's word for it. `check_run_id` is 0 for a status.
    """

    check: str
    workflow: str
    job: str
    event: str
    conclusion: str
    run_id: int
    attempt: int
    job_id: int
    url: str
    failures: tuple[Failure, ...] = ()
    flaky: tuple[str, ...] = ()
    capped: int = 0
    missing: str | None = None
    stall: JobStalled | None = None
    third_party: bool = False
    check_run_id: int = 0


class Unfinished(Record):
    """A job, or a run without jobs, that has not begun and is no stall; `why` is GitHub's word for it.

    `why` is `no-history` where a job runs and nothing says for how long its `step` may. `since` is in seconds.
    """

    workflow: str
    job: str = ""
    why: str
    since: float
    step: str = ""


class Standing(Record):
    """What attribution has come to on a head: the verdicts, the one that the task's action follows first.

    `waiting` names what is being obtained (`rerun`, `base`, `log`, `row`, `requeue`, or the `why` of a wait), `doubts`
    say why a failure has no verdict, `claims` are what people say now. `proposed` is what a model proposed and is being
    done. A limit that was met ends at `parked_until` (seconds), and the failed job runs then.
    """

    verdicts: tuple[Verdict, ...] = ()
    lead: Verdict | None = None
    waiting: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    hindrance: str | None = None
    outage: str | None = None
    proposed: Proposal | None = None
    parked_until: float | None = None


class Asked(Record):
    """
    People are asked how this goes on. `here` is the question itself where it can have no comment of its own today, so
    that the one comment has to hold it.
    """

    kind: Kind
    question: str
    here: DecisionRequested | None = None


class Rebased(Record):
    """failres itself rebased the branch to this head: onto which commit of the base, and the head `before`."""

    base: Sha
    before: Sha


class Held(Record):
    """
    Nothing automatic is done here, for this reason. `final`: that was accepted, so that only a push ends it. `run` is
    paused, and `asked_at` the pull request where that is asked about. `plan`: a `failres` block cannot be used.
    `always`: it is told whether a check is red or not, with the `files` that it is about. `bundle` is the path of its
    handoff bundle, where no question leads to it.
    """

    why: Literal["quarantine", "stop-loss", "run-paused", "plan"]
    reason: str
    final: bool = False
    run: RunId | None = None
    asked_at: PullNumber | None = None
    always: bool = False
    files: tuple[str, ...] = ()
    bundle: str | None = None


class RepairTold(Record):
    """A repair of a check's surroundings on this head: what it will remove (`reported`), has removed, or why not.

    `things` are names with their kind (`cache`, `ref`, `artifact`); `job` is the repository's own that stands for it.
    """

    repair: str
    state: Literal["reported", "done", "failed"]
    things: tuple[tuple[str, str], ...] = ()
    job: str | None = None
    reason: str = ""


class QueueTrouble(Record):
    """Why a merge queue does not go on though nothing is red. `since` is in seconds.

    `never-reports`: the `missing` required checks report nothing on the `group`, though workflows (`paths`) ran for it;
    `no-trigger`: none ran; `not-moving`: all is green and the base does not move; `gave-up`: it is not in the queue any
    more, for the reason of `exit` (`word` is GitHub's). `timed_out`: GitHub gave it up for want of time, `limit`
    (seconds). `others` are those of the missing that another CI reports, `running` the checks that had not ended when
    it left, `cancelled` those that had ended without a result.
    """

    kind: Literal["never-reports", "no-trigger", "not-moving", "gave-up"]
    group: Sha | None
    since: float
    missing: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    timed_out: bool = False
    exit: Exit | None = None
    word: str = ""
    limit: float | None = None
    running: tuple[str, ...] = ()
    cancelled: tuple[str, ...] = ()


class InQueue(Record):
    """Failing checks with the event of merge groups failed with this `group`; `again`: the head is in the queue now."""

    group: Sha
    again: bool = False


class Report(Record):
    """The whole of what failres has to say of one head.

    `state` is `red` (failing checks), `queue` (a merge queue that does not go on), `config` (only a broken
    configuration, or one by a wrong name), `green` (what was red has passed, or the configuration is mended) or `quiet`
    (a superseded head with nothing left to say). `derived` names jobs that are red only because of others, `queue` what
    keeps a merge queue from going on, `queued` the group with which checks failed in one. `ceiling` holds back today
    what would follow. `plan_problems` are of the `failres` block in the description, `asked` is the open question.
    `misnamed` are files that the pull request brings as the configuration and that nothing reads, `base_misnamed` those
    of the base. `was_red`: some check has been red here. `answers` are to commands that can have no reply today.
    """

    number: PullNumber
    head_sha: Sha
    state: Literal["red", "queue", "config", "green", "quiet"]
    failed: tuple[FailedCheck, ...] = ()
    derived: tuple[str, ...] = ()
    unfinished: tuple[Unfinished, ...] = ()
    passed: tuple[str, ...] = ()
    config_problems: tuple[ConfigProblem, ...] = ()
    base_config_problems: tuple[ConfigProblem, ...] = ()
    plan_problems: tuple[ConfigProblem, ...] = ()
    misnamed: tuple[str, ...] = ()
    base_misnamed: tuple[str, ...] = ()
    was_red: bool = True
    from_fork: bool = False
    by_dependabot: bool = False
    base_ref: str = "main"
    managed: bool = False
    ceiling: Ceiling | None = None
    cause: Standing = Standing()
    held: Held | None = None
    repairs: tuple[RepairTold, ...] = ()
    rebased: Rebased | None = None
    queue: QueueTrouble | None = None
    queued: InQueue | None = None
    asked: Asked | None = None
    answers: tuple[ReplyLine, ...] = ()
