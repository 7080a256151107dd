"""Whatever is heard, in whatever order and however often: the closed set, the breakers, and nobody's scope is widened."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolver.actions import AnyAction, SyncBranch
from resolver.actions.model import CallModel
from resolver.actions.repairs import RemoveReported
from resolver.actions.talk import ReadStanding
from resolver.answers import widened
from resolver.ceilings import RUNS
from resolver.commands import Answer, Sender
from resolver.config import parse_config
from resolver.decide import decide_pull
from resolver.decisions import Asking, Decision, Head, ask
from resolver.facts import ActionDone, ActionStarted, BaseMoved, Decided, HeadPushed
from resolver.facts.decisions import DecisionAnswered, DecisionRequested
from resolver.facts.quarantine import QuarantineLifted
from resolver.facts.resolve import ResolveDecided
from resolver.fold import fold
from resolver.ids import Fingerprint, PullNumber, Sha
from resolver.journal import once
from resolver.news import is_news
from resolver.people import Person
from resolver.policy import ACTIONS, POLICY
from resolver.state import RepoState
from tests.core.made import BASE, config, failure, files, job, pull, repo, run, triaged
from tests.core.talk_made import given as comment
from tests.core.talk_made import standing
from tests.core.test_resolving import LIMITS, MANAGED

RUN_LIMIT = 4
CONFIG = parse_config(
    f"{MANAGED}budget: {{maxResolutionsPerRun: {RUN_LIMIT}}}\n".replace("act}", "act, probe: act, sync: act}", 1)
)
TASKS = (7, 8)
AUTOMATIC = frozenset(str(each.model_fields["type"].default) for each in (*RUNS, SyncBranch, RemoveReported, CallModel))
"""What runs jobs, moves a branch, removes a cache or asks a model: never while people are asked, unless one commands it."""

CLASSES = {
    "gate-red-env": "network",
    "lockfile-out-of-sync": "network",
    "registry-auth-missing": "network",
    "gate-red-code": "test",
}
WRITER, OUTSIDER, APP = Sender(id=5, login="ana"), Sender(id=66, login="eve"), Sender(id=9, login="x[bot]", type="Bot")
RIGHTS = {5: "write", 66: "read", 9: "write"}


class Play:
    """A repository with two tasks of one run, as the loop would see it: a record that is known is not written again."""

    def __init__(self):
        self.state, self.now, self.written, self.heard, self.comments = RepoState(), 1_000.0, set(), [], 0
        self.pushes, self.attempts = dict.fromkeys(TASKS, 0), {}
        self.recorded, self.givers = [], {}
        self.open, self.wider = {task: set() for task in TASKS}, {task: set() for task in TASKS}
        self.hear(repo(), config(found=True, settings=CONFIG), *(fact for task in TASKS for fact in self.head(task)))

    def head(self, task):
        """The task's newest head, as observed."""
        sha = Sha(f"{task * 1_000 + self.pushes[task]:040x}")
        seen = pull(task, head_sha=sha, head_ref=f"plan/news--t{task}", updated_at=self.now)
        by = HeadPushed(number=PullNumber(task), head_sha=sha, by=Person(id=5, login="ana"), at=self.now)
        return seen, by, files(task, sha)

    def hear(self, *facts):
        """Take in what GitHub tells."""
        for fact in facts:
            self.heard.append(fact)
            if is_news(self.state, fact):
                self.write(fact)

    def write(self, fact):
        """Append a record, unless it is there."""
        key = once(fact)
        if key is None or key not in self.written:
            self.written.add(key)
            self.state = fold(self.state, fact)
            self.recorded.append(fact)
            self.noted(fact)

    def noted(self, fact):
        """Keep by hand which questions are open; a base that moves may lift what a question is about."""
        if isinstance(fact, DecisionRequested):
            self.open[fact.number].add(fact.decision_id)
        if isinstance(fact, ResolveDecided) and fact.action == "escalate" and fact.scope == "task":
            self.open[fact.number].add(f"escalated {fact.fail_class}")
        if isinstance(fact, DecisionAnswered):
            asked = self.state.pulls[fact.number].talk.decisions[fact.decision_id]
            self.open[fact.number] -= {fact.decision_id, f"escalated {asked.fail_class}"}
            self.wider[fact.number].update(fact.scope_files)
        if isinstance(fact, QuarantineLifted):
            self.open[fact.number].clear()

    def executed(self, task, *classes):
        """The workflow ran once more on the newest head: a job for each class that failed, or one that passed."""
        sha = self.state.pulls[task].seen.head_sha
        attempt = self.attempts[sha] = self.attempts.get(sha, 0) + 1
        run_id = int(sha, 16)
        ended = "failure" if classes else "success"
        self.hear(run(run_id, sha, attempt=attempt, conclusion=ended, updated_at=self.now))
        if not classes:
            self.open[task].clear()  # what was asked about may be green now
        for number, fail_class in enumerate(classes or (None,)):
            ran = {"head": sha, "run_id": run_id, "attempt": attempt}
            times = {"started_at": self.now - 5.0, "completed_at": self.now, "name": f"test-{number}"}
            job_id = run_id * 1_000 + attempt * 10 + number
            self.hear(job(job_id, ended, **ran, **times))
            if fail_class is not None:
                print_ = Fingerprint(f"v1-{number:016x}")
                told = failure(None, fail_class=fail_class, kind=CLASSES[fail_class], fingerprint=print_, places=())
                self.hear(triaged(job_id, told, **ran))

    def pushed(self, task):
        """Somebody pushed."""
        self.pushes[task] += 1
        self.open[task].clear()
        self.wider[task].clear()
        self.hear(*self.head(task))

    def moved(self):
        """The base has another commit."""
        self.comments += 1
        sha = Sha(f"{self.comments:040x}")
        self.hear(BaseMoved(ref="main", sha=sha, config_touched=None), config(sha=sha, found=True, settings=CONFIG))

    def rebased(self, task):
        """Our own rebase has left a file beyond the task's scope on the branch."""
        self.comments += 1
        before = self.state.pulls[task]
        sha = Sha(f"{task * 1_000_000 + self.comments:040x}")
        told = {"head": sha, "base": self.state.bases["main"].sha or BASE, "outside": ["a.py"], "lost": False}
        target = {"target": f"sync:{task}", "number": PullNumber(task)}
        self.write(ActionDone(ticket=f"sync:{task}@{self.now}", key=f"k{self.comments}", **target, result=told))
        self.hear(before.seen.model_copy(update={"head_sha": sha, "updated_at": self.now}))
        self.open[task].clear()  # what was asked of the head before is judged anew with the rebase's question

    def answer(self, task, by, option, files_, which):
        """Somebody answers: one of the questions, or one that does not exist."""
        asked = [*self.state.pulls[task].talk.decisions, "d-none"]
        self.comments += 1
        said = Answer(option=option, scope_files=files_, decision=asked[which % len(asked)])
        self.givers[f"c{self.comments}"] = (by, said)
        self.hear(comment(said, comment_id=self.comments, by=by, at=self.now, number=PullNumber(task)))

    def asked_for_files(self, task):
        """The task's scope is asked about, as it will be after a fix."""
        head = self.state.pulls[task].seen.head_sha
        asking = Asking(
            number=PullNumber(task),
            task_id=f"pr-{task}",
            kind="scope",
            fail_class="fixer-scope-violation",
            files=("a.py",),
            head=Head(sha=head, pushed=self.state.pulls[task].pushed),
            base=BASE,
        )
        made = ask(asking, self.now)
        self.write(DecisionRequested(**{name: getattr(made, name) for name in Decision.model_fields}))

    def settle(self):
        """Decide until nothing is recorded; what is started is carried out, and rights are read."""
        for _ in range(6):
            quiet = True
            for task in TASKS:
                due = decide_pull(self.state, PullNumber(task), self.now, LIMITS)
                held = self.state.pulls[task].quarantine or (
                    self.state.runs.get("news") and self.state.runs["news"].paused
                )
                asked = bool(self.open[task])
                for action in due.actions:
                    self.started(task, action, held or asked)
                for fact in due.facts:
                    assert not (held or asked) or not self.resolves(fact), f"{fact.fail_class} while held or asked"
                    self.write(fact)
                quiet = quiet and not due.facts and not any(isinstance(each, ReadStanding) for each in due.actions)
            if quiet:
                return

    @staticmethod
    def resolves(fact):
        """Whether a record is one more resolution; to hand something to people is none."""
        mine = isinstance(fact, ResolveDecided) and fact.scope == "task" and fact.action != "escalate"
        return mine and not fact.of_action

    def started(self, task, action, held):
        """An action went to the workers and was done."""
        assert isinstance(action, get_args(AnyAction))
        commanded = getattr(action, "asked", False)
        assert not held or commanded or action.type not in AUTOMATIC, f"{action.type} while held or asked"
        done = {"ticket": f"{action.target}@{self.now}", "key": action.key, "target": action.target}
        self.write(ActionStarted(**done, type=action.type, number=action.number, at=self.now))
        if isinstance(action, ReadStanding):
            self.write(standing(RIGHTS[action.user_id], int(action.command_id[1:])).model_copy(update={"number": task}))
        self.write(ActionDone(**done, number=action.number))

    def check(self):
        """What must always hold."""
        made = [fact for fact in self.recorded if isinstance(fact, ResolveDecided)]
        assert {each.action for each in made} <= set(ACTIONS)
        assert not any(each.unreachable for each in made)
        of_tasks = [each for each in made if each.scope == "task" and each.counts]
        for key in {(each.number, each.fail_class) for each in of_tasks}:
            count = sum((each.number, each.fail_class) == key for each in of_tasks)
            assert count <= min(3, POLICY.find(key[1], "task").reach)
        self.check_run(made)
        self.check_answers()

    def check_run(self, made):
        """No more resolutions between two answers to the run's question than its breaker allows."""
        since = 0
        for fact in self.recorded:
            if isinstance(fact, ResolveDecided) and fact.scope == "task":
                since += fact.counts
            if isinstance(fact, DecisionAnswered) and fact.action == "resume" and self.kind(fact) == "run-paused":
                since = 0
            assert since <= RUN_LIMIT
        assert sum(each.scope == "run" for each in made) <= 1

    def kind(self, answered):
        """What an answer was about."""
        return self.state.pulls[answered.number].talk.decisions[answered.decision_id].kind

    def check_answers(self):
        """Each answer that holds was a writer's, in a form that its question offers; no scope is wider for any other."""
        answers = [fact for fact in self.recorded if isinstance(fact, DecisionAnswered)]
        assert len({each.decision_id for each in answers}) == len(answers)
        for each in answers:
            by, said = self.givers[each.command_id]
            asked = self.state.pulls[each.number].talk.decisions[each.decision_id]
            assert RIGHTS[by.id] == "write"
            assert said.option in asked.options or (asked.kind == "scope" and each.scope_files == said.scope_files)
            assert by.is_person or not each.scope_files
            assert set(each.scope_files) <= {"a.py"}
        for task in TASKS:
            seen = self.state.pulls[task]
            head = Head(sha=seen.seen.head_sha, pushed=seen.pushed)
            wider = widened(seen.talk.answers.values(), f"pr-{task}", head, self.state.bases["main"].sha)
            assert set(wider) == self.wider[task]


EVENTS = st.one_of(
    st.tuples(st.just("fail"), st.sampled_from(TASKS), st.sampled_from(sorted(CLASSES))),
    st.tuples(st.just("fail"), st.sampled_from(TASKS), *[st.sampled_from(sorted(CLASSES))] * 3),
    st.tuples(st.just("fail"), st.sampled_from(TASKS), st.just("gate-red-env")),
    st.tuples(st.just("pass"), st.sampled_from(TASKS)),
    st.tuples(st.just("push"), st.sampled_from(TASKS)),
    st.tuples(st.just("base")),
    st.tuples(st.just("wait"), st.sampled_from((30.0, 1_300.0, 90_000.0))),
    st.tuples(st.just("again"), st.integers(0, 200)),
    st.tuples(st.just("ask"), st.sampled_from(TASKS)),
    st.tuples(
        st.just("allow"),
        st.sampled_from(TASKS),
        st.sampled_from((WRITER, WRITER, OUTSIDER, APP)),
        st.sampled_from((("a.py",), ("a.py",), ("b.py",), ("*.py",))),
    ),
    st.tuples(
        st.just("say"),
        st.sampled_from(TASKS),
        st.sampled_from((WRITER, WRITER, OUTSIDER, APP)),
        st.sampled_from(("try-again", "accept", "noted", "redo", "yes", None)),
        st.sampled_from(((), (), ("a.py",), ("*.py",), ("../b",))),
        st.integers(0, 5),
    ),
)


def spent(task):
    """A resolution that does not help, and a push."""
    return ("fail", task, "gate-red-env"), ("wait", 90_000.0), ("fail", task, "gate-red-env"), ("push", task)


BEGINNINGS = {
    "nothing has happened": (),
    "a run is paused": (*spent(7) * 2, *spent(8) * 3),
    "a scope is asked about": (("fail", 7, "gate-red-code"), ("ask", 7)),
    "people are asked": (("fail", 7, "registry-auth-missing"),),
    "a rebase left a file": (("rebased", 7),),
    "a rebase left a file, which is allowed": (("rebased", 7), ("allow", 7, WRITER, ("a.py",))),
    "a flake was seen": (("fail", 7, "gate-red-code"), ("pass", 7), ("fail", 7, "gate-red-code")),
}
"""From where random events are soon about a breaker, a question or an answer."""


def played(beginning, events):
    """The play after its beginning and those events, with all that was due done and all that must hold looked at."""
    play = Play()
    for event in (*BEGINNINGS[beginning], *events):
        play.now += 1.0
        happen(play, event)
        play.settle()
        play.check()
    return play


def happen(play, event):
    """One event."""
    kind, *more = event
    match kind:
        case "fail":
            play.executed(*more)
        case "pass":
            play.executed(*more)
        case "push":
            play.pushed(*more)
        case "base":
            play.moved()
        case "wait":
            play.now += more[0]
        case "again":
            play.hear(play.heard[more[0] % len(play.heard)])
        case "ask":
            play.asked_for_files(*more)
        case "rebased":
            play.rebased(*more)
        case "allow":
            task, by, files_ = more
            play.answer(task, by, None, files_, len(play.state.pulls[task].talk.decisions) - 1)
        case "say":
            play.answer(*more)


@pytest.mark.parametrize("beginning", BEGINNINGS)
@given(events=st.lists(EVENTS, min_size=3, max_size=16))
@settings(max_examples=10, deadline=None)
def test_no_order_of_events_leads_out_of_the_limits(beginning, events):
    """After each event everything that is due is done, and what must always hold is looked at."""
    played(beginning, events)


@given(st.lists(EVENTS, min_size=4, max_size=15))
@settings(max_examples=12, deadline=None)
def test_what_was_decided_and_is_folded_twice_is_the_same_state(events):
    """Each decision, quarantine, pause and answer folded twice in a row gives the very same state."""
    play = played("nothing has happened", events)
    state = RepoState()
    for fact in play.recorded:
        state = fold(state, fact)
        state = fold(state, fact) if isinstance(fact, Decided) else state
    assert state == play.state


def test_a_play_reaches_what_it_is_about():
    """Without this the properties could hold because nothing ever happens: a pause, a quarantine and an answer occur."""
    play = played("a run is paused", ())
    assert play.state.runs["news"].paused is not None
    play.check()
    for which in range(6):
        for task in TASKS:
            happen(play, ("say", task, WRITER, "try-again", (), which))
            play.settle()
    for _ in range(4):
        for event in (("push", 7), ("fail", 7, "gate-red-env"), ("fail", 7, "gate-red-code")):
            happen(play, event)
            play.settle()
    play.check()
    assert play.state.runs["news"].settled
    kinds = {type(fact).__name__ for fact in play.recorded}
    wider = played("a rebase left a file, which is allowed", ())
    assert wider.wider[7] == {"a.py"}
    assert {"ResolveDecided", "ResolveEnded", "RunPaused", "TaskQuarantined", "DecisionAnswered"} <= kinds
