"""A repository that is archived or gone: nobody can be asked in it, so people are told where they still can be."""

from contextlib import nullcontext

import pytest

from bot.cli.known import Found
from bot.cli.why_not import answer
from bot.sandbox.changes import repositories
from tests.stories.test_interrupted import records
from tests.stories.test_notify import escalate, receiving, shop, told


def actor(world, login="admin"):
    """A person who acts."""
    return world.people._act(login, None, "admin").by


async def test_an_archived_repository_is_told_of_once_where_people_still_are(world):
    """One notification, one record and not a word on GitHub; unarchived, it goes on by itself."""
    async with receiving() as receiver:
        await told(world, team=receiver.address)
        await shop(world)
        pull = await escalate(world)
        repo, before = world.where(pull), len(receiver.got)
        said = world.said(pull)
        repositories.archive(world.sandbox.github, repo, actor(world))
        await world.later(1_800.0)
        marks = [mark for mark, _ in receiver.got[before:]]
        assert set(marks) == {"notify:not-a-git-repo:team"}
        assert world.weather == "restart" or len(marks) == 1  # there it may come twice, with the same mark
        text = receiver.got[-1][1]["text"].replace(world.sandbox.web_url, "https://github.test")
        assert text == (
            "*The repository is out of reach* `octo/shop`\n"
            "Why: `it is archived`\n"
            "failres was acting on <https://github.test/octo/shop/pull/1|#1>.\n"
            "Make the repository reachable again, and failres goes on by itself; or leave it."
        )
        (decided,) = records(await world.journal(), "resolve.decision", failClass="not-a-git-repo")
        assert (decided["scope"], decided["ofRun"], decided["action"]) == ("run", "pr-1", "escalate")
        assert world.said(pull) == said
        (known,) = [each for each in world.failres.service._loop._known.values() if each.state.pulls]
        lines = list(answer(Found(known.state, known.state.pulls[1], ()), world.clock.now()))
        assert "kept from acting: the repository is out of reach: it is archived" in lines
        repositories.archive(world.sandbox.github, repo, actor(world), archived=False)
        await world.later(1_800.0)
        assert world.said(pull) == said
        retry = world.people.comment(pull, "/failres answer accept", by="maintainer")
        await world.settle()
        assert [each.content for each in retry.reactions] == ["+1"]
        world.said(pull)


@pytest.mark.parametrize("quiet", [False, True])
async def test_a_deleted_repository_is_told_of_too(calm, quiet):
    """GitHub says so in one delivery, and answers 404 from then on; where the delivery is lost, two regular looks tell."""
    async with receiving() as receiver:
        await told(calm, team=receiver.address)
        await shop(calm)
        pull = await escalate(calm)
        calm.said(pull)
        with calm.people.quietly() if quiet else nullcontext():
            repositories.delete(calm.sandbox.github, calm.where(pull), actor(calm))
        await calm.later(1_800.0)
        assert [mark for mark, _ in receiver.got][-1] == "notify:not-a-git-repo:team"
        assert "Why: `the App has no access to it any more`" in receiver.got[-1][1]["text"]
