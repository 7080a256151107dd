"""The two rules of the table that no failure class names: what died without a word, and a gate that is flaky again."""

import re

import pytest
from inline_snapshot import snapshot

from bot.cli.scenarios import team, whose
from bot.sandbox.faults import Fault
from tests.stories.test_interrupted import HOUR, question, records

WITHOUT_A_WORD = Fault("GET", "/repos/*/check-runs/*/annotations", status=200, body=[], times=None)
"""GitHub tells nothing of the job either: it has no log, and no annotation."""


SLOW = [pytest.param(weather, marks=pytest.mark.soak) for weather in ("lost", "twice", "late")]
BOTH = pytest.mark.parametrize("world", ["calm", "restart", *SLOW], indirect=True)
"""Hours pass in these stories, with nothing in them that lost or shuffled deliveries do not meet elsewhere."""


def decisions(rows):
    """What the table decided on the task, in order."""
    return [(each["failClass"], each["attempt"], each["action"]) for each in records(rows, "resolve.decision")]


@BOTH
async def test_a_runner_that_dies_without_a_word_is_replaced_twice_and_then_people_are_asked(world):
    """No log, no annotation, no step that failed: it is run again after its waits, and the third death is for people."""
    await whose.shop(world)
    world.sandbox.faults.add(WITHOUT_A_WORD)
    world.sandbox.ci.lose_runner("unit", times=3)
    pull = world.people.open_pull("docs", {"README.md": "more"})
    await world.later(HOUR)
    assert whose.reruns(world.where(pull), pull) == 2
    rows = await world.journal()
    assert decisions(rows) == [("crash", 1, "resume"), ("crash", 2, "resume"), ("crash", 3, "escalate")]
    assert [each["success"] for each in records(rows, "resolve.outcome")] == [False, False]
    assert question(world.said(pull)).partition("Nothing automatic")[0] == snapshot("""\
**How should this go on?**

`unit` failed. It died without a word. People are asked because there is no log; it was run again and failed again.

**What helps:** see on the run's own page what GitHub says, and whether the runner is in order; then run it again.

""")


@BOTH
async def test_b4_a_gate_that_is_flaky_again_is_asked_about_and_not_run_again(world):
    """A pass hides a flaky test only once: the second flake of a check has its one execution, and is for people then."""
    repo = await whose.shop(world)
    pulls = []
    for branch in ("first", "second"):
        world.sandbox.ci.fail_once("unit", *team.RED)
        pulls.append(world.people.open_pull(branch, {f"{branch}.md": "more"}))
        await world.later(2_400.0)
    assert [whose.reruns(repo, pull) for pull in pulls] == [1, 1]
    assert "Who mends this flaky test?" not in world.said(pulls[0])
    asked = re.sub(r"<details>.*?</details>\n\n", "", question(world.said(pulls[1])), flags=re.DOTALL)
    assert asked.partition("[Handoff")[0] == snapshot("""\
**Who mends this flaky test?**

`tests/test_shop.py::test_discount` was flaky for the second time within the configured time; running it again hides that only. People are asked because the same commit, base and configuration failed and passed.

Nothing automatic follows here until this is answered or somebody pushes. Somebody with write access answers by a new comment with one of these lines:

- to say that somebody takes care of it:

  ```
  /failres answer noted decision=d-‹id›
  ```

""")
    (told,) = records(await world.journal(), "resolve.decision", action="escalate")
    assert (told["failClass"], told.get("counts", True)) == ("gate-red-code", True)
