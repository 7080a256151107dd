"""What a task that its rebase quarantined owes people: one question, the exact answer, and what that answer does."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from bot.words import handoff as words
from bot.words.decision import render
from resolver.actions import RerunJobs, StartProbe, SyncBranch, WriteHandoffs
from resolver.actions.talk import PostDecision, PostReply
from resolver.commands import Answer
from resolver.config import parse_config
from resolver.decide import decide_pull
from resolver.decide.handoff import handoffs
from resolver.decide.here import Here
from resolver.decide.syncing import sync_of
from resolver.facts import ActionDone, BaseMoved
from resolver.facts.decisions import DecisionAnswered, DecisionRequested, HandoffRefused
from resolver.facts.quarantine import QuarantineLifted, TaskQuarantined
from resolver.facts.resolve import ResolveDecided
from resolver.fold import fold
from resolver.ids import PullNumber, Sha
from tests.core.made import BASE, NEXT, config, failure, files, job, looked_at_base, pull, repo, run, state_of, triaged
from tests.core.talk_made import given, standing
from tests.core.test_resolving import LIMITS, of

SETTINGS = 'managed: {branches: ["**"]}\nmode: {rerun: act, sync: act}\nprotectedPaths: ["secrets/**"]\n'
MANAGED = config(found=True, settings=parse_config(SETTINGS))


def rebased(*more, **result):
    """The branch was rebased by us; what is in `more` was heard of after it."""
    told = {"head": NEXT, "base": BASE, "outside": [], "lost": False, **result}
    done = ActionDone(ticket="sync:7#1", key="k", target="sync:7", number=7, result=told)
    return state_of(
        repo(), MANAGED, looked_at_base(), pull(), files(), done, pull(head_sha=NEXT, updated_at=200.0), *more
    )


def settle(state, now):
    """Decide until nothing is recorded: the state, the facts, the actions."""
    facts, actions = [], []
    for _ in range(8):
        due = decide_pull(state, PullNumber(7), now, LIMITS)
        for fact in due.facts:
            state = fold(state, fact)
        facts += due.facts
        actions += due.actions
        if not due.facts:
            break
    return state, facts, actions


def answer(state, said, now=600.0, comment_id=40):
    """Somebody with write access answers."""
    for fact in (given(said, comment_id=comment_id, at=now), standing("write", comment_id)):
        state = fold(state, fact)
    return settle(state, now)


def replies(actions):
    """What is said to a command."""
    return [line.said for each in of(PostReply, actions) for line in each.lines]


OUTSIDE = {"outside": ["a.py", "docs/b c.md"]}


def test_files_outside_the_scope_are_asked_about_by_name():
    """A green head: quarantined, asked once with the files, nothing else started; the record names the bundle."""
    state, facts, actions = settle(rebased(**OUTSIDE), 500.0)
    (made,) = of(TaskQuarantined, facts)
    assert made.snapshot_bundle == "handoff/pr-7/quarantine-1.md"
    (asked,) = of(DecisionRequested, facts)
    assert (asked.kind, asked.files, asked.options) == ("scope", ("a.py", "docs/b c.md"), ("accept",))
    assert settle(state, 90_000.0)[1] == []
    (written,) = of(WriteHandoffs, actions)
    assert [(each.path, each.decision, each.quarantine) for each in written.bundles] == [
        ("handoff/pr-7/quarantine-1.md", asked, made)
    ]
    assert render(PostDecision(number=7, head_sha=NEXT, decision=asked), "https://github.test/acme/shop") == snapshot("""\
<!-- failres:decision:d-2d4bef2582 -->

**May this branch also change these files?**

After the rebase the branch still changes files that this task may not change: `a.py`, `docs/b c.md`.

Nothing automatic follows here until this is answered, somebody pushes, or the base moves. Somebody with write access answers by a new comment with one of these lines:

- to let this task change these files as well, each of them:

  ```
  /failres answer scopeFiles=a.py,"docs/b c.md" decision=d-2d4bef2582
  ```

- to leave it quarantined until somebody pushes:

  ```
  /failres answer accept decision=d-2d4bef2582
  ```

<sub>failres · question d-2d4bef2582 · commit bbbbbbb · class fixer-scope-violation</sub>\
""")


def test_the_files_are_added_to_the_scope_of_this_task_until_somebody_pushes():
    """All are named: the quarantine is lifted, and the next rebase may leave them in; a push ends that."""
    state, _, _ = settle(rebased(**OUTSIDE), 500.0)
    state, facts, _ = answer(state, Answer(scope_files=("a.py", "docs/b c.md")))
    (taken,) = of(DecisionAnswered, facts)
    assert (taken.action, taken.scope_files) == ("resume", ("a.py", "docs/b c.md"))
    assert state.pulls[7].quarantine is None
    assert sync_of(state.pulls[7], BASE).scope.answered == ("a.py", "docs/b c.md")
    assert of(TaskQuarantined, settle(state, 700.0)[1]) == []
    pushed = fold(state, pull(head_sha=Sha("c" * 40), updated_at=800.0))
    assert sync_of(pushed.pulls[7], BASE).scope.answered == ()


REFUSED = {
    "one of two": (OUTSIDE, Answer(scope_files=("a.py",)), "1 of the files that the question is about are not named"),
    "no such option": (OUTSIDE, Answer(option="try-again"), None),
    "a pattern": (OUTSIDE, Answer(scope_files=("*.py",)), None),
    "protected": ({"outside": ["a.py", "secrets/k"]}, Answer(scope_files=("a.py", "secrets/k")), None),
    "about lost commits": ({"lost": True}, Answer(scope_files=("a.py",)), None),
}


@pytest.mark.parametrize(("result", "said", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_answer_it_lifts_nothing(result, said, reason):
    """Refused with its reason; the question stays open, and so does the quarantine."""
    state, _, _ = settle(rebased(**result), 500.0)
    state, facts, actions = answer(state, said)
    assert of(DecisionAnswered, facts) == []
    assert state.pulls[7].quarantine is not None
    (line,) = replies(actions)
    assert line.kind in ("refused", "not-done")
    assert reason is None or reason in line.reason


ANSWERS = {
    "files left where they are": (OUTSIDE, "accept", True),
    "a protected file, left where it is": ({"outside": ["secrets/k"]}, "accept", True),
    "commits lost, and it may go on": ({"lost": True}, "try-again", False),
    "commits lost, and it stays": ({"lost": True}, "accept", True),
}


@pytest.mark.parametrize(("result", "option", "stands"), ANSWERS.values(), ids=ANSWERS)
def test_what_an_option_does(result, option, stands):
    """`accept` makes it final, `try-again` lets it go on with the head that is there; neither executes anything."""
    state, _, _ = settle(rebased(**result), 500.0)
    state, facts, actions = answer(state, Answer(option=option))
    assert len(of(DecisionAnswered, facts)) == 1
    assert (state.pulls[7].quarantine is not None) == stands
    assert not stands or state.pulls[7].quarantine.final
    assert not [each for each in actions if isinstance(each, RerunJobs | StartProbe | SyncBranch)]
    assert of(TaskQuarantined, settle(state, 700.0)[1]) == []


def test_a_moved_base_that_lifts_it_ends_the_question():
    """The task is looked at afresh; a late answer is told why it changes nothing."""
    state, _, _ = settle(rebased(**OUTSIDE), 500.0)
    base = Sha("1" * 40)
    moved = BaseMoved(ref="main", sha=base, config_touched=None)
    for fact in (moved, config(sha=base, found=True, settings=MANAGED.settings)):
        state = fold(state, fact)
    state, facts, actions = settle(state, 550.0)
    assert len(of(QuarantineLifted, facts)) == 1
    state, facts, actions = answer(state, Answer(scope_files=("a.py", "docs/b c.md")))
    assert of(DecisionAnswered, facts) == []
    assert "the base has moved" in replies(actions)[0].reason


def test_a_red_check_is_not_asked_about_under_it():
    """The rebase's question comes first; once it is answered the table has its say, as on any other head."""
    ids = {"run_id": 20, "head": NEXT}
    found = failure(None, fail_class="gate-red-env", kind="network", places=())
    red = (files(7, NEXT), run(20, NEXT), job(30, **ids), triaged(30, found, **ids))
    state, facts, _ = settle(rebased(*red, **OUTSIDE), 500.0)
    assert [each.kind for each in of(DecisionRequested, facts)] == ["scope"]
    _, facts, _ = answer(state, Answer(scope_files=("a.py", "docs/b c.md")))
    assert [each.action for each in of(ResolveDecided, facts)] == ["env-repair:provision-deps"]


def test_without_a_question_the_bundle_of_a_quarantine_follows_by_itself():
    """Nothing may be asked for the moment (a question is only waited for): after some minutes the file stands alone."""
    state = rebased(**OUTSIDE)
    for fact in decide_pull(state, PullNumber(7), 500.0, LIMITS).facts:
        state = fold(state, fact)
    here = Here(state, state.pulls[7], None, 500.0, LIMITS)
    assert handoffs(here).again_at == 800.0
    (action,) = handoffs(Here(state, state.pulls[7], None, 800.0, LIMITS)).actions
    (alone,) = action.bundles
    assert (alone.path, alone.decision, alone.decision_id) == ("handoff/pr-7/quarantine-1.md", None, "")
    text = words.render(alone, "https://github.test/acme/shop", {}, ())
    assert text.startswith("# Handoff: nothing automatic is done on this task any more\n\nQuarantined since")
    assert "Nothing is asked. Push to" in text
    refused = HandoffRefused(number=7, decision_id="", reason="Repository rule violations found", path=alone.path)
    assert handoffs(Here(fold(state, refused), fold(state, refused).pulls[7], None, 900.0, LIMITS)).actions == ()
