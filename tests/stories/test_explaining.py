"""A red check is explained on its pull request: what a person reads, in every weather."""

from inline_snapshot import snapshot

from bot.sandbox.ci.runner.function_job import failed, passed

WRONG = {"shop.py": "def total(prices, percent): return sum(prices) - percent\n"}
RIGHT = {"shop.py": "def total(prices, percent): return sum(prices) * (100 - percent) // 100\n"}


def unit(tree):
    """The test suite: red while a discount is not a percentage."""
    if "100 - percent" in tree.read("shop.py"):
        return passed("tests/test_shop.py::test_discount PASSED", "1 passed in 0.02s")
    return failed(
        "============================= test session starts ==============================",
        "collected 1 item",
        "tests/test_shop.py F                                                     [100%]",
        "=================================== FAILURES ===================================",
        "________________________________ test_discount _________________________________",
        "    def test_discount():",
        ">       assert total([100, 100], 10) == 180",
        "E       assert 190 == 180",
        "tests/test_shop.py:4: AssertionError",
        "=========================== short test summary info ============================",
        "FAILED tests/test_shop.py::test_discount - assert 190 == 180",
        "============================== 1 failed in 0.02s ===============================",
    )


TESTS = {
    "tests/test_shop.py": "from shop import total\n\n\ndef test_discount():\n    assert total([100, 100], 10) == 180\n"
}


async def shop(world):
    """A repository with one green check, and failres installed."""
    world.sandbox.ci.job("unit", unit)
    repo = world.repo("shop", {**RIGHT, **TESTS}, {"ci.yml": ("unit",)})
    await world.settle()
    return repo


async def red(world):
    """That repository with a red pull request, explained."""
    await shop(world)
    pull = world.people.open_pull("discount", WRONG, title="Simplify the discount")
    await world.settle()
    return pull


async def test_the_author_reads_what_failed_where_and_what_happens_now(world):
    """A pull request breaks a test. The check run and the one comment name the test, the line, the message and what
    follows; mended by the author, the comment says so and is hidden.
    """
    pull = await red(world)
    assert world.said(pull) == snapshot("""\
✔ failres: neutral: ci / unit failed: tests/test_shop.py::test_discount: assert 190 == 180
  tests/test_shop.py:4 tests/test_shop.py::test_discount: assert 190 == 180

<!-- failres:sticky:1 -->

**`ci / unit` failed: `tests/test_shop.py::test_discount`: `assert 190 == 180`**

At [`tests/test_shop.py:4`](https://github.test/octo/shop/blob/‹discount:1›/tests/test_shop.py#L4) · [Log of `ci / unit`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

**What happens now:** It is not proven whose failure this is: the clean base is not asked, since the mode of probes is `observe`. failres only explains here; the configuration does not let it act on this pull request.

<details>
<summary>Evidence</summary>

| ran on | showed | run | commit | tested base | age at verdict | strength |
| --- | --- | --- | --- | --- | --- | --- |
| this branch | this failure `v1-7c29cc8a73cb4188` | [run ‹id›, attempt 1](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›) | `‹discount:1›` | `3e69c80` | ‹age› | strong |

</details>

<details>
<summary>Log of ci / unit</summary>

```text
shell: /usr/bin/bash -e {0}

============================= test session starts ==============================
collected 1 item
tests/test_shop.py F                                                     [100%]
=================================== FAILURES ===================================
________________________________ test_discount _________________________________
    def test_discount():
>       assert total([100, 100], 10) == 180
E       assert 190 == 180
tests/test_shop.py:4: AssertionError
=========================== short test summary info ============================
FAILED tests/test_shop.py::test_discount - assert 190 == 180
============================== 1 failed in 0.02s ===============================
Process completed with exit code 1.
```

</details>

<sub>failres · commit ‹discount:1› · class gate-red-code · fingerprint v1-7c29cc8a73cb4188</sub>\
""")
    world.people.push("discount", RIGHT)
    await world.settle()
    assert world.said(pull) == snapshot("""\
(hidden as resolved)
<!-- failres:sticky:1 -->

**Green again** at `‹discount:2›`: `ci / unit` passed.

<sub>failres · commit ‹discount:2›</sub>\
""")


async def test_a_check_that_fails_again_brings_the_comment_back(world):
    """Green, then red once more: the same comment is shown again, no second one is written."""
    pull = await red(world)
    world.people.push("discount", RIGHT)
    await world.settle()
    world.people.push("discount", {"shop.py": WRONG["shop.py"] + "# again\n"})
    await world.settle()
    assert world.said(pull).count("failres:sticky") == 1
    assert "hidden as resolved" not in world.said(pull)


async def test_a_rerun_that_passes_turns_the_same_head_green(world):
    """A person reruns the failed job and it passes: comment and check run on the same commit follow."""
    await shop(world)
    world.sandbox.ci.fail_once("unit", "error: the clock was wrong")
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await world.settle()
    assert "the clock was wrong" in world.said(pull)
    (run,) = [r for r in world.where(pull).runs.values() if r.head_sha == pull.head_sha]
    await world.people.rerun(run)
    await world.settle()
    assert world.said(pull) == snapshot("""\
✔ failres: neutral: Green again

(hidden as resolved)
<!-- failres:sticky:1 -->

**Green again** at `‹docs:1›`: `ci / unit` passed.

Flaky: `unit` failed and passed on the very same commit.

<sub>failres · commit ‹docs:1›</sub>\
""")


async def test_two_pull_requests_are_explained_each_on_its_own(world):
    """What fails on one says nothing on the other."""
    first = await red(world)
    second = world.people.open_pull("docs", {"README.md": "more"})
    third = world.people.open_pull("other", {"shop.py": WRONG["shop.py"] + "# other\n"})
    await world.settle()
    assert "test_discount" in world.said(first)
    assert world.said(second) == ""
    assert "test_discount" in world.said(third)


async def test_the_stop_label_silences_and_its_removal_lets_failres_speak(world):
    """Anyone may stop failres on a pull request."""
    await shop(world)
    world.people.push("discount", WRONG, start="main")
    pull = world.people.open_pull("discount", title="Simplify")
    world.people.label(pull, "failres:stop")
    await world.settle()
    assert world.said(pull) == ""
    world.people.unlabel(pull, "failres:stop")
    await world.settle()
    assert "test_discount" in world.said(pull)


async def test_a_repository_that_says_enabled_false_is_left_alone(world):
    """The repository's own kill switch, on the base branch."""
    await shop(world)
    world.people.push("main", {".github/failres.yml": "enabled: false\n"}, by="admin")
    await world.settle()
    pull = world.people.open_pull("discount", WRONG)
    await world.settle()
    assert world.said(pull) == ""
    world.people.push("main", {".github/failres.yml": "enabled: true\n"}, by="admin")
    await world.settle()
    assert "test_discount" in world.said(pull)


async def test_a_broken_configuration_on_the_base_is_told_and_nothing_else_is_done(world):
    """The kill switch cannot be read, so only the check run says why failres keeps still."""
    await shop(world)
    world.people.push("main", {".github/failres.yml": "enabled: perhaps\n"}, by="admin")
    await world.settle()
    pull = world.people.open_pull("discount", WRONG)
    await world.settle()
    assert "failres:sticky" not in world.said(pull)
    assert "✔ failres: neutral" in world.said(pull)


async def test_f3_f4_a_marker_in_somebody_elses_comment_is_not_ours(world):
    """Anyone can post the hidden mark; failres writes its own comment and leaves theirs as it is."""
    await shop(world)
    pull = world.people.open_pull("discount", WRONG)
    theirs = world.people.comment(pull, f"<!-- failres:sticky:{pull.number} -->\nfailres says all is fine", by="reader")
    await world.settle()
    assert theirs.body.endswith("all is fine")
    (mine,) = [each for each in world.where(pull).comments.values() if each.via_app is world.sandbox.app]
    assert "test_discount" in mine.body
    world.said(pull)


async def test_a_deleted_comment_is_written_anew_within_the_days_budget(world):
    """Somebody deletes the comment while the check is red: it comes back, but not without end."""
    pull = await red(world)
    for _ in range(4):
        mine = [c for c in world.where(pull).comments.values() if c.via_app is world.sandbox.app]
        if mine:
            world.people.delete_comment(mine[0], by="maintainer")
        world.people.push("discount", {"shop.py": WRONG["shop.py"] + f"# {world.clock.now()}\n"})
        await world.settle()
    assert "failres:sticky" not in world.said(pull)
    assert "✔ failres" in world.said(pull)


async def test_a_renamed_repository_is_still_known(world):
    """The repository's id is what counts."""
    await shop(world)
    world.people.rename("store")
    pull = world.people.open_pull("discount", WRONG)
    await world.settle()
    assert "test_discount" in world.said(pull)


async def test_a_pull_request_that_moves_while_it_is_looked_at_is_told_of_its_new_head(world):
    """Two pushes in a row: only the last head is spoken of."""
    await shop(world)
    pull = world.people.open_pull("discount", WRONG)
    await world.step()
    world.people.push("discount", {"shop.py": WRONG["shop.py"] + "# more\n"})
    await world.settle()
    assert "‹discount:2›" in world.said(pull)
    assert "‹discount:1›" not in world.said(pull)
