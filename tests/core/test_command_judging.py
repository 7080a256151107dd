"""What follows from a command: by a table, and under any order and repetition of what is heard."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from resolver.actions import RerunJobs
from resolver.actions.talk import PostReply, React, ReadStanding, SetLabel
from resolver.commands import Answer, Explain, Help, Misread, Resume, Retry, Sender, Stop, Sync, Verdict
from resolver.config import parse_config
from resolver.decide import decide_pull
from resolver.facts import ActionDone, ActionRefused, HeadPushed
from resolver.facts.commands import CommandFailed, CommandJudged, LabelSet
from resolver.fold import fold
from resolver.ids import PullNumber
from resolver.limits import Limits
from resolver.people import Person
from resolver.state import RepoState
from tests.core.made import BASE, NEXT, config, files, job, looked_at_base, pull, repo, run, state_of, triaged
from tests.core.talk_made import given, standing

LIMITS = Limits(ceiling="act")
PROPOSE = parse_config("mode: {rerun: propose, sync: propose}\n")
OBSERVE = parse_config("{}\n")
BOT = Sender(id=9, login="other[bot]", type="Bot", app_id=77)
EVE = Sender(id=66, login="eve")


def red(settings_=PROPOSE, **changes):
    """A red pull request that is not managed, on a base that was looked at."""
    base = config(found=True, settings=settings_)
    return repo(), base, looked_at_base(), pull(**changes), files(), run(), job(), triaged()


def decided(state, now=200.0, rounds=5):
    """Decide until nothing is to be recorded; gives the state and the actions."""
    actions = {}
    for _ in range(rounds):
        due = decide_pull(state, PullNumber(7), now, LIMITS)
        actions.update({action.target: action for action in due.actions})
        for fact in due.facts:
            state = fold(state, fact)
        if not due.facts:
            break
    return state, list(actions.values())


def outcome(*facts, **where):
    """How the only comment's commands were judged, and what is started for them."""
    state, actions = decided(state_of(*red(**where), *facts))
    judged = state.pulls[7].talk.commands["c40"].judged
    results = [(each.command, each.result) for each in judged.judged] if judged else None
    return results, [type(each) for each in actions if not each.type.startswith(("post-c", "read-c"))]


TABLE = {
    "a retry by somebody who may write": ((given(Retry()), standing()), [("retry", "taken")], [RerunJobs, React]),
    "a retry by somebody who may only read": (
        (given(Retry()), standing("read")),
        [("retry", "refused")],
        [React, PostReply],
    ),
    "rights that GitHub did not tell": ((given(Retry()), standing(None)), [("retry", "refused")], [React, PostReply]),
    "a retry whose giver's rights are not read": ((given(Retry()),), None, [ReadStanding]),
    "a stop by anybody": ((given(Stop(), by=EVE),), [("stop", "taken")], [SetLabel, React]),
    "a resume where nothing is stopped": (
        (given(Resume()), standing()),
        [("resume", "refused")],
        [React, PostReply],
    ),
    "a bot": ((given(Retry(), by=BOT),), [("retry", "ignored")], []),
    "a deleted account": ((given(Retry(), by=None),), [("retry", "ignored")], []),
    "a misspelt word": (
        (given(Misread(problem="unknown", word="retyr", meant="retry")), standing()),
        [(None, "refused")],
        [React, PostReply],
    ),
    "help": ((given(Help()), standing()), [("help", "taken")], [React, PostReply]),
    "an explanation before there is a comment": (
        (given(Explain()), standing()),
        [("explain", "refused")],
        [React, PostReply],
    ),
    "a sync on an unchanged base is left to the last look": (
        (given(Sync()), standing()),
        [("sync", "taken")],
        None,
    ),
    "a verdict without a story's place": (
        (given(Verdict(outcome="approved")), standing("admin")),
        [("verdict", "refused")],
        [React, PostReply],
    ),
    "an answer without a question": (
        (given(Answer(option="accept")), standing()),
        [("answer", "refused")],
        [React, PostReply],
    ),
    "two commands, one of them twice": (
        (given(Retry(), Retry(), Help()), standing()),
        [("retry", "taken"), ("retry", "taken"), ("help", "taken")],
        [RerunJobs, React, PostReply],
    ),
    "a retry from before a push": (
        (HeadPushed(number=7, head_sha="a" * 40, by=Person(id=5, login="ana"), at=150.0), given(Retry()), standing()),
        [("retry", "refused")],
        [React, PostReply],
    ),
}


@pytest.mark.parametrize(("facts", "results", "started"), TABLE.values(), ids=TABLE.keys())
def test_what_follows_from_a_command(facts, results, started):
    """The row's name is the rule."""
    judged, actions = outcome(*facts)
    assert judged == results
    if started is not None:
        assert actions == started


@pytest.mark.parametrize("where", [{"settings_": OBSERVE}, {"head_repo_id": 2}, {"labels": ("failres:stop",)}])
def test_a_retry_is_refused_where_failres_may_not_act(where):
    """Mode `observe`, a fork and a stopped pull request: nothing is started, and the reason is told."""
    judged, actions = outcome(given(Retry()), standing(), **where)
    assert judged == [("retry", "refused")]
    assert actions == [React, PostReply]


def test_a_stop_holds_before_the_label_stands_and_the_label_decides_afterwards():
    """Between the command and the label the stop is known already; a label taken off by hand is not set again."""
    state, _ = decided(state_of(*red(), given(Stop())))
    assert state.pulls[7].stopped
    state = fold(state, LabelSet(number=7, label="failres:stop", present=True, command_id="c40"))
    assert not state.pulls[7].stopped
    _, actions = decided(state)
    assert not any(isinstance(each, SetLabel) for each in actions)


def test_a_refused_action_is_told_once():
    """The last look refused the rerun: its reason goes into the reply, and stays said once."""
    state, actions = decided(state_of(*red(), given(Retry()), standing()))
    (rerun,) = [each for each in actions if isinstance(each, RerunJobs)]
    assert rerun.asked
    refused = ActionRefused(ticket="t", key=rerun.key, target=rerun.target, number=7, reason="the run is going on")
    state, actions = decided(fold(state, refused))
    (reply,) = [each for each in actions if isinstance(each, PostReply)]
    assert [line.said.reason for line in reply.lines] == ["the run is going on"]
    again, _ = decided(state)
    assert again.pulls[7].talk == state.pulls[7].talk


def test_a_new_head_leaves_old_answers_alone():
    """Commands of an earlier head stay judged as they were."""
    state, _ = decided(state_of(*red(), given(Retry()), standing()))
    before = state.pulls[7].talk.commands
    state, _ = decided(fold(state, pull(head_sha=NEXT, updated_at=300.0)))
    assert state.pulls[7].talk.commands == before


HEARD = [
    given(Retry(), comment_id=40),
    given(Retry(), comment_id=41),
    given(Stop(), comment_id=42, by=EVE),
    given(Resume(), comment_id=43),
    given(Misread(problem="unknown", word="x"), comment_id=44),
    given(Retry(), comment_id=45, by=EVE),
    given(Retry(), comment_id=46, by=BOT),
    *(standing("write", each) for each in (40, 41, 43, 44)),
    standing("read", 45),
]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@drawn(st.lists(st.sampled_from(HEARD), max_size=14))
def test_whatever_is_heard_nothing_is_done_twice(heard):
    """In any order and however often: one judgement of each comment, one rerun at most, no reply to a bot."""
    state: RepoState = state_of(*red())
    reruns, judged = set(), []
    for fact in heard:
        state = fold(state, fact)
        for _ in range(5):
            due = decide_pull(state, PullNumber(7), 200.0, LIMITS)
            for action in due.actions:
                if isinstance(action, RerunJobs):
                    reruns.add(action.rerun_id)
                assert not isinstance(action, React) or action.comment_id != 46
            for each in due.facts:
                if isinstance(each, CommandJudged | CommandFailed):
                    judged.append(each)
                state = fold(state, each)
            if not due.facts:
                break
    names = [each.command_id for each in judged]
    assert len(names) == len(set(names))
    assert len(reruns) <= 1
    lines = [line for reply in state.pulls[7].talk.replies for line in reply]
    assert all(line.to != BOT.login for line in lines)
    assert sum(line.to == EVE.login for line in lines) <= 1


def test_an_own_rebase_keeps_a_question_and_a_push_ends_it():
    """The newest head that is not failres's own is what a question is bound to."""
    state = state_of(*red())
    first = state.pulls[7].talk.pushed
    state = fold(state, pull(head_sha=NEXT, updated_at=300.0))
    assert state.pulls[7].talk.pushed == NEXT
    done = ActionDone(ticket="t", key="k", target="sync:7", number=7, result={"head": NEXT, "base": BASE})
    assert fold(state, done).pulls[7].talk.pushed == first
