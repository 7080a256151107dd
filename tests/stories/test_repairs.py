"""Repairs of a check's surroundings: what is dropped, what is left alone, the repository's own way, and failures."""

from __future__ import annotations

import pytest

from bot.cli.scenarios import team
from bot.cli.scenarios.resolving import NO_HOST, actions, executions, first, opened, question, successes
from bot.sandbox.ci.runner.function_job import failed, passed
from bot.sandbox.faults import Fault
from resolver.facts.repairs import RepairDone, RepairFailed
from resolver.journal import from_json

REPAIR = """\
name: repairs
on:
  workflow_dispatch:
    inputs: {{repair: {{required: true}}, nonce: {{required: true}}}}
permissions: {{{permissions}}}
jobs:
  provision-deps:
    if: inputs.repair == 'provision-deps'
    runs-on: ubuntu-latest
    steps: [{{run: make mirror}}]
"""
READS = REPAIR.format(permissions="contents: read")
STEP = "      - uses: actions/cache@v4\n        with: {path: node_modules, key: deps-v2, restore-keys: deps-}\n"
CI = team.ON_PUSH.replace("  push:\n    branches: [main]\n", "").replace("      - run:", f"{STEP}      - run:")


async def red(world, repair=None, config=team.CONFIG, job=None, before=None):
    """A pull request whose check is out of reach of a host until the repository's own job has run, or its caches go."""
    ran = []

    def unit(tree):
        mended = ran if repair else not tree.restored
        return passed(*team.GREEN) if mended or "second" not in tree.read("README.md") else failed(*NO_HOST)

    def mirror(tree):
        ran.append(tree.event)
        return passed("mirrored")

    world.sandbox.ci.job("unit", unit)
    world.sandbox.ci.job("provision-deps", job or mirror)
    workflows = {"ci.yml": CI, **({"failres-repair.yml": repair} if repair else {})}
    repo = world.repo("shop", team.files(config=config), workflows)
    await world.settle()
    pull = world.people.open_pull("docs", {"README.md": "first"})
    await world.settle()
    if before is not None:
        before(repo, pull)
    world.people.push("docs", {"README.md": "second"})
    await world.settle()
    return repo, pull


async def told(world, kind):
    """The records of that kind."""
    facts = [from_json(row.kind, row.data) for row in await world.journal()]
    return [fact for fact in facts if isinstance(fact, kind)]


async def test_the_repositorys_own_job_runs_first_where_there_is_one(world):
    """It is dispatched on a branch of its own, and its pass is waited for; the branch is gone afterwards."""
    repo, pull = await red(world, READS)
    (run,) = [run for run in repo.runs.values() if run.event == "workflow_dispatch"]
    assert run.head_branch.startswith("failres/probe/")
    assert run.inputs["repair"] == "provision-deps"
    assert executions(world, pull) == 2
    assert await successes(world) == [True]
    assert [each.job for each in await told(world, RepairDone)] == ["provision-deps"]
    assert "the job `provision-deps` of `failres-repair.yml` ran" in world.said(pull)
    assert len(repo.caches) == 1, "the job's own way leaves the caches alone"
    await world.later(900.0)
    assert repo.git.refs.all("refs/heads/failres/") == {}
    world.said(pull)


BROKEN = {
    "it fails": (READS, lambda _: failed("no mirror"), "of failres-repair.yml ended as `failure`"),
    "it may write": (REPAIR.format(permissions="contents: write"), None, "may write `contents`"),
    "it does not take the name": (READS.replace("repair: {required: true}, ", ""), None, "does not declare the inputs"),
}


@pytest.mark.parametrize(("file", "job", "reason"), BROKEN.values(), ids=BROKEN.keys())
async def test_a_repair_that_fails_goes_on_with_the_next_column(calm, file, job, reason):
    """`repair.failed` says why, the jobs are not run again, and people are asked."""
    _, pull = await red(calm, file, job=job)
    (broken,) = await told(calm, RepairFailed)
    assert reason in broken.reason
    assert executions(calm, pull) == 1
    assert await successes(calm) == [False]
    assert [action for _, _, action in await actions(calm)] == ["env-repair:provision-deps", "escalate"]
    assert question(calm, pull) is not None
    assert "The repair `provision-deps` failed" in calm.said(pull)


@pytest.mark.parametrize("how", ["lose", "drop"])
async def test_a_lost_answer_drops_nothing_twice(calm, how):
    """The connection ends before or after GitHub has dropped the cache; it is dropped once, and that is recorded."""
    calm.sandbox.faults.add(Fault("DELETE", "/repos/*/actions/caches/*", how=how))
    repo, pull = await red(calm)
    (done,) = await told(calm, RepairDone)
    assert done.removed == ("deps-v2",)
    assert await successes(calm) == [True]
    assert len(repo.caches) == 1, "the run that passed has left a new one"
    assert "dropped the cache `deps-v2`" in calm.said(pull)


async def test_what_the_job_would_take_instead_is_dropped_as_well(calm):
    """A cache that `restore-keys` lead to would only be restored in its place; another key and the base's stay."""

    def fill(repo, pull):
        own = f"refs/pull/{pull.number}/merge"
        for ref, key in ((own, "deps-v1"), (own, "lint-v1"), ("refs/heads/main", "deps-v0")):
            put(calm, repo, ref, key)

    repo, pull = await red(calm, before=fill)
    assert sorted((await told(calm, RepairDone))[-1].removed) == ["deps-v1", "deps-v2"]
    keys = {(one.ref, one.key) for one in repo.caches.values()}
    assert (f"refs/pull/{pull.number}/merge", "lint-v1") in keys
    assert ("refs/heads/main", "deps-v0") in keys
    calm.said(pull)


def put(world, repo, ref, key):
    """A cache that somebody's job has left, of the same paths."""
    mine = next(iter(repo.caches.values()))
    one = type(mine)(world.sandbox.github.new_id(), ref, key, "another", b"x", mine.created_at, mine.created_at)
    repo.caches[one.id] = one


NOT_YOURS = {"message": "Resource not accessible by integration"}


async def test_without_the_right_to_drop_caches_the_repair_fails_and_says_so(calm):
    """GitHub refuses: the repair has failed, and people read what is missing."""
    calm.sandbox.faults.add(Fault("DELETE", "/repos/*/actions/caches/*", status=403, times=99, body=NOT_YOURS))
    _, pull = await red(calm)
    (broken,) = await told(calm, RepairFailed)
    assert "lacks the permission" in broken.reason
    assert question(calm, pull) is not None
    calm.said(pull)


async def test_what_went_before_a_refusal_is_told_with_it(calm):
    """The second of two caches stays: the repair has failed, and says what is gone all the same."""

    def fill(repo, pull):
        put(calm, repo, f"refs/pull/{pull.number}/merge", "deps-v1")

    calm.sandbox.faults.add(Fault("DELETE", "/repos/*/actions/caches/*", status=403, after=1, times=99, body=NOT_YOURS))
    repo, pull = await red(calm, before=fill)
    (broken,) = await told(calm, RepairFailed)
    (kept,) = repo.caches.values()
    assert broken.reason.endswith(f"; {'deps-v1' if kept.key == 'deps-v2' else 'deps-v2'} went before that")
    calm.said(pull)


HEADERS = (
    "< HTTP/2 429",
    "< x-ratelimit-remaining: 0",
    "< x-ratelimit-reset: {reset}",
    "Error: API rate limit exceeded for installation ID 12.",
)


async def test_the_reset_header_of_a_limit_is_waited_for(calm):
    """The log shows when the allowance is filled again: not before, and not much later, the job runs anew."""
    reset = calm.clock.now() + 2_400.0
    lines = tuple(line.format(reset=int(reset)) for line in HEADERS)
    pull = await opened(calm, first(lines))
    await calm.later(2_000.0, 0.0)
    assert executions(calm, pull) == 1
    await calm.later(500.0)
    assert executions(calm, pull) == 2
    assert await successes(calm) == [True]
    calm.said(pull)
