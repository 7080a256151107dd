"""While people are asked nothing automatic is begun on a task, whatever is heard; what ends that, and what does not."""

from __future__ import annotations

import pytest

from resolver.commands import Answer
from resolver.config import parse_config
from resolver.decide import decide_pull
from resolver.decide.unanswered import AUTOMATIC, FOR_PEOPLE, LEFT, WAITS, unanswered
from resolver.facts import BaseMoved
from resolver.facts.decisions import DecisionAnswered, DecisionRequested
from resolver.facts.resolve import ResolveDecided
from resolver.fold import fold
from resolver.ids import PullNumber, Sha
from tests.core.made import HEAD, NEXT, config, failure, job, run, state_of, triaged
from tests.core.talk_made import given, standing
from tests.core.test_resolving import LIMITS, MANAGED, of, red

ACTING = MANAGED.replace("rerun: act", "rerun: act, probe: act, sync: act")
ONCE = {"run_id": 30, "head": HEAD}


def settle(state, now):
    """Decide until nothing is recorded: the state, what was recorded, and what was begun by failres itself."""
    facts, begun = [], []
    for _ in range(8):
        due = decide_pull(state, PullNumber(7), now, LIMITS)
        begun += [each for each in due.actions if isinstance(each, AUTOMATIC) and not getattr(each, "asked", False)]
        for fact in due.facts:
            state = fold(state, fact)
        facts += due.facts
        if not due.facts:
            break
    return state, facts, begun


def asked():
    """A registry refuses access, which the table hands to people at once: the question stands."""
    state, facts, begun = settle(state_of(*red("registry-auth-missing", settings=ACTING)), 500.0)
    (question,) = of(DecisionRequested, facts)
    assert begun == []
    return state, question


def told(state, *facts):
    """The state after further facts."""
    for fact in facts:
        state = fold(state, fact)
    return state


def another(fail_class, kind, **how):
    """Another check of the same run fails as well."""
    found = failure(None, fail_class=fail_class, kind=kind, fingerprint="v1-00000000000000ff", places=(), **how)
    return job(77, name="lint", **ONCE), triaged(77, found, **ONCE)


def mended(sha="1"):
    """The base has another commit."""
    base = Sha(sha * 40)
    settings = parse_config(ACTING)
    return BaseMoved(ref="main", sha=base, config_touched=None), config(sha=base, found=True, settings=settings)


LATER = {
    "time": (),
    "another check's surroundings fail": another("gate-red-env", "network"),
    "another check is broken": another("gate-red-code", "test"),
    "nobody knows why another fails": another("unknown", "unknown"),
    "the base moves": mended(),
    "another check was flaky": (
        *another("gate-red-code", "test"),
        run(30, HEAD, attempt=2, updated_at=300.0),
        job(79, "success", name="lint", **ONCE, attempt=2, started_at=200.0, completed_at=210.0),
        job(80, name="lint", **ONCE, attempt=3, started_at=220.0, completed_at=230.0),
    ),
}


@pytest.mark.parametrize("facts", LATER.values(), ids=LATER)
def test_whatever_is_heard_nothing_is_begun_before_the_answer(facts):
    """No rerun, probe, rebase or repair, no further decision of the table, and no second question."""
    state, _ = asked()
    state = told(state, *facts)
    for now in (600.0, 5_000.0, 90_000.0):
        state, recorded, begun = settle(state, now)
        assert begun == []
        assert of(ResolveDecided, recorded) == of(DecisionRequested, recorded) == []
    assert unanswered(state, state.pulls[7]) == WAITS


def test_after_the_tables_second_column_nothing_is_run_for_evidence():
    """The first attempt was spent on an earlier head: at the second the table escalates, and no rerun follows it."""
    state, facts, _ = settle(state_of(*red(settings=ACTING)), 500.0)
    assert [each.action for each in of(ResolveDecided, facts)] == ["env-repair:provision-deps"]
    state, facts, begun = settle(told(state, *red(head=NEXT, settings=ACTING)), 600.0)
    assert [each.action for each in of(ResolveDecided, facts)] == ["escalate"]
    assert len(of(DecisionRequested, facts)) == 1
    assert begun == settle(state, 90_000.0)[2] == []


def test_the_escalation_alone_holds_as_well():
    """Between the table's decision and the question nothing is begun either, and the question follows."""
    state, _ = asked()
    talk = state.pulls[7].talk
    state = told(state_of(*red("registry-auth-missing", settings=ACTING)), *escalations(state))
    assert talk.decisions
    assert unanswered(state, state.pulls[7]) == FOR_PEOPLE
    _, facts, begun = settle(told(state, *another("gate-red-env", "network")), 600.0)
    assert (len(of(DecisionRequested, facts)), begun) == (1, [])


def escalations(state):
    """What the table has decided."""
    return [each.decided for each in state.pulls[7].resolutions.values()]


@pytest.mark.parametrize(("option", "held"), [("accept", LEFT), ("try-again", None)])
def test_an_answer_ends_it_unless_it_leaves_all_as_it_is(option, held):
    """Tried again, the rest goes on by itself; accepted, nothing does before a push."""
    state, question = asked()
    state = told(state, *another("gate-red-env", "network"))
    said = given(Answer(option=option, decision=question.decision_id), at=2_000.0)
    state, facts, _ = settle(told(state, said, standing("write")), 2_000.0)
    assert len(of(DecisionAnswered, facts)) == 1
    assert unanswered(state, state.pulls[7]) == held
    decided = [each.fail_class for each in of(ResolveDecided, facts)]
    assert decided == ([] if held else ["gate-red-env"])


def test_a_push_ends_it():
    """The new head is looked at as any other."""
    state, _ = asked()
    state, facts, _ = settle(told(state, *red(head=NEXT, settings=ACTING)), 600.0)
    assert [each.action for each in of(ResolveDecided, facts)] == ["env-repair:provision-deps"]
