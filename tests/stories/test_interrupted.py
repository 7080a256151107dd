"""What interrupts failres itself: a ref that moves at the moment of writing, and a start of which nobody knows."""

import re

from inline_snapshot import snapshot

from bot.cli.scenarios import team, whose
from bot.sandbox.faults import Fault
from tests.stories.acts import MANAGED, RED, open_shop, runs
from tests.stories.test_acts_probe import ON_DEMAND
from tests.stories.test_commands import reactions
from tests.stories.test_merge_queue import LANDS, shop

HOUR = 3_600.0
UNKNOWN = "journal-state-unknown"


def records(rows, kind, **wanted):
    """The journal's records of a kind that say so."""
    found = (row.data for row in rows if row.kind == kind)
    return [data for data in found if all(data.get(name) == value for name, value in wanted.items())]


def question(said):
    """What is said from the question on, without what differs between runs."""
    (_, _, asked) = said.rpartition("<!-- failres:decision:")
    return re.sub(r"d-[0-9a-f]{10}", "d-‹id›", asked.partition("-->")[2].strip())


MODIFIED = "Base branch was modified. Review and try the merge again."
NO = {"data": {"enqueuePullRequest": None}, "errors": [{"type": "UNPROCESSABLE", "message": MODIFIED}]}


async def test_d13_a_base_that_moves_twice_at_that_moment_is_for_people(world):
    """The queue does not take the head in: once it is tried again after a wait, then people are asked, and obeyed."""
    repo = await shop(world, LANDS)
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await world.settle()
    world.sandbox.faults.add(Fault("POST", "/graphql#enqueuePullRequest", status=200, body=NO, times=2))
    world.sandbox.ci.fail_once("unit", "FAILED tests/test_invoice.py::test_total - assert 0 == 119")
    world.people.enqueue(pull)
    await world.later(HOUR)
    assert len(runs(repo, event="merge_group")) == 1
    rows = await world.journal()
    told = [(each["attempt"], each["action"]) for each in records(rows, "resolve.decision", failClass="base-moved")]
    assert told == [(1, "resume"), (2, "escalate")]
    assert [each["success"] for each in records(rows, "resolve.outcome", action="resume")] == [False]
    assert question(world.said(pull)) == snapshot("""\
**Should this be tried once more?**

This pull request was being put into the merge queue again, and it was interrupted: the branch moved meanwhile (GitHub refused it: Base branch was modified. Review and try the merge again). It was tried again before; whether it is tried once more is for people to decide.

Nothing automatic follows here until this is answered or somebody pushes. Somebody with write access answers by a new comment with one of these lines:

- to try once more:

  ```
  /failres answer try-again decision=d-‹id›
  ```

- to leave it as it is and go on with the rest:

  ```
  /failres answer accept decision=d-‹id›
  ```

[Handoff bundle](https://github.test/octo/shop/blob/failres/state/handoff/pr-1/d-‹id›.md): all that is known, for whoever takes over.

<sub>failres · question d-‹id› · commit ‹docs:1› · class base-moved</sub>\
""")
    comment = world.people.comment(pull, "/failres answer try-again", by="maintainer")
    await world.later(HOUR)
    assert reactions(comment) == ["+1"]
    assert pull.merged_at is not None
    world.said(pull)


async def test_a_start_of_which_nobody_knows_is_repeated_once_and_then_asked_about(world):
    """GitHub's answer is lost and no run comes: after six hours the branch goes, and the table says what follows."""
    repo = await open_shop(world, ON_DEMAND, MANAGED)
    world.sandbox.faults.add(Fault("POST", "/repos/*/dispatches", how="drop", times=2))
    pull = world.people.open_pull("discount", RED)
    await world.settle()
    for _ in range(3):
        world.clock.advance(6 * HOUR)
        await world.settle()
    assert runs(repo, event="workflow_dispatch") == []
    assert [name for name in repo.git.refs.all() if "failres/probe" in name] == []
    rows = await world.journal()
    told = [(each["attempt"], each["action"]) for each in records(rows, "resolve.decision", failClass=UNKNOWN)]
    assert told == [(1, "resume"), (2, "escalate")]
    assert {each["reason"] for each in records(rows, "probe.removed")} == {"it never reported"}
    assert question(world.said(pull)).partition("Nothing automatic")[0] == snapshot("""\
**Should this be tried once more?**

The check was being started on the clean base, to see whether it fails there too, and it was interrupted: an action's outcome is unknown (GitHub's answer was lost and no run is on the branch failres/probe/84100bf5-d67c12745d62-2, so that nobody knows whether one begins; it is not sent again). It was tried again before; whether it is tried once more is for people to decide.

""")
    world.people.comment(pull, "/failres answer try-again", by="maintainer")
    await world.settle()
    assert [run.latest.conclusion for run in runs(repo, event="workflow_dispatch")] == ["success"]
    assert "it fails here and passes on a clean `main`" in world.said(pull)


async def test_c1_a_branch_that_moves_under_its_rebase_is_read_anew(calm):
    """Somebody pushes at that very moment: their commit stays, the table resumes, and their run needs no rebase."""
    await whose.shop(calm)
    calm.people.push("main", {"shop.py": team.WRONG}, by="admin", message="Simplify the discount")
    await calm.settle()
    pull = calm.people.open_pull("docs", {"README.md": "more"})
    await calm.settle()
    pushed = []

    def push():
        pushed.append(calm.people.push("docs", {"docs/more.md": "more"}))

    calm.sandbox.faults.add(Fault("POST", "/graphql#updatePullRequestBranch", how="delay", meanwhile=push))
    calm.people.push("main", {"shop.py": team.RIGHT}, by="admin", message="Mend the discount")
    await calm.later(HOUR)
    assert [pull.head_sha] == pushed
    rows = await calm.journal()
    assert [each["action"] for each in records(rows, "resolve.decision", failClass="base-moved")] == ["resume"]
    assert "**Green again**" in calm.said(pull)
