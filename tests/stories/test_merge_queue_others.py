"""Another CI in the merge queue: whose its failures are, the one that never reports, and a queue that gives up."""

import re

import pytest
from inline_snapshot import snapshot

from bot.sandbox.changes import queue as queues
from bot.sandbox.state import Act, Actor
from tests.stories.acts import runs
from tests.stories.test_merge_queue import GROSS, LANDS, shop, verdicts
from tests.stories.test_third_party import annotation

LINTED = {"title": "1 problem", "summary": "One problem.", "annotations": [annotation(path="price.py")]}
FINE = {"title": "Fine", "summary": "No problem."}


def lint(world, on, conclusion, **more):
    """Another CI's App reports its linter."""
    output = LINTED if conclusion == "failure" else FINE
    world.people.report_check(on, "lint", conclusion, ci="Linter", output=output, **more)


def group(repo):
    """The commit of the first group of the queue."""
    return repo.queues["main"][0].group.head_sha


async def enqueued(world, config="", **rule):
    """A pull request whose own checks are green, first in a queue that waits for another CI."""
    repo = await shop(world, config, required=("unit", "lint"), **rule)
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    lint(world, pull, "success")
    await world.settle()
    world.people.enqueue(pull)
    await world.settle(60.0)
    return repo, pull


async def test_a16_another_cis_failure_in_the_queue_that_the_base_has_too_is_nobodys(world):
    """The linter of another CI fails on the group as it does on the base itself: the author is not blamed."""
    repo, pull = await enqueued(world)
    lint(world, repo.git.branch("main"), "failure")
    lint(world, group(repo), "failure")
    await world.settle()
    assert repo.queues["main"] == []
    assert verdicts(world, pull) == {"base-defect"}
    assert world.said(pull).split("<details>")[0] == snapshot("""\
✔ failres: neutral: Not this pull request: no-magic-number failed in the merge queue, and in the same way on a clean main

<!-- failres:sticky:1 -->

**Not this pull request: `no-magic-number` failed in the merge queue, and in the same way on a clean `main`**

`linter / lint` failed: `no-magic-number`: `100 has no name`

At [`price.py:1`](https://github.test/octo/shop/blob/‹docs:1›/price.py#L1) · [Details of `linter / lint`](https://github.test/octo/shop/runs/‹id›)

In the merge queue, `linter / lint` failed on `‹group of #1:1›`: this branch merged onto what is ahead of it.

**What happens now:** The base has to be mended first; nothing on this branch helps, nor does enqueuing it again. failres only explains here; the configuration does not let it act on this pull request.

""")


async def test_a19_another_cis_failure_in_the_queue_alone_proves_nothing(calm):
    """Red once on the group, and nothing is known of the base: not proven, and what a person can do is said."""
    repo, pull = await enqueued(calm)
    lint(calm, group(repo), "failure")
    await calm.settle()
    assert verdicts(calm, pull) == {"unclassified"}
    assert calm.said(pull).split("<details>")[0] == snapshot("""\
✔ failres: neutral: linter / lint failed: no-magic-number: 100 has no name

<!-- failres:sticky:1 -->

**`linter / lint` failed: `no-magic-number`: `100 has no name`**

At [`price.py:1`](https://github.test/octo/shop/blob/‹docs:1›/price.py#L1) · [Details of `linter / lint`](https://github.test/octo/shop/runs/‹id›)

In the merge queue, `linter / lint` failed on `‹group of #1:1›`: this branch merged onto what is ahead of it.

**What happens now:** It is not proven whose failure this is: checks of another CI cannot be started by failres. Enqueue it once more: it lands, or it fails again, and then it is known whose failure it is. failres only explains here; the configuration does not let it act on this pull request.

""")


async def test_d11_another_cis_flake_in_the_queue_is_tried_once_more(world):
    """Where a pass may land it, the same head is enqueued once more; the other CI passes, and it lands."""
    repo, pull = await enqueued(world, LANDS, timeout_minutes=360)
    first = group(repo)
    lint(world, first, "failure")
    await world.settle()
    assert group(repo) != first
    world.people.report_check(group(repo), "lint", "success", ci="Linter", output=FINE)
    await world.settle()
    await world.later(3_600.0)
    assert pull.merged_at is not None
    assert "(hidden as resolved)" in world.said(pull)
    assert len(runs(repo, event="merge_group")) == 2


async def test_a19_another_cis_failure_that_stays_in_the_queue_is_asked_about_once(world):
    """Red in both places in the queue, and nobody knows the base: people are asked; their try lands it."""
    repo, pull = await enqueued(world, LANDS, timeout_minutes=360)
    first = group(repo)
    lint(world, first, "failure")
    await world.settle()
    second = group(repo)
    lint(world, second, "failure")
    await world.settle()
    assert (second != first, repo.queues["main"]) == (True, [])
    (decision,) = set(re.findall(r"decision=(d-[0-9a-f]+)", world.said(pull)))
    assert world.said(pull).replace(decision, "‹decision›") == snapshot("""\
✔ failres: neutral: linter / lint failed: no-magic-number: 100 has no name

<!-- failres:sticky:1 -->

**`linter / lint` failed: `no-magic-number`: `100 has no name`**

At [`price.py:1`](https://github.test/octo/shop/blob/‹docs:1›/price.py#L1) · [Details of `linter / lint`](https://github.test/octo/shop/runs/‹id›)

In the merge queue, `linter / lint` failed on `‹group of #1:2›`: this branch merged onto what is ahead of it.

**What happens now:** People are asked below: “How should this go on?” Until somebody answers or pushes, nothing automatic follows. It is not proven whose failure this is: checks of another CI cannot be started by failres.

<details>
<summary>Evidence</summary>

| ran on | showed | run | commit | tested base | age at verdict | strength |
| --- | --- | --- | --- | --- | --- | --- |
| a merge group | this failure `v1-e8d9dd32e45ae38f` | [check run ‹id›](https://github.test/octo/shop/runs/‹id›) | `‹group of #1:1›` | `‹main:1›` | ‹age› | strong |
| a merge group | this failure `v1-e8d9dd32e45ae38f` | [check run ‹id›](https://github.test/octo/shop/runs/‹id›) | `‹group of #1:2›` | `‹main:1›` | ‹age› | strong |

</details>

<sub>failres · commit ‹docs:1› · class gate-red-code · fingerprint v1-e8d9dd32e45ae38f</sub>

<!-- failres:decision:‹decision› -->

**How should this go on?**

`no-magic-number` failed on the code: `100 has no name`. People are asked because checks of another CI cannot be started by failres.

Nothing automatic follows here until this is answered or somebody pushes. Somebody with write access answers by a new comment with one of these lines:

- to put it into the merge queue once more, where a pass lands it:

  ```
  /failres answer try-again decision=‹decision›
  ```

- to leave it as it is and go on with the rest:

  ```
  /failres answer accept decision=‹decision›
  ```

<details>
<summary>Evidence</summary>

| ran on | showed | run | commit | tested base | age at verdict | strength |
| --- | --- | --- | --- | --- | --- | --- |
| a merge group | this failure `v1-e8d9dd32e45ae38f` | [check run ‹id›](https://github.test/octo/shop/runs/‹id›) | `‹group of #1:1›` | `‹main:1›` | ‹age› | strong |
| a merge group | this failure `v1-e8d9dd32e45ae38f` | [check run ‹id›](https://github.test/octo/shop/runs/‹id›) | `‹group of #1:2›` | `‹main:1›` | ‹age› | strong |

</details>

[Handoff bundle](https://github.test/octo/shop/blob/failres/state/handoff/pr-1/‹decision›.md): all that is known, for whoever takes over.

<sub>failres · question ‹decision› · commit ‹docs:1› · class gate-red-code</sub>\
""")
    world.clock.advance(1_300.0)
    world.people.comment(pull, f"/failres answer try-again decision={decision}")
    await world.settle()
    lint(world, group(repo), "success")
    await world.settle()
    assert pull.merged_at is not None
    assert "Answered by `author`: `try-again`." in world.said(pull)
    assert len(runs(repo, event="merge_group")) == 3


async def test_d8_another_cis_required_check_that_never_reports_on_the_group_is_named(world):
    """The queue waits for a CI that reports on pull requests alone: which it is, and that no workflow file helps."""
    _, pull = await enqueued(world)
    await world.later(1_200.0)
    assert world.said(pull) == snapshot("""\
✔ failres: neutral: The merge queue waits, since lint never reported on the merge group

<!-- failres:sticky:1 -->

**The merge queue waits, since `lint` never reported on the merge group**

**What a person must do:** Let the other CI that reports `lint` report on merge groups too (branches `gh-readonly-queue/…`), or take it off the checks that `main` requires. Until then nothing lands through this queue.

<sub>failres · commit ‹docs:1›</sub>\
""")


@pytest.mark.parametrize("how", ["check run", "status"])
async def test_d8_what_another_ci_has_begun_to_report_on_the_group_is_waited_for(calm, how):
    """A check run that goes on, and a status that is pending, have reported: nothing is said as long as they may."""
    repo, pull = await enqueued(calm)
    if how == "status":
        calm.people.report_status(group(repo), "lint", "pending", ci="Linter")
    else:
        lint(calm, group(repo), None)
    await calm.later(1_800.0)
    assert calm.said(pull) == ""


async def test_a_queue_that_gave_up_while_checks_still_ran_blames_nobody(world):
    """GitHub's time was over before the check was: the reason is said in plain words, also once the check has ended."""
    repo = await shop(world, timeout_minutes=30)
    pull = world.people.open_pull("gross", GROSS, title="Prices with tax")
    await world.settle()
    world.sandbox.ci.hold("unit")
    world.people.enqueue(pull)
    await world.later(2_400.0)
    assert repo.queues["main"] == []
    told = world.said(pull)
    assert told == snapshot("""\
✔ failres: neutral: The merge queue gave this pull request up after 30 min, while unit had not ended

<!-- failres:sticky:1 -->

**The merge queue gave this pull request up after 30 min, while `unit` had not ended**

**What a person must do:** Enqueue it again. No check failed, so this says nothing against the pull request. Where its checks take so long every time, give them more time: the limit stands in the rules of `main`, at its merge queue.

<sub>failres · commit ‹gross:1›</sub>\
""")
    world.sandbox.ci.release("unit")
    await world.later(1_200.0)
    assert world.said(pull) == told
    world.people.enqueue(pull)
    await world.later(1_200.0)
    assert pull.merged_at is not None


async def test_why_the_queue_let_a_pull_request_go_is_said_in_plain_words(world):
    """A conflict, the rules, a commit that could not be made; what people did themselves needs no word.

    Where no delivery tells, the conversation does, and the words are the same.
    """
    repo, told = await shop(world), {}
    for reason in ("MERGE_CONFLICT", "BRANCH_PROTECTIONS", "INVALID_MERGE_COMMIT", "UNKNOWN_REMOVAL_REASON", "MANUAL"):
        pull = world.people.open_pull(reason.lower(), {f"{reason}.md": "more"}, title=reason)
        await world.settle()
        world.sandbox.queues.frozen = True
        world.people.enqueue(pull)
        await world.later(700.0)
        act = Act(world.sandbox.github, repo, Actor(world.people.account("admin")))
        queues.dequeue(act, pull, reason)
        await world.settle()
        told[reason] = world.said(pull).partition("\n")[0]
    assert told == snapshot(
        {
            "MERGE_CONFLICT": "✔ failres: neutral: The merge queue gave this pull request up, since it conflicts with what has landed or stands ahead of it",
            "BRANCH_PROTECTIONS": "✔ failres: neutral: The merge queue gave this pull request up, since the rules of main do not let it merge",
            "INVALID_MERGE_COMMIT": "✔ failres: neutral: The merge queue gave this pull request up, since GitHub could not make a commit of it",
            "UNKNOWN_REMOVAL_REASON": "✔ failres: neutral: The merge queue gave this pull request up and does not say why",
            "MANUAL": "",
        }
    )
