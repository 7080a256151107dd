"""What failres has left behind: the regular look finds it, and it is removed once it has rested; all else stays."""

from __future__ import annotations

import pytest

from bot.cli.scenarios import team
from bot.cli.scenarios.resolving import opened
from bot.cli.scenarios.surroundings import FULL
from bot.sandbox.changes import pushes
from bot.sandbox.ci.runner.function_job import Outcome, failed, passed
from bot.sandbox.faults import Fault
from bot.sandbox.state import Act, Actor, Cache
from repairs.environment import is_own
from resolver.facts.orphans import OrphansAsked, OrphansDecided, OrphansEnded
from resolver.facts.repairs import RepairReported
from resolver.journal import from_json
from tests.stories.test_notify import receiving
from tests.stories.test_notify import told as notified

KEPT = ("failres/backup/pr-1", "failres/state", "failres/probe-notes", "repair/pr-1/v1-0123456789abcdef")
OURS = "failres: probe 0123 of 0123456789ab [skip ci]"


def branch(world, repo, name, message=OURS, files=None):
    """A branch with one commit more than the base: an empty one for what failres makes."""
    act = Act(world.sandbox.github, repo, Actor(world.people.account("admin")))
    left = {} if is_own(name) else {"left.txt": name}
    pushes.push_files(act, name, left if files is None else files, message)


def probe(repo, start="failres/probe/"):
    """The name of a probe's branch on the current base, as a crash may have left it."""
    return f"{start}0123abcd-{repo.git.branch('main')[:12]}-1"


def branches(repo):
    """The branches under failres's names and its neighbours', without the default branch."""
    names = (name.removeprefix("refs/heads/") for name in repo.git.refs.all("refs/heads/"))
    return sorted(name for name in names if name != "main")


async def told(world, kind):
    """The records of that kind."""
    facts = [from_json(row.kind, row.data) for row in await world.journal()]
    return [fact for fact in facts if isinstance(fact, kind)]


async def test_a_branch_that_nobody_owns_is_removed_once_it_has_rested(world):
    """`orphan-worktree`: the first column cleans; backups, the state branch and what only sounds alike stay."""
    repo = world.repo("shop", team.files(), {})
    old = [probe(repo, start) for start in ("failres/probe/", "ci/failres/probe/", "fix/failres-probe-")]
    for name in (*old, *KEPT):
        branch(world, repo, name)
    await world.later(500.0, 0.0)
    assert set(old) < set(branches(repo))
    await world.later(2_500.0)
    assert branches(repo) == sorted(KEPT)
    decided = await told(world, OrphansDecided)
    assert [(each.fail_class, each.attempt, each.action) for each in decided] == [("orphan-worktree", 1, "resume")]
    assert [each.success for each in await told(world, OrphansEnded)] == [True]


WORK = {"work.txt": "mine"}


@pytest.mark.parametrize(
    ("config", "start", "message", "files"),
    [
        (None, "failres/probe/", "My own work", WORK),
        (None, "ci/failres/probe/", OURS, WORK),
        ("enabled: false\n", "ci/failres/probe/", OURS, None),
    ],
    ids=["a person's commit", "a person's work under our words", "switched off"],
)
async def test_what_may_not_be_removed_is_left_alone(calm, config, start, message, files):
    """A person has taken the name, so that people are asked; where failres is switched off it removes nothing."""
    repo = calm.repo("shop", {**team.files(), **({".github/failres.yml": config} if config else {})}, {})
    name = probe(repo, start)
    branch(calm, repo, name, message, files)
    await calm.later(4_000.0)
    assert branches(repo) == [name]
    actions = [each.action for each in await told(calm, OrphansDecided)]
    assert actions == (["resume"] if config else ["resume", "escalate"])


async def test_who_removes_what_failres_may_not_is_asked_once(calm, caplog):
    """No pull request is concerned: the configured destination and the server's log get the question, each once."""
    async with receiving() as receiver:
        await notified(calm, team=receiver.address)
        config = {".github/failres.yml": "notifications: {destinations: [team]}\n"}
        repo = calm.repo("shop", {**team.files(), **config}, {})
        old = probe(repo)
        branch(calm, repo, old, "My own work")
        await calm.later(9_000.0)
        ((mark, body),) = receiver.got
    (asked,) = await told(calm, OrphansAsked)
    assert mark == f"notify:{asked.decision_id}:team"
    assert "*Who removes what failres has left behind?* `octo/shop`" in body["text"]
    assert f"• `{old}` at" in body["text"]
    assert "somebody has moved it, or its commit is none of failres's" in body["text"]
    assert [old in each.message for each in caplog.records if "Who removes" in each.message] == [True]


@pytest.mark.parametrize("how", ["lose", "drop"])
async def test_a_lost_answer_removes_nothing_twice(calm, how):
    """The connection ends before or after GitHub has removed it."""
    repo = calm.repo("shop", team.files(), {})
    branch(calm, repo, probe(repo))
    calm.sandbox.faults.add(Fault("DELETE", "/repos/*/git/refs/heads/*", how=how))
    await calm.later(3_000.0)
    assert branches(repo) == []
    assert [each.success for each in await told(calm, OrphansEnded)] == [True]


TOOLS = "on: {workflow_dispatch: }\njobs:\n  build: {runs-on: ubuntu-latest, steps: [{run: make}]}\n"


async def test_a_full_disk_clears_branches_caches_and_artifacts_of_failres_alone(calm):
    """What is removed was reported before; the artifacts of other branches stay."""
    calm.sandbox.ci.job("build", lambda _: Outcome(artifacts={"manifest": {"a": b"1"}}))
    pull = await opened(calm, lambda _: passed("1 passed"))
    repo = calm.where(pull)
    calm.sandbox.ci.job("unit", lambda _: failed(*FULL) if len(repo.artifacts) > 1 else passed("1 passed"))
    pushes.push_files(
        Act(calm.sandbox.github, repo, Actor(calm.people.account("admin"))),
        "main",
        {".github/workflows/tools.yml": TOOLS},
        "Add tools",
    )
    branch(calm, repo, "failres/fix/n0nce")
    await calm.settle()
    act = Act(calm.sandbox.github, repo, Actor(calm.people.account("admin")))
    for name in ("failres/fix/n0nce", "main"):
        await calm.sandbox.ci.dispatch(act, repo.workflows[".github/workflows/tools.yml"], name, {})
    await calm.settle()
    assert len(repo.artifacts) == 2
    calm.people.push("docs", {"README.md": "full"})
    await calm.settle()
    (reported,) = await told(calm, RepairReported)
    assert sorted((each.kind, each.name) for each in reported.things) == [
        ("artifact", "manifest"),
        ("ref", "failres/fix/n0nce"),
    ]
    assert [repo.runs[one.run_id].head_branch for one in repo.artifacts.values()] == ["main"]
    assert "failres/fix/n0nce" not in branches(repo)
    calm.said(pull)


ON_PULL = "on: [pull_request]\njobs:\n  build: {runs-on: ubuntu-latest, steps: [{run: make}]}\n"


async def test_what_people_have_made_under_our_names_is_never_removed(calm):
    """A full disk, and everything that looks like ours: branches with work, whatever their commits say, their caches and
    artifacts, and those of a fork; only the empty commit of failres's own goes, with what its run has left.
    """
    build = Outcome(artifacts={"release": {"a": b"1"}})
    calm.sandbox.ci.job("build", lambda _: build)
    pull = await opened(calm, lambda _: passed("1 passed"))
    repo, github = calm.where(pull), calm.sandbox.github
    act = Act(github, repo, Actor(calm.people.account("admin")))
    pushes.push_files(act, "main", {".github/workflows/tools.yml": TOOLS}, "Add tools")
    pushes.push_files(act, "main", {".github/workflows/build.yml": ON_PULL}, "Build each")
    theirs = ("failres/fix/typo", "failres/fix/said-like-us", probe(repo))
    branch(calm, repo, theirs[0], "Mend a typo", WORK)
    branch(calm, repo, theirs[1], OURS, WORK)
    branch(calm, repo, theirs[2], OURS, WORK)
    branch(calm, repo, "failres/fix/ours")
    await calm.settle()
    for name in (*theirs, "failres/fix/ours"):
        await calm.sandbox.ci.dispatch(act, repo.workflows[".github/workflows/tools.yml"], name, {})
        now, ref = calm.clock.now(), f"refs/heads/{name}"
        one = Cache(github.new_id(), ref, "deps", "v", b"x", now, now)
        repo.caches[one.id] = one
    stranger = calm.people.open_pull("failres/fix/fork", {"README.md": "fork"}, by="outsider", fork=True)
    await calm.settle()
    before = {repo.runs[one.run_id].head_branch for one in repo.artifacts.values()}
    assert {*theirs, "failres/fix/ours", "failres/fix/fork"} <= before
    calm.sandbox.ci.job("unit", lambda _: failed(*FULL))
    calm.people.push("docs", {"README.md": "full"})
    await calm.settle()
    await calm.later(4_000.0)
    kept = {repo.runs[one.run_id].head_branch for one in repo.artifacts.values()}
    assert before - kept == {"failres/fix/ours"}
    assert {one.ref.removeprefix("refs/heads/") for one in repo.caches.values()} >= {*theirs}
    assert "refs/heads/failres/fix/ours" not in {one.ref for one in repo.caches.values()}
    assert set(theirs) <= set(branches(repo))
    assert "failres/fix/ours" not in branches(repo)
    (reported,) = [each for each in await told(calm, RepairReported) if each.things]
    assert {each.branch for each in reported.things} == {"failres/fix/ours"}
    for each in (pull, stranger):
        calm.said(each)
