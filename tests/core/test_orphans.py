"""Branches of failres's own without an owner: who owns one, how long it rests, and what the table's row does."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from bot.words.leftovers import leftovers_in_log, leftovers_notice
from resolver.actions import ReadConfig
from resolver.actions.repairs import RemoveOrphans, TellOfOrphans
from resolver.config import ConfigProblem, parse_config
from resolver.decide import decide_repository
from resolver.decide.leftovers import live_branches
from resolver.executions import Check
from resolver.facts import ActionDone, ActionStarted, ProbeDispatched, ProbeRemoved
from resolver.facts.orphans import OrphansAsked, OrphansDecided, OrphansEnded, OwnRefsSeen
from resolver.facts.repairs import RepairReported, Thing
from resolver.fold import fold
from resolver.ids import Sha
from resolver.journal import Unreadable
from resolver.limits import Limits
from resolver.repair_job import repair_id, repair_wanted
from tests.core.made import BASE, HEAD, config, pull, repo, state_of
from tests.core.talk_made import DECIDED

ACT = Limits(ceiling="act")
NAME = "failres/probe/0123abcd-0123456789ab-1"
LEFT = Thing(kind="ref", name=NAME, version=HEAD, branch=NAME)
SEEN = OwnRefsSeen(refs=(LEFT,), at=1_000.0)
DISPATCHED = ProbeDispatched(
    probe_id="probe:1",
    check=Check(workflow="ci.yml", job="unit"),
    base_sha=BASE,
    commit=HEAD,
    branch=NAME,
    run_id=1,
    nonce="n",
)


def due(state, now, limits=ACT):
    """The removals that are due, what is recorded with them, and the state after it."""
    found = decide_repository(state, now, limits)
    for fact in found.facts:
        state = fold(state, fact)
    removals = [each for each in found.actions if isinstance(each, RemoveOrphans)]
    return removals, [each for each in found.facts if isinstance(each, OrphansDecided | OrphansEnded)], state


def test_a_branch_rests_and_then_the_first_column_removes_it():
    """`orphan-worktree`, attempt 1: `resume`, which cleans; before it has rested nothing is decided."""
    state = state_of(repo(), SEEN)
    assert due(state, 1_599.0)[:2] == ([], [])
    removals, facts, state = due(state, 1_600.0)
    assert [(each.fail_class, each.attempt, each.action) for each in facts] == [("orphan-worktree", 1, "resume")]
    assert [each.things for each in removals] == [(LEFT,)]
    started = ActionStarted(
        ticket="o#1", key=removals[0].key, target="orphans", type="remove-orphans", number=None, at=1_600.0
    )
    assert due(fold(state, started), 1_601.0)[:2] == ([], [])


def test_one_that_cannot_be_removed_goes_to_people_and_is_left_alone():
    """Attempt 2: `escalate`; nothing more is decided as long as it stays where it is."""
    _, _, state = due(state_of(repo(), SEEN), 1_600.0)
    state = fold(state, OrphansEnded(ref_decision_seq=1, success=False, left=(NAME,), reason="moved"))
    removals, facts, state = due(state, 1_700.0)
    assert removals == []
    (asked,) = state.orphans.asked.values()
    assert (asked.things, asked.why) == ((LEFT,), "moved")
    assert [(each.attempt, each.action) for each in facts if isinstance(each, OrphansDecided)] == [(2, "escalate")]
    assert due(state, 9_000.0)[:2] == ([], [])
    moved = LEFT.model_copy(update={"version": BASE})
    state = fold(state, OwnRefsSeen(refs=(moved,), at=9_000.0))
    assert [each.attempt for each in due(state, 9_700.0)[1]] == [1], "at another commit it is another matter"


def test_one_that_is_gone_is_forgotten_at_once():
    """What was removed is not decided on again before GitHub is asked again."""
    _, _, state = due(state_of(repo(), SEEN), 1_600.0)
    state = fold(state, OrphansEnded(ref_decision_seq=1, success=True))
    assert due(state, 1_700.0)[:2] == ([], [])


OWNED = {
    "a probe under way": (DISPATCHED,),
    "a probe that is being started": (
        ActionStarted(
            ticket="p#1",
            key="k",
            target="probe:0123abcd:0123456789ab:1",
            type="start-probe",
            number=None,
            at=900.0,
        ),
    ),
}


NAMES = (NAME, f"ci/{NAME}", "fix/failres-probe-0123abcd-0123456789ab-1")
"""The usual name of a probe's branch, and those that a workflow's filters may want."""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("facts", OWNED.values(), ids=OWNED.keys())
def test_what_a_live_record_owns_is_no_orphan(facts, name):
    """Its owner will remove it, or has not yet told of it and of the name that the filters wanted."""
    seen = OwnRefsSeen(refs=(Thing(kind="ref", name=name, version=HEAD, branch=name),), at=1_000.0)
    state = state_of(repo(), *facts, seen)
    assert live_branches(state) == (NAME,)
    assert due(state, 5_000.0)[:2] == ([], [])


OTHERS = ("ci/failres/probe/0123abcd-0123456789ab-2", "ci/failres/probe/ffffabcd-0123456789ab-1", f"{NAME}1")


@pytest.mark.parametrize("name", OTHERS)
def test_a_live_record_owns_no_other_probes_branch(name):
    """Another attempt, another check: what stands behind the beginning is compared whole."""
    seen = OwnRefsSeen(refs=(Thing(kind="ref", name=name, version=HEAD, branch=name),), at=1_000.0)
    removals, _, _ = due(state_of(repo(), DISPATCHED, seen), 5_000.0)
    assert [thing.name for each in removals for thing in each.things] == [name]


def test_a_repairs_own_job_owns_its_branch_until_the_decision_has_ended():
    """The branch's name follows from the decision."""
    branch = repair_wanted("provision-deps", repair_id(7, 3), BASE, 3, "").branch
    reported = RepairReported(number=7, ref_decision_seq=3, job="provision-deps", base_sha=BASE)
    assert live_branches(state_of(repo(), pull(), DECIDED, reported)) == (branch,)


def test_a_probe_that_was_removed_owns_nothing():
    """Only its record is left."""
    assert live_branches(state_of(repo(), DISPATCHED, ProbeRemoved(probe_id="probe:1", reason="it has reported"))) == ()


@pytest.mark.parametrize("limits", [Limits(), Limits(ceiling="propose")])
def test_who_may_not_act_removes_nothing_and_does_not_even_look(limits):
    """Observing processes leave everything where it is."""
    found = decide_repository(state_of(repo(), SEEN), 5_000.0, limits)
    assert [each for each in found.actions if isinstance(each, RemoveOrphans)] == []
    assert [each.own_refs for each in found.actions if each.type == "sweep-pulls"] == [False]


def test_records_that_cannot_be_read_may_own_anything():
    """Fail closed: owners are unknown, so nothing is removed."""
    state = fold(state_of(repo(), SEEN), Unreadable(kind="probe.dreamt", number=None, why="another version's"))
    assert live_branches(state) is None
    assert due(state, 5_000.0)[:2] == ([], [])


def test_the_clock_of_a_branch_runs_from_when_it_was_first_seen_there():
    """Other branches that come and go do not make it rest anew."""
    other = Thing(kind="ref", name=f"{NAME}1", version=Sha("c" * 40), branch=f"{NAME}1")
    state = state_of(repo(), SEEN, OwnRefsSeen(refs=(LEFT, other), at=1_500.0))
    assert [each.things for each in due(state, 1_600.0)[0]] == [(LEFT,)]


def tellings(state, now=1_800.0, limits=ACT):
    """Where people are told of it, and whether the configuration is read for that."""
    found = decide_repository(state, now, limits)
    told = [each.destination for each in found.actions if isinstance(each, TellOfOrphans)]
    return told, any(isinstance(each, ReadConfig) for each in found.actions)


def given_up(*facts):
    """A branch that could not be removed, so that people are asked."""
    _, _, state = due(state_of(repo(), *facts, SEEN), 1_600.0)
    state = fold(state, OrphansEnded(ref_decision_seq=1, success=False, left=(NAME,), reason="moved"))
    return due(state, 1_700.0)[2]


TEAM = parse_config("notifications: {destinations: [team, ops]}\n")
CONFIGS = {
    "no file": (config(), ([""], False)),
    "two destinations": (config(found=True, settings=TEAM), (["", "team", "ops"], False)),
    "not read yet": (None, ([], True)),
    "switched off": (config(found=True, settings=parse_config("enabled: false\n")), ([], False)),
    "broken": (config(found=True, problems=(ConfigProblem(line=1, column=1, path="", message="x"),)), ([], False)),
}


@pytest.mark.parametrize(("read", "expected"), CONFIGS.values(), ids=CONFIGS)
def test_people_are_told_where_the_default_branchs_configuration_says(read, expected):
    """In the server's log and at each destination; nowhere while the configuration is not known, or says so."""
    assert tellings(given_up(*((read,) if read else ()))) == expected


def test_they_are_told_once_and_no_more_once_it_is_gone():
    """What was told is done; a branch that is gone, or at another commit, ends the question."""
    state = given_up(config())
    (action,) = [each for each in decide_repository(state, 1_800.0, ACT).actions if isinstance(each, TellOfOrphans)]
    done = {"ticket": "n#1", "key": action.key, "target": action.target, "number": None}
    told = fold(fold(state, ActionStarted(**done, type=action.type, at=1_800.0)), ActionDone(**done))
    assert tellings(told)[0] == []
    assert tellings(fold(state, OwnRefsSeen(refs=(), at=1_900.0)))[0] == []
    assert tellings(state, limits=Limits(ceiling="propose"))[0] == []


def test_the_words_say_what_to_do_and_nothing_in_them_lives():
    """A name of somebody else's choice calls nobody, and is code; the log has one line."""
    odd = LEFT.model_copy(update={"name": "failres/probe/<!channel>`x`@all"})
    asked = OrphansAsked(decision_id="d-1", ref_decision_seq=2, things=(LEFT, odd), why="moved", at=1.0)
    assert leftovers_notice(asked, "acme/shop", "https://github.test/acme/shop")["text"] == snapshot("""\
*Who removes what failres has left behind?* `acme/shop`
No record owns these 2 branches any more, and failres could not remove them: `moved`
• `failres/probe/0123abcd-0123456789ab-1` at `aaaaaaa`
• `failres/probe/&lt;!channel&gt;'x'@all` at `aaaaaaa`
Delete what nobody needs: failres does nothing more about a branch that stays as it is, and forgets one that is gone. <https://github.test/acme/shop/branches/all?query=failres|The repository's branches>. (d-1)\
""")
    assert leftovers_in_log(asked, "acme/shop") == snapshot(
        "acme/shop: Who removes what failres has left behind? failres/probe/0123abcd-0123456789ab-1, failres/probe/<!channel>`x`@all: moved. Delete what nobody needs: failres does nothing more about a branch that stays as it is, and forgets one that is gone. (d-1)"
    )
