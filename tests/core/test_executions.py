"""What an execution is and what it proves: its check's name, what failed in it, its result, and that it counts once."""

from __future__ import annotations

import pytest

from resolver.attribution import ChangedFile, Diff
from resolver.executions import MERGE_GROUP, Check, Execution, FailedItem, distinct, result_of
from resolver.failure import Finding, Place
from resolver.ids import Fingerprint, Sha
from tests.core.attribution_table import CHECK, PRINT

OTHER_CI = Check(workflow="", job="linter / lint", event="")


@pytest.mark.parametrize(
    ("changes", "third_party", "key"),
    [
        ({}, True, "linter / lint"),
        ({"event": MERGE_GROUP}, True, "linter / lint (merge group)"),
        ({"fork": True}, True, "linter / lint (fork)"),
        ({"event": MERGE_GROUP, "fork": True}, True, "linter / lint (merge group, fork)"),
        ({"event": "push"}, False, ": linter / lint (push)"),
        ({"workflow": "ci.yml", "event": MERGE_GROUP}, False, "ci.yml: linter / lint (merge_group)"),
        ({"workflow": "ci.yml", "event": ""}, False, "ci.yml: linter / lint ()"),
    ],
)
def test_a_check_of_another_ci_is_known_by_what_it_lacks(
    changes: dict[str, object], third_party: bool, key: str
) -> None:
    """It has no workflow, and no event but that it reported on a merge group."""
    check = OTHER_CI.model_copy(update=changes)
    assert (check.third_party, check.key) == (third_party, key)


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"event": "push", "fork": True}, True),
        ({"job": "x"}, False),
        ({"workflow": "x"}, False),
        ({"matrix": (("a", "b"),)}, False),
    ],
)
def test_the_same_job_is_the_same_cell_of_the_same_file(changes: dict[str, object], same: bool) -> None:
    """Whatever event made it, and with whatever secrets."""
    assert CHECK.same_job(CHECK.model_copy(update=changes)) is same


@pytest.mark.parametrize(
    ("changes", "stalled", "step"),
    [
        ({}, False, False),
        ({"fail_class": "task-stalled"}, True, False),
        ({"attribution": "gate-stalled"}, True, False),
        ({"attribution": "gate-stalled", "source": "api"}, True, True),
        ({"attribution": "gate-stalled", "source": "api", "item": None}, True, False),
        ({"fail_class": "task-stalled", "source": "api"}, True, False),
    ],
)
def test_a_stall_is_known_by_who_tells_of_it(changes: dict[str, object], stalled: bool, step: bool) -> None:
    """The gate names a test that hangs, the API a step that does."""
    given = {"fail_class": "gate-red-code", "kind": "test", "message": "m", "item": "x", "fingerprint": PRINT}
    item = FailedItem.of(Finding.model_validate({**given, **changes}))
    assert (item.stalled, item.step) == (stalled, step)


def _item(kind: str) -> FailedItem:
    return FailedItem(fingerprint=Fingerprint(f"v1-{kind}"), kind=kind)


@pytest.mark.parametrize(
    ("kinds", "result"),
    [
        ((), "failed"),
        (("test",), "failed"),
        (("network", "test"), "failed"),
        (("cancelled", "test"), "failed"),
        (("network",), "infrastructure"),
        (("runner-lost", "quota"), "infrastructure"),
        (("cancelled",), "cancelled"),
        (("cancelled", "network"), "infrastructure"),
    ],
)
def test_a_failed_job_is_red_where_anything_in_it_counts(kinds: tuple[str, ...], result: str) -> None:
    """Surroundings alone are neither red nor green, and what was only cancelled was cancelled."""
    assert result_of("failure", [_item(kind) for kind in kinds]) == result


def _ran(**changes: object) -> Execution:
    given = {"check": CHECK, "commit": Sha("h"), "side": "task", "run": 1, "result": "passed", "started_at": 10.0}
    return Execution.model_validate({**given, **changes})


@pytest.mark.parametrize(
    ("listed", "left"),
    [
        ([_ran(attempt=1), _ran(attempt=2)], [("passed", 1)]),
        ([_ran(result="running"), _ran(attempt=2)], [("passed", 2)]),
        ([_ran(started_at=10.0), _ran(started_at=11.0, attempt=2)], [("passed", 1), ("passed", 2)]),
        ([_ran(runner="a"), _ran(runner="b", attempt=2)], [("passed", 1), ("passed", 2)]),
        ([_ran(started_at=None), _ran(started_at=None, job_id=2, attempt=2)], [("passed", 1), ("passed", 2)]),
        ([_ran(started_at=None), _ran(started_at=None)], [("passed", 1)]),
        ([_ran(run=2, started_at=9.0, attempt=5), _ran(run=1)], [("passed", 5), ("passed", 1)]),
        ([_ran(started_at=None, run=3, attempt=3), _ran(attempt=1)], [("passed", 3), ("passed", 1)]),
    ],
)
def test_an_execution_counts_once_in_the_order_of_time(listed: list[Execution], left: list[tuple[str, int]]) -> None:
    """By check, start and runner, whichever attempts list it (specification, section 1); an end counts before a start."""
    for order in (listed, listed[::-1]):
        assert [(each.result, each.attempt) for each in distinct(order)] == left


@pytest.mark.parametrize(
    ("file", "item", "adds", "changes", "touches"),
    [
        ({"status": "added"}, {"item": "src/a.py::other"}, True, True, True),
        ({}, {"item": "src/a.py::one"}, False, True, True),
        ({}, {"item": "src/a.py::other"}, False, False, True),
        ({}, {"item": "src/a.py::"}, False, False, True),
        ({}, {"item": "suite > one"}, False, True, True),
        ({}, {"item": "suite > other"}, False, False, True),
        ({}, {"item": "suite > one", "places": (Place(path="src/b.py", line=2),)}, False, False, False),
        ({}, {"places": (Place(path="src/a.py", line=None),)}, False, False, False),
        ({"status": "added"}, {"places": (Place(path="src/a.py", line=None),)}, False, False, False),
        ({"status": "removed"}, {}, False, False, False),
        ({"status": "added"}, {"item": "suite > one"}, True, True, True),
        ({"status": "added"}, {"item": "suite > other"}, False, False, True),
    ],
)
def test_whose_an_item_is_by_the_tasks_diff(
    file: dict[str, object], item: dict[str, object], adds: bool, changes: bool, touches: bool
) -> None:
    """By the file that holds it and its name on or above a changed line; a place without a line is nowhere."""
    given = {"path": "src/a.py", "lines": ((1, 3),), "text": "def one():\n    pass"}
    diff = Diff(files=(ChangedFile.model_validate({**given, **file}),))
    failed = FailedItem.model_validate({"fingerprint": PRINT, "places": (Place(path="src/a.py", line=2),), **item})
    assert (diff.adds(failed), diff.changes(failed), diff.touches(failed)) == (adds, changes, touches)


@pytest.mark.parametrize(
    ("paths", "truncated", "alone"),
    [
        (["src/a.py"], False, True),
        (["src/a.py"], True, False),
        (["src/a.py", "tests/a.py"], False, False),
        ([], False, True),
    ],
)
def test_a_diff_leaves_the_tests_alone_only_where_all_of_it_is_known(
    paths: list[str], truncated: bool, alone: bool
) -> None:
    """A list that GitHub cut may hold a test."""
    diff = Diff(files=tuple(ChangedFile(path=path) for path in paths), truncated=truncated)
    assert diff.leaves_tests_alone is alone
