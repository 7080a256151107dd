"""A bound on what a repository's fold holds: closed pull requests are put away, and come back with what binds them."""

import pytest

from resolver.executions import Check
from resolver.facts import ActionDone, ActionStarted, ProbeDispatched, ProbeRemoved
from resolver.fold import fold
from resolver.ledger import Allowed, Ledger, Refused
from resolver.ledger.events import ProbeStarted, RepairTried
from resolver.ledger.index import KEPT
from resolver.limits import LIMITS
from resolver.news import is_news
from resolver.state import RepoState
from resolver.task_scope import TaskScope
from tests.core.made import BASE, HEAD, NEXT, config, files, pull, repo, state_of

DAY = 86_400.0


def closed_at(number, at, **changes):
    """A pull request that was closed then (seconds), seen open before."""
    return (
        pull(number, updated_at=at - 10.0, **changes),
        pull(number, state="closed", updated_at=at, **changes),
    )


def long_ago(most=LIMITS.closed_pulls + 1, **changes):
    """One pull request more, all closed two days ago, than are kept for certain."""
    return [fact for number in range(100, 100 + most) for fact in closed_at(number, 1_000.0 + number, **changes)]


def later(number=7, **changes):
    """A pull request that is seen two days after."""
    return pull(number, updated_at=1_000.0 + 2 * DAY, **changes)


def test_what_was_closed_long_ago_is_put_away_once_there_is_much_of_it():
    """A day and two hundred of them: until then everything is where it was."""
    few = state_of(repo(), *long_ago(LIMITS.closed_pulls - 1), later())
    assert not few.closed
    many = state_of(repo(), *long_ago(), later())
    assert set(many.pulls) == {7}
    assert len(many.closed) == LIMITS.closed_pulls + 1


def test_what_was_closed_lately_stays():
    """What a day is counted over still counts it."""
    state = state_of(repo(), *long_ago(), *closed_at(8, 1_000.0 + 1.5 * DAY), later())
    assert set(state.pulls) == {7, 8}


def test_opened_again_it_has_its_scope_its_comment_and_its_effects_but_nothing_of_its_head():
    """The scope is frozen at first sight, and what was started is counted on."""
    told = (
        files(100, HEAD, "shop/cart.py"),
        ActionStarted(ticket="comment:100#9", key="k", target="comment:100", type="post-comment", number=100, at=5.0),
        ActionDone(ticket="comment:100#9", key="k", target="comment:100", number=100, result={"commentId": 4}),
        ActionStarted(ticket="log:1#10", key="k", target="log:1", type="read-log", number=100, at=5.0),
    )
    before = state_of(repo(), config(), pull(100, updated_at=900.0), *told, *long_ago())
    assert before.pulls[100].files is not None
    away = fold(before, later())
    assert 100 not in away.pulls
    again = fold(away, pull(100, updated_at=1_000.0 + 3 * DAY))
    back = again.pulls[100]
    assert 100 not in again.closed
    assert isinstance(back.scope, TaskScope)
    assert back.scope == before.pulls[100].scope
    assert back.comment_id == 4
    assert set(back.effects) == {"comment:100"}
    assert back.files is None
    assert again.pulls_of(HEAD) == [7, 100]


def test_an_old_view_of_what_was_put_away_is_no_news_and_brings_nothing_back_to_an_earlier_state():
    """Webhooks may be late by days."""
    away = state_of(repo(), *long_ago(), later())
    late = pull(100, updated_at=500.0, head_sha=NEXT)
    assert not is_news(away, late)
    assert fold(away, late).pulls[100].seen.state == "closed"
    assert is_news(away, pull(100, updated_at=1_000.0 + 3 * DAY))


@pytest.mark.parametrize("comes", [pull(100, head_ref="plan/coupons--a"), pull(9, head_ref="plan/coupons--z")])
def test_a_runs_tasks_go_and_come_back_together(comes):
    """A run's breaker counts over all its tasks, those among them that have landed."""
    run = [*closed_at(100, 1_100.0, head_ref="plan/coupons--a"), *closed_at(101, 1_101.0, head_ref="plan/coupons--b")]
    others = [fact for number in range(200, 500) for fact in closed_at(number, 1_000.0)]
    open_one = pull(102, head_ref="plan/coupons--c", updated_at=1_000.0)
    assert {100, 101, 102} <= set(state_of(repo(), *run, open_one, *others, later()).pulls)
    away = state_of(repo(), *run, *others, later())
    assert not {100, 101} & set(away.pulls)
    back = fold(away, comes.model_copy(update={"updated_at": 1_000.0 + 3 * DAY}))
    assert {100, 101} <= set(back.pulls)
    assert not {100, 101} & set(back.closed)


def test_a_years_pull_requests_leave_as_many_in_sight_as_a_days():
    """One in ten minutes, each closed after an hour."""
    state = RepoState()
    for n in range(1, 1_000):
        state = fold(state, pull(n, updated_at=600.0 * n, head_sha=f"{n:040x}"))
        if n > 6:
            state = fold(state, pull(n - 6, state="closed", updated_at=600.0 * n, head_sha=f"{n - 6:040x}"))
    assert len(state.pulls) <= LIMITS.closed_pulls + 10
    assert len(state.pulls) + len(state.closed) == 999
    assert sum(each.seen.state == "open" for each in state.pulls.values()) == 6


def test_probes_that_are_over_are_forgotten_and_those_under_way_are_not():
    """The newest are kept: their results are evidence still."""
    state = state_of(repo())
    for n in range(LIMITS.probes_kept + 20):
        state = fold(state, dispatched(n))
        if n:
            state = fold(state, ProbeRemoved(probe_id=f"probe:{n}", reason="reported"))
    assert len(state.probes) == LIMITS.probes_kept + 1
    assert "probe:0" in state.probes
    assert "probe:1" not in state.probes


def dispatched(n):
    """A probe of one check."""
    branch = f"failres/probe/{n}"
    check = Check(workflow=".github/workflows/ci.yml", job="unit", event="pull_request")
    told = {"base_sha": BASE, "run_id": None, "nonce": f"{n}"}
    return ProbeDispatched(probe_id=f"probe:{n}", check=check, commit=f"{n:040x}", branch=branch, **told)


def test_a_repositorys_own_actions_are_bounded_and_those_under_way_are_not_forgotten():
    """Each commit of a base is read once; the sweep goes on for ever and is counted on."""
    state = state_of(repo(), started("probe:0", 0))
    for n in range(1, LIMITS.effects_kept + 500):
        for fact in (started("sweep", n), ended("sweep", n), started(f"runs:{n}", n), ended(f"runs:{n}", n)):
            state = fold(state, fact)
    assert len(state.effects) <= LIMITS.effects_kept
    assert state.effects["sweep"].count == LIMITS.effects_kept + 499
    assert {"probe:0", f"runs:{n}"} <= set(state.effects)


def started(target, at):
    """An action of the repository's own went out."""
    return ActionStarted(ticket=f"{target}#{at}", key="k", target=target, type="t", number=None, at=float(at))


def ended(target, at):
    """It was carried out."""
    return ActionDone(ticket=f"{target}#{at}", key="k", target=target, number=None)


def test_the_ledger_forgets_executions_that_nobody_tries_again_and_keeps_what_binds_a_task():
    """GitHub starts no run again that is older than 30 days; two repairs of a defect are two for ever."""
    ledger = Ledger()
    for n in range(3 * KEPT):
        at = n * DAY / 24
        ledger = ledger.with_event(ProbeStarted(id=f"probe:{n}", at=at, check="unit", commit=f"{n:040x}"))
        if n < 2:
            tried = RepairTried(id=f"repair:{n}", at=at, base_ref="main", fingerprint="v1-0123456789abcdef")
            ledger = ledger.with_event(tried).spent("probe:0", happened=False)
    assert len(ledger.events) <= KEPT + 2
    assert not ledger.unspent
    assert isinstance(ledger.repair("main", "v1-0123456789abcdef"), Refused)
    assert ledger.probe("unit", f"{n:040x}") == Allowed(attempt=2)
    assert ledger == Ledger.of(ledger.events.values())
    assert ledger.places == Ledger.of(ledger.events.values()).places
