"""The model rung among the resolver's decisions: who is asked, how often, and what becomes of the answer."""

from __future__ import annotations

import pytest

from resolver.actions import RerunJobs
from resolver.actions.model import CallModel
from resolver.decide import decide_pull
from resolver.facts import ActionDone, ActionRefused, ActionStarted, GateAttributed
from resolver.facts.decisions import DecisionRequested
from resolver.facts.model import ModelReplied, Usage
from resolver.facts.quarantine import TaskQuarantined
from resolver.facts.resolve import ResolveDecided, ResolveEnded
from resolver.fold import fold
from resolver.ids import PullNumber, Sha
from resolver.journal import once, to_json
from resolver.limits import Limits
from resolver.llm import Broken, LlmAnswer, Silent
from tests.core.made import failure, job, run, state_of, triaged
from tests.core.test_resolving import HEAD, again, mended, of, red

ON = 'managed: {branches: ["**"]}\nmode: {rerun: act}\nllm: {enabled: true}\n'
SERVER = Limits(ceiling="act", model_calls_per_day=100)


def play(state, now, limits=SERVER):
    """Decide until nothing is recorded; calls are started, reruns carried out: the state, the facts, the actions."""
    facts, actions = [], []
    for _ in range(8):
        due = decide_pull(state, PullNumber(7), now, limits)
        started = [
            ActionStarted(
                ticket=f"{each.target}#{len(actions)}",
                key=each.key,
                target=each.target,
                type=each.type,
                number=7,
                at=now,
            )
            for each in due.actions
            if each.number is not None and isinstance(each, CallModel | RerunJobs)
        ]
        done = [
            ActionDone(ticket=each.ticket, key=each.key, target=each.target, number=7)
            for each in started
            if each.type == "rerun-jobs"
        ]
        for fact in (*due.facts, *started, *done):
            state = fold(state, fact)
        facts += due.facts
        actions += [each for each in due.actions if isinstance(each, CallModel | RerunJobs)]
        if not due.facts:
            break
    return state, facts, actions


def failed_twice(limits=SERVER, settings=ON, head=HEAD):
    """The table's first action was in vain: it is the moment at which the table wants the model."""
    state, facts, _ = play(state_of(*red(settings=settings, head=head)), 200.0, limits)
    (decided,) = of(ResolveDecided, facts)
    state, _, actions = play(mended(state, decided), decided.due_at, limits)
    assert len(actions) == 1
    return again(state, "failure", head)


def replied(call, reply, attempt=2, head=HEAD, **changes):
    """A call has ended so."""
    kinds = {LlmAnswer: "answer", Broken: "broken", Silent: "silent"}
    about = {"number": 7, "head_sha": head, "fail_class": "gate-red-env", "attempt": attempt, "call": call, "at": 710.0}
    return ModelReplied(**{**about, kinds[type(reply)]: reply, "usage": Usage(prompt_tokens=9), **changes})


def answer(action="resume", confidence="high", rationale="a mirror was away"):
    """What the model may say."""
    return LlmAnswer(action=action, rationale=rationale, confidence=confidence)


def told(state, *replies):
    """The calls end one after the other: the state, all facts, all actions."""
    facts, actions = [], []
    for call, reply in enumerate(replies, 1):
        fact = replied(call, reply)
        for each in (fact, ActionDone(ticket=f"{fact.id}#1", key=f"{fact.id}@asked", target=fact.id, number=7)):
            state = fold(state, each)
        state, more, due = play(state, 720.0 + call)
        facts += more
        actions += due
    return state, facts, actions


def asked(state):
    """The state after the first question, which is its only action."""
    state, facts, actions = play(state, 700.0)
    assert [(each.attempt, each.call, each.fail_class) for each in actions] == [(2, 1, "gate-red-env")]
    assert of(DecisionRequested, facts) == of(ResolveDecided, facts) == []
    return state


def test_a_model_is_asked_before_people_and_once():
    """At the table's cell the one question goes out, and nobody else is asked while it is under way."""
    state = asked(failed_twice())
    assert play(state, 730.0)[1:] == ([], [])


CASES = {
    "good": ([answer()], "resume", "a mirror was away"),
    "medium is enough": ([answer(confidence="medium")], "resume", "a mirror was away"),
    "parked": ([answer("park-retry")], "park-retry", "a mirror was away"),
    "provisioned": ([answer("env-repair:provision-deps")], "env-repair:provision-deps", "a mirror was away"),
    "broken, then good": ([Broken(why="x"), answer()], "resume", "a mirror was away"),
    "broken twice": ([Broken(why="x"), Broken(why="it is too long")], "escalate", "the model's answer did not fit: it is too long"),
    "broken, then unsure": ([Broken(why="x"), answer(confidence="low")], "escalate", "the model was not sure: a mirror was away"),
    "unsure": ([answer(confidence="low")], "escalate", "the model was not sure: a mirror was away"),
    "silent": ([Silent(why="no network")], "escalate", "the model did not answer: no network"),
    "wants people": ([answer("escalate")], "escalate", "a mirror was away"),
    "wants the branch": ([answer("redo-task")], "escalate", "it proposed redo-task, but the configuration does not call this branch disposable: a mirror was away"),
    "wants a fixer": ([answer("reroute")], "escalate", "it proposed reroute, but no fix run can be started here: a mirror was away"),
}  # fmt: skip


@pytest.mark.parametrize(("replies", "action", "rationale"), CASES.values(), ids=CASES)
def test_what_is_decided(replies, action, rationale):
    """One decision for each question, by the model, with its rationale; people are asked where it is no help."""
    state, facts, actions = told(asked(failed_twice()), *replies)
    (decided,) = of(ResolveDecided, facts)
    assert (decided.action, decided.source, decided.attempt, decided.rationale) == (action, "llm", 2, rationale)
    assert len([each for each in actions if isinstance(each, CallModel)]) == len(replies) - 1
    questions = of(DecisionRequested, facts)
    assert bool(questions) == (action == "escalate")
    assert [each.proposed.rationale for each in questions] == [rationale] * len(questions)
    assert play(state, 730.0)[1] == []


def test_a_model_may_leave_it_as_it_is():
    """That is a quarantine for good, as where the table says so: nothing more is tried, and people are told why."""
    state, facts, actions = told(asked(failed_twice()), answer("accept-quarantine-continue"))
    (decided,) = of(ResolveDecided, facts)
    assert (decided.action, decided.source) == ("accept-quarantine-continue", "llm")
    (quarantined,) = of(TaskQuarantined, facts)
    assert (quarantined.final, quarantined.fail_class) == (True, "gate-red-env")
    assert actions == []
    assert play(state, 5_000.0)[1:] == ([], [])


def test_the_ledger_stands_above_a_proposal():
    """A proposed run waits for its own backoff and for the ledger's pause, like the table's."""
    state, facts, actions = told(asked(failed_twice()), answer())
    (decided,) = of(ResolveDecided, facts)
    assert 0.8 * 120 <= decided.due_at - decided.at <= 1.2 * 120
    assert actions == []
    _, _, actions = play(state, decided.due_at + 1.0)
    assert actions == []
    _, _, actions = play(state, decided.due_at + 1_800.0)
    assert [type(each) for each in actions] == [RerunJobs]


def test_a_proposal_that_does_not_help_ends_with_people():
    """The third attempt is the table's again, and the question says what was tried."""
    state, facts, _ = told(asked(failed_twice()), answer())
    state, _, _ = play(state, 3_000.0)
    number = int(HEAD[0], 16)
    for fact in again_later(number):
        state = fold(state, fact)
    _, facts, actions = play(state, 4_000.0)
    assert [each.success for each in of(ResolveEnded, facts)] == [False]
    assert [(each.attempt, each.action, each.source) for each in of(ResolveDecided, facts)] == [
        (3, "escalate", "table")
    ]
    (question,) = of(DecisionRequested, facts)
    assert question.proposed.action == "resume"
    assert "it was run again and failed again" in question.why
    assert actions == []


def again_later(number):
    """The third attempt of the run fails as the two before."""
    found = failure(None, kind="network", fail_class="gate-red-env", places=())
    yield job(70 + number, "failure", run_id=20 + number, attempt=3, started_at=3_010.0, completed_at=3_020.0)
    yield run(20 + number, attempt=3, conclusion="failure", updated_at=3_030.0)
    yield triaged(70 + number, found, run_id=20 + number)


OFF = {
    "by the server": (SERVER.model_copy(update={"model_calls_per_day": 0}), ON),
    "by the repository": (SERVER, ON.replace("true", "false")),
    "by default": (SERVER, ON.replace("llm: {enabled: true}\n", "")),
    "by both": (Limits(ceiling="act"), ON.replace("llm: {enabled: true}\n", "")),
}


@pytest.mark.parametrize(("limits", "settings"), OFF.values(), ids=OFF)
def test_off_is_the_table_alone_byte_for_byte(limits, settings):
    """Wherever it is switched off, each record and each action is the one that there would be without the rung."""

    def story(limits, settings):
        state, *first = play(state_of(*red(settings=settings)), 200.0, limits)
        (decided,) = of(ResolveDecided, first[0])
        state, *second = play(mended(state, decided), decided.due_at, limits)
        _, *third = play(again(state, "failure"), 700.0, limits)
        return [
            (to_json(fact) if not isinstance(fact, CallModel | RerunJobs) else fact.model_dump_json())
            for facts, actions in (first, second, third)
            for fact in (*facts, *actions)
        ]

    without_the_rung = story(Limits(ceiling="act"), ON.replace("llm: {enabled: true}\n", ""))
    assert story(limits, settings) == without_the_rung
    assert story(SERVER, ON) != without_the_rung


@pytest.mark.parametrize(
    ("settings", "limits", "why"),
    [
        (ON.replace("true}", "true, callsPerDay: 1}"), SERVER, "spent"),
        (ON, SERVER.model_copy(update={"model_calls_per_day": 1}), "spent"),
    ],
    ids=["the repository's day", "the server's day"],
)
def test_a_budget_is_kept(settings, limits, why):
    """A question is put only where both its calls would fit; else people are asked, and told."""
    state = failed_twice(limits, settings)
    _, facts, actions = play(state, 700.0, limits)
    assert actions == []
    (decided,) = of(ResolveDecided, facts)
    assert (decided.action, decided.source) == ("escalate", "table")
    assert why in decided.rationale
    assert why in of(DecisionRequested, facts)[0].why


def test_the_second_call_needs_a_budget_too():
    """What other questions have cost meanwhile counts."""
    limits = SERVER.model_copy(update={"model_calls_per_day": 2})
    state = asked(failed_twice(limits))
    other = ActionStarted(
        ticket="model:9#1", key="model:9@asked", target="model:9", type="call-model", number=7, at=701.0
    )
    state = fold(fold(state, other), replied(1, Broken(why="x")))
    _, facts, actions = play(state, 720.0, limits)
    assert actions == []
    assert "spent" in of(ResolveDecided, facts)[0].rationale
    day_later = play(fold(fold(asked(failed_twice(limits)), other), replied(1, Broken(why="x"))), 87_200.0, limits)
    assert [each.call for each in day_later[2]] == [2]


def test_a_run_has_a_budget_of_its_own():
    """Five calls of one run are the most, however long ago they were; one that was refused was none."""

    def earlier(state, calls):
        for each in range(calls):
            target = f"model:earlier:{each}"
            started = ActionStarted(
                ticket=f"{target}#1", key=target, target=target, type="call-model", number=7, at=-90_000.0
            )
            state = fold(state, started)
        return state

    assert [each.call for each in play(earlier(failed_twice(), 3), 700.0)[2]] == [1]
    state, facts, actions = play(earlier(failed_twice(), 4), 700.0)
    assert actions == []
    assert "spent" in of(ResolveDecided, facts)[0].rationale
    state = earlier(failed_twice(), 4)
    unsent = ActionRefused(ticket="x", key="model:earlier:0", target="model:earlier:0", number=7, reason="stopped")
    assert [each.call for each in play(fold(state, unsent), 700.0)[2]] == [1]


def refused(state, retry_at):
    """The question could not be put."""
    (target,) = [each for each in state.pulls[7].effects if each.startswith("model:")]
    reason = "the label failres:stop is set"
    return fold(
        state,
        ActionRefused(
            ticket=f"{target}#1", key=f"{target}@asked", target=target, number=7, reason=reason, retry_at=retry_at
        ),
    )


def test_a_question_that_could_not_be_put_is_put_later():
    """A kill switch or GitHub's trouble delays it: people are not asked meanwhile."""
    state = refused(asked(failed_twice()), 900.0)
    assert play(state, 800.0)[1:] == ([], [])
    assert [each.call for each in play(state, 900.0)[2]] == [1]


def test_a_question_that_may_not_be_put_goes_to_people():
    """A refusal for good ends it."""
    _, facts, actions = play(refused(asked(failed_twice()), None), 800.0)
    assert actions == []
    assert of(ResolveDecided, facts)[0].rationale == "the model was not asked: the label failres:stop is set"
    assert len(of(DecisionRequested, facts)) == 1


@pytest.mark.parametrize("settings", [ON.replace("rerun: act", "rerun: propose"), ON.replace('"**"', '"other"')])
def test_where_nothing_could_be_done_nobody_is_asked(settings):
    """A proposal that the modes forbid would be of no use; so no log leaves, and nothing is paid."""
    _, _, actions = play(again(state_of(*red(settings=settings)), "failure"), 700.0)
    assert [each for each in actions if isinstance(each, CallModel)] == []


def test_no_more_questions_than_resolutions():
    """On ever new heads the same class is asked about no more often than the breaker allows resolutions."""
    state, calls = failed_twice(), []
    for number in range(1, 6):
        state, _, actions = play(state, 1_000.0 * number)
        for each in [each for each in actions if isinstance(each, CallModel)]:
            calls.append(each)
            about = {"attempt": each.attempt, "head": each.head_sha, "fail_class": each.fail_class}
            state = fold(state, replied(each.call, Silent(why="x"), **about))
        state, _, _ = play(state, 1_000.0 * number + 1)
        for fact in red(settings=ON, head=Sha(f"{number:x}" * 40)):
            state = fold(state, fact)
    assert [each.attempt for each in calls] == [2]


def test_a_reply_told_twice_is_one():
    """The journal knows a call by its question and number."""
    assert once(replied(1, answer())) == once(replied(1, Silent(why="late")))
    assert once(replied(1, answer())) != once(replied(2, answer()))


def test_a_call_ends_in_one_way():
    """A record with two ends, or none, is none."""
    with pytest.raises(ValueError, match="exactly one way"):
        replied(1, answer(), silent=Silent(why="x"))
    with pytest.raises(ValueError, match="exactly one way"):
        replied(1, answer(), answer=None)


def test_what_a_model_says_becomes_no_words_of_ours():
    """Where attribution goes on with a refusal of the table's action, the verdict's reason holds nothing of it."""
    words = "@everyone see https://evil.test"
    state, facts, _ = play(state_of(*red(settings=ON, kind="config")), 200.0)
    (decided,) = of(ResolveDecided, facts)
    state, _, _ = play(mended(state, decided), decided.due_at)
    told = triaged(60, failure(None, kind="config", fail_class="gate-red-env", places=()), run_id=30)
    state = fold(again(state, "failure"), told)
    said = []
    for now in range(700, 100_000, 3_000):
        state, facts, actions = play(state, float(now))
        said += facts
        for each in actions:
            if isinstance(each, CallModel):
                state = fold(state, replied(1, answer("escalate", rationale=words)))
    assert [each.rationale for each in of(ResolveDecided, said)] == [words]
    assert [each.proposed.rationale for each in of(DecisionRequested, said)] == [words]
    assert all(words not in each.reason for each in of(GateAttributed, said))
    assert all(words not in each.why for each in of(DecisionRequested, said))
    assert of(GateAttributed, said) != []
