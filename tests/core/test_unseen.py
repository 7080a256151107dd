"""Which filter keeps a check off a pull request, as a table of workflow files (case A21)."""

import pytest

from resolver.workflow.file import WorkflowFile, read_workflow
from resolver.workflow.unseen import Passed, filters_paths, why_unseen

STEPS = "runs-on: ubuntu-latest, steps: [{run: make}]"
CHANGES = (
    "changes: {runs-on: x, outputs: {docs: '${{ steps.f.outputs.docs }}'}, steps: [{id: f, uses: a/paths-filter@v3}]}"
)

TABLE = {
    "pull_request: {}": None,
    "push: {branches: [main]}": "event",
    "merge_group: {}": "event",
    "schedule: [{cron: '0 4 * * *'}]": "event",
    "pull_request: {types: [labeled]}": "event",
    "pull_request: {types: [opened, labeled]}": None,
    "pull_request: {branches: [release]}": "event",
    "pull_request: {branches: ['ma*']}": None,
    "pull_request: {branches-ignore: [main]}": "event",
    "pull_request_target: {paths: ['docs/**']}": "path",
    "pull_request: {paths: ['docs/**']}": "path",
    "pull_request: {paths: ['docs/**', 'shop.py']}": None,
    "pull_request: {paths: ['**', '!shop.py', '!till.py']}": "path",
    "pull_request: {paths-ignore: ['*.py']}": "path",
    "pull_request: {paths-ignore: ['shop.py']}": None,
}


def file(on="pull_request: {}", *jobs):
    """A workflow file with a job `test`, unless told otherwise."""
    body = "".join(f"  {each}\n" for each in jobs or (f"test: {{{STEPS}}}",))
    read = read_workflow("ci.yml", f"on:\n  {on}\njobs:\n{body}")
    assert isinstance(read, WorkflowFile), read
    return read


@pytest.mark.parametrize(("on", "why"), TABLE.items())
def test_a21_a_triggers_filter(on, why):
    """The event, its types and branches are one filter, the paths another; a file that filters nothing tells nothing."""
    assert why_unseen(file(on), "test", Passed(base_ref="main", files=("shop.py", "till.py"))) == why


@pytest.mark.parametrize(
    ("jobs", "why"),
    [
        ((f"test: {{if: 'github.event.pull_request.draft == false', {STEPS}}}",), "draft"),
        ((f"test: {{if: '!github.event.pull_request.draft', {STEPS}}}",), "draft"),
        ((f"test: {{if: \"github.event_name == 'push'\", {STEPS}}}",), "event"),
        ((CHANGES, f"test: {{needs: changes, if: \"needs.changes.outputs.docs == 'true'\", {STEPS}}}"), "path"),
        ((f"test: {{if: \"contains(github.event.pull_request.labels.*.name, 'full')\", {STEPS}}}",), None),
        (
            (
                f"gate: {{if: '!github.event.pull_request.draft', {STEPS}}}",
                f"test: {{needs: gate, {STEPS}}}",
            ),
            "draft",
        ),
        ((f"other: {{{STEPS}}}",), None),
        ((f"a: {{name: test, {STEPS}}}", f"b: {{name: test, {STEPS}}}"), None),
    ],
)
def test_a21_a_jobs_condition(jobs, why):
    """A draft, another event, or what an earlier job found changed; what cannot be read from the file is not told."""
    assert why_unseen(file("pull_request: {}", *jobs), "test", Passed(base_ref="main", files=("shop.py",))) == why


@pytest.mark.parametrize("files", [None, tuple(f"src/{n}.py" for n in range(300))])
def test_a21_paths_that_are_not_known_tell_nothing(files):
    """A diff that GitHub lists no further, or not at all, may hold what the filter picks."""
    only = file("pull_request: {paths: ['docs/**']}")
    assert why_unseen(only, "test", Passed(base_ref="main", files=files)) is None


def test_files_are_only_asked_for_where_they_decide():
    """Other filters need no call for the list of files."""
    assert filters_paths(file("pull_request: {paths-ignore: ['docs/**']}"))
    assert not filters_paths(file("pull_request: {branches: [main]}"))
    assert not filters_paths(file("push: {paths: ['docs/**']}"))
