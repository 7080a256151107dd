"""Which jobs a job needs, by the names that GitHub shows."""

import pytest

from resolver.config import RepoConfig
from resolver.decide.gate import read_of
from resolver.workflow.file import read_workflow
from resolver.workflow.needed import has_needs, needed_among, sums_up
from tests.core.made import HEAD, job, pull, repo, run, state_of

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


STEPS = {
    "[{run: exit 1, if: \"contains(needs.*.result, 'failure')\"}]": True,
    "[{run: echo no; exit 1, if: needs.test.result != 'success'}]": True,
    "[{run: 'test ${{ needs.test.result }} = success'}]": True,
    "[{run: 'test ${{ needs[''test''].result }} = success'}]": True,
    "[{uses: re-actors/alls-green@release/v1, with: {jobs: '${{ toJSON(needs) }}'}}]": True,
    "[{run: 'jq -e all', env: {NEEDS: '${{ tojson( needs ) }}'}}]": True,
    "[{run: 'test ${{ needs.test.result }} = success'}, {run: exit 1, if: needs.test.result == 'failure'}]": True,
    "[{run: make}, {run: exit 1, if: needs.test.result == 'failure'}]": False,
    "[{run: 'make VERSION=${{ needs.test.outputs.result }}'}]": False,
    "[{run: 'make ${{ toJSON(needs.test.outputs) }}'}]": False,
    "[{run: make}]": False,
    "[]": False,
}


@pytest.mark.parametrize(("steps", "sums"), STEPS.items())
def test_a_job_sums_up_where_each_step_asks_how_its_needs_have_ended(steps, sums):
    """Outputs of other jobs are what it works on; a step that asks nothing may fail by itself."""
    text = f"on: push\njobs:\n  test: {{runs-on: x, steps: [{{run: make}}]}}\n  all: {{needs: test, runs-on: x, steps: {steps}}}\n"
    file = read_workflow(".github/workflows/ci.yml", text)
    assert sums_up(file, "all") is sums
    assert not sums_up(file, "test")
    assert not sums_up(file, "nobody")


@pytest.mark.parametrize(
    ("ended", "idle"), [(job(steps=()), True), (job(), False), (job(conclusion="success", steps=()), False)]
)
def test_what_failed_before_any_step_began_is_read_as_idle(ended, idle):
    """It executed nothing that could have failed, so that its needs alone can have made it red."""
    state = state_of(repo(), pull(), run(), ended)
    assert read_of(state.pulls[7], state.head(HEAD), ended, RepoConfig()).idle is idle
