"""What a person may ask for besides words: one more execution, and synchronising now. Within mode, rights and ledger.

A person with write access may ask where the mode is `propose` already, and on tasks that are not managed; no limit of
the ledger is lifted for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from resolver.actions import AnyAction
from resolver.attribution import Refusal, Verdict, rerun_asked
from resolver.casework import check_of, execution_of
from resolver.casework.queue import standing_red
from resolver.config import ActionKind
from resolver.decide.cases import case_of
from resolver.decide.ceilings import asked_ceiling, over
from resolver.decide.quarantine import is_stopped
from resolver.decide.requeue import requeue
from resolver.decide.rerunning import refused_for_good, rerun_of
from resolver.decide.rights import config_of, explained_only, mode_of, silence
from resolver.decide.syncing import sync_of
from resolver.executions import MERGE_GROUP, Check
from resolver.facts import Fact, JobFinished
from resolver.facts.commands import Button
from resolver.ledger import Allowed, RerunAsked
from resolver.limits import Limits
from resolver.other_ci import NOT_STARTED, in_group
from resolver.runs import task_id
from resolver.state import Base, Pull, RepoState

FORKS = "pull requests from forks and of Dependabot are explained, and nothing else is done on them"


@dataclass(frozen=True, slots=True)
class Planned:
    """What is started, and the facts that go with it."""

    action: AnyAction
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Hindered:
    """Why it is not done, and until when that holds, if it ends by itself (seconds)."""

    reason: str
    until: float | None = None


def plan_retry(state: RepoState, pull: Pull, lead: Verdict | None, now: float, limits: Limits) -> Planned | Hindered:
    """One execution more of what failed: of the leading verdict's check, else of the first that failed."""
    against = _against(state, pull, "rerun", limits) or _waits(state, pull, now, runs=True)
    if against is not None:
        return against
    stopped = is_stopped(state, pull, now)
    if stopped is not None:
        return Hindered(stopped)
    check = _queued_check(state, pull, lead)
    if check is not None:
        return _retry_in_queue(state, pull, check, now)
    job = _failed_job(state, pull, lead)
    if isinstance(job, Hindered):
        return job
    check = check_of(job, state.head(pull.seen.head_sha).runs.get(job.run_id))
    case = case_of(state, pull, now)
    asked = rerun_asked(case, check).model_copy(update={"purpose": "command"})
    answer = state.ledger.rerun(asked, now)
    if not isinstance(answer, Allowed):
        return Hindered(answer.reason, answer.until)
    met = rerun_of(state, pull, check, job, asked, now=now)
    (action,) = met.actions
    effect = pull.effects.get(action.target)
    if effect is not None and effect.status == "started":
        return Hindered("it is being run again already")
    return Planned(action.model_copy(update={"asked": True}), met.facts)


def _queued_check(state: RepoState, pull: Pull, lead: Verdict | None) -> Check | None:
    """The check in question where it failed in the merge queue: the leading verdict's, else what failed only there."""
    if lead is not None:
        return lead.check if lead.check.event == MERGE_GROUP else None
    found = None if state.head(pull.seen.head_sha).failed() else standing_red(state, pull, execution_of)
    if found is None:
        return None
    if not found.jobs:
        return in_group(found.others[-1].check)
    job = found.jobs[-1]
    return check_of(job, state.head(found.commit).runs.get(job.run_id))


def _retry_in_queue(state: RepoState, pull: Pull, check: Check, now: float) -> Planned | Hindered:
    """One more place in the queue; a pass lands it, so that the configuration must allow that."""
    case = case_of(state, pull, now)
    asked = rerun_asked(case, check).model_copy(update={"purpose": "command"})
    answer = state.ledger.rerun(asked, now)
    if not isinstance(answer, Allowed):
        return Hindered(answer.reason, answer.until)
    met = requeue(state, pull, asked, now)
    if isinstance(met, Refusal):
        return Hindered(met.reason, met.until)
    return Planned(met.actions[0], met.facts) if met.actions else Hindered("it is in the merge queue already")


def _failed_job(state: RepoState, pull: Pull, lead: Verdict | None) -> JobFinished | Hindered:
    head = state.head(pull.seen.head_sha)
    failed = [job for job in head.failed() if job.run_id in head.runs]
    if lead is not None:
        failed = [job for job in failed if check_of(job, head.runs.get(job.run_id)).same_job(lead.check)] or failed
    if failed:
        return failed[-1]
    if head.failed():
        return Hindered("the failed run is not known yet; it is being read")
    return Hindered(NOT_STARTED if head.failed_third_party() else "nothing that could be run again has failed")


def plan_sync(state: RepoState, pull: Pull, now: float, limits: Limits) -> Planned | Hindered:
    """Rebase onto the base as it is now; what a rebase would spoil is looked at again before it happens."""
    against = _against(state, pull, "sync", limits) or _waits(state, pull, now, runs=False)
    if against is not None:
        return against
    base, task = state.bases.get(pull.seen.base_ref, Base()), task_id(pull.seen.number)
    if base.sha is None:
        return Hindered("the base branch has not been read yet")
    answer = state.ledger.sync(task, base.sha, pull.seen.head_sha, drift=False, now=now)
    if not isinstance(answer, Allowed):
        return Hindered(answer.reason, answer.until)
    action = sync_of(pull, base.sha, asked=True)
    effect = pull.effects.get(action.target)
    if effect is not None and effect.status == "started":
        return Hindered("it is being synchronised already")
    return Planned(action)


def _waits(state: RepoState, pull: Pull, now: float, *, runs: bool) -> Hindered | None:
    """What only has to wait for the next day; it stays on offer."""
    ceiling = asked_ceiling(state, config_of(state, pull).daily_ceilings, now, runs=runs)
    return Hindered(over(ceiling), ceiling.until) if ceiling is not None else None


def _against(state: RepoState, pull: Pull, kind: ActionKind, limits: Limits) -> Hindered | None:
    if explained_only(state, pull):
        return Hindered(FORKS)
    quiet = silence(state, pull)
    if quiet is not None:
        return Hindered(quiet.value)
    mode = mode_of(config_of(state, pull), kind, limits)
    if mode == "observe":
        return Hindered(f"the mode of this is `{mode}`, so that it is neither done nor offered")
    return Hindered(f"there is an outage: {state.outage.reason}") if state.outage.on else None


def buttons(state: RepoState, pull: Pull, lead: Verdict | None, now: float, limits: Limits) -> tuple[Button, ...]:
    """Give the buttons behind which something is possible; what only has to wait keeps its button meanwhile."""
    if silence(state, pull) is not None:
        return ()
    offered: list[Button] = []
    if rerun_is_left(state, pull, lead, now, limits):
        offered.append("rerun")
    drifted = lead is not None and lead.next_action == "synchronise"
    if drifted and _left(plan_sync(state, pull, now, limits)):
        offered.append("sync")
    if state.head(pull.seen.head_sha).ever_failed() or pull.queue_red == pull.seen.head_sha:
        offered.append("explain")
    return tuple(offered)


def _left(plan: Planned | Hindered) -> bool:
    return isinstance(plan, Planned) or plan.until is not None


def rerun_is_left(state: RepoState, pull: Pull, lead: Verdict | None, now: float, limits: Limits) -> bool:
    """
    Say whether an execution is left, by the ledger and by what the workflow's file allowed, as far as that shows
    without weighing the evidence again.
    """
    if _against(state, pull, "rerun", limits) is not None or is_stopped(state, pull, now) is not None:
        return False
    queued = _queued_check(state, pull, lead)
    if queued is not None:
        return _left(_retry_in_queue(state, pull, queued, now))
    job = _failed_job(state, pull, lead)
    if isinstance(job, Hindered):
        return False
    check = check_of(job, state.head(pull.seen.head_sha).runs.get(job.run_id))
    if refused_for_good(state, pull, check, job):
        return False
    asked = RerunAsked(
        task=task_id(pull.seen.number),
        head=pull.seen.head_sha,
        workflow=check.workflow,
        check=check.key,
        fingerprints=(),
        purpose="command",
    )
    answer = state.ledger.rerun(asked, now)
    return isinstance(answer, Allowed) or answer.until is not None
