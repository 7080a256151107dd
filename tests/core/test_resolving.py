"""The resolver at work on one pull request: waits, attempts, outcomes, breakers, and what is left to people."""

from __future__ import annotations

import pytest

from resolver.actions import RerunJobs
from resolver.backoff import LimitSigns
from resolver.config import parse_config
from resolver.decide import decide_pull
from resolver.decide.matter import Matter
from resolver.decide.resolve import resolve
from resolver.executions import Check
from resolver.facts import ActionRefused, ActionStarted
from resolver.facts.decisions import DecisionRequested
from resolver.facts.repairs import RepairDone, RepairFailed, RepairReported, Thing
from resolver.facts.resolve import ResolveDecided, ResolveEnded
from resolver.fold import fold
from resolver.ids import PullNumber, Sha
from resolver.limits import Limits
from resolver.policy import POLICY
from tests.core.made import HEAD, config, failure, files, job, looked_at_base, pull, repo, run, state_of, triaged

LIMITS = Limits(ceiling="act")
MANAGED = 'managed: {branches: ["**"]}\nmode: {rerun: act}\n'
SURROUNDINGS = {
    "gate-red-env": "network",
    "dep-provision-failed": "network",
    "lockfile-out-of-sync": "network",
    "artifacts-missing": "network",
    "disk-space-low": "network",
    "registry-auth-missing": "network",
}
"""Classes whose row comes before attribution; the kind keeps attribution's own evidence out of these tests."""


def red(fail_class="gate-red-env", settings=MANAGED, head=HEAD, message="could not resolve host", kind=None):
    """A managed pull request, red for its surroundings alone."""
    found = failure(None, fail_class=fail_class, kind=kind or SURROUNDINGS[fail_class], message=message, places=())
    base = config(found=True, settings=parse_config(settings))
    number = int(head[0], 16)
    return (
        repo(),
        base,
        looked_at_base(),
        pull(head_sha=head, updated_at=100.0 + number),
        files(7, head),
        run(20 + number, head),
        job(30 + number, head=head, run_id=20 + number),
        triaged(30 + number, found, head=head, run_id=20 + number),
    )


def settle(state, now):
    """Decide until nothing is recorded: the state, what was recorded, the actions, and when to look again."""
    facts, actions, again = [], [], None
    for _ in range(6):
        due = decide_pull(state, PullNumber(7), now, LIMITS)
        actions += [each for each in due.actions if isinstance(each, RerunJobs) and each not in actions]
        again = due.again_at
        for fact in due.facts:
            state = fold(state, fact)
        facts += due.facts
        if not due.facts:
            break
    return state, facts, actions, again


def of(kind, facts):
    """The facts of one kind."""
    return [fact for fact in facts if isinstance(fact, kind)]


def again(state, conclusion, head=HEAD):
    """The jobs ran once more."""
    number = int(head[0], 16)
    second = job(
        50 + number, conclusion, head=head, run_id=20 + number, attempt=2, started_at=590.0, completed_at=600.0
    )
    ended = run(20 + number, head, attempt=2, conclusion=conclusion, updated_at=610.0)
    told = triaged(
        50 + number, failure(None, kind="network", fail_class="gate-red-env", places=()), head=head, run_id=20 + number
    )
    for fact in (second, ended, *((told,) if conclusion == "failure" else ())):
        state = fold(state, fact)
    return state


@pytest.mark.parametrize("fail_class", SURROUNDINGS)
def test_the_tables_first_cell_is_what_is_decided(fail_class):
    """What can be carried out is; what cannot escalates, and says why."""
    _, facts, _, _ = settle(state_of(*red(fail_class)), 200.0)
    (decided,) = of(ResolveDecided, facts)
    cell = POLICY.find(fail_class, "task").cell(1)
    possible = cell in ("resume", "escalate") or cell.startswith("env-repair:")
    assert decided.action == (cell if possible else "escalate")
    assert (decided.attempt, decided.source) == (1, "table")
    assert possible or cell in decided.rationale
    assert bool(of(DecisionRequested, facts)) == (decided.action == "escalate")


def test_the_wait_comes_first_and_then_one_rerun():
    """The wait of the first attempt is a minute, moved by at most a fifth; before it nothing is started."""
    state, facts, actions, at = settle(state_of(*red()), 200.0)
    (decided,) = of(ResolveDecided, facts)
    assert actions == []
    assert at == decided.due_at
    assert 200.0 + 48.0 <= decided.due_at <= 200.0 + 72.0
    state, facts, actions, _ = settle(mended(state, decided), decided.due_at)
    assert [each.run_id for each in actions] == [30]
    assert of(ResolveDecided, facts) == []


def test_no_rerun_before_the_repair_has_reported_and_is_done():
    """The report is asked for at once; what it names is removed after the wait; only then the jobs run anew."""
    state, facts, _, _ = settle(state_of(*red()), 200.0)
    (decided,) = of(ResolveDecided, facts)
    assert steps(state, 200.0) == ["report-caches"]
    named = Thing(kind="cache", name="deps-v1", version="3", branch="refs/pull/7/merge", id=3)
    state = fold(state, RepairReported(number=7, ref_decision_seq=decided.seq, things=(named,)))
    assert steps(state, 201.0) == []
    assert steps(state, decided.due_at) == ["remove-reported"]
    state = fold(state, RepairDone(number=7, ref_decision_seq=decided.seq, removed=("deps-v1",)))
    assert [each.run_id for each in settle(state, decided.due_at)[2]] == [30]


def test_a_repair_that_fails_takes_the_next_column():
    """`repair.failed` ends the decision without a rerun, and people are asked."""
    state, facts, _, _ = settle(state_of(*red()), 200.0)
    (decided,) = of(ResolveDecided, facts)
    broken = RepairFailed(number=7, ref_decision_seq=decided.seq, repair="provision-deps", reason="no way")
    _, facts, actions, _ = settle(fold(state, broken), decided.due_at)
    assert actions == []
    assert [(each.success, each.reason) for each in of(ResolveEnded, facts)] == [
        (False, "the repair `provision-deps` failed: no way")
    ]
    assert [(each.attempt, each.action) for each in of(ResolveDecided, facts)] == [(2, "escalate")]
    (asked,) = of(DecisionRequested, facts)
    assert "the repair `provision-deps` failed: no way" in asked.why


def test_a_repair_that_github_refuses_has_failed():
    """A step that is refused for good is not waited for."""
    state, facts, _, _ = settle(state_of(*red()), 200.0)
    (decided,) = of(ResolveDecided, facts)
    step = next(
        each for each in decide_pull(state, PullNumber(7), 200.0, LIMITS).actions if each.type == "report-caches"
    )
    about = {"ticket": f"{step.target}#1", "key": step.key, "target": step.target, "number": 7}
    for fact in (ActionStarted(**about, type=step.type, at=200.0), ActionRefused(**about, reason="not yours")):
        state = fold(state, fact)
    _, facts, _, _ = settle(state, decided.due_at)
    assert [each.reason for each in of(RepairFailed, facts)] == ["not yours"]


def steps(state, now):
    """The steps of repairs that are due."""
    due = decide_pull(state, PullNumber(7), now, LIMITS)
    return [each.type for each in due.actions if each.type in ("report-caches", "remove-reported", "rerun-jobs")]


def mended(state, decided):
    """Nothing was found that could be removed."""
    return fold(state, RepairReported(number=decided.number, ref_decision_seq=decided.seq))


def test_waits_are_spread_and_decided_alike_again():
    """Tasks that fail together come back apart; the same journal, decided on once more, gives the same wait."""

    def wait(head):
        (decided,) = of(ResolveDecided, settle(state_of(*red(head=head)), 200.0)[1])
        return decided.due_at - decided.at

    heads = [Sha(f"{number:x}" * 40) for number in range(1, 16)]
    waits = [wait(head) for head in heads]
    assert waits == [wait(head) for head in heads]
    assert len({round(each) for each in waits}) >= 10
    assert min(waits) < 54
    assert max(waits) > 66


def test_success_is_an_observed_success():
    """A green execution of the check ends it; nobody is asked."""
    state, facts, _, _ = settle(state_of(*red()), 200.0)
    (decided,) = of(ResolveDecided, facts)
    state, _, _, _ = settle(mended(state, decided), decided.due_at)
    _, facts, _, _ = settle(again(state, "success"), 700.0)
    assert [each.success for each in of(ResolveEnded, facts)] == [True]
    assert of(DecisionRequested, facts) == []


def test_a_failure_again_takes_the_next_column_and_asks_people():
    """The second attempt's cell is the model's, which is off: it escalates, and the question is put once."""
    state, facts, _, _ = settle(state_of(*red()), 200.0)
    (decided,) = of(ResolveDecided, facts)
    state, _, _, _ = settle(mended(state, decided), decided.due_at)
    state, facts, _, _ = settle(again(state, "failure"), 700.0)
    assert [each.success for each in of(ResolveEnded, facts)] == [False]
    assert [(each.attempt, each.action) for each in of(ResolveDecided, facts)] == [(2, "escalate")]
    (asked,) = of(DecisionRequested, facts)
    assert (asked.kind, asked.fail_class, asked.options) == ("failure", "gate-red-env", ("try-again", "accept"))
    assert settle(state, 720.0)[1] == []


def test_a_limits_own_words_make_the_wait_longer():
    """`try again in 15 minutes` is waited for."""
    words = "API rate limit exceeded, try again in 15 minutes"
    _, facts, _, at = settle(state_of(*red(message=words, kind="rate-limit")), 200.0)
    (decided,) = of(ResolveDecided, facts)
    assert (decided.due_at, at) == (1_100.0, 1_100.0)


@pytest.mark.parametrize(
    ("signs", "until"),
    [
        (LimitSigns(retry_after=1_200), 1_400.0),
        (LimitSigns(reset_at=5_000.0), 5_000.0),
        (LimitSigns(retry_after=1_200, reset_at=5_000.0), 1_400.0),
        (LimitSigns(), 1_100.0),
    ],
)
def test_a_limits_headers_go_before_its_words(signs, until):
    """`Retry-After`, else the reset of a spent allowance, else `try again in 15 minutes`."""
    words = "API rate limit exceeded, try again in 15 minutes"
    *known, told = red(message=words, kind="rate-limit")
    _, facts, _, at = settle(state_of(*known, told.model_copy(update={"limit": signs})), 200.0)
    (decided,) = of(ResolveDecided, facts)
    assert (decided.due_at, at) == (until, until)


def test_headers_of_a_failure_that_is_no_limit_make_nobody_wait():
    """A log that shows a spent allowance of somebody else, and fails for another reason."""
    *known, told = red()
    _, facts, _, _ = settle(state_of(*known, told.model_copy(update={"limit": LimitSigns(retry_after=1_200)})), 200.0)
    (decided,) = of(ResolveDecided, facts)
    assert decided.due_at < 300.0


CANNOT = {
    "wrapper-engine-down": ("env-repair:adapter-restart", "no fix run can be started here"),
    "wrapper-timeout-repeated": ("reroute", "no fix run can be started here"),
    "provider-quota": ("reroute", "no fix run can be started here"),
    "merge-conflict": ("redo-task", "the configuration does not call this branch disposable"),
    "fixer-scope-violation": ("redo-task", "the configuration does not call this branch disposable"),
}


@pytest.mark.parametrize(("fail_class", "cell", "why"), [(name, *told) for name, told in CANNOT.items()])
def test_what_needs_fix_runs_escalates_and_says_why(fail_class, cell, why):
    """Restarting an adapter, taking the next one, building anew: none of it can be done yet, and none is pretended."""
    assert POLICY.find(fail_class, "task").cell(1) == cell
    state = state_of(*red())
    pulled = state.pulls[PullNumber(7)]
    matter = Matter(state, pulled, Check(workflow=".github/workflows/ci.yml", job="test"), fail_class, 200.0)
    met = resolve(matter, LIMITS)
    assert met.actions == ()
    assert [(each.action, each.rationale, each.due_at) for each in met.facts] == [("escalate", why, None)]


def test_no_more_resolutions_than_the_breaker_allows():
    """On ever new heads the same class is resolved three times; then it is quarantined, and the third time stopped."""
    state, made, asked = state_of(repo()), [], []
    for number in range(1, 7):
        for fact in red(head=Sha(f"{number:x}" * 40)):
            state = fold(state, fact)
        state, facts, _, _ = settle(state, 1_000.0 * number)
        made += of(ResolveDecided, facts)
        asked += of(DecisionRequested, facts)
    assert [(each.fail_class, each.attempt) for each in made] == [
        ("gate-red-env", 1),
        ("gate-red-env", 2),
        ("gate-red-env", 3),
        ("repeated-failure-stop", 1),
    ]
    assert [each.fact.cause for each in state.pulls[7].quarantines] == ["breaker", "breaker", "stop-loss"]
    assert len(asked) == 5
    assert "3 attempts were made at this class of failure" in asked[-2].why
    assert asked[-1].fail_class == "repeated-failure-stop"


@pytest.mark.parametrize("settings", ['managed: {branches: ["**"]}\n', "mode: {rerun: act}\n"])
def test_where_failres_may_not_act_the_table_is_not_asked(settings):
    """Observed or not managed: no decision is recorded, nothing is started, nobody is asked unless it is managed."""
    _, facts, actions, _ = settle(state_of(*red(settings=settings)), 200.0)
    assert of(ResolveDecided, facts) == []
    assert actions == []
    assert bool(of(DecisionRequested, facts)) == ("managed" in settings)
