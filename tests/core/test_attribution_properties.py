"""What holds of attribution whatever the executions are and in whatever order they became known."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from resolver.attribution import Case, Undecided, Verdict, attribute, attribute_within
from resolver.config.sections import Attribution as Rules
from resolver.executions import Execution
from resolver.ledger import Ledger
from resolver.ledger.events import LedgerEvent, ProbeStarted
from tests.core.attribution_table import NOW, OTHER, PRINT, case

WHERE = ("h", "h", "h", "b2", "p2", "b1", "p3", "o", "a", "m2", "e")
RESULT = ("F", "F", "F", "G", "G", "C", "Q", "X", "Y", "Z", "E", "I", "K", "S")
MARKS = ("", "", "", "=", "~9h", "~never", "@b1", "@?", "%arm")
FACTS = (
    "",
    "",
    "base=b3",
    "flaked",
    "kind=job",
    "kind=lint diff=touches",
    "diff=changes",
    "no=base",
    "no=rerun",
    "no=rerun,base",
    "kind=stall",
    "diff=adds",
)

tokens = st.builds(
    lambda where, result, mark: f"{where}.{result}{mark}",
    st.sampled_from(WHERE),
    st.sampled_from(RESULT),
    st.sampled_from(MARKS),
)
cases = st.builds(
    lambda row, facts: case(" ".join(row), facts), st.lists(tokens, min_size=1, max_size=9), st.sampled_from(FACTS)
)


def _verdicts(given_case: Case) -> list[Verdict]:
    return [each for each in attribute(given_case).outcomes if isinstance(each, Verdict)]


@given(cases)
@settings(max_examples=150, deadline=None)
def test_no_verdict_without_an_execution(given_case: Case) -> None:
    """Every verdict stands on executions that are among the known ones, and on a failing one of the task's head."""
    known = {(each.run, each.attempt, each.job_id) for each in given_case.executions}
    for verdict in _verdicts(given_case):
        assert verdict.evidence
        assert all((each.run, each.attempt, each.job_id) in known for each in verdict.evidence)
        assert any(each.commit == "h" and each.role in ("red", "other") for each in verdict.evidence)


@given(cases)
@settings(max_examples=150, deadline=None)
def test_a10_no_accusation_below_the_quorum(given_case: Case) -> None:
    """A base is accused by as many reds on one commit, a task by as many reds and greens, as its failure needs."""
    rules = Rules()
    for verdict in _verdicts(given_case):
        if verdict.fingerprint != PRINT:
            continue
        item = next(item for each in given_case.executions for item in each.items if item.fingerprint == PRINT)
        need = rules.flaky_executions if given_case.flaked else rules.job_level_executions if item.job_level else 1
        reds: dict[str, int] = {}
        greens: dict[str, int] = {}
        for each in verdict.evidence:
            counts = {"red": reds, "green": greens}.get(each.role)
            if counts is not None:
                counts[each.commit] = counts.get(each.commit, 0) + 1
        if verdict.klass == "base-defect":
            assert max(count for commit, count in reds.items() if commit != "h") >= need
        if verdict.klass == "task-defect" and "task itself" not in verdict.reason:
            assert max(greens.values()) >= need
            assert reds["h"] >= (1 if item.kind == "lint" else max(2, need))
        if verdict.klass == "flake":
            assert any(reds.get(commit) and greens.get(commit) for commit in reds)


@given(cases, st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_order_of_arrival_changes_nothing(given_case: Case, random: object) -> None:
    """Executions may become known in any order, and twice."""
    shuffled = [*given_case.executions, *given_case.executions[:2]]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert attribute(replace(given_case, executions=tuple(shuffled))) == attribute(given_case)


def _noise(kind: str, where: str, number: int) -> Execution:
    extra = case(f"{where}.{kind}", "").executions[0]
    return extra.model_copy(
        update={"run": 900 + number, "started_at": NOW - 90 * number, "finished_at": NOW - 60 * number}
    )


@given(
    cases,
    st.lists(st.tuples(st.sampled_from("IKS"), st.sampled_from(("h", "b2", "p2", "b3", "o"))), min_size=1, max_size=3),
)
@settings(max_examples=100, deadline=None)
def test_what_is_neither_red_nor_green_changes_nothing(given_case: Case, added: list[tuple[str, str]]) -> None:
    """Infrastructure outcomes, cancelled and skipped jobs change no outcome of a failure that was seen."""
    noise = tuple(_noise(kind, where, number) for number, (kind, where) in enumerate(added))
    before = [each for each in attribute(given_case).outcomes if each.fingerprint in (PRINT, OTHER)]
    after = attribute(replace(given_case, executions=(*given_case.executions, *noise))).outcomes
    assert [each for each in after if each.fingerprint in (PRINT, OTHER)] == before


@given(cases)
@settings(max_examples=100, deadline=None)
def test_a2_own_results_excuse_nothing(given_case: Case) -> None:
    """Executions of the author's other tasks and of the task's own earlier merges can be left out."""
    others = tuple(each for each in given_case.executions if each.own == "no")
    assert attribute(replace(given_case, executions=others)).outcomes == attribute(given_case).outcomes


@given(cases)
@settings(max_examples=100, deadline=None)
def test_nothing_is_undecided_without_a_want(given_case: Case) -> None:
    """What is not decided says what it wants; what has no verdict to come wants nothing."""
    answer = attribute(given_case)
    assert all(each.wants for each in answer.outcomes if isinstance(each, Undecided))
    assert bool(answer.wants) == any(isinstance(each, Undecided) for each in answer.outcomes)


@given(cases, st.integers(0, 4))
@settings(max_examples=150, deadline=None)
def test_wants_stay_inside_the_ledger(given_case: Case, probes: int) -> None:
    """Where the ledger has no execution left, attribution decides without it: it never asks for what is refused."""
    key = given_case.executions[0].check.key
    checks = {each.check.key for each in given_case.executions} | {key}
    events: list[LedgerEvent] = [
        ProbeStarted(id=f"{check} {commit} {number}", at=0.0, check=check, commit=commit)
        for check in sorted(checks)
        for commit in ("h", "b1", "b2", "b3")
        for number in range(probes)
    ]
    answer = attribute_within(given_case, Ledger.of(events))
    if probes >= 3:
        assert not [want for want in answer.wants if want.kind in ("rerun", "base")]
