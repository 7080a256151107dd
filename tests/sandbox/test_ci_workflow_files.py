"""Workflow files are read as GitHub reads them; what cannot run says where and why."""

import pytest

from bot.sandbox.ci.expressions import ExpressionError
from bot.sandbox.ci.workflow import Filter, WorkflowFile, admits, combinations, read_workflow, suffix

PATH = ".github/workflows/ci.yml"

GOOD = """\
name: CI
on:
  push:
    branches: [main, 'release/**']
  pull_request:
    types: [opened, labeled]
    paths-ignore: ['docs/**']
  workflow_dispatch:
    inputs:
      why: {required: true, default: x}
env: {A: 1, B: '${{ github.ref }}'}
concurrency:
  group: ci-${{ github.ref }}
  cancel-in-progress: ${{ github.event_name == 'pull_request' }}
defaults: {run: {shell: bash, working-directory: src}}
jobs:
  build:
    runs-on: ubuntu-latest
    outputs: {v: '${{ steps.a.outputs.v }}'}
    steps:
      - uses: actions/checkout@v4
      - id: a
        run: echo
        shell: python
  test:
    needs: build
    if: github.event_name != 'push'
    strategy:
      fail-fast: false
      matrix:
        py: ['3.11', 3.12]
    runs-on: [self-hosted, linux]
    timeout-minutes: 5
    steps:
      - name: go
        run: |
          one
          two
"""


def read(text: str) -> WorkflowFile:
    """The file, which must be sound."""
    found = read_workflow(PATH, text)
    assert isinstance(found, WorkflowFile), found
    return found


def test_a_full_file_is_read() -> None:
    """Triggers, filters, defaults, matrix, needs and steps arrive in the model; `on` is no boolean."""
    file = read(GOOD)
    assert list(file.triggers) == ["push", "pull_request", "workflow_dispatch"]
    assert file.triggers["push"].branches.only == ("main", "release/**")
    assert file.triggers["pull_request"].types == ("opened", "labeled")
    assert file.triggers["workflow_dispatch"].inputs["why"].required
    build, test = file.jobs.values()
    assert [step.title for step in build.steps] == ["Run actions/checkout@v4", "Run echo"]
    assert [step.shelling.shell for step in build.steps] == ["bash", "python"]
    assert build.steps[1].shelling.working_directory == "src"
    assert test.needs == ("build",)
    assert test.runs_on == ("self-hosted", "linux")
    assert test.strategy is not None
    assert combinations(test.strategy.matrix) == [{"py": "3.11"}, {"py": 3.12}]
    assert test.timeout_minutes == 5


JOB = "jobs:\n  a:\n    runs-on: x\n    steps: [{run: 'true'}]\n"

BAD = [
    (
        "on: push\njobs:\n  a:\n    runs-on: x\n    container: node\n    steps: [{run: x}]\n",
        5,
        "jobs.a.container",
        "not supported",
    ),
    (
        "on: push\njobs:\n  a:\n    runs-onn: x\n    steps: [{run: x}]\n",
        3,
        "jobs.a",
        "Required property is missing: runs-on",
    ),
    (
        "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - {run: x, uses: y}\n",
        6,
        "jobs.a.steps.0",
        "exactly one of",
    ),
    (
        "on: push\n" + JOB + "  b:\n    needs: [c]\n    runs-on: x\n    steps: [{run: x}]\n",
        7,
        "jobs.b.needs",
        "unknown job 'c'",
    ),
    ("on: push\njobs:\n  a:\n    needs: a\n    runs-on: x\n    steps: [{run: x}]\n", 4, "jobs.a.needs", "cycle"),
    ("on: pushh\n" + JOB, 1, "on", "Unexpected value 'pushh'"),
    ("on: push\non: pull_request\n" + JOB, 2, "on", "already defined"),
    ("on: push\nenv:\n  A: ${{ nope }}\n" + JOB, 3, "env.A", "Unrecognized named-value: 'nope'"),
    (
        "on: push\njobs:\n  a:\n    if: frob()\n    runs-on: x\n    steps: [{run: x}]\n",
        4,
        "jobs.a.if",
        "Unrecognized function",
    ),
    (
        "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: x\n        shell: pwsh\n",
        7,
        "jobs.a.steps.0.shell",
        "'pwsh' is not supported",
    ),
    ("on: push\njobs: {a: [1\n", 3, "yaml", ""),
    ("on:\n  push:\n    branches: [a]\n    branches-ignore: [b]\n" + JOB, 3, "on.push.branches", "only define one"),
    ("on: push\njobs:\n  a: {uses: ./.github/workflows/b.yml}\n", 3, "jobs.a.uses", "not supported"),
]


@pytest.mark.parametrize(("text", "line", "key", "says"), BAD)
def test_a_bad_file_names_file_line_and_key(text: str, line: int, key: str, says: str) -> None:
    """Each problem is one sentence with file, line and key."""
    found = read_workflow(PATH, text)
    assert isinstance(found, tuple)
    assert any((problem.line, problem.key) == (line, key) and says in problem.message for problem in found), found
    assert str(found[0]).startswith(f"{PATH}:")


PATTERNS = [
    (("main",), "main", True),
    (("main",), "main2", False),
    (("release/*",), "release/1", True),
    (("release/*",), "release/1/x", False),
    (("release/**",), "release/1/x", True),
    (("**.js",), "a/b.js", True),
    (("**/docs/**",), "docs/x.md", True),
    (("v[12].[0-9]+",), "v1.20", True),
    (("*", "!beta*"), "beta1", False),
    (("*", "!beta*", "beta2"), "beta2", True),
    (("!x",), "y", False),
]


@pytest.mark.parametrize(("patterns", "name", "expected"), PATTERNS)
def test_filter_patterns(patterns: tuple[str, ...], name: str, expected: bool) -> None:
    """GitHub's filter patterns: stars, classes, negation in order."""
    assert admits(Filter(only=patterns), [name]) is expected


def test_ignored_paths_need_one_other_file() -> None:
    """`paths-ignore` keeps a workflow away only when every changed file is ignored."""
    docs = Filter(ignore=("docs/**",))
    assert not admits(docs, ["docs/a"])
    assert admits(docs, ["docs/a", "src/b"])


def test_matrix_include_and_exclude() -> None:
    """An include joins the combinations that it fits and is a new one otherwise; an exclude takes away."""
    matrix = {
        "fruit": ["apple", "pear"],
        "animal": ["cat", "dog"],
        "exclude": [{"fruit": "pear", "animal": "dog"}],
        "include": [
            {"color": "green"},
            {"color": "pink", "animal": "cat"},
            {"fruit": "apple", "shape": "circle"},
            {"fruit": "banana"},
            {"fruit": "banana", "animal": "cat"},
        ],
    }
    assert combinations(matrix) == [
        {"fruit": "apple", "animal": "cat", "color": "pink", "shape": "circle"},
        {"fruit": "apple", "animal": "dog", "color": "green", "shape": "circle"},
        {"fruit": "pear", "animal": "cat", "color": "pink"},
        {"fruit": "banana"},
        {"fruit": "banana", "animal": "cat"},
    ]
    assert suffix({"py": 3.11, "os": {"name": "linux", "v": 2}}) == " (3.11, linux, 2)"


def test_matrix_is_limited() -> None:
    """GitHub makes at most 256 jobs of one matrix, and none of an empty axis."""
    with pytest.raises(ExpressionError, match="at most 256"):
        combinations({"a": list(range(20)), "b": list(range(20))})
    with pytest.raises(ExpressionError, match="does not contain any values"):
        combinations({"a": []})
