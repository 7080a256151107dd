"""`failres why-not`: every setting and limit that can hold an action back is named where it does. One row for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pydantic import BaseModel

from bot.cli.why_not import hindrances
from resolver.config import RepoConfig, parse_config
from resolver.config.unread import NOT_READ
from resolver.decide.gates import COUNTS, LLM, PARK, SWITCHES
from resolver.executions import Check
from resolver.facts import BaseMoved, GateAttributed
from resolver.facts.landings import LandingRead
from resolver.fold import fold
from resolver.ids import Fingerprint, Sha
from resolver.ledger.events import RerunEnded, RerunStarted, Synced
from tests.core.made import BASE, HEAD, NEXT, config, failure, files, job, looked_at_base, pull, repo, run, state_of
from tests.core.made import triaged as told
from tests.core.talk_made import ANSWERED, REQUESTED
from tests.core.test_ask_model import failed_twice
from tests.core.test_ceilings import started
from tests.core.test_quarantine import moved, pushed, quarantined
from tests.core.test_queue_case import ended, seen
from tests.core.test_resolving import red as surroundings
from tests.core.test_resolving import settle

NOW = 1_000.0
ALL = 'managed: {branches: ["**"]}\nmode: {rerun: act, probe: act, sync: act, labels: act}\n'
CI = ".github/workflows/ci.yml"
CHECK = Check(workflow=CI, job="test", event="pull_request")
PRINT = Fingerprint("v1-0123456789abcdef")
ITEM = "tests/test_cart.py::test_total"


def red(settings=ALL):
    """A pull request with one failing test, whose log was read."""
    base = config(found=True, settings=parse_config(settings))
    return state_of(repo(), base, looked_at_base(), pull(), files(), run(), job(), told(tested_base=BASE))


def again(state, *facts):
    """The state after more facts."""
    for fact in facts:
        state = fold(state, fact)
    return state


def rerun(number=1, purpose="evidence", at=100.0, check=CHECK.key):
    """A rerun of that head's workflow that has ended, with an effect."""
    about = {"task": "pr-7", "head": HEAD, "workflow": CI, "check": check, "fingerprints": (PRINT,)}
    name = f"rerun:x{number}"
    return (
        RerunStarted(id=name, at=at, purpose=purpose, **about),
        RerunEnded(id=f"{name}:ended", rerun=name, at=at + 1.0, useful=True),
    )


def flaky(settings=ALL, purpose=None, jobs=1):
    """Red, then green, then red on one commit: flakes, red again."""
    state = red(settings)
    for n in range(jobs):
        found = failure() if n == 0 else failure(f"tests/t{n}.py::test", fingerprint=Fingerprint(f"v1-{n:016x}"))
        name, at = ("test" if n == 0 else f"test{n}"), 30 + 10 * n
        green = told(at + 1, attempt=2).model_copy(update={"failures": (), "passed": (found.item,)})
        state = again(
            state,
            job(at, name=name),
            told(at, found, tested_base=BASE),
            job(at + 1, "success", name=name, attempt=2, started_at=120.0, completed_at=130.0),
            green,
            job(at + 2, name=name, attempt=3, started_at=140.0, completed_at=150.0),
            told(at + 2, found, attempt=3, tested_base=BASE),
        )
    return again(state, run(attempt=3, updated_at=160.0), *(rerun(purpose=purpose) if purpose else ()))


def before(state):
    """The same check was a flake on an earlier head."""
    evidence = ()
    given = {"class": "flake", "check": CHECK, "item": ITEM, "fingerprint": Fingerprint("v1-00000000000000ff")}
    old, now = pull(head_sha=Sha("9" * 40), updated_at=200.0), pull(updated_at=300.0)
    return again(
        state,
        old,
        GateAttributed(
            **given,
            evidence=evidence,
            strength="strong",
            next_action="none",
            reason="-",
            number=7,
            head_sha=Sha("9" * 40),
            task_id="pr-7",
            at=90.0,
        ),
        now,
        files(),
    )


def drifted(settings=ALL):
    """The tested base fails in the same way, and the current one does not."""
    green = {"event": "push", "head_branch": "main", "conclusion": "success"}
    return again(
        red(settings),
        run(40, BASE, event="push", head_branch="main"),
        job(50, head=BASE, run_id=40),
        told(50, head=BASE, run_id=40),
        BaseMoved(ref="main", sha=NEXT, config_touched=False),
        run(41, NEXT, **green),
        job(51, "success", NEXT, run_id=41, started_at=200.0, completed_at=210.0),
        LandingRead(commit=BASE),
        told(51, head=NEXT, run_id=41).model_copy(update={"failures": (), "passed": (ITEM,)}),
    )


def synced(state, base=BASE, head=NEXT, at=900.0):
    """The task was synchronised before."""
    return again(state, Synced(id=f"sync:{at}", at=at, task="pr-7", base=base, head=head, drift=True))


def queued(settings):
    """Red in the merge queue alone."""
    base = config(found=True, settings=parse_config(settings))
    return state_of(repo(), base, looked_at_base(), pull(), files(), seen("1", 7), *ended("1", "failure"))


def of_surroundings(settings):
    """Red for its surroundings, which the table handles."""
    return state_of(*surroundings(settings=settings))


def settled(settings, now=200.0):
    """The same, with what was decided then."""
    return settle(of_surroundings(settings), now)[0]


def parked():
    """A limit was met that does not say for how long."""
    facts = surroundings(settings=ALL, kind="rate-limit", message="too many requests")
    return settle(state_of(*facts), 200.0)[0]


def paused(settings):
    """The run's only resolution is spent, and another failure wants one."""
    state = settled(settings)
    other = failure(None, fail_class="dep-provision-failed", kind="network", places=())
    return settle(again(state, job(99, name="other", run_id=30), told(99, other, run_id=30)), 300.0)[0]


def spoken(settings=ALL, count=3):
    """So many comments were made today already."""
    state = red(settings)
    for n in range(count):
        state = again(state, started("post-comment", NOW - 10.0, n))
    made = (NOW - 10.0,) * count
    return replace(state, comments_at=made, pulls={7: replace(state.pulls[7], comments_at=made)})


def stopped(settings):
    """Quarantined twice for the same failure on an unchanged base."""
    state, _ = quarantined(settings)
    return pushed(state, 1, settings)


ONE = ALL + "budget: {maxResolutions: 0}\n"
MOVES = ONE + "ledger: {baseMovesPerDay: 0}\n"

ROWS = {
    "enabled": lambda: (red(ALL + "enabled: false\n"), NOW),
    "mode.rerun": lambda: (red(ALL.replace("rerun: act", "rerun: observe")), NOW),
    "mode.probe": lambda: (red(ALL.replace("probe: act", "probe: propose")), NOW),
    "mode.sync": lambda: (drifted(ALL.replace("sync: act", "sync: observe")), NOW),
    "mode.labels": lambda: (red(ALL.replace("labels: act", "labels: observe")), NOW),
    "managed": lambda: (red("mode: {rerun: act}\n"), NOW),
    "flake.mayLand": lambda: (queued(ALL), NOW),
    "labels": lambda: (quarantined(ONE)[0], NOW),
    "flake.window": lambda: (before(flaky()), NOW),
    "ledger.flakeReruns": lambda: (flaky(purpose="flake"), 5_000.0),
    "ledger.syncsPerHeads": lambda: (synced(drifted(), NEXT, HEAD, at=-30_000.0), NOW),
    "ledger.driftSyncEvery": lambda: (synced(drifted()), NOW),
    "ledger.evidenceRuns": lambda: (again(red(), *rerun(1), *rerun(2), *rerun(3)), 5_000.0),
    "ledger.workflowReruns": lambda: (again(red(), *(e for n in range(5) for e in rerun(n, check="o"))), 5_000.0),
    "ledger.rerunPause": lambda: (again(red(), *rerun(1, at=NOW - 10.0)), NOW),
    "ledger.failingJobs": lambda: (flaky(jobs=7), NOW),
    "ledger.identicalQuarantines": lambda: (stopped(ONE + "ledger: {identicalQuarantines: 1}\n"), NOW),
    "ledger.baseMovesPerDay": lambda: (moved(quarantined(MOVES)[0], settings=MOVES), NOW),
    "ledger.stopLoss": lambda: (stopped(ONE + "ledger: {identicalQuarantines: 1}\n"), NOW),
    "budget.maxResolutions": lambda: (of_surroundings(ONE), NOW),
    "budget.maxResolutionsPerRun": lambda: (paused(ALL + "budget: {maxResolutionsPerRun: 1}\n"), NOW),
    "budget.backoff": lambda: (flaky(), 200.0),
    "budget.parkFor": lambda: (parked(), 201.0),
    "comments.perPullAndDay": lambda: (spoken(count=3), NOW),
    "comments.perRepositoryAndHour": lambda: (spoken(ALL + "comments: {perRepositoryAndHour: 2}\n", 2), NOW),
    "llm.callsPerDay": lambda: (failed_twice(settings=ALL + "llm: {enabled: true, callsPerDay: 1}\n"), 720.0),
    "llm.enabled": lambda: (failed_twice(settings=ALL), 720.0),
    "dailyCeilings.writes": lambda: (again(red(ALL + "dailyCeilings: {writes: 1}\n"), started("react", NOW)), NOW),
    "dailyCeilings.runnerMinutes": lambda: (red(ALL + "dailyCeilings: {runnerMinutes: 0}\n"), NOW),
}


@pytest.mark.parametrize("key", ROWS)
def test_what_holds_an_action_back_is_named(key):
    """The setting by its name in the file, or by words of its own."""
    state, now = ROWS[key]()
    lines = list(hindrances(state, state.pulls[7], now))
    kind = key.partition("mode.")[2]
    words = {"enabled": "`enabled: false`", "dailyCeilings.runnerMinutes": "runner minutes"}
    name = f"the mode of `{kind}` is" if kind else words.get(key, f"`{key}`")
    assert [line for line in lines if name in line], lines


def test_a_duration_is_told_as_the_file_writes_it():
    """Seconds are nobody's words."""
    state, now = ROWS["ledger.driftSyncEvery"]()
    assert "`ledger.driftSyncEvery` is `6h`, which holds back sync-branch" in hindrances(state, state.pulls[7], now)


def test_each_setting_and_limit_has_a_row():
    """A new one needs a row above."""
    assert set(ROWS) == {*SWITCHES, *COUNTS, LLM, PARK}


NO_GATES = {
    "attribution": "rules of evidence: they say what is proven, not what may be done",
    "drift": "a rule of evidence",
    "outage": "the mode that it starts is named with its reason",
    "stall": "says when a step stalls",
    "gate.progress": "says what progress is",
    "gate.writesNothing": "judged from the workflow file; the refusal names it",
    "probes": "judged from the workflow file; the refusal names it",
    "budget.backoffCap": "shapes the wait that `budget.backoff` sets",
    "budget.backoffJitter": "shapes the wait that `budget.backoff` sets",
    "protectedPaths": "a rebase that leaves such files is quarantined, and that is named",
    "scope": "a rebase that leaves other files is quarantined, and that is named",
    "landing": "says when a queue stalls",
    "notifications": "holds no action back",
    "commands": "a command that may not be given is answered",
    "junit": "says what is read",
    "problemMatchers": "says what is read",
}
"""Keys that hold no action back, each with the reason."""


def keys(part: type[BaseModel], before: str = "") -> Iterator[str]:
    """All keys of the file that hold a value."""
    for name, field in part.model_fields.items():
        key = f"{before}{field.alias or name}"
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from keys(kind, f"{key}.")
        else:
            yield key


def test_each_key_of_the_configuration_is_a_gate_or_says_why_it_is_none():
    """Whoever adds a key that may hold an action back adds it to the tables."""
    known = (*SWITCHES, *COUNTS, LLM, PARK, *NO_GATES, *NOT_READ)
    left = [key for key in keys(RepoConfig) if not any(key == each or key.startswith(f"{each}.") for each in known)]
    assert left == []


def test_an_open_question_is_named_and_so_is_an_answer_to_leave_it():
    """While people are asked nothing is begun, and where they left it as it is, neither."""
    asked = again(red(), REQUESTED)
    assert "people were asked here, and nothing is begun before they answer or somebody pushes" in named(asked)
    left = again(asked, ANSWERED)
    assert "people answered to leave this as it is, and nothing is begun before somebody pushes" in named(left)
    assert not any("people" in line for line in named(red()))


def named(state):
    """What is told of the pull request."""
    return list(hindrances(state, state.pulls[7], NOW))
