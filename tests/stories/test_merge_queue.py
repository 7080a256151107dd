"""Failures in the merge queue: whose they are, one more place in it at most, and what keeps a queue from going on."""

from inline_snapshot import snapshot

from bot.sandbox.ci.runner.function_job import failed, passed
from tests.stories.acts import READS, job, runs, workflow

ON = "on: {pull_request: , merge_group: , push: {branches: [main]}}\n"
LANDS = 'mode: {rerun: act, probe: act}\nmanaged: {branches: ["**"]}\nflake: {mayLand: true}\n'
ALONE = "def price(net): return net\n"
GROSS = {"price.py": "def price(net): return net * 119 // 100\n"}
"""Prices hold the tax already."""
TAXED = {"invoice.py": "def total(net): return price(net) * 119 // 100\n"}
"""Invoices add the tax themselves: fine as long as prices do not."""


def unit(tree):
    """The test suite: the tax is to be added once, in one of the two files."""
    added = sum("119" in tree.read(name) for name in ("price.py", "invoice.py"))
    if added <= 1:
        return passed("tests/test_invoice.py::test_total PASSED", "1 passed in 0.02s")
    return failed("FAILED tests/test_invoice.py::test_total - assert 141 == 119", "1 failed in 0.02s")


async def shop(world, config="", text=None, more=None, **rule):
    """A repository with a merge queue on main, whose base has been tested."""
    world.sandbox.ci.job("unit", unit)
    files = {"price.py": ALONE, "invoice.py": "def total(net): return price(net)\n", ".github/failres.yml": config}
    repo = world.repo("shop", files, {"ci.yml": text or workflow(on=ON, top=READS), **(more or {})})
    world.people.merge_queue(**rule)
    world.people.push("main", {"CHANGELOG.md": "first"}, by="admin")
    await world.settle()
    return repo


def verdicts(world, pull):
    """The classes that stand on a pull request's head."""
    (state,) = [known.state for known in world.failres.service._loop._known.values() if known.state.pulls]
    return {v.klass for v in state.pulls[pull.number].verdicts.values()}


async def test_a_green_group_lands_and_nothing_is_said(calm):
    """Everything is fine: no word."""
    await shop(calm)
    pull = calm.people.open_pull("gross", GROSS, title="Prices with tax")
    await calm.settle()
    calm.people.enqueue(pull)
    await calm.settle()
    assert pull.merged_at is not None
    assert calm.said(pull) == ""


async def test_a16_a_base_defect_in_the_queue_is_nobodys_failure(world):
    """Green on its own, red in the queue, because the base was broken meanwhile: the author is not blamed."""
    repo = await shop(world)
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await world.settle()
    world.people.push("main", {**GROSS, **TAXED}, by="admin", message="Add the tax")
    await world.settle()
    world.people.enqueue(pull)
    await world.settle()
    assert [run.latest.conclusion for run in runs(repo, event="merge_group")] == ["failure"]
    assert verdicts(world, pull) == {"base-defect"}
    assert world.said(pull).split("<details>")[0] == snapshot("""\
✔ failres: neutral: Not this pull request: tests/test_invoice.py::test_total failed in the merge queue, and in the same way on a clean main

<!-- failres:sticky:1 -->

**Not this pull request: `tests/test_invoice.py::test_total` failed in the merge queue, and in the same way on a clean `main`**

`ci / unit` failed: `tests/test_invoice.py::test_total`: `assert 141 == 119`

[Log of `ci / unit`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

In the merge queue, `unit` failed on `‹group of #1:1›`: this branch merged onto what is ahead of it.

**What happens now:** The base has to be mended first; nothing on this branch helps, nor does enqueuing it again. failres only explains here; the configuration does not let it act on this pull request.

""")


async def test_d11_a_flake_in_the_queue_is_tried_once_more_before_anybody_is_blamed(world):
    """Red once in the group: where a pass may land it, the same head is enqueued once more, passes, and lands."""
    repo = await shop(world, LANDS)
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await world.settle()
    world.sandbox.ci.fail_once("unit", "FAILED tests/test_invoice.py::test_total - assert 0 == 119")
    world.people.enqueue(pull)
    await world.later(7_200.0)
    assert [run.latest.conclusion for run in runs(repo, event="merge_group")] == ["failure", "success"]
    assert pull.merged_at is not None
    assert verdicts(world, pull) == {"flake"}
    assert "failres: neutral" not in world.said(pull) or "(hidden as resolved)" in world.said(pull)


async def test_d2_two_that_are_fine_alone_and_not_together(world):
    """The first lands; the second fails with it, also when tried once more: it is told, and the first is not."""
    repo = await shop(world, LANDS)
    first = world.people.open_pull("gross", GROSS, title="Prices with tax")
    second = world.people.open_pull("taxed", TAXED, title="Invoices with tax")
    await world.settle()
    for pull in (first, second):
        world.people.enqueue(pull)
    await world.later(3_600.0)
    ends = [(run.head_branch.partition("/pr-")[2][0], run.latest.conclusion) for run in runs(repo, event="merge_group")]
    assert ends == [("1", "success"), ("2", "failure"), ("2", "failure")]
    assert (first.merged_at is not None, second.merged_at) == (True, None)
    assert verdicts(world, second) == {"task-defect"}
    assert world.said(first) == ""
    assert world.said(second).split("<details>")[0] == snapshot("""\
✔ failres: neutral: Merged onto main, this pull request breaks tests/test_invoice.py::test_total: the merge queue fails with it and not without

<!-- failres:sticky:2 -->

**Merged onto `main`, this pull request breaks `tests/test_invoice.py::test_total`: the merge queue fails with it and not without**

`ci / unit` failed: `tests/test_invoice.py::test_total`: `assert 141 == 119`

[Log of `ci / unit`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

In the merge queue, `unit` failed on `‹group of #2:2›`: this branch merged onto what is ahead of it.

**What happens now:** The branch has to be mended together with what has landed since: update it to its base, and the failure shows there too.

""")


async def test_d9_no_workflow_runs_for_merge_groups(world):
    """The queue waits in silence; a person is told what to add, and that it cannot land through this queue."""
    await shop(world, text=workflow(on=ON.replace("merge_group: , ", ""), top=READS))
    pull = world.people.open_pull("gross", GROSS, title="Prices with tax")
    await world.settle()
    world.people.enqueue(pull)
    await world.later(1_800.0)
    assert pull.state == "open"
    assert world.said(pull) == snapshot("""\
✔ failres: neutral: The merge queue waits, since no workflow ran for the merge group, and unit cannot report

<!-- failres:sticky:1 -->

**The merge queue waits, since no workflow ran for the merge group, and `unit` cannot report**

**What a person must do:** Add `merge_group:` to `on:` of the workflow that reports `unit`. That change cannot land through the queue that it mends: somebody who may bypass the rules of `main` has to merge it.

<sub>failres · commit ‹gross:1›</sub>\
""")


async def test_d8_a_required_check_that_never_reports_on_the_group_is_named(world):
    """One of two required checks runs for merge groups; the other keeps the queue waiting until GitHub gives up."""
    text = workflow(job("unit"), on=ON, top=READS)
    other = workflow(job("lint"), on=ON.replace("merge_group: , ", ""), top=READS).replace("name: ci", "name: style")
    world.sandbox.ci.job("lint", lambda _: passed("ok"))
    repo = await shop(world, text=text, required=("unit", "lint"), timeout_minutes=30, more={"style.yml": other})
    pull = world.people.open_pull("gross", GROSS, title="Prices with tax")
    await world.settle()
    world.people.enqueue(pull)
    await world.later(1_200.0)
    assert repo.queues["main"] != []
    assert world.said(pull).split("\n\n")[0] == snapshot(
        "✔ failres: neutral: The merge queue waits, since lint never reported on the merge group"
    )
    await world.later(2_400.0)
    assert repo.queues["main"] == []
    assert world.said(pull) == snapshot("""\
✔ failres: neutral: The merge queue gave this pull request up, since lint never reported on the merge group

<!-- failres:sticky:1 -->

**The merge queue gave this pull request up, since `lint` never reported on the merge group**

**What a person must do:** Let `lint` run for merge groups too (workflows ran from `.github/workflows/ci.yml`; each job that is required needs `on: merge_group`, and no filter that leaves it out), or take it off the checks that `main` requires. Until then nothing lands through this queue.

<sub>failres · commit ‹gross:1›</sub>\
""")


async def test_d10_a_green_queue_that_does_not_move_is_a_stall(calm):
    """Every required check has passed on the group, and the base is where it was."""
    await shop(calm)
    calm.sandbox.queues.frozen = True
    pull = calm.people.open_pull("gross", GROSS, title="Prices with tax")
    await calm.settle()
    calm.people.enqueue(pull)
    await calm.later(3_600.0)
    assert calm.said(pull) == ""
    await calm.later(3_600.0)
    assert calm.said(pull) == snapshot("""\
✔ failres: neutral: The merge queue is green and does not move: main is where it was

<!-- failres:sticky:1 -->

**The merge queue is green and does not move: `main` is where it was**

**What a person must do:** Look at the queue's page and at the rules of `main`: every required check has passed on `‹group of #1:1›`, and GitHub does not merge it. Taking the first entry out of the queue and putting it in again makes a new group.

<sub>failres · commit ‹gross:1›</sub>\
""")


async def test_a19_who_stands_behind_a_red_group_is_not_blamed(world):
    """The first breaks the queue; the group behind it is red for that alone, is rebuilt, and lands without a word."""
    repo = await shop(world)
    guilty = world.people.open_pull("gross", GROSS, title="Prices with tax")
    innocent = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await world.settle()
    world.people.push("main", TAXED, by="admin", message="Invoices with tax")
    await world.settle()
    for pull in (guilty, innocent):
        world.people.enqueue(pull)
    await world.later(1_800.0)
    ends = [(run.head_branch.partition("/pr-")[2][0], run.latest.conclusion) for run in runs(repo, event="merge_group")]
    assert ends == [("1", "failure"), ("2", "failure"), ("2", "success")]
    assert (guilty.merged_at, innocent.merged_at is not None) == (None, True)
    assert world.said(innocent) == ""
    assert world.said(guilty).split("<details>")[0] == snapshot("""\
✔ failres: neutral: ci / unit failed: tests/test_invoice.py::test_total: assert 141 == 119

<!-- failres:sticky:1 -->

**`ci / unit` failed: `tests/test_invoice.py::test_total`: `assert 141 == 119`**

[Log of `ci / unit`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

In the merge queue, `unit` failed on `‹group of #1:1›`: this branch merged onto what is ahead of it.

**What happens now:** It is not proven whose failure this is. Enqueue it once more: it lands, or it fails again, and then it is known whose failure it is. failres only explains here; the configuration does not let it act on this pull request.

""")
    world.people.enqueue(guilty)
    await world.later(1_800.0)
    assert verdicts(world, guilty) == {"task-defect"}
    assert "Merged onto `main`, this pull request breaks" in world.said(guilty)
