"""What a task may change stands in the `failres` block of its description; one that cannot be used is asked about."""

import re

from inline_snapshot import snapshot

from bot.cli.scenarios import team
from tests.stories.test_commands import reactions
from tests.stories.test_decisions import CONFIG, NO_BASE, executions

BROKEN = """Makes discounts a percentage.

```failres
scope:
  - shop.py
  - ../other/**
  - .github/workflows/ci.yml
  - tests/
```
"""
MENDED = BROKEN.replace("  - ../other/**\n  - .github/workflows/ci.yml\n  - tests/\n", "  - tests/**\n")


async def opened(world, body, **how):
    """A red pull request with that description."""
    world.sandbox.ci.job("unit", team.unit)
    world.repo("shop", team.files(config=CONFIG), {"ci.yml": NO_BASE})
    await world.settle()
    pull = world.people.open_pull("discount", {"shop.py": team.WRONG}, body=body, **how)
    await world.settle()
    return pull


async def test_a_block_that_cannot_be_used_is_asked_about_and_holds_the_task(world):
    """Nothing is run again until the description is corrected; then the question has ended and the work goes on."""
    pull = await opened(world, BROKEN)
    assert executions(world, pull) == 1
    said = world.said(pull)
    assert re.sub(r"d-[0-9a-f]{10}", "d-‹id›", said) == snapshot("""\
✔ failres: neutral: ci / unit failed: tests/test_shop.py::test_discount: assert 190 == 180
  tests/test_shop.py:5 tests/test_shop.py::test_discount: assert 190 == 180

<!-- failres:sticky:1 -->

**`ci / unit` failed: `tests/test_shop.py::test_discount`: `assert 190 == 180`**

At [`tests/test_shop.py:5`](https://github.test/octo/shop/blob/‹discount:1›/tests/test_shop.py#L5) · [Log of `ci / unit`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

**It is not clear what this task may change**: the `failres` block of the description cannot be used (line 6: `../other/** cannot be used: it has a . or .. part`, and 2 more). Nothing automatic is done here until the description is corrected.

**What happens now:** People are asked below: “Which files may this task change?” It is not proven whose failure this is: the `failres` block of the description cannot be used; the clean base is not asked, since the mode of probes is `observe`.

<details>
<summary>Evidence</summary>

| ran on | showed | run | commit | tested base | age at verdict | strength |
| --- | --- | --- | --- | --- | --- | --- |
| this branch | this failure `v1-7c29cc8a73cb4188` | [run ‹id›, attempt 1](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›) | `‹discount:1›` | `63acda9` | ‹age› | strong |

</details>

<details>
<summary>Log of ci / unit</summary>

```text
Run make unit
make unit
shell: /usr/bin/bash -e {0}

tests/test_shop.py F                                                     [100%]
=================================== FAILURES ===================================
________________________________ test_discount _________________________________
    def test_discount():
>       assert total([100, 100], 10) == 180
E       assert 190 == 180
tests/test_shop.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_shop.py::test_discount - assert 190 == 180
============================== 1 failed in 0.02s ===============================
Process completed with exit code 1.
```

</details>

<sub>failres · commit ‹discount:1› · class gate-red-code · fingerprint v1-7c29cc8a73cb4188</sub>

<!-- failres:decision:d-‹id› -->

**Which files may this task change?**

The `failres` block in the description of this pull request cannot be used:

- line 6: `../other/** cannot be used: it has a . or .. part`
- line 7: `.github/workflows/ci.yml is protected: no task may change it`
- line 8: `tests/ is a folder; tests/** stands for all files in it`

Nothing automatic follows here until that is corrected. Edit the description: it is read anew at once, and no reply is needed. A block that can be used looks like this (`*` stands for any text without a slash, `**` for any text):

````markdown
```failres
scope:
  - src/shop.py
  - tests/**
```
````

Without a block, a task may change what the configuration says for its branch, else the files that it changed when it was first seen. To put this question away, somebody with write access answers by a new comment:

- to wait for somebody who takes care of it:

  ```
  /failres answer noted decision=d-‹id›
  ```

[Handoff bundle](https://github.test/octo/shop/blob/failres/state/handoff/pr-1/d-‹id›.md): all that is known, for whoever takes over.

<sub>failres · question d-‹id› · commit ‹discount:1› · class plan-invalid</sub>\
""")
    world.people.edit_pull(pull, body=MENDED)
    await world.settle()
    assert "It ended without an answer: the description was edited." in world.said(pull)
    assert executions(world, pull) == 2
    (decided,) = [
        row.data
        for row in await world.journal()
        if row.data.get("failClass") == "plan-invalid" and row.kind == "resolve.decision"
    ]
    assert (decided["scope"], decided["action"], decided["attempt"]) == ("run", "escalate", 1)


async def test_an_answer_puts_the_question_away_and_lifts_nothing(calm):
    """The block still cannot be used, so that what the task may change is still not known."""
    pull = await opened(calm, BROKEN)
    comment = calm.people.comment(pull, "/failres answer noted", by="maintainer")
    await calm.settle()
    assert reactions(comment) == ["+1"]
    assert "Answered by `maintainer`: `noted`." in calm.said(pull)
    assert executions(calm, pull) == 1


async def test_a_block_of_a_fork_is_explained_only(calm):
    """Nobody is asked: failres would do nothing there anyway."""
    pull = await opened(calm, BROKEN, fork=True, by="outsider")
    said = calm.said(pull)
    assert "The `failres` block in the description of this pull request cannot be used:" in said
    assert "/failres answer" not in said
