"""A run whose breaker tripped: nothing automatic on any of its tasks, one question, and how it goes on."""

from __future__ import annotations

import pytest

from resolver.breakers import Resolutions
from resolver.commands import Answer
from resolver.config import parse_config
from resolver.decide import decide_pull
from resolver.decide.endings import how_it_ended
from resolver.decide.matter import resolutions
from resolver.facts import HeadPushed
from resolver.facts.decisions import DecisionAnswered, DecisionRequested
from resolver.facts.quarantine import TaskQuarantined
from resolver.facts.resolve import ResolveDecided
from resolver.facts.runs import RunPaused
from resolver.fold import fold
from resolver.fold.run import also_concerned
from resolver.ids import PullNumber, Sha
from resolver.people import Person
from tests.core.made import config, failure, files, job, looked_at_base, pull, repo, run, state_of, triaged
from tests.core.talk_made import given, standing
from tests.core.test_resolving import LIMITS, MANAGED, of

STARTED = {"report-caches", "drop-caches", "rerun-jobs", "start-probe", "sync-branch"}
ONE = MANAGED + "budget: {maxResolutionsPerRun: 1}\n"


def task(number, head=None, updated_at=100.0):
    """A task of the run `news` whose surroundings fail."""
    sha = Sha((head or f"{number:x}") * 40)
    ids = {"run_id": 20 + number, "head": sha}
    found = failure(None, fail_class="gate-red-env", kind="network", message="no host", places=())
    return (
        pull(number, head_sha=sha, head_ref=f"plan/news--t{number}", updated_at=updated_at),
        files(number, sha),
        run(20 + number, sha),
        job(30 + number, **ids),
        triaged(30 + number, found, **ids),
    )


def settle(state, *numbers, now):
    """Decide on the tasks until nothing is recorded."""
    facts = []
    for _ in range(4):
        for number in numbers:
            for fact in decide_pull(state, PullNumber(number), now, LIMITS).facts:
                state = fold(state, fact)
                facts.append(fact)
    return state, facts


def paused(settings=ONE):
    """Task 7 spent the run's only resolution, and task 8 wanted another."""
    base = config(found=True, settings=parse_config(settings))
    state = state_of(repo(), base, looked_at_base(), *task(7), *task(8))
    return settle(state, 7, 8, now=200.0)


def answered(state, number, option, action):
    """The question about the run is answered on that pull request."""
    (asked,) = [
        each
        for each in state.pulls[number].talk.decisions.values()
        if each.decision_id not in state.pulls[number].talk.answers
    ]
    fact = DecisionAnswered(
        decision_id=asked.decision_id,
        number=number,
        task_id=asked.task_id,
        by=5,
        option=option,
        action=action,
        pushed=asked.head.pushed,
        login="ana",
        at=300.0,
        command_id="c1",
    )
    return fold(state, fact), fact


def test_the_breaker_pauses_the_run_and_asks_once():
    """One resolution, one pause, one record for the run, and one question, at the task where it tripped."""
    state, facts = paused()
    assert [(each.scope, each.fail_class, each.action) for each in of(ResolveDecided, facts)] == [
        ("task", "gate-red-env", "env-repair:provision-deps"),
        ("run", "budget-exceeded", "escalate"),
    ]
    (stopped,) = of(RunPaused, facts)
    assert (stopped.run_id, stopped.number, stopped.count, stopped.limit) == ("news", 8, 1, 1)
    (asked,) = of(DecisionRequested, facts)
    assert (asked.kind, asked.number, asked.options) == ("run-paused", 8, ("try-again", "accept"))
    assert of(TaskQuarantined, facts) == []
    assert settle(state, 7, 8, now=5_000.0)[1] == []


def test_nothing_automatic_is_done_on_any_task_of_the_run():
    """Task 7's rerun was decided before, and is not started while the run is paused."""
    state, facts = paused()
    (decided,) = [each for each in of(ResolveDecided, facts) if each.scope == "task"]
    for now in (decided.due_at + 1.0, 90_000.0):
        for number in (7, 8):
            due = decide_pull(state, PullNumber(number), now, LIMITS)
            assert not STARTED & {each.type for each in due.actions}


def test_the_answer_lets_it_go_on_with_the_count_begun_anew():
    """Task 7's rerun is due again, task 8 gets its resolution; the next one pauses it again, without another record."""
    state, _ = paused()
    state, fact = answered(state, 8, "try-again", "resume")
    assert also_concerned(state, fact) == {7}
    assert resolutions(state, state.pulls[8], "gate-red-env") == Resolutions(of_class=0, of_run=0)
    due = decide_pull(state, PullNumber(7), 5_000.0, LIMITS)
    assert STARTED & {each.type for each in due.actions}
    state, facts = settle(state, 8, now=400.0)
    assert [each.fail_class for each in of(ResolveDecided, facts)] == ["gate-red-env"]
    for fact in task(9):
        state = fold(state, fact)
    state, facts = settle(state, 9, now=500.0)
    assert [each.seq for each in of(RunPaused, facts)] == [2]
    assert of(ResolveDecided, facts) == []
    assert [each.number for each in of(DecisionRequested, facts)] == [9]


def test_left_paused_it_is_asked_again_after_a_push_only():
    """`accept` leaves it paused; a push on the pull request of the question asks anew."""
    state, _ = paused()
    state, _ = answered(state, 8, "accept", "accept-quarantine-continue")
    state, facts = settle(state, 7, 8, now=1_000.0)
    assert facts == []
    for fact in (
        task(8, "d", 150.0)[0],
        HeadPushed(number=8, head_sha=Sha("d" * 40), by=Person(id=5, login="ana"), at=1_500.0),
    ):
        state = fold(state, fact)
    _, facts = settle(state, 7, 8, now=2_000.0)
    assert [(each.kind, each.number) for each in of(DecisionRequested, facts)] == [("run-paused", 8)]


def test_a_push_neither_ends_the_question_nor_puts_it_anew():
    """It is about the run: whoever pushes on its pull request, it stays open, and its answer holds."""
    state, _ = paused()
    for fact in (
        task(8, "d", 150.0)[0],
        HeadPushed(number=8, head_sha=Sha("d" * 40), by=Person(id=5, login="ana"), at=250.0),
    ):
        state = fold(state, fact)
    state, facts = settle(state, 7, 8, now=1_000.0)
    assert of(DecisionRequested, facts) == []
    for said in (given(Answer(option="try-again"), number=8, at=1_100.0), standing().model_copy(update={"number": 8})):
        state = fold(state, said)
    state, facts = settle(state, 8, now=1_100.0)
    assert [each.action for each in of(DecisionAnswered, facts)] == ["resume"]
    assert state.runs["news"].paused is None


def test_answered_elsewhere_the_question_ends():
    """Its pull request was closed, another one took the question over and was answered: reopened, it asks nothing."""
    state, _ = paused()
    state = fold(state, task(8)[0].model_copy(update={"state": "closed", "updated_at": 150.0}))
    state, _ = settle(state, 7, now=1_000.0)
    state, _ = answered(state, 7, "try-again", "resume")
    state = fold(state, task(8)[0].model_copy(update={"updated_at": 160.0}))
    (asked,) = state.pulls[8].talk.decisions.values()
    assert how_it_ended(state, state.pulls[8], asked).why == "goes-on"


def test_the_question_moves_where_its_pull_request_is_closed():
    """Another open task of the run takes it over."""
    state, _ = paused()
    closed = task(8)[0].model_copy(update={"state": "closed", "updated_at": 150.0})
    _, facts = settle(fold(state, closed), 7, now=1_000.0)
    assert [(each.kind, each.number) for each in of(DecisionRequested, facts)] == [("run-paused", 7)]


def test_another_run_goes_on():
    """A pull request of its own is a run of its own."""
    state, _ = paused()
    other = task(6)[0].model_copy(update={"head_ref": "coupons"})
    for fact in (other, *task(6)[1:]):
        state = fold(state, fact)
    _, facts = settle(state, 6, now=300.0)
    assert [each.action for each in of(ResolveDecided, facts)] == ["env-repair:provision-deps"]


@pytest.mark.parametrize("again", [1, 2])
def test_told_again_it_changes_nothing(again):
    """Pause and answer, folded twice."""
    state, facts = paused()
    resumed, fact = answered(state, 8, "try-again", "resume")
    for each in (*facts, fact) * again:
        resumed = fold(resumed, each)
    assert resumed.runs["news"].paused is None
