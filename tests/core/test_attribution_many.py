"""Beyond one failure: a merge queue's suspect, and outage mode over a whole repository."""

from __future__ import annotations

import pytest

from resolver.attribution import Group, OutageMode, TaskRed, Wave, outage_mode, suspect
from resolver.config.sections import Outage
from resolver.executions import Check, Execution, FailedItem, Result
from resolver.ids import Fingerprint, Sha
from tests.core.attribution_table import NOW, OTHER, PRINT


def _job(result: Result, *, run: int, items: tuple[FailedItem, ...] = ()) -> Execution:
    check = Check(workflow="ci.yml", job="test")
    return Execution(check=check, commit=Sha("h"), side="task", run=run, result=result, items=items)


def _group(place: int, result: str) -> Group:
    letters = {"F": "failed", "X": "failed", "G": "passed", "S": "passed", "T": "passed", "I": "infrastructure"}
    execution = None
    if result in letters:
        items = {"F": (FailedItem(fingerprint=PRINT, item="t"),), "X": (FailedItem(fingerprint=OTHER, item="o"),)}
        steps = {"F": {"failed_steps": ("Test",)}, "X": {"failed_steps": ("Lint",)}}
        skipped = {"S": {"skipped_steps": ("Test",)}, "T": {"skipped_steps": ("Lint",)}}
        execution = _job(letters[result], run=place, items=items.get(result, ()))  # type: ignore[arg-type]
        execution = execution.model_copy(update={**steps.get(result, {}), **skipped.get(result, {})})
    return Group(place=place, commit=Sha(f"g{place}"), adds=(f"pr-{place}",), execution=execution)


@pytest.mark.parametrize(
    ("results", "tasks"),
    [
        ("GF", ("pr-2",)),
        ("GGFFF", ("pr-3",)),
        ("GIF", ("pr-2", "pr-3")),
        ("G-F", ("pr-2", "pr-3")),
        ("FF", None),
        ("GG", None),
        ("FGF", None),
        ("GXF", ("pr-2", "pr-3")),
        ("SF", None),
        ("GSF", ("pr-2", "pr-3")),
        ("GXTF", ("pr-4",)),
        ("XF", None),
    ],
)
def test_the_first_red_group_after_a_green_one_names_the_suspect(results: str, tasks: tuple[str, ...] | None) -> None:
    """Groups are cumulative; where the groups between told nothing, all that was added since the green is suspect."""
    found = suspect([_group(place, each) for place, each in enumerate(results, 1)][::-1], PRINT)
    assert (found.tasks if found else None) == tasks


def test_a_green_base_below_the_queue_makes_the_first_group_suspect() -> None:
    """The base itself can be the green that stands ahead."""
    found = suspect([_group(1, "F")], PRINT, green_base=Sha("b2"))
    assert found is not None
    assert (found.tasks, found.after) == (("pr-1",), "b2")


def _red(task: str, print_: str, base: str = "b2") -> TaskRed:
    return TaskRed(task=task, fingerprint=Fingerprint(print_), base=Sha(base), at=NOW - 60)


def _reds(tasks: int, prints: int, **more: object) -> tuple[TaskRed, ...]:
    return tuple(
        TaskRed(task=f"pr-{n % tasks}", fingerprint=Fingerprint(f"f{n % prints}"), base=Sha("b2"), at=NOW - 60, **more)  # type: ignore[arg-type]
        for n in range(max(tasks, prints))
    )


def _at(at: float) -> tuple[TaskRed, ...]:
    return tuple(each.model_copy(update={"at": at}) for each in _reds(4, 9))


@pytest.mark.parametrize(
    ("wave", "on"),
    [
        (Wave(reds=_reds(4, 9)), True),
        (Wave(reds=_reds(4, 8)), False),
        (Wave(reds=_reds(3, 9)), False),
        (Wave(reds=_reds(4, 9, new=False)), False),
        (Wave(reds=(*_reds(4, 8), _red("pr-5", "f8", base="b3"))), False),
        (Wave(reds=(*_reds(4, 8), _red("pr-5", "f8"))), True),
        (Wave(reds=_reds(5, 1), green_probes=frozenset({Fingerprint("f0")})), True),
        (Wave(reds=_reds(5, 1)), False),
        (Wave(reds=_reds(4, 1), green_probes=frozenset({Fingerprint("f0")})), False),
        (Wave(reds=_reds(4, 1, infrastructure=True), running=8), True),
        (Wave(reds=_reds(4, 1, infrastructure=True), running=9), False),
        (Wave(reds=_reds(3, 1, infrastructure=True), running=3), False),
        (Wave(reds=_reds(4, 9, infrastructure=True), running=100), False),
        (Wave(reds=_reds(5, 5), green_probes=frozenset(Fingerprint(f"f{n}") for n in range(5))), False),
        (Wave(reds=tuple(each.model_copy(update={"base": None}) for each in _reds(4, 9))), False),
        (Wave(reds=_at(NOW - 1800)), True),
        (Wave(reds=_at(NOW - 1801)), False),
        (Wave(reds=_at(NOW)), True),
        (Wave(reds=_at(NOW + 1)), False),
    ],
)
def test_an_outage_begins_at_its_thresholds(wave: Wave, on: bool) -> None:
    """Over at least four tasks: many new failures at one base, one failure that the base lacks, or the surroundings."""
    assert outage_mode(OutageMode(), wave, Outage(), NOW).on is on


def test_an_outage_of_which_no_last_time_is_known_is_over() -> None:
    """Nothing is parked for good because a record is incomplete."""
    assert not outage_mode(OutageMode(since=NOW - 5), Wave(), Outage(), NOW).on


def test_an_outage_ends_after_half_an_hour_of_calm() -> None:
    """Below the threshold it goes on for 30 minutes, counted from when it was last exceeded."""
    mode = outage_mode(OutageMode(), Wave(reds=_reds(4, 9)), Outage(), NOW)
    calm = Wave()
    assert outage_mode(mode, calm, Outage(), NOW + 1799).on
    assert not outage_mode(mode, calm, Outage(), NOW + 1800).on
    again = outage_mode(mode, Wave(reds=_reds(4, 9)), Outage(), NOW + 900)
    assert again.since == NOW
    assert outage_mode(again, calm, Outage(), NOW + 2600).on
