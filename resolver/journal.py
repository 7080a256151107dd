"""The journal's schema: how facts are named, written, identified and read back.

`once` gives a fact's natural identity, so that the same observation told twice is one record. A record that this
version cannot read becomes `Unreadable`, which stops acting on its pull request only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from pydantic import ValidationError

from resolver.facts import (
    ActionDone,
    ActionRefused,
    ActionStarted,
    BaseMoved,
    CommentGone,
    ConfigRead,
    Decided,
    EngineStuck,
    Fact,
    GateAttributed,
    GateReattributed,
    HeadPushed,
    InstallationChanged,
    JobFinished,
    JobTriaged,
    Json,
    OutageChanged,
    ProbeDispatched,
    ProbeRemoved,
    PullConfigRead,
    PullFilesRead,
    PullObserved,
    RepoObserved,
    RollupSeen,
    RunObserved,
    RunsRead,
)
from resolver.facts.commands import (
    CommandFailed,
    CommandGiven,
    CommandJudged,
    CommentsRead,
    LabelSet,
    PullTouched,
    StandingRead,
)
from resolver.facts.decisions import DecisionAnswered, DecisionRequested, HandoffRefused, HandoffWritten
from resolver.facts.landings import BaseChangesRead, LandedChangesRead, LandingFact, LandingRead, UnseenRead
from resolver.facts.model import ModelReplied
from resolver.facts.orphans import OrphansAsked, OrphansDecided, OrphansEnded, OwnRefsSeen
from resolver.facts.quarantine import QuarantineLifted, TaskQuarantined
from resolver.facts.queue import (
    MergeGroupGone,
    MergeGroupRead,
    MergeGroupSeen,
    MergeQueueRead,
    PullDequeued,
    PullEnqueued,
    RulesRead,
)
from resolver.facts.repairs import RepairDone, RepairFailed, RepairReported
from resolver.facts.resolve import ResolveDecided, ResolveEnded
from resolver.facts.runs import RunPaused
from resolver.ids import PullNumber
from resolver.ledger.events import GroupFailed, ProbeStarted, RerunEnded, RerunStarted, Synced
from resolver.other_ci import AnnotationsRead, CheckBegun, CheckFinished, StatusSeen
from resolver.progress import JobProgressed, JobStalled
from resolver.records import Record

VERSION = 1
"""The schema's version; each record carries the one that it was written with."""

KINDS: Mapping[str, type[Fact]] = {
    "repo.observed": RepoObserved,
    "installation.changed": InstallationChanged,
    "pull.observed": PullObserved,
    "pull.files": PullFilesRead,
    "base.moved": BaseMoved,
    "config.read": ConfigRead,
    "pull.config": PullConfigRead,
    "run.observed": RunObserved,
    "job.finished": JobFinished,
    "job.triaged": JobTriaged,
    "job.progressed": JobProgressed,
    "job.stalled": JobStalled,
    "check.begun": CheckBegun,
    "check.finished": CheckFinished,
    "status.seen": StatusSeen,
    "check.annotated": AnnotationsRead,
    "rollup.seen": RollupSeen,
    "runs.read": RunsRead,
    "action.started": ActionStarted,
    "action.done": ActionDone,
    "action.refused": ActionRefused,
    "head.pushed": HeadPushed,
    "gate.attributed": GateAttributed,
    "gate.reattributed": GateReattributed,
    "probe.dispatched": ProbeDispatched,
    "probe.removed": ProbeRemoved,
    "rerun.started": RerunStarted,
    "rerun.ended": RerunEnded,
    "probe.started": ProbeStarted,
    "task.synced": Synced,
    "group.failed": GroupFailed,
    "outage.changed": OutageChanged,
    "refs.seen": OwnRefsSeen,
    "orphans.decision": OrphansDecided,
    "orphans.outcome": OrphansEnded,
    "orphans.asked": OrphansAsked,
    "command.given": CommandGiven,
    "command.standing": StandingRead,
    "command.judged": CommandJudged,
    "command.failed": CommandFailed,
    "label.set": LabelSet,
    "comments.read": CommentsRead,
    "pull.touched": PullTouched,
    "decision.requested": DecisionRequested,
    "decision.answered": DecisionAnswered,
    "handoff.written": HandoffWritten,
    "handoff.refused": HandoffRefused,
    "resolve.decision": ResolveDecided,
    "resolve.outcome": ResolveEnded,
    "task.quarantined": TaskQuarantined,
    "quarantine.lifted": QuarantineLifted,
    "repair.reported": RepairReported,
    "repair.done": RepairDone,
    "repair.failed": RepairFailed,
    "model.replied": ModelReplied,
    "landing.read": LandingRead,
    "landed.changes": LandedChangesRead,
    "landed.unseen": UnseenRead,
    "base.changes": BaseChangesRead,
    "run.paused": RunPaused,
    "group.seen": MergeGroupSeen,
    "group.read": MergeGroupRead,
    "group.gone": MergeGroupGone,
    "pull.enqueued": PullEnqueued,
    "pull.dequeued": PullDequeued,
    "queue.read": MergeQueueRead,
    "rules.read": RulesRead,
    "comment.gone": CommentGone,
    "engine.stuck": EngineStuck,
}

_NAMES = {cls: kind for kind, cls in KINDS.items()}


class Unreadable(Record):
    """A journal record that this version cannot read: another version's, or a damaged one."""

    kind: str
    number: PullNumber | None
    why: str


def kind_of(fact: Fact) -> str:
    """Give the journal's name of a fact."""
    return _NAMES[type(fact)]


def to_json(fact: Fact) -> Json:
    """Give a fact as the journal keeps it: JSON with the schema's version in `v`."""
    return {"v": VERSION, **fact.model_dump(mode="json", by_alias=True, exclude_defaults=True)}


def from_json(kind: str, data: Mapping[str, Any]) -> Fact | Unreadable:
    """Read a record back; what cannot be read is a value, not an exception."""
    content = dict(data)
    version = content.pop("v", None)
    number = content.get("number")
    number = PullNumber(number) if isinstance(number, int) else None
    if version != VERSION:
        return Unreadable(kind=kind, number=number, why=f"its schema version is {version!r}, this one reads {VERSION}")
    if kind not in KINDS:
        return Unreadable(kind=kind, number=number, why="this version knows no such record")
    try:
        return KINDS[kind].model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return Unreadable(kind=kind, number=number, why=f"{where}: {first['msg']}")


Repeatable = (
    RepoObserved
    | InstallationChanged
    | PullObserved
    | PullFilesRead
    | PullConfigRead
    | BaseMoved
    | ConfigRead
    | RunObserved
    | JobProgressed
    | RollupSeen
    | RunsRead
    | GateAttributed
    | GateReattributed
    | OutageChanged
    | OwnRefsSeen
    | CommentsRead
    | PullTouched
    | MergeGroupSeen
    | MergeQueueRead
    | RulesRead
)
"""What may come back to an earlier value (a force-pushed base): `resolver.news` compares those with the state."""


def once(fact: Fact) -> str | None:
    """Give the natural identity of a fact within its repository: told twice, it is one record. None: repeatable."""
    if isinstance(fact, Repeatable):
        return None
    if isinstance(fact, Decided):
        return f"{kind_of(fact)}:{_decided(fact)}"
    if isinstance(fact, LandingFact):
        return f"{kind_of(fact)}:{fact.identity}"
    match fact:
        case JobFinished():
            return f"job:{fact.run_id}:{fact.attempt}:{fact.job_id}"
        case JobTriaged():
            return f"triaged:{fact.job_id}"
        case CheckBegun() | CheckFinished() | StatusSeen() | AnnotationsRead():
            return _of_other_ci(fact)
        case JobStalled():
            return f"stalled:{fact.job_id}:{fact.step_number}"
        case ActionStarted() | ActionDone() | ActionRefused():
            return f"{'started' if isinstance(fact, ActionStarted) else 'ended'}:{fact.ticket}"
        case EngineStuck():
            return f"stuck:{fact.number}:{fact.head_sha}"
        case HeadPushed():
            return f"pushed:{fact.number}:{fact.head_sha}"
        case RerunStarted() | RerunEnded() | ProbeStarted() | Synced() | GroupFailed():
            return f"{kind_of(fact)}:{fact.id}"
        case ProbeDispatched() | ProbeRemoved():
            return f"{kind_of(fact)}:{fact.probe_id}"
        case CommandGiven() | StandingRead() | CommandJudged() | LabelSet():
            return f"{kind_of(fact)}:{fact.command_id}"
        case CommandFailed():
            return f"{kind_of(fact)}:{fact.command_id}:{fact.index}"
        case OrphansDecided() | OrphansEnded() | OrphansAsked():
            return f"{kind_of(fact)}:{fact.seq if isinstance(fact, OrphansDecided) else fact.ref_decision_seq}"
        case MergeGroupRead() | MergeGroupGone() | PullEnqueued() | PullDequeued():
            when = "" if isinstance(fact, MergeGroupRead | MergeGroupGone) else f":{fact.at}"
            return f"{kind_of(fact)}:{fact.number}:{fact.head_sha}{when}"
        case CommentGone():
            return f"gone:{fact.comment_id}"
        case _:
            assert_never(fact)


def _of_other_ci(fact: CheckBegun | CheckFinished | StatusSeen | AnnotationsRead) -> str:
    match fact:
        case CheckBegun():
            return f"begun:{fact.check_run_id}"
        case CheckFinished():
            return f"check:{fact.check_run_id}:{fact.started_at}:{fact.completed_at}:{fact.conclusion}"
        case StatusSeen():
            return f"status:{fact.status_id}"
        case AnnotationsRead():
            return f"annotated:{fact.check_run_id}:{fact.completed_at}"
        case _:
            assert_never(fact)


def _decided(fact: Decided) -> str:
    match fact:
        case ResolveDecided():
            return str(fact.seq)
        case ResolveEnded() | RepairReported() | RepairDone() | RepairFailed():
            return str(fact.ref_decision_seq)
        case ModelReplied():
            return fact.id
        case DecisionRequested() | DecisionAnswered() | HandoffWritten() | HandoffRefused():
            return fact.decision_id
        case TaskQuarantined() | QuarantineLifted():
            return f"{fact.task_id}:{fact.seq}"
        case RunPaused():
            return f"{fact.run_id}:{fact.seq}"
        case _:
            assert_never(fact)
