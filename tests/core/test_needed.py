"""Which jobs a job needs, by the names that GitHub shows."""

import pytest

from resolver.workflow.file import read_workflow
from resolver.workflow.needed import has_needs, needed_among

FILE = read_workflow(
    ".github/workflows/ci.yml",
    """\
on: pull_request
jobs:
  test: {strategy: {matrix: {os: [linux, mac]}}, runs-on: x, steps: [{run: make}]}
  types: {name: 'check ${{ matrix.kind }}', strategy: {matrix: {kind: [a, b]}}, runs-on: x, steps: [{run: make}]}
  loose: {name: 'check all', runs-on: x, steps: [{run: make}]}
  pack: {needs: test, runs-on: x, steps: [{run: make}]}
  called: {needs: pack, uses: ./.github/workflows/other.yml}
  all-green: {name: All green, needs: [pack, types], if: always(), runs-on: x, steps: [{run: make}]}
  last: {needs: all-green, runs-on: x, steps: [{run: make}]}
  circle: {needs: round, runs-on: x, steps: [{run: make}]}
  round: {needs: circle, runs-on: x, steps: [{run: make}]}
""",
)

ROWS = [
    ("All green", ["pack"], ("pack",)),
    ("All green", ["test (linux)", "test (mac)", "All green"], ("test (linux)", "test (mac)")),
    ("last", ["All green", "test (mac)", "called / unit"], ("All green", "test (mac)")),
    ("All green", ["called / unit", "last", "somebody else's"], ()),
    ("All green", ["check a"], ("check a",)),
    ("All green", ["check all"], ()),
    ("called / unit", ["pack"], ("pack",)),
    ("test (linux)", ["test (mac)"], ()),
    ("nobody", ["pack"], ()),
    ("circle", ["round"], ("round",)),
]


@pytest.mark.parametrize(("shown", "others", "needed"), ROWS)
def test_needs_are_found_by_the_names_that_are_shown(shown, others, needed):
    """Directly or through others, cells of a matrix and called workflows too; of two that may stand behind it, none."""
    assert needed_among(FILE, shown, others) == needed


@pytest.mark.parametrize(("shown", "needs"), [("last", True), ("test (mac)", False), ("nobody", False)])
def test_a_job_that_needs_none_is_known_by_the_file(shown, needs):
    """Then the run's jobs need not be listed."""
    assert has_needs(FILE, shown) is needs
