"""What is recorded as started is started: once for all that want it, in the same turn, and within the ceilings."""

from dataclasses import replace

import pytest

from resolver.actions import RerunJobs
from resolver.config import parse_config
from resolver.decide import decide_pull
from resolver.decide.ceilings import within_ceilings
from resolver.decide.due import Due, due
from resolver.decide.reruns import ended_reruns
from resolver.facts import ActionDone, RunsRead
from resolver.facts.commands import CommandJudged, Judged
from resolver.facts.quarantine import TaskQuarantined
from resolver.fold import fold
from resolver.ids import Fingerprint
from resolver.ledger import Refused
from resolver.ledger.events import ProbeStarted, RerunStarted
from resolver.limits import Limits
from resolver.state import Effect
from resolver.state.spent import DAY, Spent
from tests.core.made import (
    HEAD,
    NEXT,
    config,
    failure,
    files,
    job,
    looked_at_base,
    pull,
    repo,
    run,
    state_of,
    triaged,
)  # fmt: skip
from tests.core.talk_made import ANSWERED
from tests.core.test_ceilings import NOON, RERUN, SYNC

MANAGED = config(found=True, settings=parse_config('managed: {branches: ["**"]}\nmode: {rerun: act, probe: act}\n'))
LIMITS = Limits(ceiling="act")
OTHER = failure("tests/test_b.py::test_b", fingerprint=Fingerprint("v1-aaaaaaaaaaaaaaaa"), message="assert 1 == 2")
TWO = (job(), job(31, name="other"), triaged(), triaged(31, OTHER))
KNOWN = (repo(), MANAGED, looked_at_base(), pull(), files(7, HEAD, "docs/x.md"))


def test_two_failed_jobs_of_one_run_are_run_again_by_one_rerun_that_counts_for_both():
    """GitHub runs all failed jobs of a run again: one action, one record, and the ledger knows both checks."""
    state = state_of(*KNOWN, run(), *TWO)
    decided = decide_pull(state, 7, 1_000.0, LIMITS)
    assert [action.target for action in decided.actions if isinstance(action, RerunJobs)] == ["rerun:20"]
    (started,) = [fact for fact in decided.facts if isinstance(fact, RerunStarted)]
    checks = [f".github/workflows/ci.yml: {name} (pull_request)" for name in ("other", "test")]
    assert [started.check, *started.others] == checks
    assert started.fingerprints == (failure().fingerprint, OTHER.fingerprint)
    ledger = state.ledger
    for number in range(3):
        ledger = ledger.with_event(started.model_copy(update={"id": f"rerun:{number}:1"}))
    assert all(isinstance(ledger.probe(check, HEAD), Refused) for check in checks)


def test_of_several_actions_for_one_target_the_last_is_started():
    """The outbox would keep no other, and whoever waits for the end of the others would wait for ever."""
    asked = RERUN.model_copy(update={"asked": True})
    assert due({}, (RERUN, SYNC, asked), NOON).actions == (asked, SYNC)
    done = Effect(1, "t#1", asked.key, "done", NOON, done_key=asked.key)
    assert due({RERUN.target: done}, (RERUN, asked), NOON).actions == (RERUN,)


def test_what_is_decided_before_anything_is_started_leaves_no_record_of_a_start():
    """A rebase left files on the branch, which is red as well: quarantined, and nothing counts as run that was not."""
    result = {"head": NEXT, "base": "0" * 40, "outside": ["a.py"], "lost": False}
    synced = ActionDone(ticket="sync:7#1", key="k", target="sync:7", number=7, result=result)
    at_next = (job(head=NEXT, run_id=21), job(31, head=NEXT, run_id=21, name="other"))
    read = (triaged(head=NEXT, run_id=21), triaged(31, OTHER, head=NEXT, run_id=21))
    rebased = (pull(head_sha=NEXT, updated_at=200.0), files(7, NEXT, "docs/x.md"), run(21, NEXT))
    state = state_of(*KNOWN, synced, *rebased, *at_next, *read)
    begun = decide_pull(state, 7, 1_000.0, LIMITS)
    assert [fact for fact in begun.facts if isinstance(fact, TaskQuarantined)]
    for _ in range(4):
        decided = decide_pull(state, 7, 1_000.0, LIMITS)
        recorded = {fact.id for fact in decided.facts if isinstance(fact, RerunStarted | ProbeStarted)}
        assert recorded <= {action.spends for action in decided.actions}
        for fact in decided.facts:
            state = fold(state, fact)
    assert not decided.facts


@pytest.mark.parametrize("spent", [Spent(20_000, 7, 0), Spent(20_000, 8, 0)])
def test_a_command_is_taken_only_with_what_it_starts(spent):
    """The last write of the day goes to what comes first; the command stays open, and is judged by what is left then."""
    rules = parse_config("dailyCeilings: {writes: 10}\n")
    state = state_of(repo(), config(found=True, settings=rules), pull())
    judged = (Judged(command="answer", result="taken", target=RERUN.target, effect=RERUN.key),)
    taken = CommandJudged(number=7, command_id=ANSWERED.command_id, at=NOON, judged=judged)
    other = CommandJudged(number=7, command_id="c99", at=NOON, judged=(Judged(command="stop", result="taken"),))
    started = RerunStarted(
        id="rerun:20:1",
        at=NOON,
        task="pr-7",
        head=HEAD,
        workflow="ci.yml",
        check="x",
        fingerprints=(),
        purpose="command",
    )
    wanted = Due((SYNC, RERUN), NOON, (started, ANSWERED, taken, other))
    kept = within_ceilings(replace(state, spent=spent), state.pulls[7], NOON, wanted)
    assert kept.actions == ((SYNC,) if spent.writes == 7 else ())
    assert (kept.facts, kept.again_at) == ((other,), min(NOON, 20_001 * DAY))


AGAIN = run(attempt=2, updated_at=300.0)
EXECUTED = job(40, attempt=2, started_at=250.0, completed_at=290.0)
CARRIED = job(41, "success", name="lint", attempt=2)
SKIPPED = job(42, "skipped", attempt=2, started_at=290.0, completed_at=290.0)


@pytest.mark.parametrize(
    ("again", "ends"),
    [
        ((EXECUTED, CARRIED), True),
        ((SKIPPED, CARRIED), False),
        ((job(40, "cancelled", attempt=2, started_at=None), CARRIED), False),
        ((CARRIED,), None),
        ((CARRIED, RunsRead(head_sha=HEAD, at=301.0)), False),
        ((), None),
    ],
    ids=["executed", "skipped", "cancelled before it began", "not all is heard of", "that was all", "nothing yet"],
)
def test_a_rerun_in_which_nothing_was_executed_is_of_no_use_and_not_repeated(again, ends):
    """Section 7: one that had no effect is not repeated. What GitHub only lists again was not executed."""
    started = RerunStarted(
        id="rerun:20:1", at=200.0, task="pr-7", head=HEAD, workflow=".github/workflows/ci.yml", check="x",
        fingerprints=(failure().fingerprint,), purpose="evidence",
    )  # fmt: skip
    state = state_of(*KNOWN, run(), job(), job(31, "success", name="lint"), triaged(), started, AGAIN, *again)
    found = [fact.useful for fact in ended_reruns(state, state.pulls[7], 400.0)]
    assert found == ([] if ends is None else [ends])
