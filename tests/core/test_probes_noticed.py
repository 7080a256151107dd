"""The two probes that other people notice: the push of a branch, and a draft pull request; off unless asked for."""

import time

import pytest

from bot.words.probe import body, title
from resolver.config import RepoConfig, parse_config
from resolver.executions import Check
from resolver.ids import Sha
from resolver.probes import PROBE_WORKFLOW, NoProbe, ProbePlan, ProbeWanted, choose_probe, is_probe_branch
from resolver.workflow.file import read_workflow

CI = ".github/workflows/ci.yml"
BASE = Sha("b" * 40)
CHECK = Check(workflow=CI, job="unit", event="pull_request")
UNIT = "unit: {runs-on: x, steps: [{run: make}]}"
READS = "permissions: {contents: read}"

PUSH = parse_config("probes: {pushBranch: true}")
DRAFT = parse_config("probes: {draftPull: true}")
BOTH = parse_config("probes: {pushBranch: true, draftPull: true}")
assert isinstance(PUSH, RepoConfig)
assert isinstance(DRAFT, RepoConfig)
assert isinstance(BOTH, RepoConfig)


def wanted(**changed):
    """The check on the newest commit of main."""
    given = {"check": CHECK, "base_sha": BASE, "attempt": 1, "base_ref": "main", **changed}
    return ProbeWanted(probe_id="probe:x", repository="octo/shop", **given)


def workflow(*jobs, on="[push, pull_request]", top=READS):
    """A workflow file."""
    return f"name: ci\non: {on}\n{top}\njobs:\n" + "".join(f"  {job}\n" for job in jobs or (UNIT,))


def choose(config, ask=None, *, whole=True, draft=True, **files):
    """The choice where the base has these workflow files and no others."""
    read = {
        path: read_workflow(path, text)
        for path, text in ((f".github/workflows/{name}.yml", text) for name, text in files.items())
    }
    return choose_probe(ask or wanted(), read, config, whole=whole, draft=draft)


ID = wanted().identity
NAMES = {
    "any branch (S6: Y, 21 %)": ("[push, pull_request]", f"failres/probe/{ID}"),
    "a pattern for all": ("{push: {branches: ['**']}, pull_request: }", f"failres/probe/{ID}"),
    "base and our own": ("{push: {branches: [main, 'failres/**']}, pull_request: }", f"failres/probe/{ID}"),
    "another is ignored": ("{push: {branches-ignore: [wip/**]}, pull_request: }", f"failres/probe/{ID}"),
    "not past a slash (terraform)": ("{push: {branches: ['*']}, pull_request: }", f"failres-probe-{ID}"),
    "a folder with all below": ("{push: {branches: [main, 'ci/**']}, pull_request: }", f"ci/failres/probe/{ID}"),
    "a folder with one level (vite)": (
        "{push: {branches: [main, 'fix/*']}, pull_request: }",
        f"fix/failres-probe-{ID}",
    ),
    "a beginning (pytest)": ("{push: {branches: [main, 'test-me-*']}, pull_request: }", f"test-me-failres-probe-{ID}"),
    "the first that is ours to take": (
        "{push: {branches: ['release/**', 'v*', 'ci/**']}, pull_request: }",
        f"ci/failres/probe/{ID}",
    ),
}


@pytest.mark.parametrize(("on", "branch"), NAMES.values(), ids=NAMES.keys())
def test_a_pushed_branch_has_a_name_that_the_filters_let_pass(on, branch):
    """The usual one, else one made of a pattern; it always carries the probe's identity."""
    plan = choose(PUSH, ci=workflow(on=on))
    assert isinstance(plan, ProbePlan), plan
    assert (plan.strategy, plan.event, plan.workflow, plan.ref) == ("push", "push", CI, branch)
    assert is_probe_branch(plan.ref)


def test_a_repairs_branch_is_a_probes_whatever_its_number():
    """Jobs of `failres-repair.yml` run on branches of the same kind, numbered by their records."""
    assert is_probe_branch(wanted(attempt=260135962737741).branch)


OTHERS_BRANCHES = ("main", "failres/probe/mine", "failres/fix/1", "feature/failres-probe", f"x{ID}", "release/1.x")


@pytest.mark.parametrize("name", OTHERS_BRANCHES)
def test_nobody_elses_branch_is_taken_for_a_probes(name):
    """Only a name with a check's hash, a commit and an attempt is."""
    assert not is_probe_branch(name)


NO_PUSH = {
    "off": (BOTH.model_copy(update={"probes": RepoConfig().probes}), {}, "`probes.pushBranch` does not allow it"),
    "no push at all": (PUSH, {"ci": workflow(on="pull_request")}, "does not listen to `push`"),
    "only bases (S6: N, 75 %)": (
        PUSH,
        {"ci": workflow(on="{push: {branches: [main, 'release/*']}, pull_request: }")},
        f"does not let the branch `failres/probe/{ID}` pass",
    ),
    "a pattern that the base fits": (
        PUSH,
        {"ci": workflow(on="{push: {branches: ['m*']}, pull_request: }")},
        "does not let the branch",
    ),
    "ours are not wanted": (
        PUSH,
        {"ci": workflow(on="{push: {branches: ['**', '!failres/**']}, pull_request: }")},
        "does not let the branch",
    ),
    "ours are ignored": (
        PUSH,
        {"ci": workflow(on="{push: {branches-ignore: ['failres/**']}, pull_request: }")},
        "does not let the branch",
    ),
    "tags only": (PUSH, {"ci": workflow(on="{push: {tags: ['v*']}, pull_request: }")}, "listens to tags only"),
    "some paths (12)": (
        PUSH,
        {"ci": workflow(on="{push: {paths: ['src/**']}, pull_request: }")},
        "filters `push` by path, and a probe changes none",
    ),
    "all but some paths (undefined for none)": (
        PUSH,
        {"ci": workflow(on="{push: {paths-ignore: ['docs/**']}, pull_request: }")},
        "filters `push` by path",
    ),
    "skipped on a push (vuejs)": (
        PUSH,
        {"ci": workflow("unit: {if: github.event_name != 'push', runs-on: x}")},
        "is skipped for `push`",
    ),
    "only on the base": (
        PUSH,
        {"ci": workflow("unit: {if: github.ref == 'refs/heads/main', runs-on: x}")},
        "is skipped for `push`",
    ),
    "another matrix on a push (grafana)": (
        PUSH,
        {"ci": workflow("unit: {runs-on: \"${{ github.event_name == 'push' && 'big' || 'small' }}\"}")},
        "`github.event_name` decides what is done in the job `unit`",
    ),
    "a step only for pull requests": (
        PUSH,
        {"ci": workflow("unit: {runs-on: x, steps: [{if: \"github.event_name == 'pull_request'\", run: make}]}")},
        "`github.event_name` decides what is done",
    ),
    "a superset on a push (bitcoin)": (
        PUSH,
        {"ci": workflow('unit: {runs-on: x, steps: [{run: "make ${{ github.event_name }}"}]}')},
        "`github.event_name` decides",
    ),
    "a script that asks": (
        PUSH,
        {"ci": workflow('unit: {runs-on: x, steps: [{run: "[ $GITHUB_EVENT_NAME = push ] || make"}]}')},
        "`GITHUB_EVENT_NAME` decides",
    ),
    "continue-on-error unless a pull request (moby)": (
        PUSH,
        {"ci": workflow("unit: {runs-on: x, continue-on-error: \"${{ github.event_name != 'pull_request' }}\"}")},
        "`github.event_name` decides",
    ),
    "the head commit is tested (kafka)": (
        PUSH,
        {
            "ci": workflow(
                "unit: {runs-on: x, steps: [{uses: actions/checkout@v4, "
                'with: {ref: "${{ github.event.pull_request.head.sha }}"}}]}'
            )
        },
        "`github.event.pull_request.head.sha` decides",
    ),
    "for the whole file": (
        PUSH,
        {"ci": workflow(top=f'{READS}\nenv: {{WHERE: "${{{{ github.base_ref }}}}"}}')},
        "`github.base_ref` decides",
    ),
    "in a job that it needs": (
        PUSH,
        {
            "ci": workflow(
                'plan: {runs-on: x, outputs: {all: "${{ github.event.before }}"}}',
                'unit: {needs: plan, runs-on: x, steps: [{run: "make ${{ needs.plan.outputs.all }}"}]}',
            )
        },
        "`github.event.before` decides what is done in the job `plan`",
    ),
    "a local action, which is not read": (
        PUSH,
        {"ci": workflow("unit: {runs-on: x, steps: [{uses: ./.github/actions/test}]}")},
        "`./.github/actions/test` is not read",
    ),
    "all contexts at once": (
        PUSH,
        {"ci": workflow('unit: {runs-on: x, env: {ALL: "${{ toJSON(github) }}"}}')},
        "`github` decides",
    ),
    "a deployment beside it": (
        PUSH,
        {"ci": workflow(UNIT, "ship: {environment: prod, runs-on: x}")},
        "the job `ship` of .github/workflows/ci.yml has an environment",
    ),
    "a deployment in another file": (
        PUSH,
        {"ci": workflow(), "ship": workflow("ship: {environment: prod, runs-on: x}", on="push")},
        "`push` starts .github/workflows/ship.yml too, and the job `ship`",
    ),
    "one that a path filter may not stop": (
        PUSH,
        {"ci": workflow(), "ship": workflow("go: {environment: p, runs-on: x}", on="{push: {paths: [site/**]}}")},
        "has an environment",
    ),
    "one that writes, at a new branch": (
        PUSH,
        {"ci": workflow(), "note": workflow("go: {runs-on: x}", on="create", top="permissions: {contents: write}")},
        "`create` starts .github/workflows/note.yml too",
    ),
    "one that follows on any workflow": (
        PUSH,
        {
            "ci": workflow(),
            "next": workflow("go: {environment: p, runs-on: x}", on="{workflow_run: {workflows: [ci]}}"),
        },
        "`workflow_run` starts .github/workflows/next.yml too",
    ),
    "one that does not say what it writes": (
        PUSH,
        {"ci": workflow(), "lint": workflow("lint: {runs-on: x}", top="")},
        "does not declare its permissions",
    ),
    "one that nobody can read": (
        PUSH,
        {"ci": workflow(), "odd": "on: push\njobs: &a {}"},
        ".github/workflows/odd.yml may be started too and cannot be read",
    ),
    "a group for all branches": (
        PUSH,
        {"ci": workflow(top=f"{READS}\nconcurrency: ${{{{ github.workflow }}}}")},
        "is not the run's own",
    ),
    "another workflow's group for all branches": (
        PUSH,
        {"ci": workflow(), "b": workflow("b: {runs-on: x}", on="push", top=f"{READS}\nconcurrency: one")},
        "`push` starts .github/workflows/b.yml too, and the concurrency group `one`",
    ),
}


@pytest.mark.parametrize(("config", "files", "reason"), NO_PUSH.values(), ids=NO_PUSH.keys())
def test_where_a_push_is_not_valid_it_says_why(config, files, reason):
    """Nothing is started unless the file shows the same job, and nothing else that is started can do harm."""
    answer = choose(config, **files)
    assert isinstance(answer, NoProbe), answer
    assert answer.reasons[-2].startswith("push of a branch: ")
    assert reason in answer.reasons[-2], answer.reasons[-2]


SAME = {
    "harmless values": 'unit: {runs-on: x, env: {A: "${{ github.sha }}-${{ github.run_id }}", B: "${{ vars.B }}"}}',
    "a condition that comes out alike": "unit: {runs-on: x, steps: [{if: github.event_name != 'schedule', run: make}]}",
    "a value that comes out alike": (
        "unit: {runs-on: x, env: {A: \"${{ github.event_name == 'schedule' && 'all' || 'some' }}\"}}"
    ),
    "change detection that is only for pull requests (pip)": (
        "changes: {runs-on: x, outputs: {py: '${{ steps.f.outputs.py }}'}, steps: "
        "[{id: f, if: github.event_name == 'pull_request', uses: dorny/paths-filter@v3}]}\n"
        "  unit: {needs: changes, runs-on: x, "
        "if: \"github.event_name != 'pull_request' || needs.changes.outputs.py == 'true'\"}"
    ),
    "only on failure": "unit: {runs-on: x, steps: [{run: make}, {if: failure(), run: cat log}]}",
    "a cell of a matrix": "unit: {strategy: {matrix: {py: ['3.12']}}, name: unit, runs-on: x, env: {V: '${{ matrix.py }}'}}",
    "a deployment of the base": (
        "unit: {runs-on: x}\n  ship: {if: github.ref == 'refs/heads/main', environment: prod, runs-on: x}"
    ),
}


@pytest.mark.parametrize("job", SAME.values(), ids=SAME.keys())
def test_what_is_proven_alike_is_pushed(job):
    """Values and conditions that come out alike, and jobs that certainly do not run, are in nobody's way."""
    plan = choose(PUSH, ci=workflow(job))
    assert isinstance(plan, ProbePlan), plan
    assert plan.strategy == "push"


def test_a_called_workflow_is_looked_into():
    """Its `github` is the caller's, so that the same rules hold in it, and in what it calls in turn."""
    caller = workflow("unit: {uses: ./.github/workflows/called.yml}")
    inner = workflow("run: {runs-on: x}", "more: {uses: ./.github/workflows/deeper.yml}", on="workflow_call")
    deeper = {
        on: workflow(f"last: {{runs-on: x, env: {{A: '{on}'}}}}", on="workflow_call")
        for on in ("a", "${{ github.ref }}")
    }
    ask = wanted(check=Check(workflow=CI, job="unit / run"))
    assert isinstance(choose(PUSH, ask, ci=caller, called=inner, deeper=deeper["a"]), ProbePlan)
    answer = choose(PUSH, ask, ci=caller, called=inner, deeper=deeper["${{ github.ref }}"])
    assert "`github.ref` decides what is done in the called .github/workflows/deeper.yml" in answer.reasons[-2]


def test_a_push_of_the_tasks_branch_is_matched_by_a_push():
    """The check's own event is `push`: what differs between events does not matter, what names the branch does."""
    ask = wanted(check=Check(workflow=CI, job="unit", event="push"))
    asks = workflow('unit: {runs-on: x, steps: [{run: "make ${{ github.event_name }}"}]}')
    assert isinstance(choose(PUSH, ask, ci=asks), ProbePlan)
    names = workflow('unit: {runs-on: x, steps: [{run: "make ${{ github.ref_name }}"}]}')
    assert isinstance(choose(PUSH, ask, ci=names), NoProbe)
    group = wanted(check=Check(workflow=CI, job="unit", event="merge_group"))
    assert "in another way than `merge_group`" in choose(PUSH, group, ci=workflow()).reasons[-2]


NO_DRAFT = {
    "off": (PUSH, {"ci": workflow(on="pull_request")}, "`probes.draftPull` does not allow it"),
    "not for pull requests": (DRAFT, {"ci": workflow(on="push")}, "does not listen to `pull_request`"),
    "a draft guard (5)": (
        DRAFT,
        {"ci": workflow("unit: {if: '!github.event.pull_request.draft', runs-on: x}")},
        "is skipped for `pull_request`",
    ),
    "a draft guard in a step": (
        DRAFT,
        {"ci": workflow("unit: {runs-on: x, steps: [{if: github.event.pull_request.draft == false, run: make}]}")},
        "`github.event.pull_request.draft` decides what is done",
    ),
    "a draft guard on what it needs": (
        DRAFT,
        {
            "ci": workflow(
                "go: {if: github.event.pull_request.draft != true, runs-on: x}", "unit: {needs: go, runs-on: x}"
            )
        },
        "is skipped for `pull_request`",
    ),
    "types without opened": (
        DRAFT,
        {"ci": workflow(on="{pull_request: {types: [ready_for_review, synchronize]}}")},
        "does not listen to pull requests that are opened",
    ),
    "labels (okhttp)": (
        DRAFT,
        {"ci": workflow("unit: {if: \"contains(github.event.pull_request.labels.*.name, 'go')\", runs-on: x}")},
        "may be skipped",
    ),
    "another base": (
        DRAFT,
        {"ci": workflow(on="{pull_request: {branches: [stable]}}")},
        "does not let the branch `main` pass",
    ),
    "some paths (12)": (DRAFT, {"ci": workflow(on="{pull_request: {paths: [src/**]}}")}, "a probe changes none"),
    "change detection (21)": (
        DRAFT,
        {"ci": workflow("unit: {runs-on: x, steps: [{uses: dorny/paths-filter@v3}, {run: make}]}")},
        "chooses what it runs",
    ),
    "who opened it": (
        DRAFT,
        {"ci": workflow("unit: {runs-on: x, steps: [{if: \"github.actor != 'dependabot[bot]'\", run: make}]}")},
        "`github.actor` decides",
    ),
    "a group by the head branch's name alone is its own, one for all is not": (
        DRAFT,
        {"ci": workflow(top=f"{READS}\nconcurrency: ${{{{ github.base_ref }}}}")},
        "is not the run's own",
    ),
    "a workflow for the target that writes": (
        DRAFT,
        {"ci": workflow(), "t": workflow("t: {runs-on: x}", on="pull_request_target", top="permissions: write-all")},
        "`pull_request_target` starts .github/workflows/t.yml too",
    ),
    "what its closing starts": (
        DRAFT,
        {"ci": workflow(), "t": workflow("t: {environment: p, runs-on: x}", on="{pull_request: {types: [closed]}}")},
        "`pull_request` starts .github/workflows/t.yml too",
    ),
    "what its branch starts": (
        DRAFT,
        {"ci": workflow(on="pull_request"), "t": workflow("t: {environment: p, runs-on: x}", on="push")},
        "`push` starts .github/workflows/t.yml too",
    ),
}


@pytest.mark.parametrize(("config", "files", "reason"), NO_DRAFT.values(), ids=NO_DRAFT.keys())
def test_where_a_draft_is_not_valid_it_says_why(config, files, reason):
    """The same event, and yet a draft without changes and of another author may not be the same."""
    answer = choose(config, **files)
    assert isinstance(answer, NoProbe), answer
    assert answer.reasons[-1].startswith("draft pull request: ")
    assert reason in answer.reasons[-1], answer.reasons[-1]
    assert not answer.later


DRAFTS = {
    "plain (S3: Y, 54 %)": workflow(on="pull_request"),
    "opened among the types": workflow(on="{pull_request: {types: [labeled, opened]}}"),
    "the event decides nothing new": workflow(
        "unit: {runs-on: x, steps: [{if: github.event_name == 'pull_request', run: make}]}", on="pull_request"
    ),
    "a group of its number or ref": workflow(
        on="pull_request",
        top=f"{READS}\nconcurrency: ${{{{ github.workflow }}}}-${{{{ github.event.pull_request.number || github.ref }}}}",
    ),
    "a group of its branch (10)": workflow(on="pull_request", top=f"{READS}\nconcurrency: ${{{{ github.head_ref }}}}"),
    "pushes of the base alone": workflow(on="{pull_request: , push: {branches: [main]}}"),
}


@pytest.mark.parametrize("text", DRAFTS.values(), ids=DRAFTS.keys())
def test_a_draft_is_the_last_way(text):
    """Same event, own group, on the usual branch."""
    plan = choose(BOTH, ci=text)
    assert isinstance(plan, ProbePlan), plan
    assert (plan.strategy, plan.event, plan.ref) == ("draft-pull", "pull_request", f"failres/probe/{ID}")


def test_the_order_is_the_specifications():
    """Own probe workflow, dispatch, push, draft: each is taken only where the one before is not valid."""
    own = (
        f"on: {{workflow_dispatch: {{inputs: {{check: , nonce: }}}}}}\n{READS}\njobs: "
        f"{{one: {{name: unit, if: \"inputs.check == '{CI}: unit'\", runs-on: x}}}}"
    )
    on = ["pull_request", "[pull_request, push]", "[pull_request, push, workflow_dispatch]"]
    found = [choose(BOTH, ci=workflow(on=each)).strategy for each in on]
    found.append(choose(BOTH, ci=workflow(on=on[-1]), **{PROBE_WORKFLOW[18:-4]: own}).strategy)
    assert found == ["draft-pull", "push", "own-dispatch", "probe-workflow"]


def test_what_is_not_read_whole_is_not_started():
    """A push starts what nobody has looked at."""
    answer = choose(BOTH, whole=False, ci=workflow())
    assert answer.reasons[-2:] == (
        "push of a branch: not all of the base's workflow files were read",
        "draft pull request: not all of the base's workflow files were read",
    )


def test_a_spent_day_is_told_and_is_no_reason_for_ever():
    """The draft would be valid: `later` says so."""
    answer = choose(DRAFT, draft=False, ci=workflow(on="pull_request"))
    assert answer.later
    assert "the 2 a day that `probes.draftPullsPerDay` allows are spent" in answer.reasons[-1]


def test_a_draft_says_what_it_is():
    """Text from a workflow file stays text: no mention, no markup."""
    ask = wanted(check=Check(workflow=CI, job="unit `x` @all <b>"))
    text = body(ask, 2)
    assert "nobody has to look at it" in text
    assert "``unit `x` @all <b>``" in text
    assert text.endswith(f"<!-- failres:probe:{ask.nonce} -->")
    assert title(ask) == "failres probe: unit `x` @all <b> on main (closes by itself)"


def test_a_file_full_of_questions_is_compared_in_time():
    """Ours are the bounds: 150 jobs that need each other, each step of which asks for the event."""
    steps = ", ".join(["{if: github.event_name != 'schedule', run: make}"] * 8)
    jobs = [f"j{n}: {{needs: [{f'j{n - 1}' if n else ''}], runs-on: x, steps: [{steps}]}}" for n in range(150)]
    text = workflow(*jobs, "unit: {needs: j149, runs-on: x}")
    begin = time.process_time()
    assert isinstance(choose(PUSH, ci=text), ProbePlan)
    assert time.process_time() - begin < 5.0
