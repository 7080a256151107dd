"""Workflow files as values: what is read, what is refused, what costs nothing."""

import time

import pytest

from resolver.workflow.file import (
    WORKFLOW_LIMITS,
    Concurrency,
    Input,
    UnreadableWorkflow,
    WorkflowFile,
    read_workflow,
)

WHOLE = """
name: CI
run-name: CI ${{ inputs.nonce }}
on:
  push: {branches: [main, 'release/**'], paths-ignore: docs/**}
  pull_request: {types: [opened, synchronize], branches: [main]}
  schedule: [{cron: '0 0 * * *'}]
  workflow_dispatch:
    inputs:
      debug: {type: boolean, default: false}
      level: {required: true, type: choice, options: [low, high]}
permissions: read-all
concurrency: {group: "ci-${{ github.ref }}", cancel-in-progress: true}
jobs:
  plan:
    runs-on: [self-hosted, linux]
    outputs: {cells: "${{ steps.x.outputs.cells }}"}
    steps: [{id: x, run: echo}]
  test:
    name: test ${{ matrix.os }}
    needs: plan
    if: github.event_name != 'schedule'
    runs-on: {group: big}
    strategy: {matrix: {os: [a, b]}}
    steps: [{uses: actions/checkout@v4}, {run: make test, if: always()}]
  dynamic:
    needs: [plan, test]
    strategy: {matrix: "${{ fromJSON(needs.plan.outputs.cells) }}"}
    permissions: {contents: write, id-token: write, issues: read}
    environment: prod
    concurrency: deploy
    runs-on: ubuntu-latest
  called:
    uses: ./.github/workflows/other.yml
    permissions: {}
"""


def read(text, path=".github/workflows/ci.yml"):
    """A file that can be read."""
    file = read_workflow(path, text)
    assert isinstance(file, WorkflowFile), file
    return file


def test_a_file_is_read_whole():
    """Events with filters and inputs, jobs with their needs, matrix, rights, groups and calls."""
    file = read(WHOLE)
    push, pull, schedule, manual = file.triggers
    assert (push.event, push.branches, push.paths_ignore, push.paths) == (
        "push",
        ("main", "release/**"),
        ("docs/**",),
        None,
    )
    assert (pull.types, pull.branches) == (("opened", "synchronize"), ("main",))
    assert schedule.event == "schedule"
    assert manual.inputs == (
        Input(name="debug", default="false", type="boolean"),
        Input(name="level", required=True, type="choice", options=("low", "high")),
    )
    assert (file.name, file.run_name, file.writes) == ("CI", "CI ${{ inputs.nonce }}", ())
    assert file.concurrency == Concurrency(group="ci-${{ github.ref }}", cancel="true")
    plan, test, dynamic, called = file.jobs
    assert (plan.runs_on, plan.outputs, plan.writes) == (
        ("self-hosted", "linux"),
        (("cells", "${{ steps.x.outputs.cells }}"),),
        (),
    )
    assert (test.name, test.needs, test.matrix, test.runs_on) == (
        "test ${{ matrix.os }}",
        ("plan",),
        "present",
        ("group: big",),
    )
    assert [(step.uses, step.run, step.condition) for step in test.steps] == [
        ("actions/checkout@v4", None, ""),
        (None, "make test", "always()"),
    ]
    assert (dynamic.matrix, dynamic.writes, dynamic.environment) == ("computed", ("contents", "id-token"), True)
    assert (dynamic.concurrency, called.uses, called.writes) == (
        Concurrency(group="deploy"),
        "./.github/workflows/other.yml",
        (),
    )


@pytest.mark.parametrize(
    ("on", "events"),
    [("push", ["push"]), ("[push, pull_request]", ["push", "pull_request"]), ("{push: }", ["push"])],
)
def test_events_have_three_forms(on, events):
    """A word, a list, a mapping; `on` is a word and no boolean."""
    file = read(f"on: {on}\njobs: {{a: {{runs-on: x}}}}")
    assert [trigger.event for trigger in file.triggers] == events


@pytest.mark.parametrize(
    ("top", "of_job", "expected"),
    [
        ("", "", None),
        ("permissions: {}", "", ()),
        ("permissions: write-all", "", ("*",)),
        ("permissions: write-all", "permissions: read-all", ()),
        ("permissions: read-all", "permissions: {packages: write}", ("packages",)),
        ("", "permissions: {contents: read}", ()),
        ("permissions:", "", ()),
    ],
)
def test_rights_are_the_jobs_own_else_the_files_else_unknown(top, of_job, expected):
    """GitHub: a job's `permissions` replace the file's; what neither says is not known."""
    file = read(f"on: push\n{top}\njobs:\n  a:\n    runs-on: x\n    {of_job}\n")
    assert file.jobs[0].writes == expected


BAD = {
    "nothing": "",
    "a list": "- a",
    "no jobs": "on: push",
    "nothing starts it": "jobs: {a: {runs-on: x}}",
    "rights that are no rights": "on: push\njobs: {a: {permissions: perhaps}}",
    "rights of another kind": "on: push\npermissions: {contents: admin}\njobs: {a: {runs-on: x}}",
    "a job that is a word": "on: push\njobs: {a: b}",
    "needs that are mappings": "on: push\njobs: {a: {needs: [{b: c}]}}",
    "an alias": "on: push\njobs: {a: &x {runs-on: y}, b: *x}",
    "a key twice": "on: push\non: pull_request\njobs: {a: {runs-on: x}}",
    "a tab": "on:\n\tpush",
    "very many jobs": "on: push\njobs:\n" + "".join(f"  j{n}: {{runs-on: x}}\n" for n in range(401)),
    "deep": "on: push\njobs: " + "[" * 3_000,
    "large": "on: push\n#" + "x" * WORKFLOW_LIMITS.size,
    "control characters": "on: push\x00",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_what_cannot_be_understood_is_unreadable_and_says_why(text):
    """Nothing is started from such a file."""
    file = read_workflow("x.yml", text)
    assert isinstance(file, UnreadableWorkflow)
    assert file.reason


def test_a_bomb_of_aliases_costs_nothing():
    """Aliases are refused where the first one stands."""
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    begin = time.process_time()
    assert isinstance(read_workflow("x.yml", "\n".join(lines)), UnreadableWorkflow)
    assert time.process_time() - begin < 0.5
