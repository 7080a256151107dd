"""Breakers and waiting: how often, how long, and what a limit's own words say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolver.backoff import PARK_LIMITS, LimitSigns, backoff, retry_at, stated_wait
from resolver.breakers import Resolutions, Tripped, tripped
from resolver.config.sections import Budget
from resolver.failure import Scope
from resolver.policy import ACTIONS, POLICY, AskModel, Row, lookup

BUDGET = Budget()


THREE = ("gate-red-code", "task")
RUN = ("land-failed", "run")


@pytest.mark.parametrize(
    ("row", "of_class", "of_run", "expected"),
    [
        (THREE, 0, 0, None),
        (THREE, 2, 9, None),
        (THREE, 3, 9, ("class", "quarantine", 3, 3)),
        (THREE, 4, 9, ("class", "quarantine", 4, 3)),
        (THREE, 0, 10, ("run", "pause-run", 10, 10)),
        (THREE, 3, 10, ("run", "pause-run", 10, 10)),
        (RUN, 1, 1, None),
        (RUN, 2, 2, ("class", "escalate", 2, 2)),
        (RUN, 0, 11, ("run", "pause-run", 11, 10)),
        (("adapter-contract-violation", "adapter"), 2, 2, ("class", "quarantine", 2, 2)),
        (("gate-not-green-after-fixer", "task"), 0, 0, None),
        (("gate-not-green-after-fixer", "task"), 1, 1, ("class", "quarantine", 1, 1)),
        (("no-such-class", "task"), 2, 2, None),
        (("no-such-class", "task"), 3, 3, ("class", "quarantine", 3, 3)),
    ],
)
def test_breakers(row: tuple[str, Scope], of_class: int, of_run: int, expected: tuple[str, str, int, int] | None):
    """Three resolutions per task and class, fewer where the row has fewer cells, ten per run; the run's is told first."""
    found = tripped(*row, Resolutions(of_class=of_class, of_run=of_run), BUDGET)
    assert (None if found is None else (found.breaker, found.then, found.count, found.limit)) == expected


def test_a_budget_of_nothing_allows_nothing():
    """A repository may allow no resolutions at all."""
    none = Resolutions(of_class=0, of_run=0)
    assert tripped(*THREE, none, Budget(max_resolutions=0)) == Tripped(
        breaker="class", then="quarantine", count=0, limit=0
    )
    assert tripped(*THREE, none, Budget(max_resolutions_per_run=0)) is not None


@given(
    failures=st.lists(st.tuples(st.sampled_from(POLICY.row), st.integers(0, 2)), max_size=60),
    limits=st.tuples(st.integers(0, 3), st.integers(0, 40)),
    llm=st.booleans(),
)
def test_never_more_resolutions_than_the_breakers_allow(
    failures: list[tuple[Row, int]], limits: tuple[int, int], llm: bool
):
    """Whatever order failures come in, no (task, class) and no run gets more resolutions than its limit, every action is of the closed set, and no dash is ever met."""
    budget = Budget(max_resolutions=limits[0], max_resolutions_per_run=limits[1])
    made: list[tuple[str, str, int]] = []
    for row, task in failures:
        key = (row.fail_class, row.scope, task)
        before = Resolutions(of_class=made.count(key), of_run=len(made))
        if tripped(row.fail_class, row.scope, before, budget) is not None:
            continue
        ruling = lookup(row.fail_class, row.scope, before.attempt, llm)
        assert isinstance(ruling, AskModel) or ruling.action in ACTIONS
        made.append(key)
    assert len(made) <= limits[1]
    assert all(made.count(each) <= limits[0] for each in made)


@pytest.mark.parametrize(
    ("attempt", "middle"), [(1, 60), (2, 120), (3, 240), (4, 480), (5, 600), (6, 600), (64, 600), (10**9, 600)]
)
def test_backoff(attempt: int, middle: float):
    """Doubling from a minute to ten, moved by a fifth at most, whatever is drawn."""
    assert backoff(attempt, 0.5, BUDGET) == middle
    assert backoff(attempt, 0.0, BUDGET) == pytest.approx(middle * 0.8)
    assert backoff(attempt, 0.999999, BUDGET) == pytest.approx(middle * 1.2, rel=1e-5)


@given(st.integers(1, 100), st.floats(0, 1, exclude_max=True))
def test_backoff_stays_inside_its_jitter(attempt: int, draw: float):
    """No draw leaves the band of 20 % around `min(2^attempt x 30 s, 10 min)`."""
    middle = min(2**attempt * 30, 600)
    assert middle * 0.8 <= backoff(attempt, draw, BUDGET) <= middle * 1.2


@pytest.mark.parametrize(("attempt", "draw"), [(0, 0.5), (-1, 0.5), (1, 1.0), (1, -0.1), (1, float("nan"))])
def test_backoff_refuses_what_cannot_be(attempt: int, draw: float):
    """An attempt below one or a draw outside [0, 1) is a caller's defect."""
    with pytest.raises(ValueError, match=r"attempts|draw"):
        backoff(attempt, draw, BUDGET)


@pytest.mark.parametrize(
    ("text", "wait"),
    [
        ("Please try again in 6m30s.", 390),
        ("Rate limit reached for requests. Please try again in 1.5s", 1.5),
        ("error: retry after 20 seconds", 20),
        ("quota resets in 2 hours and 3 minutes", 7380),
        ("You must wait 5 minutes", 300),
        ("Try again in 250ms", 0.25),
        ("RESETS IN 1 DAY", 86400),
        ("try again in 1h 2m 3s", 3723),
        ("try again in 1.5 Minutes, 2 secs", 92),
        ("retry after 30 hrs", 108000),
        ("Please try again in about 5 minutes.", 300),
        ("try again in one minute", 60),
        ("Try again in an hour and a half", 3600),
        ("wait another 20 seconds", 20),
        ("please try again in 1 minute(s)", 60),
        ("Expected available in 32 seconds.", 32),
        ("wait a moment", None),
        ("\ud800 try again in 3s", 3),
        ("try again later", None),
        ("took 20 seconds", None),
        ("try again in 20 swallows", None),
        ("", None),
        ("try again in " + "9" * 40 + "s", None),
    ],
)
def test_what_the_words_of_a_limit_say(text: str, wait: float | None):
    """A stated wait is read from the usual phrases and from nothing else."""
    assert stated_wait(text) == wait


NOW = 1_000_000.0


@pytest.mark.parametrize(
    ("signs", "wait"),
    [
        (LimitSigns(retry_after=120), 120),
        (LimitSigns(retry_after=120, reset_at=NOW + 900, text="try again in 5m"), 120),
        (LimitSigns(reset_at=NOW + 900, text="try again in 5m"), 900),
        (LimitSigns(text="try again in 5m"), 300),
        (LimitSigns(), 3600),
        (LimitSigns(text="no time told"), 3600),
        (LimitSigns(text="limit resets at 1970-01-12T13:56:40Z"), 600),
        (LimitSigns(text="Try again at 1970-01-12 15:56:40.5 +02:00"), 600),
        (LimitSigns(text="try again after 1970-01-12 13:56:40 UTC"), 600),
        (LimitSigns(text="quota resets at 1970-01-12T13:56:40"), 3600),
        (LimitSigns(text="quota resets at 2018-05-05T00:00:00Z, try again in 5m"), 300),
        (LimitSigns(text="quota resets at 2018-05-05T00:00:00Z"), 86400),
        (LimitSigns(text="quota resets at 1969-05-05T00:00:00Z"), 60),
        (LimitSigns(text="quota resets at 2026-99-99T99:99:99Z"), 3600),
        (LimitSigns(retry_after=0), 60),
        (LimitSigns(retry_after=-5), 60),
        (LimitSigns(reset_at=NOW - 50), 60),
        (LimitSigns(retry_after=1e12), 86400),
        (LimitSigns(retry_after=float("nan")), 3600),
        (LimitSigns(reset_at=float("inf")), 3600),
        (LimitSigns(text="try again in 999999 days"), 86400),
        (LimitSigns(text="x" * PARK_LIMITS.text + "try again in 5m"), 3600),
    ],
)
def test_when_a_parked_task_resumes(signs: LimitSigns, wait: float):
    """`Retry-After` before the reset header, before the words, before the configuration; never at once, never for ever."""
    assert retry_at(NOW, signs, BUDGET) == NOW + wait
