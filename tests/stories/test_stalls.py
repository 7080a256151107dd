"""A check that gets nowhere is told while it still runs; what only waits is not called a stall."""

from inline_snapshot import snapshot

from bot.sandbox.ci.runner.function_job import passed
from tests.stories.test_attribution import verdicts

MINUTE = 60.0
CONFIG = {".github/failres.yml": "stall:\n  budgets:\n    - {step: Test, budget: 10m}\n"}
WORKFLOW = """\
name: ci
on:
  push:
    branches: [main]
  pull_request:
jobs:
  unit:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Test
        run: make unit
"""


def unit(_):
    """A suite that takes two minutes."""
    return passed("1 passed in 0.02s", seconds=2 * MINUTE)


async def shop(world, **files):
    """A repository whose one check is green on the base, with failres installed."""
    world.sandbox.ci.job("unit", unit)
    repo = world.repo("shop", {"shop.py": "", **CONFIG, **files}, {"ci.yml": WORKFLOW})
    world.people.push("main", {"CHANGELOG.md": "first"}, by="admin")
    await world.settle()
    return repo


async def stalled(world):
    """A pull request whose test step hangs for longer than its budget."""
    await shop(world)
    world.sandbox.ci.hold("unit", step="Test")
    pull = world.people.open_pull("hang", {"shop.py": "while True: pass\n"}, title="Wait for it")
    await world.settle()
    await world.later(35 * MINUTE)
    return pull


async def test_a_step_that_hangs_is_told_while_it_still_runs(world):
    """A running step without change past its budget: check run and comment name it; failres ends nothing."""
    pull = await stalled(world)
    assert verdicts(world, pull) == {"Test": "gate-stalled"}
    assert world.said(pull) == snapshot("""\
✔ failres: neutral: Test makes no progress any more, and still runs

<!-- failres:sticky:1 -->

**`Test` makes no progress any more, and still runs**

`ci / unit` makes no progress: `Test`: `the step ran past its budget of 10 min`

[Log of `ci / unit`](https://github.test/octo/shop/actions/runs/‹id›/job/‹id›)

In `ci / unit` the step `Test` runs since 2026-09-21 14:13 UTC. Its budget is 10 min, the configuration's.

**What happens now:** GitHub ends it only at its time limit; until then it holds a runner, unless a person cancels it. Next, the clean base is to be asked whether it stalls there too. failres cancels nothing. failres only explains here; the configuration does not let it act on this pull request.

<details>
<summary>Evidence</summary>

| ran on | commit | with base | showed | run | age | strength |
| --- | --- | --- | --- | --- | --- | --- |
| this branch | `‹hang:1›` |  | this failure | 3000000021, attempt 1 | unknown | strong |

</details>

<sub>failres · commit ‹hang:1› · task-stalled · v1-986523321c3e4590</sub>\
""")
