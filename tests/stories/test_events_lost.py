"""What GitHub never told, or told without saying of which pull request: it is found all the same."""

import pytest

from resolver.facts import PullFilesRead
from resolver.journal import from_json
from tests.stories.test_commands import reactions, red
from tests.stories.test_explaining import WRONG, shop


async def test_h2_what_people_did_while_failres_was_away_is_heard_after_the_restart(calm, caplog):
    """A label and a command came while nobody listened, and no delivery is kept: both count, and the log tells the gap."""
    _, pull = await red(calm)
    await calm.stop()
    with calm.people.quietly():
        calm.people.label(pull, "intermittent")
        stop = calm.people.comment(pull, "/failres stop")
    calm.clock.advance(3_600.0)
    await calm.start()
    await calm.settle(1_500.0)
    assert (reactions(stop), pull.labels) == (["+1"], ["intermittent", "failres:stop"])
    assert "nothing was recorded for 60 min" in caplog.text
    assert "failres:sticky" in calm.said(pull)


async def test_h4_a_forks_red_run_is_brought_to_its_pull_request(calm):
    """GitHub names no pull request in a fork's run, and the delivery of the pull request itself was lost: it is found by
    the head's owner and branch.
    """
    await shop(calm)
    with calm.people.quietly():
        pull = calm.people.open_pull("discount", WRONG, by="outsider", fork=True)
    await calm.settle()
    assert "`assert 190 == 180`" in calm.said(pull)
    assert "failres explains pull requests from forks" in calm.said(pull)


@pytest.mark.parametrize(("count", "truncated"), [(300, False), (301, True)])
async def test_a_diff_is_whole_as_long_as_the_lines_of_all_its_files_are_kept(calm, count, truncated):
    """The lines of three hundred files are kept; of a larger diff it is known that it is not whole."""
    await shop(calm)
    pull = calm.people.open_pull("many", WRONG | {f"docs/{n}.md": str(n) for n in range(count - len(WRONG))})
    await calm.settle()
    assert "`assert 190 == 180`" in calm.said(pull)
    facts = [from_json(row.kind, row.data) for row in await calm.journal()]
    (read,) = [fact for fact in facts if isinstance(fact, PullFilesRead)]
    assert (len(read.files), len(read.changes), read.truncated) == (count, 300, truncated)
