"""By which pull request a commit came to its base: as GitHub lists it, else by what it writes into the commit."""

import pytest

from bot.work.observe.landings import landed_by
from resolver.actions.landings import ReadLanding
from resolver.facts.landings import LandingRead
from tests.stories.acts import open_shop, order


async def landing(world, commit):
    """What is recorded of that commit of main."""
    end = await order(world, ReadLanding(commit=commit, ref="main"))
    return next(fact.landed for fact in end.facts if isinstance(fact, LandingRead) and fact.commit == commit)


async def test_a_commit_is_brought_to_the_pull_request_that_landed_by_it(calm):
    """Merged, squashed or rebased, from the repository or from a fork; what was pushed came by none."""
    await open_shop(calm)
    for number, (method, fork) in enumerate(
        [("merge", False), ("squash", False), ("rebase", False), ("squash", True)], 1
    ):
        by = "outsider" if fork else "author"
        pull = calm.people.open_pull(f"docs-{number}", {f"{number}.md": "x"}, by=by, fork=fork)
        await calm.settle()
        commit = await calm.people.merge(pull, method=method)
        found = await landing(calm, commit)
        assert (found.pull, found.head_sha, found.base_ref) == (pull.number, pull.head_sha, "main")
    assert (await landing(calm, calm.people.push("main", {"y.md": "y"}, by="admin"))) is None


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ("Merge pull request #12 from octo/coupons\n\nAdd coupons", 12),
        ("Add coupons (#12)\n\n* first (#3)", 12),
        ("Add coupons (#12) and more", None),
        ("Merge branch 'main' into coupons", None),
        ("Fix #12", None),
        ("", None),
    ],
)
def test_only_githubs_own_forms_name_a_landing(message, number):
    """The first line of a merge or a squash; whatever else a message mentions is no landing."""
    assert landed_by(message) == number
