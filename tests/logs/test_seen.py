"""
What a green run of each runner shows of an item that failed in a red one, and what it shows where that was skipped.

`seen.txt` holds what the runners printed of one small project: red, green, and with the failing item left out.
"""

from pathlib import Path

import pytest

from resolver.attribution.sights import passes
from resolver.executions import Check, Execution, FailedItem, Result
from resolver.log.classify import classify
from resolver.log.context import LogContext
from resolver.log.passed import PassedScan

RECORDED = {
    head.strip(): log
    for head, _, log in (
        part.partition("\n") for part in (Path(__file__).parent / "seen.txt").read_text("utf-8").split("%%% ")[1:]
    )
}

SEEN = {
    "cargo": "strong",
    "ctest": "strong",
    "go": "moderate",
    "go-verbose": "strong",
    "jest": "moderate",
    "jest-coloured": "moderate",
    "mocha": "strong",
    "node-spec": "strong",
    "node-tap": "strong",
    "pytest": "moderate",
    "pytest-coloured": "moderate",
    "pytest-verbose": "strong",
    "pytest-xdist": "strong",
    "unittest": "moderate",
    "unittest-verbose": "strong",
    "vitest-coloured": "moderate",
    "vitest-verbose": "strong",
}

COARSE = {"go", "jest", "jest-coloured"}
"""These tell only that a package or file ended well, whatever was left out of it."""


def _execution(log: str, result: Result, items: tuple[FailedItem, ...] = (), wanted: str = "") -> Execution:
    scan = PassedScan([wanted])
    scan.feed(log.encode())
    told = scan.close()
    return Execution(
        check=Check(workflow="ci.yml", job="unit"),
        commit="c0ffee",
        side="base",
        run=1,
        result=result,
        items=items,
        passed_items=told.names,
        tests=told.tests,
    )


@pytest.mark.parametrize("runner", SEEN)
def test_a3_a_green_shows_the_item_only_where_it_ran(runner: str):
    """A green counts only where the failing item was seen executed; in colours as without."""
    findings = classify(RECORDED[f"{runner} red"].encode(), LogContext(check="ci: unit")).findings
    items = tuple(FailedItem.of(finding) for finding in findings)
    item = next(each for each in items if "ivides" in (each.item or ""))
    red = _execution(RECORDED[f"{runner} red"], "failed", items)
    green = _execution(RECORDED[f"{runner} green"], "passed", wanted=item.item or "")
    skipped = _execution(RECORDED[f"{runner} skipped"], "passed", wanted=item.item or "")
    assert passes(green, item, red) == SEEN[runner]
    assert passes(skipped, item, red) == ("moderate" if runner in COARSE else None)
