"""One more place in the merge queue: only what may land, only once, and only as it was."""

import pytest

from bot.sandbox.changes import queue
from bot.sandbox.ci.runner.function_job import failed, passed
from bot.sandbox.faults import Fault
from bot.sandbox.state import Act, Actor
from resolver.actions.queue import EnqueuePull
from tests.stories.acts import READS, order, runs, workflow

ON = "on: {pull_request: , merge_group: , push: {branches: [main]}}\n"
MAY = "mode: {rerun: act}\nflake: {mayLand: true}\n"


async def red_in_queue(world, config=MAY):
    """A pull request that is green on its own and has just left the queue, red; and the run that was."""
    world.sandbox.ci.job("unit", lambda _: passed("1 passed"))
    files = {"a.py": "a = 1\n", ".github/failres.yml": config}
    repo = world.repo("shop", files, {"ci.yml": workflow(on=ON, top=READS)})
    world.people.merge_queue()
    pull = world.people.open_pull("docs", {"README.md": "more\n"})
    await world.settle()
    world.sandbox.ci.fail_once("unit", "FAILED tests/test_a.py::test_a - assert 1 == 2")
    world.people.enqueue(pull)
    await world.settle()
    (run,) = runs(repo, event="merge_group")
    world.sandbox.ci.hold("unit")
    world.said(pull)
    return repo, pull, run


def again(pull, run, **changed):
    """The action, as a command would have it."""
    given = {"head_sha": pull.head_sha, "group": run.head_sha, "run_id": run.id, "asked": True, **changed}
    return EnqueuePull(number=pull.number, base_ref="main", **given)


def queued(repo):
    """Who is in the queue."""
    return [entry.pull for entry in repo.queues["main"]]


async def finish(world, pull):
    """Let the held group end and read what was said."""
    world.sandbox.ci.release("unit")
    await world.settle()
    world.said(pull)


@pytest.mark.parametrize("how", ["lose", "drop"])
async def test_a_lost_answer_brings_no_second_place(calm, how):
    """The connection ends before or after GitHub has taken it: it is in the queue once."""
    repo, pull, run = await red_in_queue(calm)
    calm.sandbox.faults.add(Fault("POST", "/graphql", how=how, after=2))
    assert (await order(calm, again(pull, run))).refused is None
    assert queued(repo) == [pull.number]
    await finish(calm, pull)


async def test_d6_somebody_who_was_quicker_did_it(calm):
    """It is in the queue already; and a later group that failed too was the one more look."""
    repo, pull, run = await red_in_queue(calm)
    calm.people.enqueue(pull)
    assert (await order(calm, again(pull, run))).done.result == {"already": True}
    calm.sandbox.ci.job("unit", lambda _: failed("FAILED tests/test_a.py::test_a - assert 1 == 2"))
    await finish(calm, pull)
    assert queued(repo) == []
    assert (await order(calm, again(pull, run, asked=False))).refused == "this pull request is not managed"
    calm.clock.advance(60.0)
    assert (await order(calm, again(pull, run))).done.result == {"already": True}
    assert queued(repo) == []
    calm.said(pull)


async def test_what_may_not_land_is_not_enqueued(calm):
    """A pass would land it: without `flake.mayLand` nobody is enqueued, whoever asks."""
    repo, pull, run = await red_in_queue(calm, config="mode: {rerun: act}\n")
    end = await order(calm, again(pull, run))
    assert end.refused == "a pass in the queue would land it; `flake.mayLand` does not allow that"
    assert queued(repo) == []
    await finish(calm, pull)


async def test_another_head_is_not_enqueued(calm):
    """Somebody pushed: what failed is not there any more."""
    repo, pull, run = await red_in_queue(calm)
    calm.people.push("docs", {"README.md": "mended\n"})
    assert (await order(calm, again(pull, run, head_sha=run.head_sha))).refused == "the head moved"
    assert queued(repo) == []
    await finish(calm, pull)


async def test_d13_github_says_no_in_its_own_words(calm):
    """Not ready any more: the refusal holds GitHub's sentence. What passes by itself is asked again."""
    repo, pull, run = await red_in_queue(calm)
    repo.rulesets[0]["rules"][1]["parameters"]["required_status_checks"].append({"context": "other"})
    end = await order(calm, again(pull, run))
    assert end.refused.startswith("GitHub refused it: Pull request is not mergeable: Required status check")
    del repo.rulesets[0]["rules"][1]["parameters"]["required_status_checks"][1]
    moved = {"errors": [{"type": "UNPROCESSABLE", "message": "Base branch was modified. Review and try again."}]}
    calm.sandbox.faults.add(Fault("POST", "/graphql", status=200, body=moved, after=2))
    end = await order(calm, again(pull, run))
    assert "Base branch was modified" in end.refused
    calm.clock.advance(200.0)
    assert (await order(calm, again(pull, run))).refused is None
    assert queued(repo) == [pull.number]
    await finish(calm, pull)


async def test_without_the_permission_only_this_is_missing(calm):
    """An App that was installed before: the failure in the queue is explained all the same, and what lacks is named."""
    del calm.sandbox.app.permissions["merge_queues"]
    _, pull, run = await red_in_queue(calm)
    assert "failed on" in calm.said(pull)
    end = await order(calm, again(pull, run))
    assert "merge_queues: write" in end.refused
    await finish(calm, pull)


async def put_there(world):
    """A pull request that failres has put into the queue once more, since somebody asked for it; its group is held."""
    repo, pull, _ = await red_in_queue(world)
    world.people.comment(pull, "/failres retry", by="maintainer")
    await world.settle()
    (entry,) = repo.queues["main"]
    assert entry.enqueuer.type == "Bot"
    return repo, pull


async def stopped(world, pull):
    """Anybody writes stop; the label stands afterwards."""
    world.people.comment(pull, "/failres stop", by="reader")
    await world.settle()
    assert pull.labels == ["failres:stop"]


async def test_a_stop_takes_out_of_the_queue_what_failres_put_there(world):
    """A pass would land it, so that a stop which leaves it there would stop nothing."""
    repo, pull = await put_there(world)
    await stopped(world, pull)
    assert queued(repo) == []
    await finish(world, pull)
    assert pull.state == "open"
    assert queued(repo) == []


async def test_a_stop_leaves_alone_what_a_person_put_there(calm):
    """Anybody may stop failres, and nobody's own way to landing with it."""
    repo, pull = await put_there(calm)
    act = Act(calm.sandbox.github, repo, Actor(calm.people.account("maintainer")))
    queue.dequeue(act, pull)
    await calm.settle()
    calm.people.enqueue(pull)
    await calm.settle()
    await stopped(calm, pull)
    assert queued(repo) == [pull.number]
    await finish(calm, pull)
    assert pull.merged_at is not None
