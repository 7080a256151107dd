"""
Daily ceilings of a repository (specification, section 18): all writes on GitHub, and the minutes of runners that
failres's own runs and reruns take. A day is UTC's.

A write counts when it is begun. Minutes are kept when a job has ended, each job's rounded up as GitHub bills them; what
jobs that still run have taken so far counts as well before another is started. A fifth of the writes is kept for what
is said: reports, questions and answers. The kill switch counts and is never held.
"""

from __future__ import annotations

from typing import Final, Literal

from resolver.actions import (
    AnyAction,
    PostCheck,
    PostComment,
    RemoveProbe,
    RerunJobs,
    StartProbe,
    SyncBranch,
    WriteHandoffs,
)
from resolver.actions.queue import DequeuePull, EnqueuePull
from resolver.actions.repairs import RemoveOrphans, RemoveReported, StartRepairJob
from resolver.actions.talk import PostDecision, PostReply, React, SetLabel
from resolver.config.sections import DailyCeilings
from resolver.state import STOP_LABEL
from resolver.state.spent import DAY, Ceiling, Spent

RUNS: Final = (RerunJobs, StartProbe, StartRepairJob, EnqueuePull)
ACTS: Final = (*RUNS, SyncBranch, WriteHandoffs, SetLabel, RemoveReported, RemoveOrphans, DequeuePull)
WORDS: Final = (PostCheck, PostComment, PostReply, PostDecision, React, RemoveProbe)
WRITES: Final = (*ACTS, *WORDS)
"""All actions that change anything on GitHub."""

TYPES: Final = frozenset(str(each.model_fields["type"].default) for each in WRITES)
"""Their names in the journal."""

RESERVE: Final = 5
"""One in so many writes is kept for what is said."""


def ceiling_on(action: AnyAction, spent: Spent, rules: DailyCeilings, now: float) -> Ceiling | None:
    """Give the ceiling that holds an action back now."""
    stops = isinstance(action, DequeuePull) or (isinstance(action, SetLabel) and action.label == STOP_LABEL)
    if not isinstance(action, WRITES) or stops:
        return None
    return ceiling_on_kind(
        "run" if isinstance(action, RUNS) else "act" if isinstance(action, ACTS) else "say", spent, rules, now
    )


def ceiling_on_kind(
    kind: Literal["run", "act", "say"], spent: Spent, rules: DailyCeilings, now: float
) -> Ceiling | None:
    """The same for a kind of action: one that runs jobs, one that acts otherwise, or words."""
    today = spent.at(now)
    until = (int(now // DAY) + 1) * DAY
    if kind == "run" and today.minutes >= rules.runner_minutes:
        return Ceiling(of="runner-minutes", limit=rules.runner_minutes, until=until)
    kept = 0 if kind == "say" else rules.writes // RESERVE
    if today.writes >= rules.writes - kept:
        return Ceiling(of="writes", limit=rules.writes, until=until)
    return None
