"""What died without a class, and what is flaky: the two rules of the table that no failure class names."""

from __future__ import annotations

from bot.words.decision import render
from resolver.actions import RerunJobs
from resolver.actions.talk import PostDecision
from resolver.config import parse_config
from resolver.decide import decide_pull
from resolver.facts import StepFinished
from resolver.facts.decisions import DecisionRequested
from resolver.facts.resolve import ResolveDecided, ResolveEnded
from resolver.fold import fold
from resolver.ids import PullNumber
from tests.core.made import HEAD, config, failure, files, job, looked_at_base, pull, repo, run, state_of, triaged
from tests.core.test_resolving import LIMITS, MANAGED, of, settle

NEVER_ENDED = (
    StepFinished(number=1, name="Set up job", conclusion="success"),
    StepFinished(number=2, name="Test", conclusion=None),
)
FAILED = (StepFinished(number=2, name="Test", conclusion="failure"),)
BASE = (repo(), config(found=True, settings=parse_config(MANAGED)), looked_at_base(), pull(), files())
ITEM = "tests/test_cart.py::test_total"


def died(attempt=1, steps=NEVER_ENDED):
    """A job that failed, of which GitHub has no log."""
    at = 110.0 + 10_000.0 * (attempt - 1)
    times = {"started_at": at - 9.0, "completed_at": at}
    return (
        run(attempt=attempt, updated_at=at),
        job(30 + attempt, attempt=attempt, steps=steps, **times),
        triaged(30 + attempt, attempt=attempt, missing="no-log", kind="none"),
    )


def test_a_dead_runner_is_resumed_twice_and_then_people_are_asked():
    """Attempts 1 and 2 run the job again after their wait, the third escalates; the question says what happened."""
    state, made, ended = state_of(*BASE, *died()), [], []
    for attempt in (1, 2, 3):
        now = 10_000.0 * attempt
        state, facts, _, again = settle(state, now)
        made += of(ResolveDecided, facts)
        ended += of(ResolveEnded, facts)
        if attempt < 3:
            assert again == made[-1].due_at > now
            state, _, actions, later = settle(state, again)
            if attempt == 2:  # of two waits the longer wins: the pause between two reruns
                assert (actions, later) == ([], now + 1_200.0)
                state, _, actions, _ = settle(state, later)
            assert [type(each) for each in actions] == [RerunJobs]
            for fact in died(attempt + 1):
                state = fold(state, fact)
    assert [(each.fail_class, each.attempt, each.action) for each in made] == [
        ("crash", 1, "resume"),
        ("crash", 2, "resume"),
        ("crash", 3, "escalate"),
    ]
    assert [each.success for each in ended] == [False, False]
    (asked,) = of(DecisionRequested, facts)
    said = render(PostDecision(number=7, head_sha=HEAD, decision=asked), "https://github.test/acme/shop")
    assert (
        "`test` failed. It died without a word. People are asked because there is no log; it was run again and failed again."
        in said
    )


def test_what_only_runs_late_is_not_dead():
    """The job has not ended: nothing is decided, however long it takes."""
    running = run(status="in_progress", conclusion=None)
    state = state_of(*BASE, running)
    assert of(ResolveDecided, settle(state, 90_000.0)[1]) == []


def test_a24_a_failed_step_without_a_log_is_no_death():
    """A step failed and its log is gone: that is a failure whose cause is not known, and nothing is run again for it."""
    _, facts, actions, _ = settle(state_of(*BASE, *died(steps=FAILED)), 10_000.0)
    assert (of(ResolveDecided, facts), actions) == ([], [])
    assert [each.fail_class for each in of(DecisionRequested, facts)] == ["unknown"]


def flake(earlier=()):
    """Red, green and red again on one commit: proven flaky, and red now."""
    facts = [*BASE, *earlier]
    for attempt, conclusion in ((1, "failure"), (2, "success"), (3, "failure")):
        at = 110.0 + 10.0 * attempt
        told = {"passed": (ITEM,)} if conclusion == "success" else {}
        failed = (failure(ITEM),) if conclusion == "failure" else ()
        facts += [
            run(attempt=attempt, conclusion=conclusion, updated_at=at),
            job(30 + attempt, conclusion, attempt=attempt, started_at=at - 5.0, completed_at=at),
            triaged(30 + attempt, *failed, attempt=attempt, **told).model_copy(update={"failures": failed}),
        ]
    return state_of(*facts)


def test_a_flake_is_one_resume_that_counts_as_no_attempt():
    """It waits as any resume, runs once more, and leaves the class's attempts as they were."""
    state, facts, _, again = settle(flake(), 200.0)
    (decided,) = of(ResolveDecided, facts)
    assert (decided.fail_class, decided.action, decided.counts, decided.attempt) == (
        "gate-red-code",
        "resume",
        False,
        1,
    )
    assert again == decided.due_at
    state, facts, actions, _ = settle(state, again)
    assert [type(each) for each in actions] == [RerunJobs]
    assert of(ResolveDecided, facts) == []
    due = decide_pull(state, PullNumber(7), again + 10_000.0, LIMITS)
    assert [each for each in due.facts if isinstance(each, ResolveDecided)] == []


def test_a_second_flake_of_the_same_check_asks_to_have_the_test_mended():
    """Inside the window, on another head: the decision escalates, and its question is of that kind."""
    state, facts, _, _ = settle(flake(), 200.0)
    for fact in (pull(head_sha="b" * 40, updated_at=300.0), files(7, "b" * 40)):
        state = fold(state, fact)
    for attempt, conclusion in ((1, "failure"), (2, "success"), (3, "failure")):
        at = 1_110.0 + 10.0 * attempt
        ran = {"head": "b" * 40, "run_id": 21, "attempt": attempt}
        failed = (failure(ITEM),) if conclusion == "failure" else ()
        for fact in (
            run(21, "b" * 40, attempt=attempt, conclusion=conclusion, updated_at=at),
            job(60 + attempt, conclusion, started_at=at - 5.0, completed_at=at, **ran),
            triaged(60 + attempt, *failed, passed=(ITEM,), **ran).model_copy(update={"failures": failed}),
        ):
            state = fold(state, fact)
    _, facts, actions, _ = settle(state, 2_000.0)
    assert [(each.action, each.counts) for each in of(ResolveDecided, facts)] == [("escalate", True)]
    assert [each.kind for each in of(DecisionRequested, facts)] == ["fix-flaky-test"]
    assert actions == []
