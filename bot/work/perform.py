"""Which function carries out which action."""

from __future__ import annotations

from typing import assert_never

from bot.work.act.checks import post_check
from bot.work.act.comments import post_comment
from bot.work.act.consult import call_model
from bot.work.act.handoff import write_handoffs
from bot.work.act.probe import start_probe
from bot.work.act.rerun import rerun_jobs
from bot.work.act.sync import sync_branch
from bot.work.act.unprobe import remove_probe
from bot.work.converse import converse
from bot.work.mend import mend
from bot.work.observe.back import look_back
from bot.work.observe.base import read_config, read_pull_config
from bot.work.observe.jobs import read_runs
from bot.work.observe.logs import read_log
from bot.work.observe.progress import read_job
from bot.work.observe.pulls import look_at_pulls
from bot.work.observe.third_party import read_check_annotations
from bot.work.outcome import Outcome
from bot.work.place import Place
from bot.work.queue import look_after_queue
from bot.work.texts import Kept
from resolver.actions import (
    AnyAction,
    FindPull,
    PostCheck,
    PostComment,
    ReadCheckAnnotations,
    ReadConfig,
    ReadFiles,
    ReadJob,
    ReadLog,
    ReadPull,
    ReadPullConfig,
    ReadRuns,
    RemoveProbe,
    RerunJobs,
    StartProbe,
    SweepPulls,
    SyncBranch,
    WriteHandoffs,
)
from resolver.actions.landings import ReadBaseChanges, ReadLandedChanges, ReadLanding, ReadUnseen
from resolver.actions.model import CallModel
from resolver.actions.queue import DequeuePull, EnqueuePull, ReadExit, ReadGroup, ReadQueue, ReadRules
from resolver.actions.repairs import (
    RemoveOrphans,
    RemoveReported,
    ReportCaches,
    ReportLeftovers,
    StartRepairJob,
    TellOfOrphans,
)
from resolver.actions.talk import Notify, PostDecision, PostReply, React, ReadComments, ReadStanding, SetLabel
from resolver.actions.trouble import TellOfTrouble


async def perform(place: Place, action: AnyAction, kept: Kept) -> Outcome:
    """Carry out an action once. Raises the errors of `bot.github.errors`."""
    match action:
        case ReadPull() | ReadFiles() | FindPull() | SweepPulls():
            return await look_at_pulls(place, action)
        case ReadConfig():
            return await read_config(place, action)
        case ReadPullConfig():
            return await read_pull_config(place, action)
        case ReadRuns():
            return await read_runs(place, action)
        case ReadJob():
            return await read_job(place, action)
        case ReadLog():
            return await read_log(place, action)
        case ReadCheckAnnotations():
            return await read_check_annotations(place, action)
        case ReadLanding() | ReadLandedChanges() | ReadUnseen() | ReadBaseChanges():
            return await look_back(place, action)
        case WriteHandoffs():
            return await write_handoffs(place, action, kept)
        case PostCheck() | PostComment():
            return await _post(place, action, kept)
        case RerunJobs():
            return await rerun_jobs(place, action)
        case StartProbe() | RemoveProbe():
            return await _probe(place, action)
        case SyncBranch():
            return await sync_branch(place, action)
        case CallModel():
            return await call_model(place, action, kept)
        case ReportCaches() | ReportLeftovers() | RemoveReported() | StartRepairJob():
            return await mend(place, action)
        case RemoveOrphans() | TellOfOrphans() | TellOfTrouble():
            return await mend(place, action)
        case ReadRules() | ReadQueue() | ReadGroup() | ReadExit() | EnqueuePull() | DequeuePull():
            return await look_after_queue(place, action)
        case ReadStanding() | ReadComments() | React() | PostReply() | SetLabel() | PostDecision() | Notify():
            return await converse(place, action)
        case _:
            assert_never(action)


async def _post(place: Place, action: PostCheck | PostComment, kept: Kept) -> Outcome:
    return await (post_check(place, action) if isinstance(action, PostCheck) else post_comment(place, action, kept))


async def _probe(place: Place, action: StartProbe | RemoveProbe) -> Outcome:
    return await (start_probe(place, action) if isinstance(action, StartProbe) else remove_probe(place, action))
