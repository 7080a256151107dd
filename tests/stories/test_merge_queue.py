"""Failures in the merge queue: whose they are, one more place in it at most, and what keeps a queue from going on."""

from inline_snapshot import snapshot

from bot.sandbox.ci.runner.function_job import failed, passed
from tests.stories.acts import READS, runs, workflow

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


async def shop(world, config="", text=None, **rule):
    """A repository with a merge queue on main, whose base has been tested."""
    world.sandbox.ci.job("unit", unit)
    files = {"price.py": ALONE, "invoice.py": "def total(net): return price(net)\n", ".github/failres.yml": config}
    repo = world.repo("shop", files, {"ci.yml": text or workflow(on=ON, top=READS)})
    world.people.merge_queue(**rule)
    world.people.push("main", {"CHANGELOG.md": "first"}, by="admin")
    await world.settle()
    return repo


def verdicts(world, pull):
    """The classes that stand on a pull request's head."""
    (state,) = [known.state for known in world.failres.service._loop._known.values() if known.state.pulls]
    return {v.klass for v in state.pulls[pull.number].verdicts.values()}


async def test_a_green_group_lands_and_nothing_is_said(world):
    """Everything is fine: no word."""
    await shop(world)
    pull = world.people.open_pull("gross", GROSS, title="Prices with tax")
    await world.settle()
    world.people.enqueue(pull)
    await world.settle()
    assert pull.merged_at is not None
    assert world.said(pull) == ""


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
