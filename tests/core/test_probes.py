"""Which way a check is executed on a clean base: the cheapest valid one, or why there is none."""

import pytest

from resolver.config import RepoConfig, parse_config
from resolver.executions import Check
from resolver.ids import Sha
from resolver.probes import PROBE_WORKFLOW, NoProbe, ProbePlan, ProbeWanted, choose_probe
from resolver.workflow.file import read_workflow

CI = ".github/workflows/ci.yml"
CALLED = ".github/workflows/called.yml"
BASE = Sha("b" * 40)
INPUTS = "{check: {type: string}, item: {type: string}, nonce: {type: string}}"


def wanted(job="unit", **changed):
    """The check of that name on the base."""
    given = {"check": Check(workflow=CI, job=job, event="pull_request"), "base_sha": BASE, "attempt": 1, **changed}
    return ProbeWanted(probe_id="probe:x", repository="octo/shop", **given)


def ci(*jobs, on="{pull_request: , workflow_dispatch: }", top="permissions: {contents: read}"):
    """The check's own workflow."""
    body = "".join(f"  {job}\n" for job in jobs or ("unit: {runs-on: x, steps: [{run: make}]}",))
    return f"name: ci\non: {on}\n{top}\njobs:\n{body}"


def own(*jobs, inputs=INPUTS, top="permissions: {contents: read}"):
    """The repository's probe workflow."""
    body = "".join(f"  {job}\n" for job in jobs)
    return f"name: failres-probe\non: {{workflow_dispatch: {{inputs: {inputs}}}}}\n{top}\njobs:\n{body}"


HOW_TO = "how: {if: \"inputs.check == ''\", runs-on: x}"
FOR_UNIT = f"one: {{name: unit, if: \"inputs.check == '{CI}: unit'\", runs-on: x, steps: [{{run: make}}]}}"
FOR_CELL = f"cell: {{name: unit (3.12), if: \"inputs.check == '{CI}: unit (3.12)'\", runs-on: x}}"
NAMED = "any: {name: \"${{ inputs.check == '.github/workflows/ci.yml: unit' && 'unit' || 'none' }}\", runs-on: x}"


def choose(ask=None, config=None, **files):
    """The choice with these files on the base."""
    names = {"ci": CI, "probe": PROBE_WORKFLOW, "called": CALLED}
    read = {names[name]: read_workflow(names[name], text) for name, text in files.items()}
    return choose_probe(ask or wanted(), read, config or RepoConfig())


WAYS = {
    "own probe workflow first": (None, {"ci": ci(), "probe": own(HOW_TO, FOR_UNIT)}, "probe-workflow"),
    "a job for the cell": (wanted("unit (3.12)"), {"probe": own(HOW_TO, FOR_UNIT, FOR_CELL)}, "probe-workflow"),
    "a name made of the input": (None, {"probe": own(NAMED)}, "probe-workflow"),
    "no job there, so the own dispatch": (None, {"ci": ci(), "probe": own(HOW_TO, FOR_CELL)}, "own-dispatch"),
    "dispatch": (None, {"ci": ci()}, "own-dispatch"),
    "dispatch of a cell": (
        wanted("unit (3.12, linux)"),
        {"ci": ci("unit: {strategy: {matrix: {py: ['3.12'], os: [linux]}}, runs-on: x}")},
        "own-dispatch",
    ),
    "dispatch with inputs that are off": (
        None,
        {"ci": ci(on="{workflow_dispatch: {inputs: {debug: {type: boolean, default: false}, note: {}}}}")},
        "own-dispatch",
    ),
    "dispatch into a called workflow": (
        wanted("unit / run"),
        {"ci": ci(f"unit: {{uses: ./{CALLED}}}"), "called": ci("run: {runs-on: x}", on="workflow_call")},
        "own-dispatch",
    ),
    "a local action, which is not read": (
        None,
        {"ci": ci("unit: {runs-on: x, steps: [{uses: ./.github/actions/test}]}")},
        "own-dispatch",
    ),
    "filter only for pull requests": (
        None,
        {"ci": ci("c: {if: github.event_name == 'pull_request'}", "unit: {runs-on: x, steps: [{run: make}]}")},
        "own-dispatch",
    ),
}


@pytest.mark.parametrize(("ask", "files", "strategy"), WAYS.values(), ids=WAYS.keys())
def test_the_cheapest_valid_way_is_taken(ask, files, strategy):
    """Own probe workflow, else the check's own dispatch."""
    plan = choose(ask, **files)
    assert isinstance(plan, ProbePlan), plan
    assert plan.strategy == strategy


NONE = {
    "nothing there": (None, {}, ["the base does not have it", f"the base does not have {CI}"]),
    "no dispatch (S2: N, 74 %)": (None, {"ci": ci(on="{pull_request: , push: }")}, ["has no `workflow_dispatch`"]),
    "an unreadable file": (None, {"ci": "on: push\njobs: &a {}"}, ["anchors and aliases"]),
    "change detection (S2: E)": (
        None,
        {"ci": ci("unit: {runs-on: x, steps: [{uses: tj-actions/changed-files@v45}, {run: make}]}")},
        ["chooses what it runs"],
    ),
    "skipped for a dispatch": (
        None,
        {"ci": ci("unit: {if: github.event_name == 'push', runs-on: x}")},
        ["is skipped for `workflow_dispatch`"],
    ),
    "a step only for pull requests": (
        None,
        {"ci": ci("unit: {runs-on: x, steps: [{if: \"github.event_name == 'pull_request'\", run: make}]}")},
        ["dispatch: `github.event_name` decides what is done in the job `unit`"],
    ),
    "all of it by hand (cpython)": (
        None,
        {"ci": ci("unit: {runs-on: x, steps: [{run: '[ $GITHUB_EVENT_NAME = pull_request ] && make some || make'}]}")},
        ["dispatch: `GITHUB_EVENT_NAME` decides what is done"],
    ),
    "a deployment beside it": (
        None,
        {"ci": ci("unit: {runs-on: x}", "ship: {environment: prod, runs-on: x}")},
        ["`ship` of .github/workflows/ci.yml has an environment"],
    ),
    "rights not declared (39 %)": (None, {"ci": ci(top="")}, ["does not declare its permissions"]),
    "a required input": (
        None,
        {"ci": ci(on="{workflow_dispatch: {inputs: {target: {required: true}}}}")},
        ["`target` is required"],
    ),
    "an input that is set": (
        None,
        {"ci": ci(on="{workflow_dispatch: {inputs: {level: {default: high}}}}")},
        ["`level` has a value that no run of a pull request has"],
    ),
    "a computed matrix": (
        None,
        {"ci": ci('unit: {strategy: {matrix: {p: "${{ fromJSON(needs.a.outputs.p) }}"}}, runs-on: x}')},
        ["computed in the run"],
    ),
    "a shared group": (
        None,
        {"ci": ci(top="permissions: {}\nconcurrency: ${{ github.workflow }}")},
        ["is not the run's own"],
    ),
    "called from another repository": (
        wanted("unit / a"),
        {"ci": ci("unit: {uses: o/r/.github/workflows/t.yml@v1}")},
        ["which is not read"],
    ),
    "a fork's run": (
        wanted(check=Check(workflow=CI, job="unit", fork=True)),
        {"ci": ci()},
        ["secrets that a fork's run had not"],
    ),
    "own probe workflow that writes": (
        None,
        {"probe": own(FOR_UNIT, top="permissions: {contents: write}")},
        ["failres-probe.yml: the job `one` of .github/workflows/failres-probe.yml may write `contents`"],
    ),
    "own probe workflow without a nonce": (
        None,
        {"probe": own(FOR_UNIT, inputs="{check: {}}")},
        ["does not declare the inputs `check` and `nonce`"],
    ),
    "own probe workflow with a matrix": (
        None,
        {"probe": own("one: {name: unit, strategy: {matrix: {p: [a]}}, runs-on: x}")},
        ["it has no job for"],
    ),
    "own probe workflow with two for one": (
        None,
        {"probe": own(FOR_UNIT, "two: {name: unit, runs-on: x}")},
        ["it has more than one job for"],
    ),
}


@pytest.mark.parametrize(("ask", "files", "reasons"), NONE.values(), ids=NONE.keys())
def test_where_no_way_is_valid_each_has_its_reason(ask, files, reasons):
    """Nothing is started, and a person reads why."""
    answer = choose(ask, **files)
    assert isinstance(answer, NoProbe), answer
    for reason in reasons:
        assert any(reason in each for each in answer.reasons), answer.reasons


def test_a_person_may_vouch_for_what_the_file_does_not_say():
    """`gate.writesNothing` names every job that a dispatch starts."""
    config = parse_config("gate: {writesNothing: [unit]}")
    assert isinstance(choose(config=config, ci=ci(top="")), ProbePlan)
    both = ci("unit: {runs-on: x}", "lint: {runs-on: x}", top="")
    assert isinstance(choose(config=config, ci=both), NoProbe)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("", "`probes.pushBranch` does not allow it"),
        ("probes: {pushBranch: true}", "not all of the base's workflow files were read"),
    ],
)
def test_the_ways_that_are_left_out_say_so(key, said):
    """The push of a branch is never half done."""
    answer = choose(config=parse_config(key))
    assert isinstance(answer, NoProbe)
    assert answer.reasons[-2] == f"push of a branch: {said}"


def test_h6_branch_and_nonce_are_the_probes_identity():
    """The same probe has the same ones; another check, commit or attempt has others; both are legal in a ref."""
    asked = [
        wanted(),
        wanted(attempt=2),
        wanted("lint"),
        wanted(base_sha=Sha("c" * 40)),
        wanted(check=Check(workflow=CI, job="unit", event="push")),
    ]
    assert wanted().branch == wanted().branch
    assert wanted().nonce == wanted().nonce
    assert len({each.branch for each in asked}) == len({each.nonce for each in asked}) == len(asked)
    assert all(each.branch.startswith("failres/probe/") and each.branch.isascii() for each in asked)


def test_a_dispatch_carries_the_nonce_where_it_is_declared():
    """In `failres-probe.yml` always, in a workflow of their own only if it has such an input."""
    plan = choose(probe=own(FOR_UNIT))
    assert dict(plan.inputs) == {"check": f"{CI}: unit", "item": "", "nonce": plan.nonce}
    theirs = choose(ci=ci(on="{workflow_dispatch: {inputs: {nonce: {required: true}}}}"))
    assert dict(theirs.inputs) == {"nonce": theirs.nonce}
    assert choose(ci=ci()).inputs == ()


ITEMS = {
    "tests/test_cart.py::test_total": True,
    "tests/test_cart.py::test_total[1-2]": True,
    "com.example.CartTest.total": True,
    "pkg/cart.TestTotal": True,
    "adds up, with tax": False,
    "tests/test_cart.py::test_total[$(curl evil)]": False,
    "x; rm -rf /": False,
    "a`id`": False,
    "${{ secrets.TOKEN }}": False,
    "--rootdir=/tmp": False,
    "a\nb": False,
    "": False,
    "a" * 301: False,
}


@pytest.mark.parametrize(("item", "named"), ITEMS.items(), ids=[repr(each[:30]) for each in ITEMS])
def test_an_item_is_named_only_where_no_shell_and_no_option_parser_minds(item, named):
    """Names of tests come from a log. One that is not plain is left out: the whole job runs in any case."""
    plan = choose(wanted(item=item), probe=own(FOR_UNIT))
    assert dict(plan.inputs)["item"] == (item if named else "")
