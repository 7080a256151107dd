"""What attribution is asked with: the base's line, drifts of before, refusals, and what a rerun is asked for. Tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from resolver.attribution import Case, DriftVerdict, Refusal, TaskFacts, rerun_asked
from resolver.executions import Check
from resolver.ids import Fingerprint, Sha
from tests.core.attribution_table import CHECK, LINE, NOW, OTHER, PRINT, case

TASK = TaskFacts(task="pr-1", head=Sha("h"), base=LINE[-1], base_line=LINE)
BESIDE = CHECK.model_copy(update={"job": "beside"})


@pytest.mark.parametrize(
    ("commit", "newer"),
    [("b4", ()), ("b3", ("b4",)), ("b1", ("b4", "b3", "b2")), ("b0", ("b4", "b3", "b2", "b1")), ("x", ()), (None, ())],
)
def test_the_bases_commits_after_one_come_newest_first(commit: str | None, newer: tuple[str, ...]) -> None:
    """Of what is not on its line nothing is known to be newer."""
    assert TASK.newer_than(Sha(commit) if commit else None) == newer


@pytest.mark.parametrize(
    ("pushed", "drifts", "before"),
    [
        ((), ((PRINT, 5.0),), True),
        ((), (), False),
        ((), ((OTHER, 5.0),), False),
        ((4.0,), ((PRINT, 5.0),), True),
        ((5.0,), ((PRINT, 5.0),), True),
        ((6.0,), ((PRINT, 5.0),), False),
        ((4.0, 6.0), ((PRINT, 5.0),), False),
        ((6.0, 4.0), ((PRINT, 5.0),), False),
    ],
)
def test_a_drift_counts_until_a_person_pushes(
    pushed: tuple[float, ...], drifts: tuple[tuple[Fingerprint, float], ...], before: bool
) -> None:
    """One verdict for a failure between two pushes of people (specification, section 5); the newest push counts."""
    known = tuple(DriftVerdict(fingerprint=each, at=at) for each, at in drifts)
    task = TASK.model_copy(update={"people_pushed_at": pushed, "drift_verdicts": known})
    assert task.drifted_before(PRINT) is before


def _refusal(reason: str, **changes: object) -> Refusal:
    return Refusal.model_validate({"kind": "base", "reason": reason, **changes})


REFUSED = {
    "any": ((_refusal("no"),), "no"),
    "of that check and commit": ((_refusal("no", check=CHECK, commit="b2"),), "no"),
    "of another check": ((_refusal("no", check=BESIDE),), None),
    "of another commit": ((_refusal("no", commit="b1"),), None),
    "of another kind": ((_refusal("no", kind="rerun"),), None),
    "for a while": ((_refusal("later", until=NOW + 1),), "later"),
    "over": ((_refusal("later", until=NOW),), None),
    "for ever before for a while": ((_refusal("later", until=NOW + 1), _refusal("no")), "no"),
    "the longest of two": ((_refusal("soon", until=NOW + 1), _refusal("later", until=NOW + 9)), "later"),
    "of two for ever the first by name": ((_refusal("b"), _refusal("a")), "a"),
}


@pytest.mark.parametrize(("refusals", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_refuses_a_want_is_what_holds_longest(refusals: tuple[Refusal, ...], reason: str | None) -> None:
    """It must be of that kind, check and commit, and its time must not be over."""
    found = Case(TASK, (), NOW, refusals=refusals).refusal("base", CHECK, Sha("b2"))
    assert (found.reason if found else None) == reason


def _asked(row: str, *beside: str, check: Check = CHECK) -> tuple[int, tuple[Fingerprint, ...], bool]:
    """What a rerun is asked with on a row; `beside` are executions of another job."""
    known = case(row, "")
    others = [each.model_copy(update={"check": BESIDE, "run": 900 + n}) for n, each in enumerate(_row(*beside))]
    asked = rerun_asked(replace(known, executions=(*known.executions, *others)), check)
    return asked.failing, asked.fingerprints, asked.newest_cancelled


def _row(*tokens: str) -> tuple[object, ...]:
    return case(" ".join(tokens), "").executions if tokens else ()


@pytest.mark.parametrize(
    ("row", "beside", "asked"),
    [
        ("h.F", (), (1, (PRINT,), False)),
        ("h.F", ("h.F",), (1, (PRINT,), False)),
        ("h.F", ("h.X",), (2, (PRINT,), False)),
        ("h.F", ("h.X", "h.G"), (1, (PRINT,), False)),
        ("h.F h.G=", (), (0, (PRINT,), False)),
        ("h.F h.K=", (), (1, (PRINT,), True)),
        ("h.K h.F=", (), (1, (PRINT,), False)),
        ("h.F", ("h.K",), (1, (PRINT,), False)),
        ("h.F b2.X", (), (1, (PRINT,), False)),
        ("h.F o.X", (), (1, (PRINT,), False)),
        ("h.F b2.K", (), (1, (PRINT,), False)),
        ("b2.F", (), (0, (), False)),
    ],
)
def test_a_rerun_is_asked_with_what_stands_on_the_head(
    row: str, beside: tuple[str, ...], asked: tuple[int, tuple[Fingerprint, ...], bool]
) -> None:
    """How many of its jobs fail differently now, this one's failures, and whether its newest attempt was cancelled."""
    assert _asked(row, *beside) == asked
