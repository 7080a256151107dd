"""What daily ceilings hold back waits for the next day, and the check run says so."""

from bot.cli.scenarios import team
from resolver.ceilings import TYPES
from tests.stories.test_commands import attempts, reactions, replies

CONFIG = 'managed: {branches: ["**"]}\nmode: {rerun: act}\ndailyCeilings: {%s}\n'
NOBODY_ASKED = team.ON_PUSH.replace("  push:\n    branches: [main]\n", "")
DAY = 86_400.0


async def red(world, ceilings):
    """A managed pull request whose failure is proven by a second execution, where one may be started."""
    world.sandbox.ci.job("unit", team.unit)
    repo = world.repo("shop", team.files(config=CONFIG % ceilings), {"ci.yml": NOBODY_ASKED})
    await world.settle()
    pull = world.people.open_pull("discount", {"shop.py": team.WRONG})
    await world.settle()
    return repo, pull


def summary(world, pull):
    """The text of failres's check run."""
    runs = world.where(pull).check_runs.values()
    (check,) = [run for run in runs if run.app is world.sandbox.app and run.head_sha == pull.head_sha]
    return check.summary


async def test_without_runner_minutes_nothing_runs_again_and_the_check_run_says_so(world):
    """Neither by itself nor when a person asks; the limit and the time are named."""
    repo, pull = await red(world, "runnerMinutes: 0")
    assert attempts(repo, pull) == [1]
    assert (
        "**Held back:** the configuration's daily ceiling of runner minutes (0) is reached: "
        "nothing runs again on this repository before 2026-09-22 00:00 UTC."
    ) in summary(world, pull)
    retry = world.people.comment(pull, "/failres retry", by="maintainer")
    await world.settle()
    assert (attempts(repo, pull), reactions(retry)) == ([1], ["confused"])
    assert "daily ceiling of runner minutes (0) is reached" in replies(world, pull)[-1]


async def test_a_day_later_what_was_held_back_is_done(calm):
    """One rerun has used the day's minutes up: the next one follows after midnight, UTC."""
    repo, first = await red(calm, "runnerMinutes: 1")
    second = calm.people.open_pull("second", {"shop.py": team.WRONG, "second.md": "more"})
    await calm.settle()
    assert (attempts(repo, first), attempts(repo, second)) == ([2], [1])
    assert "runner minutes (1) is reached" in summary(calm, second)
    calm.clock.advance(DAY - calm.clock.now() % DAY - 60.0)
    await calm.settle(0.0)
    assert attempts(repo, second) == [1]
    calm.clock.advance(120.0)
    await calm.settle()
    assert attempts(repo, second) == [2]
    assert "Held back" not in summary(calm, second)
    calm.said(first)
    calm.said(second)


async def test_no_more_is_written_on_a_day_than_the_ceiling_says(calm):
    """Whatever there would be to do on many pull requests: so many writes are begun, and not one more."""
    _, pull = await red(calm, "writes: 7")
    pulls = [pull, *(calm.people.open_pull(f"b{n}", {"shop.py": team.WRONG, f"b{n}.md": "more"}) for n in range(3))]
    await calm.settle()
    begun = [row for row in await calm.journal() if row.kind == "action.started" and row.data["type"] in TYPES]
    assert len(begun) == 7
    for each in pulls:
        calm.said(each)


async def test_a_repository_without_writes_is_only_watched(calm):
    """`writes: 0`: not a word; the stop label that somebody asks for is set all the same."""
    repo, pull = await red(calm, "writes: 0")
    assert calm.said(pull) == ""
    calm.people.comment(pull, "/failres stop", by="outsider")
    await calm.settle()
    assert pull.labels == ["failres:stop"]
    assert attempts(repo, pull) == [1]
