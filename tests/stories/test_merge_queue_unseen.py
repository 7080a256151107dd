"""A check that is skipped on pull requests, which GitHub counts as passed, meets a change in the queue only."""

from inline_snapshot import snapshot

from bot.sandbox.ci.runner.function_job import failed, passed
from tests.stories.acts import READS, workflow
from tests.stories.test_merge_queue import ALONE, GROSS, ON, shop

E2E = """\
name: e2e
on: {pull_request: , merge_group: , push: {branches: [main]}}
permissions: {contents: read}
jobs:
  checkout:
    if: github.event_name != 'pull_request'
    runs-on: ubuntu-latest
    steps: [{uses: actions/checkout@v4}, {run: make e2e}]
"""


def checkout(tree):
    """A purchase from end to end: the price is the net one."""
    if tree.read("price.py") == ALONE:
        return passed("e2e/test_buy.py::test_price PASSED", "1 passed in 0.02s")
    return failed("FAILED e2e/test_buy.py::test_price - assert 119 == 100", "1 failed in 0.02s")


async def test_a21_a_check_of_merge_groups_only_is_told_as_one_that_never_ran_before(calm):
    """The author sees green on the pull request and red in the queue, and is told that the check had not run before."""
    calm.sandbox.ci.job("checkout", checkout)
    text = workflow(on=ON, top=READS)
    repo = await shop(calm, text=text, required=("unit", "checkout"), more={"e2e.yml": E2E})
    pull = calm.people.open_pull("gross", GROSS, title="Prices with tax")
    await calm.settle()
    calm.people.enqueue(pull)
    await calm.later(1_800.0)
    assert [run.name for run in repo.runs.values() if run.event == "merge_group"] == ["ci", "e2e"]
    assert calm.said(pull).split("<details>")[0] == snapshot("""\
✔ failres: neutral: e2e / checkout failed: e2e/test_buy.py::test_price: assert 119 == 100

<!-- failres:sticky:1 -->

**`e2e / checkout` failed: `e2e/test_buy.py::test_price`: `assert 119 == 100`**

[Log of `e2e / checkout`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

In the merge queue, `checkout` failed on `‹group of #1:1›`: this branch merged onto what is ahead of it.

`checkout` had never run on this pull request before the merge queue: its workflow runs it on other events only.

**What happens now:** It is not proven whose failure this is. Enqueue it once more: it lands, or it fails again, and then it is known whose failure it is. failres only explains here; the configuration does not let it act on this pull request.

""")
