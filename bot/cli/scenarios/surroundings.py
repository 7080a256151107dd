"""Scenarios of what a check stands on: caches that lead nowhere, runners that are lost, disks that are full."""

from __future__ import annotations

from bot.cli.scenarios import team
from bot.cli.scenarios.looking import told
from bot.cli.scenarios.resolving import (
    NO_HOST,
    NO_VIOLATION,
    actions,
    executions,
    opened,
    question,
    successes,
)
from bot.cli.scenarios.scenario import Scenario, expect
from bot.cli.stage import Stage
from bot.sandbox.ci.runner.function_job import Outcome, Tree, failed, passed
from bot.sandbox.state import Cache, Repository

CACHED = team.ON_PUSH.replace(
    "      - run: make unit\n",
    "      - uses: actions/cache@v4\n        with: {path: node_modules, key: deps-v1}\n      - run: make unit\n",
)
"""The check restores its dependencies from a cache, on the base and on pull requests."""


def broken_cache(tree: Tree) -> Outcome:
    """The dependencies are asked for where they are not: a pull request's cache of them holds a dead address."""
    if "second" in tree.read("README.md") and "deps-v1" in tree.restored:
        return failed(*NO_HOST, exit_status=6)
    return passed(*team.GREEN)


async def dependency_down(stage: Stage) -> None:
    """What a pull request has cached is of no use any more: the cache is dropped, and the job runs anew and passes."""
    stage.sandbox.ci.job("unit", broken_cache)
    workflow = CACHED.replace("  push:\n    branches: [main]\n", "")
    repo = stage.repo("shop", team.files(config=team.CONFIG), {"ci.yml": workflow})
    await stage.settle()
    stage.people.open_pull("other", {"README.md": "first of another"})
    pull = stage.people.open_pull("docs", {"README.md": "first"})
    await stage.settle()
    expect(len(repo.caches) == 2, "both pull requests have a cache of their own")
    stage.people.push("docs", {"README.md": "second"})
    await stage.settle()
    expect(await actions(stage) == [("gate-red-env", 1, "env-repair:provision-deps")], "the table's action was taken")
    expect(executions(stage, pull) == 2, "it ran once more")
    expect(await successes(stage) == [True], "the outcome is recorded as a success")
    expect("dropped the cache `deps-v1` of this pull request" in told(stage, pull), "the comment names the cache")
    expect({one.ref for one in repo.caches.values()} == {f"refs/pull/{n}/merge" for n in (1, 2)}, "both are there now")
    kept = min(repo.caches.values(), key=lambda one: one.id)
    expect(kept.ref == "refs/pull/1/merge", "the other's cache was left alone")
    expect(question(stage, pull) is None, "nobody is asked")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def runner_lost(stage: Stage) -> None:
    """A runner vanishes with its log: GitHub's own words say so, the job runs anew and passes; nobody is bothered."""
    stage.sandbox.ci.lose_runner("unit")
    pull = await opened(stage, lambda _: passed(*team.GREEN))
    expect(await actions(stage) == [("gate-red-env", 1, "env-repair:provision-deps")], "the table's action was taken")
    expect(executions(stage, pull) == 2, "it ran once more")
    expect(await successes(stage) == [True], "the outcome is recorded as a success")
    expect(question(stage, pull) is None, "nobody is asked")

    stage.sandbox.ci.lose_runner("unit", times=9)
    stage.people.push("docs", {"README.md": "and more"})
    await stage.settle()
    taken = [action for _, _, action in await actions(stage)]
    expect(taken == ["env-repair:provision-deps", "escalate"], "a runner that is lost again is a matter for people")
    expect(executions(stage, pull) == 1, "the new commit was not run again")
    expect("lost communication with the server" in told(stage, pull), "people read what GitHub said")
    expect(question(stage, pull) is not None, "people are asked")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


FULL = ("tar: write error: No space left on device",)
OLD = "failres/probe/0123abcd-0123456789ab-1"


def left_behind(stage: Stage, repo: Repository) -> None:
    """What an earlier failres has forgotten: a cache of a probe's run; and a backup, which is kept."""
    now = stage.clock.now()
    for branch in (OLD, "failres/backup/pr-1"):
        ref = f"refs/heads/{branch}"
        one = Cache(stage.sandbox.github.new_id(), ref, "deps-v1", "v", b"x" * 9, now, now)
        repo.caches[one.id] = one


async def disk_full(stage: Stage) -> None:
    """The disk is full: failres says what it has left behind, removes that and nothing else, and the job runs anew."""

    def unit(_: Tree) -> Outcome:
        full = any(OLD in one.ref for each in repos() for one in each.caches.values())
        return failed(*FULL, exit_status=2) if full else passed(*team.GREEN)

    def repos() -> list[Repository]:
        return list(stage.sandbox.github.repositories.values())

    stage.sandbox.ci.job("unit", unit)
    workflow = team.ON_PUSH.replace("  push:\n    branches: [main]\n", "")
    repo = stage.repo("shop", team.files(config=team.CONFIG), {"ci.yml": workflow})
    left_behind(stage, repo)
    await stage.settle()
    pull = stage.people.open_pull("docs", {"README.md": "more"})
    await stage.settle()
    taken = await actions(stage)
    expect(taken == [("disk-space-low", 1, "env-repair:gc-dry-then-tmp-clean")], "the table's action was taken")
    expect(await successes(stage) == [True], "the outcome is recorded as a success")
    expect([one.ref for one in repo.caches.values()] == ["refs/heads/failres/backup/pr-1"], "the backup's is kept")
    expect("removed what it had left behind" in told(stage, pull), "the comment says what was removed")
    expect(question(stage, pull) is None, "nobody is asked")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


SURROUNDINGS = (
    Scenario(
        "dependency-down", "A cache leads to a host that is gone: dropped, one clean run, then green.", dependency_down
    ),
    Scenario("runner-lost", "A runner vanishes: run anew, then green; lost again: people are asked.", runner_lost),
    Scenario("disk-full", "A full disk: failres clears away what it has left behind, and runs it anew.", disk_full),
)
