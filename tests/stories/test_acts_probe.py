"""A check is executed on the clean base: on a branch of its own, once, and cleaned up."""

import pytest

from bot.sandbox.ci.runner.function_job import failed
from bot.sandbox.faults import Fault
from resolver.actions import RemoveProbe, StartProbe, probe_target
from resolver.facts import ProbeDispatched, ProbeRemoved
from resolver.journal import from_json
from resolver.probes import PREFIX
from tests.stories.acts import (
    CHECK,
    DISPATCHED,
    MANAGED,
    RED,
    job,
    open_shop,
    order,
    runs,
    unit,
    workflow,
)

PROBE = """
name: failres-probe
run-name: probe ${{ inputs.nonce }}
on: {workflow_dispatch: {inputs: {check: {type: string}, item: {type: string}, nonce: {type: string}}}}
permissions: {contents: read}
jobs:
  how-to: {if: "inputs.check == ''", runs-on: ubuntu-latest, steps: [{run: echo}]}
  first:
    name: unit
    if: "inputs.check == '.github/workflows/ci.yml: unit'"
    runs-on: ubuntu-latest
    steps: [{uses: actions/checkout@v4}, {run: make unit}]
"""


def probe(base, attempt=1, check=CHECK, item=""):
    """The action that probes a check on a commit of main."""
    probe_id = probe_target(check, base, attempt)
    return StartProbe(check=check, base_ref="main", base_sha=base, attempt=attempt, probe_id=probe_id, item=item)


def branches(repo):
    """The branches of probes that are there."""
    return [name for name in repo.git.refs.all("refs/heads/") if PREFIX in name]


def dispatched(end):
    """The probes that were told of."""
    return [fact for fact in end.facts if isinstance(fact, ProbeDispatched)]


async def held_shop(world, text=None, **files):
    """A shop whose jobs begin and do not end, so that a probe's branch stays to be looked at; and its base."""
    repo = await open_shop(world, text or workflow(on=DISPATCHED), **files)
    world.sandbox.ci.hold("unit")
    return repo, repo.git.branch("main")


async def test_the_checks_own_workflow_is_dispatched_on_an_empty_child_of_the_base(calm):
    """A new branch, a commit without changes that push workflows skip, one run, and its id."""
    repo, base = await held_shop(calm)
    end = await order(calm, probe(base))
    assert end.refused is None
    (told,) = dispatched(end)
    (run,) = runs(repo, event="workflow_dispatch")
    commit = repo.git.commit(told.commit)
    assert (run.id, run.head_sha) == (told.run_id, told.commit)
    assert (commit.parents, commit.tree) == ((base,), repo.git.commit(base).tree)
    assert "[skip ci]" in commit.message
    assert branches(repo) == [f"refs/heads/{told.branch}"]
    assert runs(repo, head_sha=told.commit) == [run], "the push of the branch started nothing"
    calm.sandbox.ci.release("unit")
    await calm.settle()
    assert run.latest.conclusion == "success"
    assert branches(repo) == [], "a probe that has ended is cleaned up"


async def test_the_repositorys_probe_workflow_goes_first_and_carries_the_nonce(calm):
    """`failres-probe.yml` has a job for the check: it is asked for that check alone, and told what failed."""
    repo = await open_shop(calm, workflow(on=DISPATCHED), **{".github/workflows/failres-probe.yml": PROBE})
    end = await order(calm, probe(repo.git.branch("main"), item="tests/test_shop.py::test_discount"))
    (told,) = dispatched(end)
    (run,) = runs(repo, event="workflow_dispatch")
    assert (told.item, run.inputs["item"]) == ("tests/test_shop.py::test_discount",) * 2
    assert (run.path, run.title) == (".github/workflows/failres-probe.yml", f"probe {told.nonce}")
    assert [(one.name, one.conclusion) for one in run.latest.jobs] == [("how-to", "skipped"), ("unit", "success")]


async def test_an_older_server_that_answers_204_is_asked_for_the_run(calm):
    """No run id in the answer: the run is found by the probe's own commit (GITHUB.md trap 20)."""
    repo = await open_shop(calm, workflow(on=DISPATCHED))
    calm.sandbox.faults.add(Fault("POST", "/repos/*/dispatches", how="replace", status=204, body=None))
    (told,) = dispatched(await order(calm, probe(repo.git.branch("main"))))
    (run,) = runs(repo, event="workflow_dispatch")
    assert told.run_id == run.id


async def test_an_older_server_that_does_not_know_the_field_is_asked_without_it(calm):
    """GitHub Enterprise Server before `return_run_details` refuses unknown keys: one run all the same."""
    repo = await open_shop(calm, workflow(on=DISPATCHED))
    body = {"message": 'Invalid request.\n\n"return_run_details" is not a permitted key.'}
    calm.sandbox.faults.add(Fault("POST", "/repos/*/dispatches", status=422, body=body))
    (told,) = dispatched(await order(calm, probe(repo.git.branch("main"))))
    assert [run.id for run in runs(repo, event="workflow_dispatch")] == [told.run_id]


WRITES = {
    "the commit": ("/repos/*/git/commits", None),
    "the branch": ("/repos/*/git/refs", None),
    "the dispatch": ("/repos/*/dispatches", None),
}


@pytest.mark.parametrize("how", ["lose", "drop"])
@pytest.mark.parametrize(("path", "_"), WRITES.values(), ids=WRITES.keys())
async def test_a_lost_answer_doubles_nothing(calm, how, path, _):
    """Whichever write's answer is lost: one branch, one run."""
    repo, base = await held_shop(calm)
    calm.sandbox.faults.add(Fault("POST", path, how=how))
    end = await order(calm, probe(base))
    assert len(branches(repo)) == 1
    assert len(runs(repo, event="workflow_dispatch")) <= 1
    assert len({fact.branch for fact in dispatched(end)}) == 1


async def test_a_lost_dispatch_whose_run_is_there_is_found(calm):
    """GitHub started the run and the answer was lost: its id is told all the same."""
    repo = await open_shop(calm, workflow(on=DISPATCHED))
    calm.sandbox.faults.add(Fault("POST", "/repos/*/dispatches", how="lose"))
    (told,) = dispatched(await order(calm, probe(repo.git.branch("main"))))
    assert told.run_id == runs(repo, event="workflow_dispatch")[0].id


async def test_a_probe_that_is_there_is_taken_up(calm):
    """The same probe ordered again, as after a crash: the branch and its run are found."""
    repo, base = await held_shop(calm)
    (first,) = dispatched(await order(calm, probe(base)))
    again = await order(calm, probe(base))
    assert again.done.result == {"runId": first.run_id, "found": True}
    assert len(runs(repo, event="workflow_dispatch")) == 1


async def test_a_branch_without_a_run_is_not_dispatched_blindly(calm):
    """The process died between branch and answer: nobody knows, so it is not sent again, and the branch is told of."""
    repo, base = await held_shop(calm)
    calm.sandbox.faults.add(Fault("POST", "/repos/*/dispatches", how="drop"))
    (first,) = dispatched(await order(calm, probe(base)))
    assert first.run_id is None
    again = await order(calm, probe(base))
    assert "is not sent again" in again.refused
    assert dispatched(again)[-1].run_id is None
    assert dispatched(again)[-1].commit == first.commit
    assert runs(repo, event="workflow_dispatch") == []


async def test_h6_somebody_elses_commit_is_taken_for_no_probe(calm):
    """A person pushed to the probe's branch before it was told of: what runs there is not the base's."""
    repo, base = await held_shop(calm)
    (told,) = dispatched(await order(calm, probe(base)))
    theirs = calm.people.push(told.branch, RED)
    again = await order(calm, probe(base))
    assert "somebody else's commit is on the branch" in again.refused
    assert theirs not in {fact.commit for fact in dispatched(again)}
    assert repo.git.branch(told.branch) == theirs


NONE = {
    "no dispatch": (workflow(), "ci.yml has no `workflow_dispatch`"),
    "an environment beside it": (
        workflow(job("unit"), job("ship", ", environment: prod"), on=DISPATCHED),
        "environment",
    ),
    "only for pull requests": (
        workflow(job("unit", ", if: github.event_name == 'pull_request'"), on=DISPATCHED),
        "is skipped for `workflow_dispatch`",
    ),
    "one group for all": (workflow(on=DISPATCHED, top="permissions: {contents: read}\nconcurrency: ci\n"), "group"),
}


@pytest.mark.parametrize(("text", "reason"), NONE.values(), ids=NONE.keys())
async def test_where_no_way_is_valid_nothing_is_made(calm, text, reason):
    """Each way is refused with its reason, before any write."""
    repo = await open_shop(calm, text)
    end = await order(calm, probe(repo.git.branch("main")))
    assert reason in end.refused
    assert "push of a branch: `probes.pushBranch` does not allow it" in end.refused
    assert branches(repo) == []
    assert dispatched(end) == []


NO = {
    "422": (422, "Workflow is disabled"),
    "404": (404, "Not Found"),
    "403": (403, "Resource not accessible by integration"),
}


@pytest.mark.parametrize(("status", "message"), NO.values(), ids=NO.keys())
async def test_a_dispatch_that_github_refuses_leaves_no_branch(calm, status, message):
    """Nothing was started: the branch is taken back and the reason told."""
    repo = await open_shop(calm, workflow(on=DISPATCHED))
    body = {"message": message}
    calm.sandbox.faults.add(Fault("POST", "/repos/*/dispatches", status=status, body=body, times=None))
    end = await order(calm, probe(repo.git.branch("main")))
    assert "GitHub did not start it" in end.refused
    assert branches(repo) == []


@pytest.mark.parametrize("how", ["lose", "drop"])
async def test_an_ended_probes_branch_is_removed_once(calm, how):
    """The branch goes, also where the answer is lost; removing it again is fine."""
    repo, base = await held_shop(calm)
    (told,) = dispatched(await order(calm, probe(base)))
    remove = RemoveProbe(probe_id=told.probe_id, branch=told.branch, commit=told.commit, reason="it has ended")
    calm.sandbox.faults.add(Fault("DELETE", "/repos/*/git/refs/*", how=how))
    end = await order(calm, remove)
    assert end.refused is None
    assert branches(repo) == []
    assert ProbeRemoved(probe_id=told.probe_id, reason="it has ended") in end.facts
    assert (await order(calm, remove)).refused is None


async def test_a_branch_that_somebody_moved_is_left_alone(calm):
    """Only the probe's own commit is removed."""
    repo, base = await held_shop(calm)
    (told,) = dispatched(await order(calm, probe(base)))
    calm.people.push(told.branch, {"mine.txt": "keep\n"})
    remove = RemoveProbe(probe_id=told.probe_id, branch=told.branch, commit=told.commit, reason="it has ended")
    assert "somebody moved the branch" in (await order(calm, remove)).refused
    assert branches(repo) == [f"refs/heads/{told.branch}"]


async def test_only_branches_of_probes_are_ever_removed(calm):
    """An order for any other branch is refused."""
    repo = await open_shop(calm)
    main = repo.git.branch("main")
    end = await order(calm, RemoveProbe(probe_id="x", branch="main", commit=main, reason="x"))
    assert end.refused == "main is no probe's branch"
    assert repo.git.branch("main") == main


async def test_the_mode_is_read_anew(calm):
    """Between the decision and the act the configuration changed."""
    repo = await open_shop(calm, workflow(on=DISPATCHED))
    calm.people.push("main", {".github/failres.yml": "enabled: false\n"}, by="admin")
    end = await order(calm, probe(repo.git.branch("main")))
    assert end.refused == "the configuration says `enabled: false`"
    assert branches(repo) == []


async def test_a_red_check_on_a_base_that_never_ran_is_probed_by_failres_itself(world):
    """
    The base has no run of the check, so that failres asks it: one probe, which is green there; the red is not the
    base's. However deliveries and the process behave, there is one run of it.
    """
    text = workflow(on="on: {pull_request: , workflow_dispatch: }\n")
    repo = await open_shop(world, text, MANAGED)
    pull = world.people.open_pull("discount", RED)
    await world.settle()
    assert [run.latest.conclusion for run in runs(repo, event="workflow_dispatch")] == ["success"]
    world.said(pull)


async def test_a_probe_whose_branch_vanished_still_tells(calm):
    """Somebody deleted the branch while its run went on: the run is bound by its commit, and there is nothing left."""
    repo, base = await held_shop(calm)
    (told,) = dispatched(await order(calm, probe(base)))
    calm.people.delete_branch(told.branch, by="admin")
    calm.sandbox.ci.release("unit")
    await calm.settle()
    assert [run.latest.conclusion for run in runs(repo, head_sha=told.commit)] == ["success"]
    seen = [from_json(row.kind, row.data) for row in await calm.journal()]
    assert ProbeRemoved(probe_id=told.probe_id, reason="it has reported") in seen


async def test_a_branch_that_vanishes_before_the_dispatch_starts_nothing(calm):
    """GitHub does not know the ref any more: nothing is left, and the reason is told."""
    repo = await open_shop(calm, workflow(on=DISPATCHED))
    body = {"message": "No ref found for: failres/probe/x"}
    calm.sandbox.faults.add(Fault("POST", "/repos/*/dispatches", status=422, body=body))
    end = await order(calm, probe(repo.git.branch("main")))
    assert "No ref found" in end.refused
    assert branches(repo) == []


ON_DEMAND = workflow(on="on: {pull_request: , workflow_dispatch: }\n")


async def test_a_probe_that_fails_for_another_reason_accuses_nobody(world):
    """The base's own red is another one: it excuses nothing and accuses nobody, is shown, and is asked for twice."""

    def suite(tree):
        other = failed("FAILED tests/test_other.py::test_clock - assert 3 == 4", "1 failed, 8 passed in 0.02s")
        return other if tree.event == "workflow_dispatch" else unit(tree)

    repo = await open_shop(world, ON_DEMAND, MANAGED)
    world.sandbox.ci.job("unit", suite)
    pull = world.people.open_pull("discount", RED)
    await world.settle()
    assert [run.latest.conclusion for run in runs(repo, event="workflow_dispatch")] == ["failure"] * 2
    assert branches(repo) == []
    said = world.said(pull)
    assert "is not proven whose failure this is." in said
    assert said.count("| another failure `") >= 2
