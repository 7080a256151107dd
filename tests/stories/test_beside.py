"""What stands beside a verdict: the task's own earlier merge, a check that never ran, labels, and the base's changes."""

from inline_snapshot import snapshot

from bot.sandbox.ci.runner.function_job import failed, passed
from resolver.attribution.classes import CARRIES_BASE
from resolver.journal import from_json
from tests.stories.acts import GREEN, MANAGED, RED, open_shop
from tests.stories.test_explaining import RIGHT, TESTS, WRONG
from tests.stories.test_whose_failure import shop, verdicts

ITEM = "tests/test_shop.py::test_discount"


async def rerun_red(world, pull):
    """Somebody presses the button of Actions: the failed job runs once more."""
    (run,) = [r for r in world.where(pull).runs.values() if r.head_sha == pull.head_sha]
    await world.people.rerun(run)
    await world.settle()


async def test_a2_what_had_landed_before_does_not_excuse_it(world):
    """A change landed, broke the base, was reverted, and is opened again. That the base failed so then is its own doing:
    it is called neither the base's defect nor a flake, and the reader is told why.
    """
    await shop(world)
    first = world.people.open_pull("discount", WRONG, title="Simplify the discount")
    await world.settle()
    await world.people.merge(first, method="squash")
    bystander = world.people.open_pull("docs", {"README.md": "more"}, title="Say more", by="maintainer")
    await world.settle()
    assert verdicts(world, bystander) == {ITEM: "base-defect"}
    world.people.push("main", RIGHT, by="admin", message='Revert "Simplify the discount (#1)"')
    world.people.close(bystander, by="maintainer")
    await world.settle()
    world.people.push("discount", {"NEWS.md": "again"}, start="main")
    again = world.people.open_pull("discount", WRONG, title='Reapply "Simplify the discount"')
    await world.settle()
    await rerun_red(world, again)
    assert verdicts(world, again) == {ITEM: "task-defect"}
    said = world.said(again)
    assert said.split("<details>")[0] == snapshot("""\
✔ failres: neutral: This pull request breaks tests/test_shop.py::test_discount: it fails here and passes on a clean main
  tests/test_shop.py:4 tests/test_shop.py::test_discount: assert 190 == 180

<!-- failres:sticky:3 -->

**This pull request breaks `tests/test_shop.py::test_discount`: it fails here and passes on a clean `main`**

`ci / unit` failed: `tests/test_shop.py::test_discount`: `assert 190 == 180`

At [`tests/test_shop.py:4`](https://github.test/octo/shop/blob/‹discount:2›/tests/test_shop.py#L4) · [Log of `ci / unit`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

The same failure on `‹main:2›` is no evidence against the base: that commit is this very change, which had landed before as pull request 1.

**What happens now:** The branch has to be mended; the failing lines are named above. failres only explains here; the configuration does not let it act on this pull request.

""")
    assert "not this pull request" in world.said(bystander).lower()
    assert "landed before" not in world.said(first)


DOCS = """\
name: docs
on:
  pull_request: {paths: ["docs/**"]}
  push: {branches: [main]}
permissions: {contents: read}
jobs:
  links: {runs-on: ubuntu-latest, steps: [{uses: actions/checkout@v4}, {run: make links}]}
"""


def links(tree):
    """The links of the documentation: they need a page that the shop's file names."""
    if "percent" in tree.read("shop.py"):
        return passed("docs/test_links.py::test_discount PASSED", "1 passed in 0.02s")
    return failed("FAILED docs/test_links.py::test_discount - assert 'percent' in page", "1 failed in 0.02s")


async def test_a21_a_check_that_never_ran_before_the_merge_is_named_as_a_cause(world):
    """A path filter kept the check off the pull request that broke it; the next one that meets it is told so."""
    world.sandbox.ci.job("links", links)
    world.repo("shop", {**RIGHT, **TESTS}, {"docs.yml": DOCS})
    world.people.push("main", {"CHANGELOG.md": "first"}, by="admin")
    await world.settle()
    breaking = world.people.open_pull("rename", {"shop.py": "def total(prices, off): return off\n"}, title="Rename it")
    await world.settle()
    await world.people.merge(breaking)
    await world.settle()
    pull = world.people.open_pull("docs", {"docs/shop.md": "more"}, title="Say more")
    await world.settle()
    assert verdicts(world, pull) == {"docs/test_links.py::test_discount": "base-defect"}
    assert world.said(pull).split("<details>")[0] == snapshot("""\
✔ failres: neutral: Not this pull request: docs/test_links.py::test_discount fails in the same way on a clean main

<!-- failres:sticky:2 -->

**Not this pull request: `docs/test_links.py::test_discount` fails in the same way on a clean `main`**

`docs / links` failed: `docs/test_links.py::test_discount`: `assert 'percent' in page`

[Log of `docs / links`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

`links` first failed on `‹main:2›`, with which pull request 1 landed, and it had never run on that pull request: its path filter leaves out what was changed there.

**What happens now:** The base has to be mended; nothing on this branch helps, and rerunning does not either. failres only explains here; the configuration does not let it act on this pull request.

""")


async def test_a17_a6_a_label_is_noted_beside_the_verdict_and_can_be_taken_back(calm):
    """Somebody says by a label that it is intermittent: the executions still say whose it is. Without the label nobody
    says so any more.
    """
    await shop(calm)
    pull = calm.people.open_pull("discount", WRONG, title="Simplify the discount")
    calm.people.label(pull, "Intermittent")
    await calm.settle()
    await rerun_red(calm, pull)
    assert verdicts(calm, pull) == {ITEM: "task-defect"}
    assert calm.said(pull).split("<details>")[0] == snapshot("""\
✔ failres: neutral: This pull request breaks tests/test_shop.py::test_discount: it fails here and passes on a clean main
  tests/test_shop.py:4 tests/test_shop.py::test_discount: assert 190 == 180

<!-- failres:sticky:1 -->

**This pull request breaks `tests/test_shop.py::test_discount`: it fails here and passes on a clean `main`**

`ci / unit` failed: `tests/test_shop.py::test_discount`: `assert 190 == 180`

At [`tests/test_shop.py:4`](https://github.test/octo/shop/blob/‹discount:1›/tests/test_shop.py#L4) · [Log of `ci / unit`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

Noted: the label `Intermittent`. What people say of a failure changes no verdict; only executions do.

**What happens now:** The branch has to be mended; the failing lines are named above. failres only explains here; the configuration does not let it act on this pull request.

""")
    calm.people.unlabel(pull, "Intermittent")
    await calm.settle()
    assert verdicts(calm, pull) == {ITEM: "task-defect"}
    assert "label" not in calm.said(pull)


def taxed(tree):
    """A suite that needs the rates wherever there is a tax."""
    if tree.read("tax.py") and not tree.read("rates.py"):
        return failed("FAILED tests/test_tax.py::test_rate - FileNotFoundError: rates.py", "1 failed in 0.02s")
    return passed("tests/test_tax.py::test_rate PASSED", "1 passed in 0.02s")


async def test_a_branch_that_carries_the_bases_own_changes_is_brought_up_to_date(world):
    """The author had copied a file of a colleague, which then landed with what it needs: that is drift. People were asked
    before that was known, so that one of them commands the rebase; then the copy is gone from the branch.
    """
    repo = await open_shop(world, config=MANAGED)
    world.sandbox.ci.job("unit", taxed)
    pull = world.people.open_pull("till", {"till.py": "import tax\n"}, title="Add a till")
    world.people.push("till", {"tax.py": "RATE = open('rates.py')\n"}, message="Take the tax along")
    await world.settle()
    world.people.push("main", {"tax.py": "RATE = open('rates.py')\n", "rates.py": "7\n"}, by="admin", message="Tax")
    await world.settle()
    assert "That was not done: people were asked here, and nothing is begun before they answer" in world.said(pull)
    world.people.comment(pull, "/failres sync", by="maintainer")
    await world.settle()
    assert [commit.message for commit in repo.git.log(pull.head_sha, repo.git.branch("main"))] == snapshot(
        ["Add a till"]
    )
    given = [from_json(row.kind, row.data) for row in await world.journal() if row.kind == "gate.attributed"]
    assert [each.klass for each in given if each.reason == CARRIES_BASE] == ["base-drift"]
    said = world.said(pull)
    assert said.split("<!-- failres:decision")[0] == snapshot("""\
(hidden as resolved)
<!-- failres:sticky:1 -->

**Green again** at `‹till:3›`: `ci / unit` passed.

failres rebased this branch onto `main` at `‹main:1›`; its head was `‹till:2›` before. Run `git pull --rebase` before you push to it again.

<sub>failres · commit ‹till:3›</sub>

""")


async def test_a_rebase_that_leaves_more_than_the_task_may_change_quarantines_it(world):
    """The base was mended, so that the branch is rebased; what it then still changes was not its own to change when it
    was first seen. It is green, and nothing automatic is done on it all the same.
    """
    repo = await open_shop(world, config=MANAGED)
    world.people.push("main", RED, by="admin", message="Simplify the discount")
    await world.settle()
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await world.settle()
    world.people.push("docs", {"other.py": "x = 1\n"}, message="Something else")
    await world.settle()
    world.people.push("main", GREEN, by="admin", message="Mend the discount")
    await world.settle()
    assert repo.git.merge_base(pull.head_sha, repo.git.branch("main")) == repo.git.branch("main")
    held = [from_json(row.kind, row.data) for row in await world.journal() if row.kind == "task.quarantined"]
    assert [(each.cause, each.message, each.heads.head) for each in held] == [("sync", "other.py", pull.head_sha)]
    said = world.said(pull)
    assert said.split("<!-- failres:decision")[0] == snapshot("""\
<!-- failres:sticky:1 -->

**Green again** at `‹docs:3›`: `ci / unit` passed.

failres rebased this branch onto `main` at `‹main:2›`; its head was `‹docs:2›` before. Run `git pull --rebase` before you push to it again.

**Quarantined**: after the rebase the branch still changes files that this task may not change: `other.py`. Nothing automatic is done here until somebody pushes, a question here is answered, or the base moves.

<sub>failres · commit ‹docs:3›</sub>

""")
    assert "answer scopeFiles=other.py decision=d-" in said
