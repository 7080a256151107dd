"""How many draft pull requests may still be opened today: counted from the journal, whatever is under way."""

import pytest

from resolver.actions import ReadRuns, StartProbe, probe_target
from resolver.config import parse_config
from resolver.decide.drafts import SOON, with_drafts
from resolver.executions import Check
from resolver.facts import ActionDone, ActionRefused, ActionStarted, ProbeDispatched
from resolver.ids import PullNumber, Sha
from resolver.journal import from_json, kind_of, to_json
from resolver.ledger import DAY
from tests.core.made import state_of

NOW = 1_000_000.0
BASE = Sha("b" * 40)


def start(name, attempt=1):
    """A probe of the check of that name."""
    check = Check(workflow=".github/workflows/ci.yml", job=name)
    probe_id = probe_target(check, BASE, attempt)
    return StartProbe(check=check, base_ref="main", base_sha=BASE, attempt=attempt, probe_id=probe_id)


def began(name, ago):
    """It was ordered so many seconds ago."""
    action = start(name)
    return ActionStarted(
        ticket=f"{name}#1", key=action.key, target=action.target, type=action.type, number=None, at=NOW - ago
    )


def told(name, pull=None):
    """It was started, as a draft pull request or in another way."""
    action = start(name)
    return ProbeDispatched(
        probe_id=action.probe_id,
        check=action.check,
        base_sha=BASE,
        commit=Sha(name.ljust(40, "0")),
        branch="x",
        run_id=1,
        nonce="n",
        pull=pull,
    )


def done(name):
    """The workers are through with it."""
    return ActionDone(ticket=f"{name}#1", key=start(name).key, target=start(name).target, number=None)


def refused(name):
    """No way was valid."""
    action = start(name)
    return ActionRefused(ticket=f"{name}#1", key=action.key, target=action.target, number=None, reason="no")


def draft(name, ago):
    """It became a draft."""
    return (began(name, ago), told(name, PullNumber(9)), done(name))


LEFT = {
    "none today": ((), "yes yes no", NOW + SOON),
    "one today": (draft("a", 60), "yes no no", NOW + SOON),
    "both of today": ((*draft("a", 60), *draft("b", 3_600)), "no no no", NOW - 3_600 + DAY),
    "yesterday's are forgotten": ((*draft("a", DAY + 1), *draft("b", 60)), "yes no no", NOW + SOON),
    "one under way may become one": (began("a", 5), "yes no no", NOW + SOON),
    "two under way": ((began("a", 5), began("b", 5)), "no no no", NOW + SOON),
    "one that became none": ((began("a", 5), told("a"), done("a")), "yes yes no", NOW + SOON),
    "one that was refused": ((began("a", 5), refused("a")), "yes yes no", NOW + SOON),
    "told and not yet through counts once": ((began("a", 5), told("a", PullNumber(9))), "yes no no", NOW + SOON),
    "more than the cap, which was lowered": (
        (*draft("a", 60), *draft("b", 3_600), *draft("c", 7_200)),
        "no no no",
        NOW - 3_600 + DAY,
    ),
}


@pytest.mark.parametrize(("facts", "given", "again_at"), LEFT.values(), ids=LEFT.keys())
def test_a_days_drafts_are_given_once(facts, given, again_at):
    """Two a day. What gets none is told when there may be one again."""
    config = parse_config("probes: {draftPull: true, draftPullsPerDay: 2}")
    state = state_of(*(facts if isinstance(facts, tuple) else (facts,)))
    wanted = [ReadRuns(head_sha=BASE), *(start(name) for name in "xyz")]
    found = with_drafts(state, config, wanted, NOW)
    assert found[0] == wanted[0]
    assert [each.draft for each in found[1:]] == [word == "yes" for word in given.split()]
    assert {each.draft_again_at for each in found[1:] if not each.draft} == {again_at}


def test_one_probe_of_two_wishes_gets_one_draft():
    """Two failures of one check wait for the same probe."""
    config = parse_config("probes: {draftPull: true, draftPullsPerDay: 1}")
    found = with_drafts(state_of(), config, [start("x"), start("x"), start("y")], NOW)
    assert [each.draft for each in found] == [True, True, False]


def test_where_drafts_are_not_allowed_nothing_is_given():
    """Off by default."""
    assert with_drafts(state_of(), parse_config(""), [start("x")], NOW) == (start("x"),)


def test_an_older_journal_is_read():
    """A probe of before has no event, file, pull request or item: it was a dispatch, and any of its runs counts."""
    data = to_json(told("a"))
    for new in ("event", "workflow", "pull", "item"):
        data.pop(new, None)
    old = from_json(kind_of(told("a")), data)
    assert (old.event, old.workflow, old.pull, old.item) == ("workflow_dispatch", "", None, "")
