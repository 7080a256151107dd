"""Stalls as tables: what is seen of running jobs → what is read, recorded, told and taken back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.words.comment import next_step, render
from resolver.config import parse_config
from resolver.decide import decide_pull
from resolver.decide.compose import compose
from resolver.decide.stalls import next_look
from resolver.facts import GateAttributed, GateReattributed, RollupSeen, RunsRead, StepFinished
from resolver.fold import fold
from resolver.limits import LIMITS
from resolver.news import is_news
from resolver.progress import JobProgressed, JobStalled, StepSeen
from resolver.stalls import findings_of, standing
from resolver.state import RepoState
from tests.core.made import BASE, HEAD, NEXT, config, failure, files, job, pull, repo, run, state_of, triaged

TEN = parse_config("stall:\n  budgets:\n    - {step: Test, budget: 10m}\n")
START = 1_000.0
MINUTE = 60.0


def running(seen=START, test=START, *, status="in_progress", after=False, job_id=30, **changes):
    """A job in whose step `Test` something runs since `test`; None: it has not come to it. `after`: beyond it."""
    done = StepSeen(
        number=1, name="Set up job", status="completed", conclusion="success", started_at=900.0, completed_at=START
    )
    state = "completed" if after else "in_progress" if test is not None else "queued"
    step = StepSeen(number=2, name="Test", status=state, started_at=test)
    last = StepSeen(number=3, name="Upload", status="queued")
    if after:
        step = step.model_copy(update={"conclusion": "success", "completed_at": seen})
        last = last.model_copy(update={"status": "in_progress", "started_at": seen})
    given = {
        "job_id": job_id,
        "run_id": 20,
        "attempt": 1,
        "name": "test",
        "workflow": "ci",
        "head_sha": HEAD,
        "status": status,
        "since": 900.0,
        "seen_at": seen,
        "url": "https://github.test/jobs/30",
        "steps": (done, step, last) if status == "in_progress" else (),
    }
    return JobProgressed(**{**given, **changes})


ONGOING = run(status="in_progress", conclusion=None)


def watched(*facts, settings=TEN, started=ONGOING):
    """A pull request on which that was seen; settings of its base as given."""
    known = (repo(), config(found=settings is not None, settings=settings), pull(), files(), started)
    return state_of(*known, *facts)


def settled(state, now):
    """Decide until nothing new is to be recorded; gives what is due then, the state, and all that was recorded."""
    told = []
    while True:
        due = decide_pull(state, 7, now)
        if not due.facts:
            return due, state, told
        for fact in due.facts:
            told.append(fact)
            state = fold(state, fact)


PASSED_TWICE = tuple(
    job(n, "success", BASE, steps=(StepFinished(number=2, name="Test", conclusion="success", started_at=n, completed_at=n + 400.0),))
    for n in range(100, 105)
)  # fmt: skip

LOOKS = {
    "seen when it began: look when the budget is spent": (running(), START + 600),
    "seen within its budget: the same": (running(START + 300), START + 600),
    "seen past its budget: look once more when it has run twice as long": (running(START + 700), START + 1_400),
    "much later: twice as long again": (running(START + 3_600), START + 7_200),
    "before the step: it could begin at once": (running(test=None), START + 600),
    "beyond it, no budget ahead: never": (running(START + 900, after=True), None),
    "queued: never": (running(status="queued"), None),
    "waiting for an environment: never": (running(status="waiting"), None),
    "pending behind its group: never": (running(status="pending"), None),
    "a status that GitHub invents: never": (running(status="dreaming"), None),
    "nothing listed yet: a rule's step could begin at once": (running(steps=()), START + 600),
}


@pytest.mark.parametrize(("seen", "at"), LOOKS.values(), ids=LOOKS)
def test_when_to_look_again(seen, at):
    """A running job is read only when its step could have passed its budget."""
    assert next_look(seen, TEN.stall, RepoState().steps, LIMITS) == at


def kinds(due):
    """The types of what is due."""
    return [action.type for action in due.actions]


def test_no_call_before_the_budget_is_spent_and_one_after_it():
    """Within the budget nothing is asked; past it the job is read once, and not again before an answer is there."""
    state = watched(running())
    early = decide_pull(state, 7, START + 599)
    assert (kinds(early), early.again_at) == ([], START + 600)
    late = decide_pull(state, 7, START + 600)
    assert [(a.type, a.job_id, a.known_at) for a in late.actions] == [("read-job", 30, START)]


def test_a_step_past_its_budget_is_a_stall_with_an_execution_for_its_proof():
    """Seen running past its budget: recorded, attributed, told."""
    due, state, told = settled(watched(running(), running(START + 601)), START + 601)
    assert [type(fact) for fact in told] == [JobStalled, GateAttributed]
    (stall, verdict) = told
    assert (stall.step, stall.since, stall.budget, stall.source) == ("Test", START, 600, "config")
    assert (verdict.klass, verdict.item, verdict.evidence[0].job_id) == ("gate-stalled", "Test", 30)
    assert kinds(due) == ["post-check", "post-comment"]
    assert due.again_at == START + 1_202
    assert standing(state.head(HEAD)) == (stall,)


def test_nothing_is_claimed_without_history():
    """Neither a rule nor enough of the past: no look, no stall, however long it takes; and it is said so elsewhere."""
    for past in ((), PASSED_TWICE[:4]):
        state = watched(*past, running(), running(START + 86_000), settings=parse_config("enabled: true\n"))
        due, state, told = settled(state, START + 86_400)
        assert (kinds(due), told) == ([], [])
        (waits,) = compose(fold_red(state), state.pulls[7]).unfinished
        assert (waits.why, waits.step) == ("no-history", "Test")


def fold_red(state):
    """The state with another check that is red, so that there is a report."""
    other = job(77, name="lint", steps=())
    return fold(fold(state, other), triaged(77))


def test_the_past_gives_a_budget_too():
    """Five successes of 400 s: 3 times that, 20 minutes."""
    state = watched(*PASSED_TWICE, running(), settings=parse_config("enabled: true\n"))
    assert decide_pull(state, 7, START + 10).again_at == START + 1_200
    _, _, told = settled(fold(state, running(START + 1_200)), START + 1_200)
    assert (told[0].budget, told[0].source, told[0].samples) == (1_200, "history", 5)


@pytest.mark.parametrize("status", ["queued", "waiting", "pending", "requested"])
def test_what_waits_is_no_stall(status):
    """A day in a queue is told as what it is, once there is something to tell at all."""
    state = watched(running(status=status, job_id=31, name="deploy"))
    due, state, told = settled(state, 86_400.0)
    assert (kinds(due), told) == ([], [])
    state = fold_red(state)
    assert [(each.job, each.why) for each in compose(state, state.pulls[7], now=86_400.0).unfinished] == [
        ("deploy", status)
    ]
    assert compose(state, state.pulls[7], now=1_000.0).unfinished == ()


def test_a_run_that_awaits_approval_or_its_group_is_no_stall():
    """GitHub: a run that awaits approval is completed with `action_required` and has no jobs; no check of it is red."""
    approval = run(21, status="completed", conclusion="action_required", name="fork checks")
    group = run(22, status="pending", conclusion=None, name="deploys")
    state = watched(approval, group, started=run())
    assert settled(state, 86_400.0)[2] == []
    report = compose(fold_red(state), state.pulls[7], now=86_400.0)
    assert [(each.workflow, each.why) for each in report.unfinished] == [
        ("deploys", "pending"),
        ("fork checks", "action_required"),
    ]
    text = render(report, "https://github.test/acme/shop", {})
    assert (
        "Not stalled: `deploys` waits behind its concurrency group; `fork checks` waits for a maintainer's approval."
        in text
    )


def test_a_step_that_went_on_takes_the_stall_back():
    """It was only slow: what was said is withdrawn, and the report follows."""
    _, state, _ = settled(watched(running(START + 601)), START + 601)
    _, state, told = settled(fold(state, running(START + 1_300, after=True)), START + 1_300)
    assert [(type(fact), fact.kind, fact.reason) for fact in told] == [
        (GateReattributed, "withdrawn", "the step `Test` went on after all")
    ]
    assert state.pulls[7].verdicts == {}
    assert compose(state, state.pulls[7]).state == "quiet"


ENDS = {
    "cancelled": ("moved-on", "the job was cancelled", "quiet"),
    "failure": ("moved-on", "the job ended as `failure`", "red"),
    "success": ("withdrawn", "the step `Test` went on after all", "green"),
}


@pytest.mark.parametrize(("conclusion", "end"), ENDS.items(), ids=ENDS)
def test_the_end_of_a_stalled_job_closes_it(conclusion, end):
    """Cancelled, failed or passed: the stall no longer leads, and a later look at the running job brings nothing back."""
    _, state, _ = settled(watched(running(START + 601)), START + 601)
    state = fold(fold(state, job(30, conclusion)), run(conclusion=conclusion))
    _, state, told = settled(state, START + 700)
    assert (told[0].kind, told[0].reason, compose(state, state.pulls[7]).state) == end
    assert not is_news(state, running(START + 900))
    assert fold(state, running(START + 900)) == state


def test_a_job_that_ran_into_its_time_limit_is_a_stall():
    """`timed_out`: the step that ran then; the cancellation in its log is the limit's doing, with or without a log."""
    steps = (StepFinished(number=2, name="Test", conclusion="cancelled", started_at=1.0, completed_at=2.0),)
    cancelled = failure(None, fail_class="unknown", kind="cancelled", message="The operation was canceled.")
    for told in ((triaged(30, cancelled, kind="cancelled"),), (triaged(30, missing="no-log"),), ()):
        state = watched(job(30, "timed_out", steps=steps), *told, started=run())
        verdicts = [fact for fact in settled(state, START)[2] if isinstance(fact, GateAttributed)]
        assert [(each.klass, each.item) for each in verdicts] == [("gate-stalled", "Test")]
        (check,) = compose(state, state.pulls[7]).failed
        assert [(each.item, each.message) for each in check.failures] == [("Test", "the job ran into its time limit")]


def test_a_wrappers_last_line_is_a_stall():
    """The log says itself which item stalled: that counts, not the step."""
    stall = failure("tests/test_a.py::test_hang", fail_class="task-stalled", kind="stall", attribution="gate-stalled")
    for conclusion in ("failure", "timed_out"):
        state = watched(job(30, conclusion), triaged(30, stall, kind="stall"), started=run())
        (verdict,) = [fact for fact in settled(state, START)[2] if isinstance(fact, GateAttributed)]
        assert (verdict.klass, verdict.item) == ("gate-stalled", "tests/test_a.py::test_hang")


def test_real_failures_of_a_job_that_timed_out_stay():
    """A test failed before another one hung: both are told, the test first."""
    found = findings_of(job(30, "timed_out", steps=()), triaged(30, failure()), "ci.yml: test")
    assert [(each.fail_class, each.item) for each in found] == [
        ("gate-red-code", "tests/test_cart.py::test_total"),
        ("task-stalled", None),
    ]


def test_a_run_that_cannot_be_cancelled_is_told():
    """Its step was cancelled and another one runs on: only a forced cancel helps, and failres does not force."""
    seen = running(START + 601)
    steps = (seen.steps[0].model_copy(update={"conclusion": "cancelled"}), *seen.steps[1:])
    _, state, _ = settled(watched(seen.model_copy(update={"steps": steps})), START + 601)
    said = next_step(compose(state, state.pulls[7]))
    assert said.startswith("It was cancelled and goes on all the same: only a forced cancel of its run ends it.")
    assert "failres cancels nothing." in said


SEEN = RollupSeen(head_sha=HEAD, failed=0, passed=0, running=1, changed_at=START)


def test_running_jobs_that_no_delivery_told_of_are_listed_once():
    """Only when they could have stalled, and once for what GitHub counted."""
    state = watched(SEEN)
    early = decide_pull(state, 7, START + 599)
    assert (kinds(early), early.again_at) == ([], START + 600)
    (read,) = decide_pull(state, 7, START + 600).actions
    assert (read.type, read.rollup) == ("read-runs", SEEN)
    assert kinds(decide_pull(fold(state, RunsRead(head_sha=HEAD, at=1.0, rollup=SEEN)), 7, START + 700)) == []
    assert decide_pull(fold(state, running(START)), 7, START + 500).again_at == START + 600


def test_progress_is_news_only_on_an_open_pull_requests_head_and_only_forwards():
    """Deliveries come late, twice and in any order; the base's jobs are nobody's stall."""
    state = watched(running(START + 5))
    assert not is_news(state, running(START + 5))
    assert not is_news(state, running(status="queued", seen=START + 9))
    assert is_news(state, running(START + 6))
    assert not is_news(state, running(head_sha=NEXT))
    assert fold(state, running(status="waiting", seen=START + 9)) == state


LOOKED = (
    running(status="queued", seen=900.0),
    running(status="waiting", seen=900.0),
    running(test=None, seen=950.0),
    running(),
    running(START + 300),
    job(30, "success"),
)


@given(st.permutations(LOOKED), st.integers(1, len(LOOKED)))
def test_deliveries_in_any_order_come_to_the_same(order, seen):
    """What has ended never goes back, what goes on never goes back to waiting, whatever arrives first, late or twice."""
    state = watched()
    for fact in (*order[:seen], *order[:seen]):
        state = fold(state, fact) if is_news(state, fact) else state
    newest = max(order[:seen], key=LOOKED.index)
    head = state.head(HEAD)
    assert (set(head.jobs), set(head.progress)) == (({30}, set()) if newest is LOOKED[-1] else (set(), {30}))
    if newest in (LOOKED[4], LOOKED[3], LOOKED[2]):
        assert head.progress[30] == newest


def test_a_pull_request_that_failres_is_stopped_on_costs_no_look():
    """The label stops reads of running jobs too."""
    state = fold(watched(running()), pull(labels=("failres:stop",), updated_at=200.0))
    assert decide_pull(state, 7, START + 900).actions == ()
