"""Quarantine: when it is made, what it forbids, what lifts it, and when the same failure is not tried afresh."""

from __future__ import annotations

import pytest

from resolver.actions import RerunJobs, StartProbe, SyncBranch
from resolver.config import parse_config
from resolver.decide import decide_pull
from resolver.decide.asked import plan_retry
from resolver.decide.endings import how_it_ended
from resolver.facts import ActionDone, ActionStarted, BaseMoved
from resolver.facts.decisions import DecisionAnswered, DecisionRequested
from resolver.facts.quarantine import QuarantineLifted, TaskQuarantined
from resolver.facts.resolve import ResolveDecided
from resolver.fold import fold
from resolver.ids import PullNumber, Sha
from resolver.ledger.events import RerunEnded, RerunStarted
from resolver.touched import touched
from tests.core.made import BASE, HEAD, NEXT, config, failure, job, pull, state_of, triaged
from tests.core.test_resolving import LIMITS, MANAGED, of, red, settle

ONE = MANAGED + "budget: {maxResolutions: 0}\n"
"""No resolution is allowed: the first failure of a class that the table handles is quarantined."""

OTHER_BASE = Sha("1" * 40)
LABELLED = ONE.replace("rerun: act", "rerun: act, labels: act") + 'labels: ["failres:quarantined"]\n'


def quarantined(settings=ONE, now=200.0):
    """A task that was just quarantined, and the facts of that."""
    state, facts, actions, _ = settle(state_of(*red(settings=settings)), now)
    assert actions == []
    return state, facts


def moved(state, sha=OTHER_BASE, settings=ONE):
    """The base has another commit, and its configuration is read there."""
    for fact in (
        BaseMoved(ref="main", sha=sha, config_touched=None),
        config(sha=sha, found=True, settings=parse_config(settings)),
    ):
        state = fold(state, fact)
    return state


def pushed(state, number, settings=ONE):
    """Somebody pushed, and the new head fails in the same way."""
    for fact in red(head=Sha(f"{10 + number:x}" * 40), settings=settings):
        state = fold(state, fact)
    return state


def answered(state, option, action):
    """The question of the task is answered."""
    asked = list(state.pulls[7].talk.decisions.values())[-1]
    given = {"number": 7, "task_id": "pr-7", "by": 5, "login": "ana", "at": 300.0, "command_id": "c1"}
    fact = DecisionAnswered(
        decision_id=asked.decision_id, option=option, action=action, pushed=asked.head.pushed, **given
    )
    return fold(state, fact)


def test_a_tripped_breaker_quarantines_with_the_reds_as_evidence():
    """The record names class, fingerprint, message, heads and evidence; people are asked after it."""
    state, facts = quarantined()
    (made,) = of(TaskQuarantined, facts)
    assert (made.task_id, made.seq, made.fail_class, made.cause) == ("pr-7", 1, "gate-red-env", "breaker")
    assert (made.fingerprint, made.message) == ("v1-0123456789abcdef", "could not resolve host")
    assert (made.heads.head, made.heads.pushed, made.heads.base) == (HEAD, HEAD, BASE)
    assert [(each.side, each.run, each.job_id) for each in made.evidence] == [("task", 30, 40)]
    assert of(ResolveDecided, facts) == []
    (asked,) = of(DecisionRequested, facts)
    assert "the configuration allows no attempt at this class of failure" in asked.why
    assert state.pulls[7].quarantine.fact == made


def test_a_spent_ledger_quarantines_with_all_evidence_of_the_verdict():
    """Three executions for evidence that agree, and a base that cannot be asked: nothing is left to be tried."""
    tests = failure(None, fail_class="unknown", kind="unknown", places=())
    facts = [*red()[:-1], triaged(40, tests, head=HEAD, run_id=30)]
    for attempt in (1, 2, 3):
        started = f"rerun:30:{attempt}"
        asked = {"task": "pr-7", "head": HEAD, "workflow": ".github/workflows/ci.yml"}
        check = ".github/workflows/ci.yml: test (pull_request)"
        facts += [
            RerunStarted(id=started, at=150.0, check=check, fingerprints=(), purpose="evidence", **asked),
            RerunEnded(id=f"{started}:ended", rerun=started, at=160.0, useful=True),
        ]
    _, recorded, _, _ = settle(state_of(*facts), 10_000.0)
    (made,) = of(TaskQuarantined, recorded)
    assert (made.cause, made.fail_class) == ("ledger", "unknown")
    assert "3 executions of this check on this commit were made for evidence" in made.reason
    assert len(made.evidence) == 1
    (asked,) = of(DecisionRequested, recorded)
    assert asked.options == ("accept",)


def test_nothing_automatic_is_done_under_a_quarantine():
    """Another check fails too, whose evidence would be a rerun: it is explained, and nothing is started."""
    state, _ = quarantined()
    for fact in (job(77, name="lint", run_id=30, head=HEAD), triaged(77, failure("x"), run_id=30, head=HEAD)):
        state = fold(state, fact)
    started = []
    for now in (300.0, 5_000.0, 90_000.0):
        due = decide_pull(state, PullNumber(7), now, LIMITS)
        started += [each for each in due.actions if isinstance(each, RerunJobs | StartProbe | SyncBranch)]
        state, facts, _, _ = settle(state, now)
        started += of(ResolveDecided, facts)
    assert started == []


def test_a_push_lifts_it():
    """The new head is looked at as any other."""
    state, _ = quarantined()
    state = fold(state, red(head=NEXT)[3])
    assert state.pulls[7].quarantine is None


@pytest.mark.parametrize(
    ("option", "action", "stands"),
    [
        ("try-again", "resume", False),
        ("redo", "redo-task", False),
        ("noted", None, True),
        ("accept", "accept-quarantine-continue", True),
    ],
)
def test_what_an_answer_does_to_it(option, action, stands):
    """`accept` makes it final, `noted` leaves it, any other answer lifts it; told twice it does no more."""
    state, _ = quarantined()
    once = answered(state, option, action)
    assert (once.pulls[7].quarantine is not None) == stands
    assert not stands or once.pulls[7].quarantine.final == (option == "accept")
    assert answered(once, option, action) == once


def test_a_moved_base_lifts_it_three_times_a_day():
    """Each time the task is looked at again, and quarantined again; the fourth time only a day later."""
    state, _ = quarantined()
    lifted, now = 0, 1_000.0
    for number in range(1, 5):
        state = moved(state, Sha(f"{number:040x}"))
        state, facts, _, again = settle(state, now)
        lifted += len(of(QuarantineLifted, facts))
        now += 100.0
    assert lifted == 3
    assert [each.fact.heads.base for each in state.pulls[7].quarantines] == [BASE, *(f"{n:040x}" for n in (1, 2, 3))]
    assert again == 1_000.0 + 86_400.0
    _, facts, _, _ = settle(state, again + 1.0)
    assert [each.seq for each in of(QuarantineLifted, facts)] == [4]


def test_an_accepted_quarantine_is_lifted_by_a_push_only():
    """The base moves, and nothing follows."""
    state, _ = quarantined()
    state = moved(answered(state, "accept", "accept-quarantine-continue"))
    state, facts, _, _ = settle(state, 1_000.0)
    assert of(QuarantineLifted, facts) == []
    assert state.pulls[7].quarantine.final


def test_a_moved_base_makes_quarantined_tasks_due_and_no_others():
    """Who is not quarantined waits for the configuration at the new commit, as before."""
    state, _ = quarantined()
    news = BaseMoved(ref="main", sha=OTHER_BASE, config_touched=False)
    assert touched(state, news) == {7}
    assert touched(fold(state, red(head=NEXT)[3]), news) == frozenset()


def test_two_identical_quarantines_on_one_base_stop_the_third():
    """Nothing of it is tried afresh; the question says what it is about, and offers no further try."""
    state, _ = quarantined()
    state, facts, _, _ = settle(pushed(state, 1), 1_000.0)
    assert [each.cause for each in of(TaskQuarantined, facts)] == ["breaker"]
    state, facts, _, _ = settle(pushed(state, 2), 2_000.0)
    (decided,) = of(ResolveDecided, facts)
    assert (decided.fail_class, decided.action, decided.attempt) == ("repeated-failure-stop", "escalate", 1)
    assert [each.cause for each in of(TaskQuarantined, facts)] == ["stop-loss"]
    assert [each.fail_class for each in of(DecisionRequested, facts)] == ["repeated-failure-stop"]
    assert of(DecisionRequested, facts)[0].options == ("accept",)
    retry = plan_retry(state, state.pulls[7], None, 2_500.0, LIMITS)
    assert "nothing of it is tried afresh" in retry.reason
    state, facts, _, _ = settle(pushed(state, 3), 3_000.0)
    assert (of(ResolveDecided, facts), [each.cause for each in of(TaskQuarantined, facts)]) == ([], ["stop-loss"])


def test_a_stop_loss_question_ends_when_a_moved_base_takes_the_task_up_again():
    """It was about not trying afresh; what comes of the new try is asked anew."""
    state, _ = quarantined()
    for push, now in ((1, 1_000.0), (2, 2_000.0)):
        state, facts, _, _ = settle(pushed(state, push), now)
    (asked,) = of(DecisionRequested, facts)
    assert asked.quarantined == "stop-loss"
    assert how_it_ended(state, state.pulls[7], asked) is None
    state, facts, _, _ = settle(moved(state), 3_000.0)
    assert len(of(QuarantineLifted, facts)) == 1
    assert how_it_ended(state, state.pulls[7], asked).why == "base-moved"
    (anew,) = of(DecisionRequested, facts)
    assert how_it_ended(state, state.pulls[7], anew) is None


@pytest.mark.parametrize("escape", ["ledger: {stopLoss: off}\n", "another failure", "another base"])
def test_what_is_no_stop_loss(escape):
    """Switched off, another failure, or another base: it is tried as any other."""
    settings = ONE + escape if escape.startswith("ledger") else ONE
    state, _ = quarantined(settings)
    state, _, _, _ = settle(pushed(state, 1, settings), 1_000.0)
    state = pushed(state, 2, settings)
    if escape == "another base":
        state = moved(state)
    if escape == "another failure":
        other = failure(None, fail_class="gate-red-env", kind="network", fingerprint="v1-ffffffffffffffff", places=())
        state = fold(state, triaged(42, other, head=Sha("c" * 40), run_id=32))
    state, facts, _, _ = settle(state, 2_000.0)
    assert [each.cause for each in of(TaskQuarantined, facts)] == ["breaker"]


def test_the_same_record_twice_is_one_quarantine():
    """Folding again what is known changes nothing, neither on the task nor in the ledger."""
    state, facts = quarantined()
    for fact in facts:
        assert fold(state, fact) == state


def test_the_label_stands_while_the_task_is_red_and_quarantined():
    """Set where the configuration asks for it, and taken off once a push has lifted the quarantine."""
    state, _ = quarantined(LABELLED)
    (wanted,) = labels(state, 300.0)
    assert (wanted.label, wanted.present) == ("failres:quarantined", True)
    done = {"ticket": "t", "key": wanted.key, "target": wanted.target, "number": 7}
    for fact in (
        ActionStarted(**done, type="set-label", at=300.0),
        ActionDone(**done),
        pull(labels=(wanted.label,), updated_at=110.0),
    ):
        state = fold(state, fact)
    assert labels(state, 310.0) == []
    state = fold(state, pull(labels=(wanted.label,), head_sha=NEXT, updated_at=120.0))
    assert [(each.label, each.present) for each in labels(state, 320.0)] == [("failres:quarantined", False)]


def labels(state, now):
    """The labels that are due."""
    return [each for each in decide_pull(state, PullNumber(7), now, LIMITS).actions if each.type == "set-label"]
