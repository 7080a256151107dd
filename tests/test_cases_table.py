"""Each case of `CASES.md` is shown by tests that are there and that carry its id in their names."""

import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

CASES = {
    "A": (1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 14, 16, 17, 18, 19, 21, 22, 23, 24),
    "B": (1, 2, 4, 5, 6, 7, 9),
    "C": (1, 2, 5, 6, 7, 8, 9),
    "D": (9, 13),
    "F": (1, 2, 3, 4, 6, 8, 9, 10),
    "G": (1, 2),
    "H": (1, 2, 3, 4, 6, 9),
    "I": (1, 3, 5),
}
"""The sections whose every case must be shown, with the numbers of their cases; other sections are added here."""

IDS = [f"{section}{number}" for section, numbers in CASES.items() for number in numbers]
ROW = re.compile(r"\| (?P<id>[A-Z]\d+) \| (?P<holds>[^|]+) \| (?P<tests>[^|]+) \|")


def table() -> dict[str, list[str]]:
    """The tests of each case, as `FILE::TEST`."""
    found: dict[str, list[str]] = {}
    for line in (TESTS / "CASES.md").read_text().splitlines():
        if re.match(r"\| [A-Z]\d", line):
            row = ROW.fullmatch(line)
            assert row is not None, f"a row has an id, a sentence and tests: {line}"
            found[row["id"]] = [each.strip() for each in row["tests"].split(",")]
    return found


@cache
def names(file: str) -> frozenset[str]:
    """The tests of a file, and the first cells of its tables' rows."""
    text = (TESTS / file).read_text()
    tests = re.findall(r"^(?:async )?def (test_\w+)\(", text, re.MULTILINE)
    rows = re.findall(r"^([a-z]\w+) +\|", text, re.MULTILINE)
    return frozenset((*tests, *rows))


@pytest.mark.parametrize("case", IDS)
def test_a_case_is_shown_by_tests_that_carry_its_id(case: str) -> None:
    """A case without a test, a test that is gone, or one whose name does not tell the case."""
    shown = table().get(case, [])
    assert shown, f"no test shows {case}"
    for test in shown:
        file, _, name = test.partition("::")
        assert (TESTS / file).is_file(), f"{case}: {file} is not there"
        assert name in names(file), f"{case}: {file} has no {name}"
        assert case.lower() in name.split("_"), f"{case}: {name} does not carry the id"


def test_the_table_is_in_order_and_each_case_stands_once() -> None:
    """Two rows of one case would hide each other."""
    listed = re.findall(r"^\| ([A-Z]\d+) \|", (TESTS / "CASES.md").read_text(), re.MULTILINE)
    assert listed == sorted(set(listed), key=lambda each: (each[0], int(each[1:])))
