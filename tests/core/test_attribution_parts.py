"""The parts around the verdict: the task's diff, withdrawal, the task's lead, what is shown, the ledger's part."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from resolver.attribution import (
    Claim,
    Diff,
    NeverRan,
    OwnMerge,
    Verdict,
    WantWait,
    as_it_stands,
    attribute,
    attribute_within,
    read_patch,
    rerun_asked,
    settle,
)
from resolver.attribution.sights import passed_beside
from resolver.attribution.verdicts import RAN_NOTHING
from resolver.executions import FailedItem, distinct, result_of
from resolver.failure import Place
from resolver.ids import Fingerprint, PullNumber, Sha
from resolver.ledger import Ledger, Refused
from resolver.ledger.events import RerunEnded, RerunStarted
from tests.core.attribution_table import CHECK, NOW, PRINT, case, told

PATCH = """\
@@ -2,4 +2,5 @@ import os
 import pytest
 def test_first():
-    assert one() == 1
+    value = one()
+    assert value == 1
@@ -40,5 +41,6 @@ def test_far():
     a = 1
     b = 2
+    c = 3
     assert a + b == c
"""


def _item(item: str | None = None, path: str | None = None, line: int | None = None) -> FailedItem:
    places = (Place(path=path, line=line),) if path else ()
    return FailedItem(fingerprint=PRINT, item=item, places=places)


@pytest.mark.parametrize(
    ("item", "changes"),
    [
        (_item("tests/test_a.py::test_first"), True),
        (_item("tests/test_a.py::test_first[one]"), True),
        (_item("tests/test_a.py::test_far"), True),
        (_item("tests/test_a.py::test_other"), False),
        (_item("tests/test_b.py::test_first"), False),
        (_item("test_far", path="/home/runner/work/x/x/tests/test_a.py", line=90), True),
        (_item(None, path="tests/test_a.py", line=4), False),
        (_item("suite \u203a test_firs", path="tests/test_a.py", line=4), False),
    ],
)
def test_a_changed_item_is_known_by_its_name_on_or_above_a_changed_line(item: FailedItem, changes: bool) -> None:
    """A patch tells which tests it changes: by its lines, the definition above them, or a hunk's heading."""
    diff = Diff(files=(read_patch("tests/test_a.py", "modified", PATCH),))
    assert diff.changes(item) is changes
    assert not diff.adds(item)


@pytest.mark.parametrize(("line", "touched"), [(3, False), (4, True), (5, True), (6, False), (43, True), (44, False)])
def test_changed_lines_are_those_of_the_new_file(line: int, touched: bool) -> None:
    """Only added lines count, by their number in the new file."""
    diff = Diff(files=(read_patch("tests/test_a.py", "modified", PATCH),))
    assert diff.touches(_item(path="./tests/test_a.py", line=line)) is touched


def test_a_patch_that_github_does_not_show_touches_nothing() -> None:
    """A missing patch proves nothing; an added file is the task's as a whole."""
    assert not Diff(files=(read_patch("a.py", "modified", None),)).touches(_item(path="a.py", line=1))
    added = Diff(files=(read_patch("a.py", "added", None),))
    assert added.touches(_item(path="a.py", line=1))
    assert added.adds(_item("a.py::test_x"))


def _verdict(row: str, facts: str = "") -> Verdict:
    verdict = attribute(case(row, facts)).outcomes[0]
    assert isinstance(verdict, Verdict)
    return verdict


@pytest.mark.parametrize(
    ("before", "after", "facts", "change"),
    [
        ("b2.G h.F h.F", "b2.G h.F h.F h.G", "", "withdrawn: task-defect → flake"),
        ("b2.F h.F", "b2.F h.F p2.G", "", "withdrawn: base-defect → flake"),
        ("b2.F h.F", "b2.F h.F b3.G", "base=b3", "moved-on: base-defect → base-drift"),
        ("b2.F h.F", "b2.F h.F h.F", "", "none"),
        ("b2.G h.F h.F", "b2.G~9h h.F h.F", "", "none"),
    ],
)
def test_a12_a_verdict_is_withdrawn_when_executions_disagree(before: str, after: str, facts: str, change: str) -> None:
    """Later executions withdraw a verdict, a mended base moves it on, and evidence that only grows old does neither."""
    standing = settle(_verdict(before), attribute(case(after, facts)).outcomes[0])
    said = standing.change
    assert (f"{said.kind}: {said.was} → {said.now}" if said else "none") == change
    assert standing.outcome is not None
    assert standing.wants == ()


def test_doubt_asks_for_more_while_the_verdict_stands() -> None:
    """When others come to fail alike, the accusation stands until more executions say otherwise, and they are wanted."""
    was = _verdict("b2.G h.F h.F")
    standing = settle(was, attribute(case("b2.G h.F h.F o.F", "")).outcomes[0])
    assert standing.outcome == was
    assert standing.wants


def test_the_task_follows_the_first_class_in_the_order() -> None:
    """Two failures of one job: the base's leads, and both are shown."""
    base = FailedItem(fingerprint=Fingerprint("v1-00000000000000bb"), item="tests/test_b.py::test_y")
    known = case("b2.G h.F h.F", "")
    both = tuple(
        each.model_copy(
            update={"items": (*each.items, base)} if each.side == "task" else {"result": "failed", "items": (base,)}
        )
        for each in known.executions
    )
    answer = attribute(type(known)(known.task, both, known.now))
    assert sorted(each.klass for each in answer.outcomes if isinstance(each, Verdict)) == ["base-defect", "task-defect"]
    assert answer.lead is not None
    assert answer.lead.klass == "base-defect"


def test_a_drift_leads_whatever_is_still_open() -> None:
    """No class comes before it, so that nothing that is found out later could."""
    known = case("b2.F b3.G h.F", "base=b3")
    open_item = FailedItem(fingerprint=Fingerprint("v1-00000000000000cc"), item="tests/test_c.py::test_y")
    last = known.executions[-1].model_copy(update={"items": (*known.executions[-1].items, open_item)})
    answer = attribute(replace(known, executions=(*known.executions[:-1], last)))
    assert answer.lead is not None
    assert (answer.lead.klass, bool(answer.wants)) == ("base-drift", True)


def test_no_lead_while_an_earlier_class_may_still_come() -> None:
    """One failure is proven, another open: the task's action waits."""
    known = case("b2.G h.F h.F", "")
    open_item = FailedItem(fingerprint=Fingerprint("v1-00000000000000cc"), item="tests/test_c.py::test_y")
    last = known.executions[-1].model_copy(update={"items": (*known.executions[-1].items, open_item)})
    answer = attribute(type(known)(known.task, (*known.executions[:-1], last), known.now))
    assert answer.lead is None
    assert answer.wants


def test_a7_what_a_green_job_lists_is_no_evidence() -> None:
    """A green that still carries an old failure is a green: only failing conclusions contribute reds."""
    known = case("b2.G h.F h.F", "")
    old = known.executions[0].model_copy(update={"items": known.executions[-1].items})
    (verdict,) = attribute(replace(known, executions=(old, *known.executions[1:]))).outcomes
    assert isinstance(verdict, Verdict)
    assert (verdict.klass, [each.role for each in verdict.evidence if each.side == "base"]) == (
        "task-defect",
        ["green"],
    )
    assert result_of("success", known.executions[-1].items) == "passed"


def test_a5_every_piece_of_evidence_names_its_base() -> None:
    """One record, which all read: what ran, on which commit, and with which base it was really tested."""
    verdict = _verdict("b2.F h.F@b1 h.F@b2 p3.G p3.G", "base=b3")
    shown = {(each.side, each.commit, each.tested_base) for each in verdict.evidence}
    assert shown == {("task", "h", "b1"), ("task", "h", "b2"), ("base", "b2", None), ("probe", "b3", None)}
    assert Verdict.model_validate_json(verdict.model_dump_json(by_alias=True)) == verdict


def test_a17_a_claim_is_recorded_beside_the_class() -> None:
    """What people say is recorded and not believed."""
    verdict = _verdict("b2.G h.F h.F", "claim=intermittent")
    assert (verdict.klass, verdict.claims) == ("task-defect", (Claim(by="sheriff", says="intermittent"),))


def test_a21_a_check_that_never_ran_before_the_merge_is_named_where_the_base_fails_so() -> None:
    """The filter is a cause of what is on the base or in a group; of what only the task breaks it is none."""
    named = NeverRan(check=CHECK, why="path")
    assert _verdict("b2.F h.F", "unseen=path").causes == (named,)
    assert _verdict("q.F b2.F", "unseen=path").causes == (named,)
    assert _verdict("b2.G h.F h.F", "unseen=path").causes == ()


def test_a2_the_own_earlier_merge_that_counted_for_nothing_is_named() -> None:
    """Its reds do not excuse the task, and whoever reads the verdict is told so."""
    known = replace(case("m0.F b2.G h.F h.F", ""), own_merges=(OwnMerge(landed=PullNumber(4), commit=Sha("b0")),))
    (verdict,) = attribute(known).outcomes
    assert isinstance(verdict, Verdict)
    assert (verdict.klass, verdict.causes) == ("task-defect", known.own_merges)


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ("m0.F b2.G h.F h.F", ["b0"]),
        ("m0.F m1.G b2.G h.F h.F", ["b0"]),
        ("m1.X b2.G h.F h.F", []),
        ("m0.F m1.F b2.G h.F h.F", ["b0", "b1"]),
        ("b0.F b2.G h.F h.F@b0", []),
    ],
)
def test_a2_of_own_merges_those_are_named_on_which_this_failed(row: str, named: list[str]) -> None:
    """Another merge of the task's, and a base commit that is nobody's own, are no cause."""
    merges = tuple(OwnMerge(landed=PullNumber(4), commit=Sha(each)) for each in ("b0", "b1"))
    outcomes = attribute(replace(case(row, ""), own_merges=merges)).outcomes
    found = {each.commit for verdict in outcomes if isinstance(verdict, Verdict) for each in verdict.causes}
    assert sorted(each for each in found if each) == named


@pytest.mark.parametrize(
    ("row", "job", "named"),
    [("b2.F h.F", "test", True), ("b2.F h.F", "beside", False), ("m2.F p3.G h.F h.F", "test", False)],
)
def test_a21_only_the_check_in_question_and_only_what_is_nobodys_own_names_the_filter(
    row: str, job: str, named: bool
) -> None:
    """A red on the task's own merge is the task's, whatever filter kept the check off it."""
    never = NeverRan(check=CHECK.model_copy(update={"job": job}), why="path")
    known = replace(case(row, "no=rerun,base"), never_ran=(never,))
    (verdict,) = attribute(known).outcomes
    assert isinstance(verdict, Verdict)
    assert bool(verdict.causes) is named


def test_evidence_shows_what_else_is_red_on_the_base() -> None:
    """Another failure on the base excuses nothing and is not hidden."""
    verdict = _verdict("b2.Z h.F h.F p2.X")
    assert verdict.klass == "task-defect"
    assert [each.side for each in verdict.evidence if each.role == "other"] == ["probe"]


def test_the_weakest_needed_execution_is_the_verdicts_strength() -> None:
    """Strong where the item is named on both sides, moderate where only its file is, weak at the level of the job."""
    assert _verdict("b2.G h.F h.F").strength == "strong"
    assert _verdict("b2.C h.F h.F").strength == "moderate"
    assert _verdict("b2.Q p2.Q h.F h.F", "kind=job").strength == "weak"
    assert _verdict("b2.F h.F p2.F", "kind=job").strength == "weak"
    assert _verdict("b2.F h.F", "kind=lint").strength == "moderate"
    assert _verdict("h.F h.G=").strength == "strong"


@pytest.mark.parametrize(
    ("row", "facts", "roles", "reason"),
    [
        ("b2.Q~9h b2.F h.F", "", ["red", "red"], "the same check fails in the same way on the clean base"),
        ("h.N", "", ["mute"], "the log names no failure"),
        ("h.M", "no=log", ["mute"], "there is no log"),
        ("h.I", "rowdone", ["lost"], "only what the job runs on failed, which says nothing about the code"),
    ],
)
def test_what_is_shown_beside_a_verdict_is_what_it_was(row: str, facts: str, roles: list[str], reason: str) -> None:
    """A pass is no other failure; what failed without a word, or by its surroundings, is called that."""
    verdict = _verdict(row, facts)
    assert ([each.role for each in verdict.evidence], verdict.reason) == (roles, reason)


@pytest.mark.parametrize(
    ("conclusion", "expected"),
    [
        ("success", "passed"), ("failure", "failed"), ("timed_out", "failed"), ("startup_failure", "failed"), ("action_required", "failed"),
        ("something_new", "failed"), ("cancelled", "cancelled"), ("skipped", "nothing"), ("neutral", "nothing"), ("stale", "nothing"), (None, "running"),
    ],
)  # fmt: skip
def test_a23_every_conclusion_reaches_a_result(conclusion: str | None, expected: str) -> None:
    """A23: each conclusion that is no success is looked at; an unknown word is a failure."""
    assert result_of(conclusion, ()) == expected


@pytest.mark.parametrize(
    ("items", "built"),
    [
        ((FailedItem(fingerprint=PRINT, item="tests/test_a.py::test_x"),), True),
        ((FailedItem(fingerprint=PRINT, item=None),), False),
        ((FailedItem(fingerprint=PRINT, item="src/a.py", kind="lint"),), False),
        ((FailedItem(fingerprint=PRINT, item="t"), FailedItem(fingerprint=PRINT, item=None, kind="build")), False),
        ((), False),
    ],
)
def test_what_was_built_is_known_by_tests_that_ran(items: tuple[FailedItem, ...], built: bool) -> None:
    """Failing tests by their names, and nothing else, show that the build had passed."""
    (ran,) = case("b2.X", "").executions
    build = FailedItem(fingerprint=PRINT, kind="build")
    assert passed_beside(ran.model_copy(update={"items": items}), build) is built


def test_a_job_listed_in_two_attempts_counts_once() -> None:
    """GitHub lists what a rerun did not run again; by check, start and runner it is one execution."""
    first = case("h.F", "").executions[0]
    assert len(distinct([first, first.model_copy(update={"attempt": 2, "job_id": 77})])) == 1
    assert len(distinct([first, first.model_copy(update={"attempt": 2, "started_at": NOW})])) == 2


def test_a_job_carried_over_into_an_attempt_is_no_second_red() -> None:
    """Listed twice, it accuses no more than once."""
    known = case("b2.G h.F", "")
    carried = known.executions[1].model_copy(update={"attempt": 2, "job_id": 77})
    answer = attribute(type(known)(known.task, (*known.executions, carried), known.now))
    assert told(answer) == "want rerun"


@pytest.mark.parametrize("kind", ["network", "runner-lost", "quota", "rate-limit"])
def test_surroundings_beside_a_failing_item_are_no_failure_of_it(kind: str) -> None:
    """An item of an infrastructure kind, or a cancellation, is never red."""
    red = case("h.F", "").executions[0]
    lost = FailedItem(fingerprint=Fingerprint("v1-00000000000000dd"), job_level=True, kind=kind)
    both = red.model_copy(update={"items": (*red.items, lost)})
    assert both.fails_with(lost.fingerprint) is None
    assert both.fails_with(PRINT) is not None
    assert result_of("failure", (lost,)) == "infrastructure"
    assert result_of("failure", (lost.model_copy(update={"kind": "cancelled"}),)) == "cancelled"


def test_what_was_proven_stays_said_when_nothing_more_can_be_had() -> None:
    """A later doubt that cannot be resolved takes nothing back."""
    was = _verdict("b2.G h.F h.F")
    now = attribute(case("b2.G h.F h.F", "flaked no=rerun,base")).outcomes[0]
    assert settle(was, now).outcome == was


def test_a_check_is_told_with_its_cell_and_event() -> None:
    """The key of a check names file, job, cell, event and fork."""
    assert (
        CHECK.model_copy(update={"matrix": (("os", "mac"),), "fork": True}).key
        == ".github/workflows/ci.yml: test [os=mac] (pull_request, fork)"
    )


@pytest.mark.parametrize(
    ("was", "now", "wanted"),
    [
        ("b2.G h.F h.F", "b2.G h.F h.F o.F", True),
        ("b2.F h.F", "b2.F h.F e.F e.G=", True),
        ("b2.F h.F", "h.F b2.R", False),
        ("h.F h.G=", "h.F h.I= o.F", False),
    ],
)
def test_only_an_accusation_in_doubt_asks_for_more(was: str, now: str, wanted: bool) -> None:
    """Old evidence, or a flake that others see too, asks for nothing again."""
    standing = settle(_verdict(was), attribute(case(now, "")).outcomes[0])
    assert bool(standing.wants) is wanted


@pytest.mark.parametrize(
    ("was", "now", "facts", "followed"),
    [
        ("b2.G h.F h.F", "b2.G~9h h.F h.F", "", "task-defect"),
        ("b2.G h.F h.F", "b2.G~9h h.F h.F", "no=base", "task-defect"),
        ("b2.G h.F h.F", "b2.G h.F h.F o.F", "", "task-defect, and base is asked"),
        ("b2.F h.F", "b2.F h.F", "base=b3", "base-defect, and base is asked"),
        ("b2.F h.F", "b2.F h.F", "base=b3 no=base", "base-defect"),
        ("h.F h.F", "h.F h.F", "", "nothing, and base is asked"),
        ("h.F h.F", "h.F h.F", "no=base,rerun", "unclassified"),
    ],
)
def test_what_is_followed_is_what_stands(was: str, now: str, facts: str, followed: str) -> None:
    """Old evidence and an unknown newer base neither take a verdict back nor have people asked; what had no proof, and
    may get one, is open again.
    """
    before = attribute(case(was, "no=base,rerun")).outcomes[0]
    answer = as_it_stands(attribute(case(now, facts)), lambda _: before if isinstance(before, Verdict) else None)
    asked = "".join(f", and {want.kind} is asked" for want in answer.wants)
    assert f"{answer.lead.klass if answer.lead else 'nothing'}{asked}" == followed


def test_an_item_is_held_by_its_file_its_suites_and_what_the_log_says() -> None:
    """These names, seen to pass as a whole, show that the item was executed."""
    item = FailedItem(
        fingerprint=PRINT, item="tests/a.py::Suite::test_x[1]", container="pkg/a", places=(Place(path="src/b.test.ts"),)
    )
    assert {"tests/a.py", "tests/a.py::Suite", "tests/a.py::Suite::test_x", "pkg/a", "src/b.test.ts"} <= item.holders
    assert "" not in item.holders
    assert "tests/a.p" not in item.holders


def test_as_many_items_on_the_tested_base_are_the_same_selection() -> None:
    """Where the diff leaves all tests alone, a green base that ran as many items ran the failing one."""
    known = case("b2.Q7 h.F7 h.F7", "diff=elsewhere")
    assert told(attribute(known)) == "task-defect \u2192 explain"
    assert told(attribute(case("b2.Q6 h.F7 h.F7", "diff=elsewhere"))) == "want base b2 more"
    assert told(attribute(case("b2.Q7 h.F7 h.F7", "diff=beside"))) == "want base b2 more"
    assert told(attribute(case("b2.Q7 h.F7 h.F7", ""))) == "want base b2 more"


def test_a_rerun_asks_with_what_fails_on_the_head() -> None:
    """The ledger is told the failing jobs, the fingerprints and a cancelled newest attempt."""
    known = case("b2.G h.F h.K=", "")
    asked = rerun_asked(known, known.executions[1].check)
    assert (asked.failing, asked.fingerprints, asked.newest_cancelled) == (1, (PRINT,), True)
    answer = attribute_within(known, Ledger())
    assert [each.klass for each in answer.outcomes if isinstance(each, Verdict)] == ["unclassified"]


def test_a_pause_between_reruns_lets_the_base_be_asked_meanwhile() -> None:
    """A limit that passes makes a wait only where nothing else can be found out."""
    known = case("h.F", "")
    check = known.executions[0].check
    events = [
        RerunStarted(
            id="r",
            at=NOW - 100,
            task="pr-1",
            head=Sha("h"),
            workflow=check.workflow,
            check="other",
            fingerprints=(),
            purpose="evidence",
        ),
        RerunEnded(id="e", rerun="r", at=NOW - 50, useful=True),
    ]
    assert [want.kind for want in attribute_within(known, Ledger.of(events)).wants] == ["base"]
    green = case("b2.G h.F", "")
    assert [want.kind for want in attribute_within(green, Ledger.of(events)).wants] == ["wait"]


@pytest.mark.parametrize(
    ("since", "wanted"), [(10.0, "wait for rerun"), (1_199.0, "wait for rerun"), (1_200.0, "base")]
)
def test_a_rerun_that_was_started_is_waited_for(since: float, wanted: str) -> None:
    """The cheaper execution first: while GitHub does not show it yet, nothing dearer is begun; not without end."""
    known = case("h.F", "")
    check = known.executions[0].check
    started = RerunStarted(
        id="r",
        at=NOW - since,
        task="pr-1",
        head=Sha("h"),
        workflow=check.workflow,
        check=check.key,
        fingerprints=(),
        purpose="evidence",
    )
    (want,) = attribute_within(known, Ledger.of([started])).wants
    assert (f"wait for {want.why}" if isinstance(want, WantWait) else want.kind) == wanted


@pytest.mark.parametrize("row", ["h.F", "b2.G h.F"])
def test_a_refusal_that_is_over_at_this_moment_holds_for_this_asking(row: str) -> None:
    """A pause of no length, which the configuration forbids, ends as it begins: asking comes to an end all the same."""
    known = case(row, "")
    check = known.executions[0].check
    started = RerunStarted(
        id="r",
        at=NOW,
        task="pr-1",
        head=Sha("h"),
        workflow=check.workflow,
        check=check.key,
        fingerprints=(),
        purpose="evidence",
    )
    nothing = Ledger().limits.model_copy(update={"rerun_pause": 0.0, "evidence_runs": 9})
    ledger = Ledger.of([started], nothing)
    asked = ledger.rerun(rerun_asked(known, check), NOW)
    assert isinstance(asked, Refused)
    assert asked.until == NOW
    answer = attribute_within(known, ledger)
    assert "rerun" not in [want.kind for want in answer.wants]


@pytest.mark.parametrize(
    ("row", "beside", "why"),
    [
        ("h.F h.F p2.E", "empty", True),
        ("h.F h.F b2.G~9h", "stale", False),
        ("h.F h.F b2.X", "other", False),
        ("h.F h.F", "", False),
    ],
)
def test_what_proves_nothing_is_shown_where_nothing_is_proven(row: str, beside: str, why: bool) -> None:
    """A base that was green, and yet proves nothing, is shown with its reason, so that nobody wonders."""
    verdict = attribute(case(row, "no=base,rerun")).outcomes[0]
    assert isinstance(verdict, Verdict)
    assert verdict.klass == "unclassified"
    assert " ".join(each.role for each in verdict.evidence if each.role != "red") == beside
    assert (RAN_NOTHING in verdict.reason) is why


def test_the_generator_of_incidents_imports_nothing_of_failres() -> None:
    """The benchmark's world must not know how failures are judged."""
    for path in (Path(__file__).parents[2] / "bench" / "attribution_world").glob("*.py"):
        imported = re.findall(r"^(?:from|import) ([\w.]+)", path.read_text(), re.MULTILINE)
        assert imported or path.name == "__init__.py"
        assert {name.split(".")[0] for name in imported} <= {"attribution_world", *sys.stdlib_module_names}
