"""What GitHub never told, or told without saying of which pull request: it is found all the same."""

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
