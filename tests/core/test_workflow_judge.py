"""What a workflow file says against a rerun or a dispatch, whether a job would run, and whom a group would meet."""

import time
from itertools import pairwise

import pytest

from resolver.workflow.file import WorkflowFile, read_workflow
from resolver.workflow.group import OtherRun, group_collision, shared_group
from resolver.workflow.hazard import Grounds, dispatch_hazard, rerun_hazard
from resolver.workflow.names import jobs_named
from resolver.workflow.run import PlannedRun
from resolver.workflow.select import selects

CI = ".github/workflows/ci.yml"
CALLED = ".github/workflows/called.yml"
STEPS = "runs-on: ubuntu-latest, steps: [{uses: actions/checkout@v4}, {run: make test}]"
TEST = f"test: {{{STEPS}}}"
READS = "permissions: {contents: read}"

PULL = PlannedRun(
    event="pull_request", ref="refs/pull/7/merge", head_ref="fix", base_ref="main", pull=7, draft=False, identity="70"
)
MANUAL = PlannedRun(event="workflow_dispatch", ref="refs/heads/failres/probe/x", sha="child", repository="octo/shop")
PUSHED = PlannedRun(event="push", ref="refs/heads/failres/probe/x", sha="child")


def file_of(*jobs, top=READS, on="{push: , pull_request: , workflow_dispatch: }", path=CI):
    """A workflow file of some jobs."""
    lines = "".join(f"  {job}\n" for job in jobs)
    file = read_workflow(path, f"name: ci\non: {on}\n{top}\njobs:\n{lines}")
    assert isinstance(file, WorkflowFile), file
    return file


NAMES = [
    ("build: {strategy: {matrix: {py: ['3.12']}}}", "build (3.12, ubuntu-22.04)", True),
    ("build: {strategy: {matrix: {py: ['3.12']}}}", "build", True),
    ("build: {runs-on: x}", "build (ubuntu-latest)", False),
    ("t: {name: Test, strategy: {matrix: {os: [a]}}}", "Test (ubuntu-latest, 21.x)", True),
    ("t: {name: 'Test Node ${{ matrix.node }} on ${{ matrix.os }}'}", "Test Node 24 on ubuntu-latest", True),
    ("t: {name: 'Test Node ${{ matrix.node }} on ${{ matrix.os }}'}", "Test Deno 24 on ubuntu-latest", False),
    ("t: {name: '${{ matrix.name }}'}", "PyPy", True),
    ("t: {name: 'Grafana (${{ matrix.shard }})'}", "Grafana (1/8)", True),
    ("test: {uses: ./.github/workflows/called.yml}", "test / unit-test", True),
    ("test: {uses: ./.github/workflows/called.yml}", "test", False),
    ("t: {name: 'tests / ${{ matrix.py }} / ${{ matrix.os }}'}", "tests / 3.12 / ubuntu-22.04", True),
    ("t: {name: cargo test (linux)}", "cargo test (linux)", True),
    ("t: {name: '🐧 Linux'}", "🐧 Linux", True),
    ("test: {uses: ./x.yml, strategy: {matrix: {d: [a]}}}", "test (graphdriver) / integration (rootless)", True),
    ("t: {name: 'a${{ x }}a'}", "a", False),
    ("t: {name: 'on ${{ x }} with ${{ y }} only'}", "on a with b only", True),
    ("t: {name: 'on ${{ x }} with ${{ y }} only'}", "on a and b only", False),
]


@pytest.mark.parametrize(("job", "shown", "fits"), NAMES)
def test_a_shown_name_finds_the_jobs_that_may_show_it(job, shown, fits):
    """The nine forms of PROBES.md, section 4."""
    assert bool(jobs_named(file_of(job), shown)) is fits


def test_an_exact_name_goes_before_one_that_only_may_fit():
    """A job with brackets in its own name is not taken for a cell of another one."""
    file = file_of("test: {strategy: {matrix: {os: [a]}}}", "linux: {name: test (linux)}")
    assert [job.id for job in jobs_named(file, "test (linux)")] == ["linux"]


PLAIN = file_of(TEST)
DEPLOYS = "deploy: {needs: test, environment: prod, runs-on: x}"
HAZARDS = {
    "reads only": (PLAIN, PULL, {}, None),
    "a push off the base": (PLAIN, PUSHED, {}, None),
    "undeclared": (file_of(TEST, top=""), PULL, {}, "does not declare its permissions"),
    "undeclared, vouched for by name": (file_of(TEST, top=""), PULL, {"writes_nothing": ("test",)}, None),
    "undeclared, vouched for with the workflow": (
        file_of(TEST, top=""),
        PULL,
        {"writes_nothing": ("ci / te*",)},
        None,
    ),
    "undeclared, another vouched for": (
        file_of(TEST, top=""),
        PULL,
        {"writes_nothing": ("lint",)},
        "does not declare",
    ),
    "may write everything": (file_of(TEST, top="permissions: write-all"), PULL, {}, "may write"),
    "may write packages": (file_of(TEST, top="permissions: {packages: write}"), PULL, {}, "may write `packages`"),
    "vouching does not outweigh a right": (
        file_of(TEST, top="permissions: {id-token: write}"),
        PULL,
        {"writes_nothing": ("**",)},
        "may write `id-token`",
    ),
    "comments only": (file_of(TEST, top="permissions: {issues: write, checks: write}"), PULL, {}, None),
    "an environment": (file_of(f"test: {{environment: x, {STEPS}}}"), PULL, {}, "has an environment"),
    "a dependent deploys": (
        file_of(TEST, DEPLOYS),
        PULL,
        {},
        "`deploy` of .github/workflows/ci.yml has an environment",
    ),
    "a dependent that writes its need in capitals publishes": (
        file_of(TEST, "d: {needs: TEST, permissions: {contents: write}}"),
        PULL,
        {},
        "`d` of .github/workflows/ci.yml may write `contents`",
    ),
    "a dependent of a dependent publishes": (
        file_of(TEST, "a: {needs: [test], runs-on: x}", "b: {needs: a, permissions: {contents: write}}"),
        PULL,
        {},
        "`b` of .github/workflows/ci.yml may write `contents`",
    ),
    "a job beside it deploys": (file_of(TEST, "deploy: {environment: prod, runs-on: x}"), PULL, {}, None),
    "a dependent that pull requests skip": (
        file_of(TEST, "d: {needs: test, if: github.event_name == 'push', environment: prod}"),
        PULL,
        {},
        None,
    ),
    "a dependent that follows failures": (
        file_of(TEST, "d: {needs: test, if: failure(), environment: prod}"),
        PULL,
        {},
        "has an environment",
    ),
    "a dependent whose condition is not known": (
        file_of(TEST, "d: {needs: test, if: vars.DEPLOY == 'yes', environment: prod}"),
        PULL,
        {},
        "has an environment",
    ),
    "an unknown job": (PLAIN, PULL, {"shown": ("other",)}, "has no job that shows `other`"),
    "a schedule": (PLAIN, PULL.model_copy(update={"event": "schedule"}), {}, "`schedule` may deploy"),
    "a release": (PLAIN, PULL.model_copy(update={"event": "release"}), {}, "`release` may deploy"),
    "pull_request_target": (PLAIN, PULL.model_copy(update={"event": "pull_request_target"}), {}, "may deploy"),
    "workflow_run": (PLAIN, PULL.model_copy(update={"event": "workflow_run"}), {}, "may deploy"),
    "an event of tomorrow": (PLAIN, PULL.model_copy(update={"event": "image_version"}), {}, "may deploy"),
    "calls another repository": (
        file_of("test: {uses: octo/ci/.github/workflows/t.yml@main}"),
        PULL,
        {"shown": ("test / unit",)},
        "which is not read",
    ),
    "calls a workflow that deploys": (
        file_of(f"test: {{uses: ./{CALLED}}}"),
        PULL,
        {"shown": ("test / unit",), "called": {CALLED: file_of("unit: {environment: x}", path=CALLED)}},
        "has an environment",
    ),
    "calls a workflow that has no more rights than it": (
        file_of(f"test: {{uses: ./{CALLED}}}"),
        PULL,
        {"shown": ("test / unit",), "called": {CALLED: file_of("unit: {runs-on: x}", path=CALLED, top="")}},
        None,
    ),
    "calls itself": (
        file_of(f"test: {{uses: ./{CALLED}}}"),
        PULL,
        {"shown": ("test / a",), "called": {CALLED: file_of(f"a: {{uses: ./{CALLED}}}", path=CALLED)}},
        "which is not read",
    ),
}


@pytest.mark.parametrize(("file", "run", "grounds", "reason"), HAZARDS.values(), ids=HAZARDS.keys())
def test_a_rerun_is_safe_or_the_reason_is_named(file, run, grounds, reason):
    """The job, everything that needs it, and the event."""
    answer = rerun_hazard(file, run, Grounds(**{"shown": ("test",), **grounds}), on_base=False)
    assert answer is None if reason is None else answer is not None and reason in answer


def test_a_push_to_a_base_is_never_repeated():
    """Its dependents would run too, and may deploy."""
    assert rerun_hazard(PLAIN, PUSHED, Grounds(shown=("test",)), on_base=True) is not None


DISPATCHES = {
    "reads only": (PLAIN, None),
    "a job beside it deploys": (file_of(TEST, "deploy: {environment: prod}"), "has an environment"),
    "it deploys pushes to main only": (
        file_of(TEST, "d: {if: github.event_name == 'push' && github.ref == 'refs/heads/main', environment: p}"),
        None,
    ),
    "it deploys another repository's": (
        file_of(TEST, "d: {if: github.repository == 'octo/other', environment: p}"),
        None,
    ),
    "what needs a skipped job is skipped": (
        file_of(TEST, "a: {if: github.event_name == 'push'}", "d: {needs: a, environment: p}"),
        None,
    ),
    "what always runs is not": (
        file_of(TEST, "a: {if: github.event_name == 'push'}", "d: {needs: a, if: always(), environment: p}"),
        "has an environment",
    ),
}


@pytest.mark.parametrize(("file", "reason"), DISPATCHES.values(), ids=DISPATCHES.keys())
def test_a_dispatch_starts_all_jobs_so_that_all_are_judged(file, reason):
    """Only what the event certainly leaves out is passed over."""
    answer = dispatch_hazard(file, MANUAL, Grounds(shown=("test",)))
    assert answer is None if reason is None else answer is not None and reason in answer


def changes(outputs, condition, step="{id: f, uses: dorny/paths-filter@v3}"):
    """A change detection and the job that it opens."""
    return (
        f'changes: {{runs-on: x, outputs: {{code: "{outputs}"}}, steps: [{step}]}}',
        f'test: {{needs: changes, if: "{condition}", {STEPS}}}',
    )


F = "${{ steps.f.outputs.code }}"
SELECTIONS = {
    "plain": (file_of(TEST), MANUAL, "yes"),
    "no dispatch": (file_of(TEST, on="push"), MANUAL, "no"),
    "another job": (file_of("lint: {runs-on: x}"), MANUAL, "no"),
    "filter on every event (rule 4: E)": (
        file_of(*changes(F, "needs.changes.outputs.code == 'true'")),
        MANUAL,
        "unknown",
    ),
    "opened for every non-PR event": (
        file_of(*changes(F, "needs.changes.outputs.code == 'true' || github.event_name != 'pull_request'")),
        MANUAL,
        "yes",
    ),
    "opened inside the output": (
        file_of(
            *changes(
                "${{ github.event_name != 'pull_request' || steps.f.outputs.code }}",
                "needs.changes.outputs.code == 'true'",
            )
        ),
        MANUAL,
        "yes",
    ),
    "compared with the default branch": (
        file_of(*changes(F, "needs.changes.outputs.code == 'true' || github.ref == 'refs/heads/main'")),
        MANUAL,
        "unknown",
    ),
    "compares with its parent itself": (
        file_of("test: {runs-on: x, steps: [{run: 'git diff --name-only HEAD~1'}, {run: make}]}"),
        MANUAL,
        "unknown",
    ),
    "compares only for pull requests": (
        file_of(
            "test: {runs-on: x, steps: [{run: git diff origin/main, if: github.event_name == 'pull_request'}, {run: m}]}"
        ),
        MANUAL,
        "yes",
    ),
    "compares only after a failure": (
        file_of("test: {runs-on: x, steps: [{run: make}, {run: git diff, if: failure()}]}"),
        MANUAL,
        "yes",
    ),
    "an input's default": (
        file_of(
            f"test: {{if: inputs.level == 'low', {STEPS}}}",
            on="{workflow_dispatch: {inputs: {level: {default: low}}}}",
        ),
        MANUAL,
        "yes",
    ),
    "an input that is given": (
        file_of(
            f"test: {{if: inputs.level == 'low', {STEPS}}}",
            on="{workflow_dispatch: {inputs: {level: {default: low}}}}",
        ),
        MANUAL.model_copy(update={"inputs": (("level", "high"),)}),
        "no",
    ),
    "a push without filters": (file_of(TEST, on="push"), PUSHED, "yes"),
    "a pull request without filters": (file_of(TEST, on="pull_request"), PULL, "yes"),
    "after a job that went well": (
        file_of("a: {runs-on: x}", f"test: {{needs: a, if: success(), {STEPS}}}"),
        MANUAL,
        "yes",
    ),
    "by the result of a job that went well": (
        file_of("a: {runs-on: x}", f"test: {{needs: a, if: always() && needs.a.result == 'success', {STEPS}}}"),
        MANUAL,
        "yes",
    ),
    "by the result of a job that is skipped": (
        file_of(
            "a: {if: github.event_name == 'push', runs-on: x}",
            f"test: {{needs: a, if: always() && needs.a.result == 'success', {STEPS}}}",
        ),
        MANUAL,
        "no",
    ),
    "only branches": (file_of(f"test: {{if: github.ref_type == 'branch', {STEPS}}}"), MANUAL, "yes"),
    "only tags": (file_of(f"test: {{if: github.ref_type == 'tag', {STEPS}}}"), MANUAL, "no"),
    "affected only": (file_of("test: {runs-on: x, steps: [{run: npx nx affected -t test}]}"), MANUAL, "unknown"),
    "green with no tests": (file_of("test: {runs-on: x, steps: [{run: jest --passWithNoTests}]}"), MANUAL, "unknown"),
    "incremental build": (file_of("test: {runs-on: x, steps: [{run: mvn -Dgib.enabled verify}]}"), MANUAL, "unknown"),
    "draft guard": (
        file_of(f"test: {{if: github.event.pull_request.draft == false, {STEPS}}}"),
        MANUAL,
        "yes",
    ),
    "draft guard on a draft": (
        file_of(f"test: {{if: github.event.pull_request.draft == false, {STEPS}}}"),
        PULL.model_copy(update={"draft": True}),
        "no",
    ),
    "a label gate": (
        file_of(f"test: {{if: \"contains(github.event.pull_request.labels.*.name, 'ci')\", {STEPS}}}"),
        PULL,
        "unknown",
    ),
    "only pull requests": (file_of(f"test: {{if: github.event_name == 'pull_request', {STEPS}}}"), MANUAL, "no"),
    "owner guard, here": (file_of(f"test: {{if: github.repository == 'octo/shop', {STEPS}}}"), MANUAL, "yes"),
    "owner guard, elsewhere": (file_of(f"test: {{if: github.repository_owner == 'x', {STEPS}}}"), MANUAL, "no"),
    "needs what is skipped": (
        file_of("a: {if: github.event_name == 'push'}", f"test: {{needs: a, {STEPS}}}"),
        MANUAL,
        "no",
    ),
    "needs what may be skipped": (
        file_of("a: {if: vars.X}", f"test: {{needs: a, {STEPS}}}"),
        MANUAL,
        "unknown",
    ),
    "a computed matrix": (
        file_of(f'test: {{strategy: {{matrix: "${{{{ fromJSON(vars.M) }}}}"}}, {STEPS}}}'),
        MANUAL,
        "unknown",
    ),
    "a push branch that passes": (file_of(TEST, on="{push: {branches: ['failres/**']}}"), PUSHED, "yes"),
    "a star does not pass a slash": (file_of(TEST, on="{push: {branches: ['*']}}"), PUSHED, "no"),
    "a branch that is taken away": (
        file_of(TEST, on="{push: {branches: ['**', '!failres/**']}}"),
        PUSHED,
        "no",
    ),
    "an ignored branch": (file_of(TEST, on="{push: {branches-ignore: ['failres/**']}}"), PUSHED, "no"),
    "tags only": (file_of(TEST, on="{push: {tags: ['v*']}}"), PUSHED, "no"),
    "paths": (file_of(TEST, on="{push: {paths: ['src/**']}}"), PUSHED, "no"),
    "paths-ignore against no files (R)": (file_of(TEST, on="{pull_request: {paths-ignore: [docs]}}"), PULL, "unknown"),
    "a pattern that nobody can read": (file_of(TEST, on="{push: {branches: ['a++']}}"), PUSHED, "unknown"),
}


@pytest.mark.parametrize(("file", "run", "answer"), SELECTIONS.values(), ids=SELECTIONS.keys())
def test_whether_a_run_executes_the_job_is_read_from_the_file(file, run, answer):
    """Yes, no, or nobody can say; the last two with a reason."""
    selection = selects(file, "test", run, {})
    assert selection.answer == answer, selection
    assert bool(selection.reason) is (answer != "yes")


@pytest.mark.parametrize(
    ("inner", "answer"),
    [
        ("unit: {runs-on: x, steps: [{run: make}]}", "yes"),
        ("unit: {if: inputs.skip, runs-on: x}", "unknown"),
        ("unit: {if: github.event_name == 'pull_request'}", "no"),
        ("other: {runs-on: x}", "unknown"),
    ],
)
def test_a_called_workflow_is_looked_into(inner, answer):
    """The event is the caller's, the inputs are not looked up."""
    called = {CALLED: file_of(inner, on="{workflow_call: {inputs: {skip: {type: boolean}}}}", path=CALLED)}
    assert selects(file_of(f"test: {{uses: ./{CALLED}}}"), "test / unit", MANUAL, called).answer == answer


def test_a_workflow_that_is_called_from_elsewhere_is_not_known():
    """It is in another repository and was not read."""
    file = file_of("test: {uses: o/r/.github/workflows/t.yml@v1}")
    assert selects(file, "test / unit", MANUAL, {}).answer == "unknown"


GROUPS = [
    ("", None),
    ("ci-${{ github.ref }}", None),
    ("${{ github.workflow }}-${{ github.event.pull_request.number || github.sha }}", None),
    ("${{ github.workflow }}-${{ github.head_ref || github.run_id }}", None),
    ("${{ github.workflow }}", "is not the run's own"),
    ("${{ github.workflow }}-${{ github.event_name }}", "is not the run's own"),
    ("ci", "is not the run's own"),
    ("${{ vars.GROUP }}-${{ github.ref }}", "is known only in the run"),
]


@pytest.mark.parametrize(("group", "reason"), GROUPS)
def test_a_probe_needs_a_group_of_its_own(group, reason):
    """Keys of PROBES.md, section 5, rule 5: by ref, pull request or commit, head name or run; and shared ones."""
    top = READS + (f"\nconcurrency: '{group}'" if group else "")
    answer = shared_group(file_of(TEST, top=top), MANUAL)
    assert answer is None if reason is None else answer is not None and reason in answer


def test_a_jobs_own_group_counts_as_well():
    """Two probes would wait for each other there."""
    assert shared_group(file_of(f"test: {{concurrency: staging, {STEPS}}}"), MANUAL) is not None


def other(**changed):
    """Another pull request's run that goes on."""
    given = {
        "run_id": 80,
        "path": CI,
        "run": PULL.model_copy(update={"ref": "refs/pull/8/merge", "pull": 8, "head_ref": "other", "identity": "80"}),
        "newer": True,
        "unfinished": True,
        "same_branch": False,
        **changed,
    }
    return OtherRun(**given)


SAME = PULL.model_copy(update={"identity": "80"})
FORK = PULL.model_copy(update={"ref": "", "pull": None, "identity": "80"})
COLLISIONS = {
    "no group": ("", other(run=SAME, same_branch=True), None),
    "by ref, another pull request": ("ci-${{ github.ref }}", other(), None),
    "by ref, the same": (
        "ci-${{ github.ref }}",
        other(run=SAME, same_branch=True),
        "going on in the concurrency group",
    ),
    "by ref, the same, over and older": (
        "ci-${{ github.ref }}",
        other(run=SAME, same_branch=True, newer=False, unfinished=False),
        None,
    ),
    "by ref, the same, going on and older": (
        "ci-${{ github.ref }}",
        other(run=SAME, same_branch=True, newer=False),
        "going on in the concurrency group",
    ),
    "by ref, the same, over and newer": (
        "ci-${{ github.ref }}",
        other(run=SAME, same_branch=True, unfinished=False),
        "newer in the concurrency group",
    ),
    "by head name, another fork's branch of that name": (
        "${{ github.head_ref }}",
        other(run=FORK, same_branch=True),
        "in the concurrency group `fix`",
    ),
    "by ref, a pull request that GitHub does not name, same branch": (
        "ci-${{ github.ref }}",
        other(run=FORK, same_branch=True),
        "is not known",
    ),
    "by number, a pull request that GitHub does not name, same branch": (
        "ci-${{ github.event.pull_request.number }}",
        other(run=FORK, same_branch=True),
        "is not known",
    ),
    "by number, another pull request from a branch of that name": (
        "ci-${{ github.event.pull_request.number }}",
        other(same_branch=True),
        None,
    ),
    "one group for all": ("CI", other(), "in the concurrency group `ci`"),
    "known only in the run, same branch": ("${{ vars.X }}", other(same_branch=True), "is not known"),
    "known only in the run, elsewhere": ("${{ vars.X }}", other(), None),
    "another workflow on the branch, no name in the key": (
        "${{ github.ref }}",
        other(path="x.yml", same_branch=True),
        "may be in the same concurrency group",
    ),
    "another workflow on the branch, named key": (
        "${{ github.workflow }}-${{ github.ref }}",
        other(path="x.yml", same_branch=True),
        None,
    ),
}


@pytest.mark.parametrize(("group", "their", "reason"), COLLISIONS.values(), ids=COLLISIONS.keys())
def test_a_rerun_meets_nobody_in_its_group(group, their, reason):
    """Evaluated from the file for both runs."""
    top = READS + (f"\nconcurrency: '{group}'" if group else "")
    answer = group_collision(file_of(TEST, top=top), ("test",), PULL, [their])
    assert answer is None if reason is None else answer is not None and reason in answer


def refers(number):
    """Two outputs, each made of both outputs of the job before: the ways through them double with every job."""
    before = f"needs.a{number - 1}.outputs.x || needs.a{number - 1}.outputs.y" if number else "github.actor"
    outputs = f'{{x: "${{{{ {before} }}}}", y: "${{{{ {before} }}}}"}}'
    return f"a{number}: {{needs: [{f'a{number - 1}' if number else ''}], outputs: {outputs}}}"


HOSTILE = {
    "outputs made of outputs": file_of(
        *map(refers, range(60)), f"test: {{needs: a59, if: needs.a59.outputs.x, {STEPS}}}"
    ),
    "holes that never close": file_of(f'test: {{if: "{"${{" * 40_000}", {STEPS}}}'),
    "filters that never close": file_of(
        f'test: {{runs-on: x, steps: [{{run: "{"--filter=" * 20_000}"}}, {{run: "{"git --a " * 5_000}"}}]}}'
    ),
    "very many jobs": file_of(*(f"j{n}: {{needs: [j{max(0, n - 1)}]}}" if n else "j0: {}" for n in range(390)), TEST),
    "needs in a circle": file_of(
        'a: {needs: b, outputs: {x: "${{ needs.b.outputs.x }}"}}',
        'b: {needs: a, outputs: {x: "${{ needs.a.outputs.x }}"}}',
        f"test: {{needs: a, if: needs.a.outputs.x, {STEPS}}}",
    ),
}


@pytest.mark.parametrize("file", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_file_is_judged_in_time(file):
    """A pull request writes its own file: nothing in it makes a judgement slow, and none of it is taken for safe."""
    begin = time.process_time()
    selection = selects(file, "test", MANUAL, {})
    rerun_hazard(file, PULL, Grounds(shown=("test",)), on_base=False)
    dispatch_hazard(file, MANUAL, Grounds(shown=("test",)))
    shared_group(file, MANUAL)
    assert time.process_time() - begin < 3.0
    assert selection.answer in ("yes", "unknown")


def test_workflows_that_call_each_other_many_times_are_judged_in_time():
    """Each of eleven calls the next one a hundred times: 100 to the tenth ways, and each file is looked into once."""
    paths = [f".github/workflows/w{number}.yml" for number in range(11)]
    called = {
        path: file_of(*(f"j{n}: {{uses: ./{after}}}" for n in range(100)), path=path) for path, after in pairwise(paths)
    }
    caller = file_of(f"test: {{uses: ./{paths[0]}}}")
    begin = time.process_time()
    for last, answer in (("", None), (", environment: p", f"the job `last` of {paths[-1]} has an environment")):
        files = {**called, paths[-1]: file_of(f"last: {{runs-on: x{last}}}", path=paths[-1])}
        assert dispatch_hazard(caller, MANUAL, Grounds(shown=("test",), called=files)) == answer
    assert time.process_time() - begin < 3.0
