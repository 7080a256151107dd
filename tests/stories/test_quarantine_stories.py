"""A task on which nothing automatic happens any more, and what ends that, as people meet it."""

from bot.cli.scenarios import resolving, team
from bot.sandbox.ci.runner.function_job import failed, passed

NONE = resolving.LABELLED + "budget: {maxResolutions: 0}\n"


def by_text(tree):
    """The host is out of reach until the README says `mended`."""
    return passed(*team.GREEN) if tree.read("README.md") == "mended" else failed(*resolving.NO_HOST, exit_status=6)


async def test_a_push_lifts_a_quarantine(world):
    """The first failure is quarantined; the push that mends it lifts the quarantine and takes the label off."""
    pull = await resolving.opened(world, by_text, NONE)
    assert pull.labels == ["failres:quarantined"]
    said = world.said(pull)
    assert "**Quarantined**: the configuration allows no attempt at this class of failure on this pull request" in said
    assert "Nothing automatic is done here until somebody pushes" in said
    bundle = handoff(world, pull, "quarantine-1")
    assert "Quarantined since" in bundle
    assert f"/failres answer accept decision={resolving.question(world, pull)}" in bundle
    world.people.push("docs", {"README.md": "mended"})
    await world.settle()
    assert pull.labels == []
    said = world.said(pull)
    assert "Quarantined" not in said
    assert "**Green again**" in said
    assert await resolving.quarantines(world) == [("gate-red-env", "breaker")]


async def test_a_paused_run_asks_once_and_goes_on_when_it_is_answered(world):
    """Two resolutions are allowed, and the first task spends them: the second pauses the run, and the answer lets it go
    on.
    """
    config = team.CONFIG + "budget: {maxResolutionsPerRun: 2}\n"
    first = await resolving.opened(world, resolving.always(*resolving.NO_HOST), config, "plan/news--a")
    second = world.people.open_pull("plan/news--b", {"docs/b.md": "more"})
    await world.settle()
    said = world.said(second)
    assert "**The run is paused. Should it go on?**" in said
    assert "The budget is spent. People are asked because 2 attempts were made in this run, which is the limit." in said
    assert "**The run `news` is paused**" in world.said(first)
    assert "until the question on #2 is answered" in world.said(first)
    await world.later(200.0)
    assert [resolving.executions(world, pull) for pull in (first, second)] == [2, 1]
    world.sandbox.ci.job("unit", lambda _: passed(*team.GREEN))
    decision = resolving.question(world, second)
    world.people.comment(second, f"/failres answer try-again decision={decision}", by="maintainer")
    await world.settle()
    assert [resolving.executions(world, pull) for pull in (first, second)] == [2, 2]
    said = world.said(second)
    assert "Answered by `maintainer`: `try-again`." in said
    assert "**Green again**" in said
    assert "is paused" not in world.said(first)


async def test_only_an_answer_lifts_the_pause_of_a_run(calm):
    """A push changes nothing, and `resume` says what would end it; left paused, the next push asks anew, and then the
    answer lets the run go on.
    """
    config = team.CONFIG + "budget: {maxResolutionsPerRun: 1}\n"
    pull = await resolving.opened(calm, resolving.always(*resolving.NO_HOST), config)
    await calm.later(400.0)
    first = resolving.question(calm, pull)
    assert "until this is answered, whoever pushes." in calm.said(pull)
    calm.people.push("docs", {"README.md": "again"})
    await calm.later(400.0)
    assert resolving.question(calm, pull) == first
    calm.people.comment(pull, "/failres resume", by="maintainer")
    await calm.settle()
    ends = "it is not stopped; its run is paused, and the answer to the question on &#35;1 ends that."
    assert ends in calm.said(pull)
    calm.people.comment(pull, f"/failres answer accept decision={first}", by="maintainer")
    await calm.later(4_000.0)
    assert "until a push puts the question anew and that is answered" in calm.said(pull)
    assert resolving.executions(calm, pull) == 1
    calm.clock.advance(86_400.0)  # the day's comments are spent
    calm.people.push("docs", {"README.md": "once more"})
    await calm.later(400.0)
    second = resolving.question(calm, pull)
    assert second != first
    calm.people.comment(pull, f"/failres answer try-again decision={second}", by="maintainer")
    await calm.later(400.0)
    said = calm.said(pull)
    assert "Answered by `maintainer`: `try-again`." in said
    assert "is paused**" not in said
    assert "**How should this go on?**" in said  # the second attempt of its class, which the table hands to people


async def test_c1_what_a_rebase_leaves_is_asked_about_and_allowed_by_name(world):
    """The author has pushed a file beyond the task's scope: the rebase that a person asks for quarantines the task and
    asks; the exact answer lifts it, and the next rebase may leave the file in.
    """
    pull = await resolving.opened(world, lambda _: passed(*team.GREEN))
    world.people.push("docs", {"tax.py": "RATE = 7\n"})
    world.people.push("main", {"news.md": "one"}, by="admin")
    await world.settle()
    world.people.comment(pull, "/failres sync", by="maintainer")
    await world.settle()
    said = world.said(pull)
    assert "After the rebase the branch still changes files that this task may not change: `tax.py`." in said
    decision = resolving.question(world, pull)
    assert handoff(world, pull, "quarantine-1").startswith("# Handoff: May this branch also change these files?")
    assert f"handoff/pr-{pull.number}/quarantine-1.md" in said
    world.people.comment(pull, f"/failres answer scopeFiles=tax.py decision={decision}", by="maintainer")
    await world.settle()
    said = world.said(pull)
    assert "Answered by `maintainer`: `tax.py`." in said
    assert "Quarantined" not in said
    world.people.push("main", {"news.md": "two"}, by="admin")
    await world.settle()
    world.people.comment(pull, "/failres sync", by="maintainer")
    await world.settle()
    git = world.where(pull).git
    (*_, oldest) = git.log(pull.head_sha, git.branch("main"))
    assert oldest.parents == (git.branch("main"),)
    assert await resolving.quarantines(world) == [("fixer-scope-violation", "sync")]
    assert "Quarantined" not in world.said(pull)


def handoff(world, pull, name):
    """A bundle's text, as it stands on the branch of our records."""
    git = world.where(pull).git
    return git.read(git.branch("failres/state"), f"handoff/pr-{pull.number}/{name}.md").decode()
