"""Whose failure is it: what executions prove that are there anyway, without any action of failres's own."""

from inline_snapshot import snapshot

from tests.stories.test_explaining import RIGHT, TESTS, WRONG, unit


async def shop(world):
    """A repository whose base has been tested, with failres installed."""
    world.sandbox.ci.job("unit", unit)
    repo = world.repo("shop", {**RIGHT, **TESTS}, {"ci.yml": ("unit",)})
    world.people.push("main", {"CHANGELOG.md": "first"}, by="admin")
    await world.settle()
    return repo


def verdicts(world, pull):
    """The classes that stand on a pull request's head, by item."""
    (key,) = list(world.failres.service._loop._known)[:1]
    state = world.failres.service._loop._known[key].state
    return {v.item or v.check.job: v.klass for v in state.pulls[pull.number].verdicts.values()}


async def test_a_base_that_fails_in_the_same_way_is_to_blame(world):
    """The base was broken by a push; an innocent pull request is told that it is not its failure."""
    await shop(world)
    world.people.push("main", WRONG, by="admin", message="Simplify the discount")
    await world.settle()
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await world.settle()
    assert verdicts(world, pull) == {"tests/test_shop.py::test_discount": "base-defect"}
    assert world.said(pull).split("<details>")[0] == snapshot("""\
✔ failres: neutral: Not this pull request: tests/test_shop.py::test_discount fails in the same way on a clean main
  tests/test_shop.py:4 tests/test_shop.py::test_discount: assert 190 == 180

<!-- failres:sticky:1 -->

**Not this pull request: `tests/test_shop.py::test_discount` fails in the same way on a clean `main`**

`ci / unit` failed: `tests/test_shop.py::test_discount`: `assert 190 == 180`

At [`tests/test_shop.py:4`](https://github.test/octo/shop/blob/‹docs:1›/tests/test_shop.py#L4) · [Log of `ci / unit`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

**What happens now:** The base has to be mended; nothing on this branch helps, and rerunning does not either. failres only explains here; the configuration does not let it act on this pull request.

""")


async def test_a_failure_that_the_base_does_not_have_and_that_comes_again_is_the_tasks(world):
    """Red twice on the head, green on the base where the item was seen to run."""
    await shop(world)
    pull = world.people.open_pull("discount", WRONG, title="Simplify the discount")
    await world.settle()
    assert verdicts(world, pull) == {"tests/test_shop.py::test_discount": "unclassified"}
    (run,) = [r for r in world.where(pull).runs.values() if r.head_sha == pull.head_sha]
    await world.people.rerun(run)
    await world.settle()
    assert verdicts(world, pull) == {"tests/test_shop.py::test_discount": "task-defect"}
    assert world.said(pull).split("<details>")[0] == snapshot("""\
✔ failres: neutral: This pull request breaks tests/test_shop.py::test_discount: it fails here and passes on a clean main
  tests/test_shop.py:4 tests/test_shop.py::test_discount: assert 190 == 180

<!-- failres:sticky:1 -->

**This pull request breaks `tests/test_shop.py::test_discount`: it fails here and passes on a clean `main`**

`ci / unit` failed: `tests/test_shop.py::test_discount`: `assert 190 == 180`

At [`tests/test_shop.py:4`](https://github.test/octo/shop/blob/‹discount:1›/tests/test_shop.py#L4) · [Log of `ci / unit`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

**What happens now:** The branch has to be mended; the failing lines are named above. failres only explains here; the configuration does not let it act on this pull request.

""")


async def test_c5_a_failure_mended_on_the_base_since_is_drift(world):
    """The branch was tested with a broken base that has been mended: it needs the newer one."""
    await shop(world)
    world.people.push("main", WRONG, by="admin", message="Simplify the discount")
    await world.settle()
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await world.settle()
    world.people.push("main", RIGHT, by="admin", message="Mend the discount")
    await world.settle()
    assert verdicts(world, pull) == {"tests/test_shop.py::test_discount": "base-drift"}
    assert world.said(pull).split("<details>")[0] == snapshot("""\
✔ failres: neutral: tests/test_shop.py::test_discount was mended on main after this branch was tested: it needs the newer base
  tests/test_shop.py:4 tests/test_shop.py::test_discount: assert 190 == 180

<!-- failres:sticky:1 -->

**`tests/test_shop.py::test_discount` was mended on `main` after this branch was tested: it needs the newer base**

`ci / unit` failed: `tests/test_shop.py::test_discount`: `assert 190 == 180`

At [`tests/test_shop.py:4`](https://github.test/octo/shop/blob/‹docs:1›/tests/test_shop.py#L4) · [Log of `ci / unit`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

**What happens now:** The branch has to be updated to its base; rerunning would test the old one again. failres only explains here; the configuration does not let it act on this pull request.

""")


async def test_a11_red_and_green_on_one_commit_is_a_flake(world):
    """Failed, then passed on identical inputs: a flake, and it is said so even though it is green now."""
    await shop(world)
    flaky = unit_that_fails()
    world.sandbox.ci.fail_once("unit", *flaky)
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await world.settle()
    (run,) = [r for r in world.where(pull).runs.values() if r.head_sha == pull.head_sha]
    await world.people.rerun(run)
    await world.settle()
    assert verdicts(world, pull) == {"tests/test_shop.py::test_discount": "flake"}
    assert "Flaky: `tests/test_shop.py::test_discount` failed and passed on the very same commit." in world.said(pull)


def unit_that_fails():
    """What the suite prints when the discount is wrong."""

    class Wrong:
        """A tree with the wrong discount."""

        def read(self, _):
            """Whatever is asked for, it is the wrong file."""
            return WRONG["shop.py"]

    return unit(Wrong()).lines
