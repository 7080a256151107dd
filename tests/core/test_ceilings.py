"""Daily ceilings: what counts, on which day, and what each of them holds back."""

from typing import get_args

import pytest

from resolver.actions import AnyAction, PostComment, RerunJobs, StartProbe, SweepPulls, SyncBranch
from resolver.actions.talk import React, SetLabel
from resolver.ceilings import TYPES, ceiling_on
from resolver.config import RepoConfig
from resolver.config.sections import DailyCeilings
from resolver.decide.ceilings import asked_ceiling, within_ceilings
from resolver.decide.due import Due
from resolver.decide.minutes import with_running
from resolver.executions import Check
from resolver.facts import ActionRefused, ActionStarted, ProbeDispatched, ProbeRemoved
from resolver.ledger.events import ProbeStarted, RerunStarted
from resolver.progress import JobProgressed
from resolver.report import Report
from resolver.state import STOP_LABEL
from resolver.state.spent import DAY, Ceiling, Spent
from tests.core.made import BASE, HEAD, NEXT, config, job, pull, repo, run, state_of

NOON = 20_000 * DAY + DAY / 2
CHECK = Check(workflow="ci.yml", job="test")

RERUN = RerunJobs(number=7, head_sha=HEAD, run_id=20, attempt=1, path="ci.yml", jobs=("test",), rerun_id="rerun:20:1")
PROBE = StartProbe(check=CHECK, base_ref="main", base_sha=BASE, attempt=1, probe_id="probe:1")
SYNC = SyncBranch(number=7, head_sha=HEAD, base_ref="main", base_sha=BASE, sync_id="sync:1")
COMMENT = PostComment(number=7, report=Report(number=7, head_sha=HEAD, state="red"))
REACTION = React(number=7, comment_id=40, content="+1")
STOP = SetLabel(number=7, label=STOP_LABEL, present=True, command_id="c40")
ASKED = SetLabel(number=7, label="failres:decision", present=True, command_id="d-1")
LOOK = SweepPulls(slot=1)


def started(kind, at=NOON, number=0):
    """An action of that type went to the workers."""
    return ActionStarted(ticket=f"t{kind}{at}{number}", key="k", target=f"t:{kind}", type=kind, number=None, at=at)


def test_all_writes_count_and_looks_do_not():
    """The journal's types are enough to count them; a new day counts anew, and news of an old one is too late."""
    kinds = ("post-check", "post-comment", "rerun-jobs", "write-handoffs", "read-log", "sweep-pulls", "notify")
    state = state_of(repo(), *(started(kind) for kind in kinds))
    assert state.spent == Spent(day=20_000, writes=4)
    state = state_of(repo(), started("post-check"), started("react", NOON + DAY), started("react", NOON, 2))
    assert state.spent == Spent(day=20_001, writes=1)
    assert state.spent.at(NOON + 2 * DAY) == Spent(day=20_002)
    assert {"set-label", "sync-branch", "start-probe", "post-decision"} <= TYPES


def ran(run_id=20, attempt=2, **how):
    """A job that ran for 61 seconds."""
    return job(run_id=run_id, attempt=attempt, started_at=NOON, completed_at=NOON + 61.0, **how)


def rerun_of_ours():
    """The ledger's record of a rerun that failres started."""
    return RerunStarted(
        id="rerun:20:1", at=NOON, task="pr-7", head=HEAD, workflow="ci.yml", check="x", fingerprints=(), purpose="flake"
    )


def test_minutes_are_those_of_our_reruns_and_probes():
    """Each job's are rounded up; what people ran, and what a rerun only carries over, costs us nothing."""
    known = (repo(), config(), pull())
    assert state_of(*known, ran()).spent.minutes == 0
    assert state_of(*known, rerun_of_ours(), ran(31), ran(attempt=3, job_id=32)).spent.minutes == 2 - 2
    state = state_of(
        *known, job(30, started_at=NOON - 60), rerun_of_ours(), ran(job_id=31), ran(job_id=32, name="lint")
    )
    assert state.spent == Spent(day=20_000, minutes=4)
    before = job(29, "success", name="build", started_at=NOON - 90, completed_at=NOON - 30)
    carried = job(33, "success", name="build", attempt=2, started_at=NOON - 90, completed_at=NOON - 30)
    assert state_of(*known, before, rerun_of_ours(), carried).spent.minutes == 0
    unspent = ActionRefused(ticket="t", key="k", target="rerun:20", number=7, reason="no", unspent="rerun:20:1")
    assert state_of(*known, rerun_of_ours(), unspent, ran(job_id=31)).spent.minutes == 0
    probe = ProbeDispatched(
        probe_id="p", check=CHECK, base_sha=BASE, commit=NEXT, branch="failres/probe/x", run_id=21, nonce="n"
    )
    heard_late = state_of(*known, ran(21, 1, head=NEXT, job_id=40), probe)
    assert heard_late.spent == state_of(*known, probe, ran(21, 1, head=NEXT, job_id=40)).spent == Spent(20_000, 0, 2)


RULES = DailyCeilings(writes=10, runner_minutes=5)
UNTIL = 20_001 * DAY
WRITES = Ceiling(of="writes", limit=10, until=UNTIL)
MINUTES = Ceiling(of="runner-minutes", limit=5, until=UNTIL)


@pytest.mark.parametrize(
    ("spent", "held"),
    [
        (Spent(20_000, 7, 4), {}),
        (Spent(20_000, 8, 4), dict.fromkeys(("rerun", "probe", "sync", "asked"), WRITES)),
        (Spent(20_000, 7, 5), {"rerun": MINUTES, "probe": MINUTES}),
        (Spent(20_000, 10, 0), dict.fromkeys(("rerun", "probe", "sync", "asked", "comment", "react"), WRITES)),
        (Spent(19_999, 10, 9), {}),
    ],
)
def test_acts_are_held_first_then_words_and_the_kill_switch_never(spent, held):
    """A fifth of the writes is kept for words; looks cost nothing; tomorrow is another day."""
    actions = {"rerun": RERUN, "probe": PROBE, "sync": SYNC, "asked": ASKED, "comment": COMMENT, "react": REACTION}
    told = {name: ceiling_on(action, spent, RULES, NOON) for name, action in actions.items()}
    assert {name: ceiling for name, ceiling in told.items() if ceiling} == held
    assert ceiling_on(STOP, spent, RULES, NOON) is None
    assert ceiling_on(LOOK, spent, RULES, NOON) is None


def test_a_ceiling_of_nothing_is_a_repository_that_is_only_watched():
    """`writes: 0` lets nothing be written but the kill switch."""
    rules = RepoConfig(daily_ceilings={"writes": 0}).daily_ceilings
    assert ceiling_on(COMMENT, Spent(), rules, NOON) is not None
    assert ceiling_on(STOP, Spent(), rules, NOON) is None


def test_every_action_is_a_write_or_known_to_be_none():
    """A new action is either counted, and held by kill switches and ceilings, or it only looks or tells elsewhere."""
    types = {str(each.model_fields["type"].default) for each in get_args(AnyAction)}
    looks = {each for each in types if each.startswith(("read-", "find-", "sweep-", "report-"))}
    assert types - TYPES - looks == {"call-model", "notify", "tell-of-orphans", "tell-of-trouble"}


RUNS = run(20, attempt=2, status="in_progress", conclusion=None)
PROBING = (
    ProbeStarted(id="probe:1", at=NOON, check=CHECK.key, commit=BASE),
    ProbeDispatched(
        probe_id="probe:1", check=CHECK, base_sha=BASE, commit=NEXT, branch="failres/probe/x", run_id=21, nonce="n"
    ),
)
LATER = NOON + 150.0


def goes_on(job_id=31, status="in_progress", **how):
    """A job that has not ended."""
    given = {"run_id": 20, "attempt": 2, "name": f"job-{job_id}", "workflow": "ci", "head_sha": HEAD, **how}
    return JobProgressed(job_id=job_id, status=status, since=NOON + 20.0, seen_at=NOON + 30.0, **given)


GOING_ON = {
    "nothing heard of a rerun": ((rerun_of_ours(),), 3),
    "a rerun whose run is known, no job yet": ((rerun_of_ours(), RUNS), 3),
    "its jobs wait for a runner": ((rerun_of_ours(), RUNS, goes_on(status="queued")), 0),
    "two of its jobs run": ((rerun_of_ours(), RUNS, goes_on(), goes_on(32)), 6),
    "one has ended, one runs": ((rerun_of_ours(), RUNS, ran(job_id=31), goes_on(32)), 2 + 3),
    "its run has ended": ((rerun_of_ours(), run(20, attempt=2, conclusion="failure"), ran(job_id=31)), 2),
    "somebody's own jobs run": ((RUNS, goes_on()), 0),
    "a probe of which nothing was heard": (PROBING, 3),
    "a probe whose job runs": ((*PROBING, goes_on(41, run_id=21, attempt=1, head_sha=NEXT)), 3),
    "a probe that is over": ((*PROBING, ProbeRemoved(probe_id="probe:1", reason="it has reported")), 0),
}


@pytest.mark.parametrize(("facts", "minutes"), GOING_ON.values(), ids=GOING_ON)
def test_what_runs_counts_so_far(facts, minutes):
    """By the beginning of each job, else by what was started; what waits or is over costs no more."""
    state = state_of(repo(), config(), pull(), run(20), job(30, started_at=NOON - 60), *facts)
    assert with_running(state, LATER).minutes == minutes


def test_of_what_is_silent_for_hours_no_end_is_awaited():
    """A start that nothing was ever heard of holds nothing back for ever."""
    state = state_of(repo(), config(), pull(), run(20), rerun_of_ours())
    assert with_running(state, NOON + 6 * 3_600.0).minutes == 360
    assert with_running(state, NOON + 6 * 3_600.0 + 1.0).minutes == 0


def test_another_run_waits_where_those_that_go_on_have_used_the_day_up():
    """Held before they have ended; the same rerun is due where the ceiling is higher."""
    for limit, kept in ((3, ()), (4, (RERUN,))):
        settings = RepoConfig(daily_ceilings={"runnerMinutes": limit})
        state = state_of(repo(), config(found=True, settings=settings), pull(), *PROBING)
        due = within_ceilings(state, state.pulls[7], LATER, Due((RERUN,)))
        assert due.actions == kept
        ceiling = asked_ceiling(state, settings.daily_ceilings, LATER, runs=True)
        assert (ceiling is None) == bool(kept)
        assert asked_ceiling(state, settings.daily_ceilings, LATER, runs=False) is None
