"""Deciding only on the touched pull requests comes to the same as deciding on all of them, whatever happens."""

import hashlib
import random
from dataclasses import replace

import pytest

from resolver.config import parse_config
from resolver.decide import decide_pull, decide_repository
from resolver.executions import Check
from resolver.facts import ActionRefused, BaseMoved, GateAttributed, ProbeDispatched, ProbeRemoved
from resolver.fold import fold_or_park
from resolver.ids import Fingerprint, Sha
from resolver.people import Person
from resolver.state import RepoState
from resolver.touched import touched
from tests.concerned import ACTING, left_out
from tests.core.made import (
    check_run,
    config,
    failure,
    files,
    job,
    looked_at_base,
    pull,
    repo,
    run,
    state_of,
    status,
    triaged,
)

ACT = parse_config('managed: {branches: ["**"]}\nmode: {rerun: act, probe: act, sync: act}\n')
PULLS, JOBS, PRINTS = range(1, 7), ("unit", "lint", "e2e"), [Fingerprint(f"v1-{n:016x}") for n in range(3)]


def sha(*of):
    """A commit."""
    return Sha(hashlib.sha1(repr(of).encode(), usedforsecurity=False).hexdigest())


class Happenings:
    """Facts about six pull requests on one base, at random: jobs, logs, pushes, base moves, probes, other CI."""

    def __init__(self, seed):
        self.random, self.ids, self.at = random.Random(seed), iter(range(100, 10**9)), 1_000.0
        self.base, self.heads, self.probes = Sha("0" * 40), {n: sha(n, 0) for n in PULLS}, []

    def first(self):
        """What is known of all of them before anything runs."""
        yield from (repo(), config(found=True, settings=ACT), looked_at_base())
        for number in PULLS:
            yield from (self.seen(number), files(number, self.heads[number]))

    def seen(self, number):
        """A pull request at its head. Two of them are one author's."""
        author = Person(id=number // 2, login=f"dev{number // 2}")
        return pull(number, head_sha=self.heads[number], author=author, updated_at=self.at)

    def next(self):
        """What happens next."""
        self.at += self.random.uniform(1.0, 120.0)
        happens = (
            self.ran,
            self.ran,
            self.ran,
            self.ran,
            self.pushed,
            self.moved,
            self.probed,
            self.told,
            self.refused,
        )
        return self.random.choice(happens)()

    def _commit(self):
        return self.random.choice([*self.heads.values(), *self.heads.values(), self.base, *self.probes[-1:]])

    def ran(self):
        """A job ends on a head, the base or a probe's commit; its log is read, perhaps."""
        commit, name, number = self._commit(), self.random.choice(JOBS), next(self.ids)
        red, at = self.random.random() < 0.6, self.at
        event = "pull_request" if commit in self.heads.values() else "push"
        told = {"head": commit, "run_id": number}
        yield run(updated_at=at, event=event, conclusion="failure" if red else "success", **told)
        times = {"started_at": at - 30.0, "completed_at": at}
        yield job(number + 10**9, "failure" if red else "success", name=name, **times, **told)
        if self.random.random() < 0.8:
            found = [failure(f"t.py::{name}", fingerprint=self.random.choice(PRINTS))] if red else []
            passed = (f"t.py::{name}",) if not red else ()
            base = self.base if event == "pull_request" else None
            read = triaged(number + 10**9, *found, head=commit, run_id=number, tested_base=base, passed=passed)
            yield read if red else read.model_copy(update={"failures": ()})

    def pushed(self):
        """A new head."""
        number = self.random.choice(PULLS)
        self.heads[number] = sha(number, self.at)
        yield self.seen(number)
        yield files(number, self.heads[number])

    def moved(self):
        """The base moves; its configuration is read again, as it was."""
        self.base = sha("main", self.at)
        touched_config = self.random.choice((True, False, None))
        yield BaseMoved(ref="main", sha=self.base, config_touched=touched_config)
        if touched_config is not False:
            yield config(found=True, settings=ACT, sha=self.base)

    def probed(self):
        """A probe of the base is there, or its branch is gone."""
        check = Check(workflow=".github/workflows/ci.yml", job=self.random.choice(JOBS), event="workflow_dispatch")
        name, commit = f"probe:{next(self.ids)}", sha("probe", self.at)
        self.probes.append(commit)
        told = {"probe_id": name, "branch": "failres/probe", "run_id": None, "nonce": name}
        yield ProbeDispatched(**told, check=check, base_sha=self.base, commit=commit)
        if self.random.random() < 0.5:
            yield ProbeRemoved(probe_id=name, reason="it has reported")

    def told(self):
        """Another CI says something of a commit."""
        commit = self._commit()
        red = self.random.choice(("failure", "success"))
        times = {"started_at": self.at - 20.0, "completed_at": self.at}
        yield check_run(next(self.ids), red, head=commit, **times)
        yield status(next(self.ids), red, head=commit, at=self.at)

    def refused(self):
        """An action of the repository's was refused."""
        told = {"ticket": f"probe#{next(self.ids)}", "key": "k", "target": f"runs:{self.base}", "number": None}
        yield ActionRefused(**told, reason="no right", retry_at=self.at + 600.0)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(each, marks=pytest.mark.soak) for each in range(2, 12))])
def test_nothing_is_left_out_that_became_due(seed):
    """After every fact: whoever is not touched has nothing to do that was not due before it already."""
    world = Happenings(seed)
    state = state_of(*world.first())
    for _ in range(40):
        for fact in world.next():
            before, state = state, fold_or_park(state, fact)
            assert left_out(before, state, fact, world.at) == set(), f"{type(fact).__name__} at {world.at}"
            for number in state.pulls:  # verdicts and breakers are what later facts bear on
                due = decide_pull(state, number, world.at, ACTING)
                for decided in due.facts:
                    if isinstance(decided, GateAttributed):
                        state = fold_or_park(state, decided)


@pytest.mark.parametrize("seed", range(2))
def test_what_a_commit_keeps_is_what_it_shows(seed):
    """Decisions from kept values equal those from values that were just made, with nothing kept."""
    world = Happenings(seed)
    state = state_of(*world.first())
    for _ in range(40):
        for fact in world.next():
            state = fold_or_park(state, fact)
    for number in state.pulls:
        decide_pull(state, number, world.at, ACTING)
    anew = replace(state, heads={commit: replace(head) for commit, head in state.heads.items()})
    assert anew == state
    assert [decide_pull(anew, n, world.at, ACTING) for n in anew.pulls] == [
        decide_pull(state, n, world.at, ACTING) for n in state.pulls
    ]
    assert decide_repository(anew, world.at, ACTING) == decide_repository(state, world.at, ACTING)


def test_a_base_job_touches_only_those_whose_own_job_of_that_name_failed():
    """One base job among hundreds costs the few who ask for it."""
    other = Sha("b" * 40)
    red = [
        run(),
        job(name="unit"),
        pull(8, head_sha=other),
        run(21, other),
        job(31, head=other, run_id=21, name="lint"),
    ]
    state = state_of(repo(), config(), pull(7), BaseMoved(ref="main", sha=sha("main"), config_touched=False), *red)
    ended = job(90, "success", head=sha("main"), run_id=50, name="lint")
    assert touched(fold_or_park(state, ended), ended) == {8}
    nobodys = job(91, "success", head=sha("main"), run_id=50, name="docs")
    assert touched(fold_or_park(state, nobodys), nobodys) == frozenset()


def test_a_configuration_that_says_the_same_touches_only_who_asks_the_base():
    """It is read at each commit of the base that may have changed it, which is all that lost webhooks leave to see."""
    state = state_of(repo(), config(), pull(7))
    assert touched(state, config(sha=sha(1)), state) == frozenset()
    red = state_of(repo(), config(), pull(7), run(), job())
    assert touched(red, config(sha=sha(1)), red) == {7}
    assert touched(state, config(sha=sha(1), found=True), state) == {7}


def test_nothing_is_kept_from_one_value_to_the_next():
    """A copy with other content works everything out anew."""
    state = state_of(repo(), pull(7), run(), job())
    head = state.heads[job().head_sha]
    assert head.ever_failed()
    assert not replace(head, jobs={}).ever_failed()
    assert isinstance(state, RepoState)
