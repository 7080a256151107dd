"""What interrupts an action without any fault of the task: once it is tried again, then people are asked, then it ends."""

from __future__ import annotations

from typing import get_args

import pytest

from bot.words.interrupted import interrupted as interrupted_words
from resolver.decide import decide_pull
from resolver.decide.interrupted import waits
from resolver.decide.quarantine import held
from resolver.decide.rerunning import Met
from resolver.facts import ActionDone, ActionRefused, ActionStarted
from resolver.facts.decisions import DecisionAnswered, DecisionRequested
from resolver.facts.quarantine import TaskQuarantined
from resolver.facts.resolve import ResolveDecided, ResolveEnded
from resolver.fold import fold
from resolver.ids import PullNumber, Sha
from resolver.interruptions import CONFLICT, Interruption
from resolver.policy import POLICY
from tests.core.made import pull, state_of
from tests.core.test_resolving import LIMITS, MANAGED, of, red, settle

SYNC = "sync:7"
CLASSES = [each for each in get_args(Interruption) if each != CONFLICT]


def open_task(settings=MANAGED, **changes):
    """A managed task on which nothing is red."""
    return state_of(*red(settings=settings)[:3], pull(**changes))


def interrupted(state, fail_class="base-moved", at=200.0, count=1, *, target=SYNC, retry_at=None):
    """The n-th start of the task's own action was interrupted."""
    told = {"ticket": f"{target}#{count}", "key": f"{target}@x", "target": target, "number": 7}
    state = fold(state, ActionStarted(**told, type="sync-branch", at=at))
    return fold(state, ActionRefused(**told, reason="it moved", retry_at=retry_at, fail_class=fail_class))


def twice(fail_class="base-moved"):
    """It was interrupted, tried again, and interrupted again: people are asked."""
    state, _, _, _ = settle(interrupted(open_task(), fail_class), 200.0)
    return settle(interrupted(state, fail_class, 900.0, 2), 900.0)


@pytest.mark.parametrize("fail_class", CLASSES)
def test_the_row_resumes_once_and_then_escalates(fail_class):
    """As the seed's table says of each of these classes; the outcome of the first try is recorded."""
    assert POLICY.find(fail_class, "task").attempts == ("resume", "escalate", "—")
    state, facts, _, _ = settle(interrupted(open_task(), fail_class), 200.0)
    (decided,) = of(ResolveDecided, facts)
    assert (decided.fail_class, decided.attempt, decided.action, decided.of_action) == (
        fail_class,
        1,
        "resume",
        "sync:7#1",
    )
    assert 248.0 <= decided.due_at <= 272.0
    assert of(DecisionRequested, facts) == []
    assert settle(state, 201.0)[1] == []
    state, facts, _, _ = twice(fail_class)
    assert [(each.success, each.reason) for each in of(ResolveEnded, facts)] == [(False, "it moved")]
    (decided,) = of(ResolveDecided, facts)
    assert (decided.attempt, decided.action, decided.rationale) == (2, "escalate", "it moved")
    (asked,) = of(DecisionRequested, facts)
    assert (asked.kind, asked.fail_class, asked.why, asked.of_action) == (
        "interrupted",
        fail_class,
        "it moved",
        "sync:7#2",
    )
    assert held(state, state.pulls[7]) == "people are asked about what was interrupted here (it moved)"


def test_it_waits_for_its_time_and_for_github_s_whichever_is_later():
    """Before that it is not started again; afterwards nothing keeps it."""
    state, _, _, _ = settle(interrupted(open_task(), retry_at=400.0), 200.0)
    task = state.pulls[7]
    assert waits(task, task.effects[SYNC], 300.0) == Met(again_at=400.0)
    assert waits(task, task.effects[SYNC], 400.0) is None


def test_what_is_done_in_the_end_is_a_success():
    """The second try went through."""
    state, _, _, _ = settle(interrupted(open_task()), 200.0)
    told = {"ticket": "sync:7#2", "key": "sync:7@x", "target": SYNC, "number": 7}
    state = fold(fold(state, ActionStarted(**told, type="sync-branch", at=300.0)), ActionDone(**told))
    assert [each.success for each in of(ResolveEnded, settle(state, 310.0)[1])] == [True]


@pytest.mark.parametrize(("option", "kept"), [("try-again", None), ("accept", "it moved")])
def test_an_answer_lets_it_go_on_or_leaves_it(option, kept):
    """Trying again lifts nothing but the question: limits of the ledger hold as before."""
    state, facts, _, _ = twice()
    (asked,) = of(DecisionRequested, facts)
    given = {"number": 7, "task_id": "pr-7", "by": 5, "login": "ana", "at": 950.0, "command_id": "c1"}
    action = {"try-again": "resume", "accept": "accept-quarantine-continue"}[option]
    answer = DecisionAnswered(
        decision_id=asked.decision_id, option=option, action=action, pushed=asked.head.pushed, **given
    )
    state = fold(state, answer)
    task = state.pulls[7]
    assert waits(task, task.effects[SYNC], 960.0) == kept
    assert held(state, task) is None


def test_the_third_time_the_breaker_stops_the_task_and_a_push_frees_it():
    """Two resolutions are all that the row has; what was stopped is not stopped again for the same thing."""
    state, facts, _, _ = twice()
    (asked,) = of(DecisionRequested, facts)
    given = {
        "number": 7,
        "task_id": "pr-7",
        "by": 5,
        "login": "ana",
        "at": 950.0,
        "command_id": "c1",
        "action": "resume",
    }
    state = fold(
        state, DecisionAnswered(decision_id=asked.decision_id, option="try-again", pushed=asked.head.pushed, **given)
    )
    state, facts, _, _ = settle(interrupted(state, at=1_000.0, count=3), 1_000.0)
    (made,) = of(TaskQuarantined, facts)
    assert (made.cause, made.fail_class, made.check) == ("breaker", "base-moved", None)
    state = fold(state, pull(head_sha=Sha("c" * 40), updated_at=1_100.0))
    state, facts, _, _ = settle(state, 1_200.0)
    assert of(TaskQuarantined, facts) == []
    assert state.pulls[7].quarantine is None


@pytest.mark.parametrize(
    ("settings", "changes"),
    [("mode: {rerun: act}\n", {}), (MANAGED, {"head_repo_id": 2}), (MANAGED, {"labels": ("failres:stop",)})],
)
def test_where_failres_does_not_act_nothing_is_made_of_it(settings, changes):
    """An unmanaged task, a fork, and a task that somebody stopped."""
    assert settle(interrupted(open_task(settings, **changes)), 200.0)[1] == []


def test_another_head_needs_no_answer_to_the_question_about_the_last():
    """The question ended with the push, and the same action is another one there."""
    state, _, _, _ = twice()
    state = fold(state, pull(head_sha=Sha("c" * 40), updated_at=1_100.0))
    task = state.pulls[7]
    assert waits(task, task.effects[SYNC], 1_200.0) is None
    assert held(state, task) is None
    assert decide_pull(state, PullNumber(7), 1_200.0, LIMITS).facts == ()


def test_a_conflict_is_asked_about_at_once_and_says_why_the_task_is_not_done_anew():
    """The row's first column needs a branch that may be thrown away: it escalates, and nothing is tried meanwhile."""
    assert POLICY.find(CONFLICT, "task").attempts[0] == "redo-task"
    state, facts, _, _ = settle(interrupted(open_task(), CONFLICT), 200.0)
    (decided,) = of(ResolveDecided, facts)
    why = "the configuration does not call this branch disposable"
    assert (decided.fail_class, decided.attempt, decided.action, decided.rationale) == (CONFLICT, 1, "escalate", why)
    (asked,) = of(DecisionRequested, facts)
    assert (asked.kind, asked.fail_class, asked.why, asked.options) == (
        "interrupted",
        CONFLICT,
        why,
        ("try-again", "accept"),
    )
    assert why in interrupted_words(asked)
    task = state.pulls[7]
    assert isinstance(waits(task, task.effects[SYNC], 90_000.0), str)
    assert settle(state, 90_000.0)[1] == []
