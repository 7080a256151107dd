"""How long a step may run, as a table: configuration and past → budget, or that nothing says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolver.config import parse_config
from resolver.facts import StepFinished
from resolver.limits import LIMITS, Limits
from resolver.stalls import Budget, NoHistory, StepName, budget_of, percentile, shortest_rule
from resolver.state.step_history import StepHistory
from tests.core.made import job

MINUTE = 60.0
TEST = StepName("ci", "unit", "Test")


def rules(*budgets, factor=3):
    """The `stall` part of a configuration."""
    lines = "".join(f"    - {{{each}}}\n" for each in budgets)
    return parse_config(f"stall:\n  factor: {factor}\n" + (f"  budgets:\n{lines}" if budgets else "")).stall


def config(minutes):
    """A budget of the configuration."""
    return Budget(seconds=minutes * MINUTE, source="config")


def history(minutes, samples):
    """A budget of the past."""
    return Budget(seconds=minutes * MINUTE, source="history", samples=samples)


TABLE = {
    "nothing known": ((), (), NoHistory(samples=0)),
    "four durations are too few": ((), (60, 60, 60, 60), NoHistory(samples=4)),
    "five short ones: the minimum": ((), (60,) * 5, history(10, 5)),
    "three times the 95th percentile": ((), (300,) * 19 + (600,), history(15, 20)),
    "of twenty, the longest alone says nothing": ((), (300,) * 19 + (9_000,), history(15, 20)),
    "of nineteen, the longest counts": ((), (300,) * 18 + (600,), history(30, 19)),
    "the order does not matter": ((), (600, 300, 300, 300, 300), history(30, 5)),
    "a rule for every step": (("budget: 20m",), (60,) * 9, config(20)),
    "a rule goes below the minimum": (("budget: 2m",), (), config(2)),
    "a rule needs no past": (("step: Test, budget: 45m",), (), config(45)),
    "a rule for another step": (("step: Deploy, budget: 45m",), (), NoHistory(samples=0)),
    "a rule for another check": (("check: lint, budget: 45m",), (60,) * 5, history(10, 5)),
    "a check by its job": (("check: 'unit (*)', budget: 45m",), (), config(45)),
    "a check as GitHub lists it": (("check: 'ci / unit*', budget: 45m",), (), config(45)),
    "the first rule that matches": (("step: 'T*', budget: 5m", "step: Test, budget: 45m"), (), config(5)),
    "an exact zero is a duration too": ((), (0,) * 5, history(10, 5)),
}


@pytest.mark.parametrize(("given_rules", "past", "expected"), TABLE.values(), ids=TABLE)
def test_a_budget(given_rules, past, expected):
    """What says how long the step `Test` of the job `unit (3.11)` may run."""
    assert budget_of(rules(*given_rules), StepName("ci", "unit (3.11)", "Test"), past) == expected


def test_the_factor_is_the_configurations():
    """A repository may ask for more patience, or less, but never for less than the minimum."""
    past = (600.0,) * 5
    assert budget_of(rules(factor=6), TEST, past) == history(60, 5)
    assert budget_of(rules(factor=1), TEST, past) == history(10, 5)


def test_the_shortest_rule_of_a_job():
    """A step that is not listed yet may have the shortest budget that the configuration has for its check."""
    given_rules = rules("step: A, budget: 20m", "step: B, budget: 5m", "check: lint, budget: 1m")
    assert shortest_rule(given_rules, "ci", "unit") == 5 * MINUTE
    assert shortest_rule(given_rules, "ci", "unit", {"B"}) == 20 * MINUTE
    assert shortest_rule(rules("check: lint, budget: 1m"), "ci", "unit") is None


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_a_percentile_is_a_value_that_most_do_not_exceed(values):
    """At least 95 in a hundred values are no larger, and fewer are smaller."""
    found = percentile(values)
    assert found in values
    assert sum(each <= found for each in values) >= 0.95 * len(values)
    assert sum(each < found for each in values) < 0.95 * len(values)


def steps(seconds, at=0.0, conclusion="success", name="Test"):
    """The steps of a job whose one step took so long."""
    return (StepFinished(number=2, name=name, conclusion=conclusion, started_at=at, completed_at=at + seconds),)


def past(*jobs):
    """The past of the step `Test` after these jobs."""
    history_ = StepHistory()
    for each in jobs:
        history_ = history_.with_job(each)
    return history_.past("ci", "test", "Test")


def test_only_success_counts():
    """A step that failed, was cancelled or was skipped says nothing of how long it takes; nor does one without times."""
    ends = [job(n, steps=steps(9, n, end)) for n, end in enumerate(("failure", "cancelled", "skipped", None))]
    untimed = job(9, steps=(StepFinished(number=2, name="Test", conclusion="success"),))
    assert past(*ends, untimed, job(10, "failure", steps=steps(30, 5.0))) == (30.0,)


def test_a_job_listed_again_counts_once():
    """GitHub lists a job that was carried over with a new id and the same times."""
    assert past(job(1, steps=steps(30, 5.0)), job(2, attempt=2, steps=steps(30, 5.0))) == (30.0,)


def test_another_event_is_the_same_past_and_another_job_is_not():
    """Pushes to the base and pull requests share a job's past; another job, or workflow, has its own."""
    others = (job(2, name="lint", steps=steps(1)), job(3, workflow="nightly", steps=steps(2)))
    assert past(job(1, run_id=20, steps=steps(30, 5.0)), *others) == (30.0,)


@given(st.permutations(range(80)))
def test_the_past_is_bounded_and_does_not_depend_on_the_order(order):
    """Of one step the newest durations are kept, whatever order jobs are told in."""
    kept = past(*(job(n, steps=steps(float(n), 100.0 * n)) for n in order))
    assert kept == tuple(float(n) for n in range(80 - LIMITS.step_samples, 80))


def test_jobs_that_no_longer_run_are_forgotten():
    """Names that come from a matrix may be many; the longest unseen go first."""
    history_ = StepHistory()
    for n in range(Limits().step_jobs + 1):
        history_ = history_.with_job(job(n, name=f"cell {n}", steps=steps(1.0, float(n))))
    assert len(history_.jobs) == LIMITS.step_jobs * 9 // 10
    assert history_.past("ci", f"cell {LIMITS.step_jobs}", "Test") == (1.0,)
    assert history_.past("ci", "cell 0", "Test") == ()
