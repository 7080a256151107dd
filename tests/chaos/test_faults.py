"""GitHub in a bad mood: calls that fail, answers that are lost, limits. Whatever happens, all is said once."""

from dataclasses import replace

import pytest

from bot.sandbox.changes.accounts import installations_on, suspend
from bot.sandbox.faults import Fault
from bot.work.pacing import Pacing
from bot.work.place import Pace
from tests.stories.test_explaining import WRONG, red, shop
from tests.world import open_world


@pytest.fixture
async def calm(tmp_path):
    """Calm weather: the moods are enough."""
    async with open_world(tmp_path, "calm") as opened:
        yield opened


ROUTES = {
    "the check run": ("POST", "/repos/*/check-runs"),
    "the comment": ("POST", "/repos/*/issues/*/comments"),
    "the log": ("GET", "/repos/*/actions/jobs/*/logs"),
    "the tree": ("GET", "/repos/*/git/trees/*"),
    "the files": ("GET", "/repos/*/pulls/*/files"),
    "the last look": ("POST", "/graphql"),
    "the configuration": ("GET", "/repos/*/contents/*"),
    "the token": ("POST", "/app/installations/*/access_tokens"),
}


def only_once(world, pull):
    """One comment and one check run, and both tell the failure."""
    said = world.said(pull)
    assert said.count("failres:sticky") == 1
    assert said.count("✔ failres") == 1
    assert said.count("test_discount") >= 2


@pytest.mark.parametrize("how", ["answer", "drop", "lose"])
@pytest.mark.parametrize(("method", "path"), ROUTES.values(), ids=ROUTES.keys())
async def test_a_call_that_fails_or_whose_answer_is_lost_is_said_once(calm, method, path, how):
    """500, a connection that ends before or after the effect: everything is said, nothing twice."""
    await shop(calm)
    calm.clock.advance(3_600.0)  # the token is over
    calm.sandbox.faults.add(Fault(method, path, how=how, times=2))
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle()
    only_once(calm, pull)


@pytest.mark.parametrize(("method", "path"), [("GET", "/repos/*/pulls/*"), ("GET", "/repos/*/actions/jobs/*/logs")])
async def test_trap_2_what_lags_behind_the_webhook_is_asked_for_again(calm, method, path):
    """GitHub answers 404 for seconds after it told of a thing."""
    await shop(calm)
    calm.sandbox.faults.add(Fault(method, path, status=404, times=3))
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle()
    only_once(calm, pull)


async def test_a24_a_log_that_never_comes_is_told_and_excuses_nothing(calm):
    """No log: the check is red all the same, and the comment says that nothing is known of the cause."""
    await shop(calm)
    calm.sandbox.faults.add(Fault("GET", "/repos/*/actions/jobs/*/logs", status=404, times=None))
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle()
    assert "GitHub has no log of this job, so nothing is known of the cause." in calm.said(pull)


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("retry_after", [None, 30])
async def test_trap_25_a_secondary_limit_is_waited_for(calm, status, retry_after):
    """With and without Retry-After, as 403 or 429: writes go on later, nothing is lost or doubled."""
    await shop(calm)
    calm.sandbox.limits.secondary(times=2, status=status, retry_after=retry_after, writes_only=True)
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle(600.0)
    only_once(calm, pull)


@pytest.mark.parametrize("dies", [False, True], ids=["running", "restarted"])
async def test_g2_a_spent_hour_is_waited_for(calm, dies):
    """The primary limit: nothing more until the reset, then all that waited; also where the process dies meanwhile."""
    repo = await shop(calm)
    (installation,) = installations_on(calm.sandbox.github, repo)
    calm.sandbox.limits.exhaust(f"installation {installation.id}", seconds=1_800.0)
    pull = calm.people.open_pull("discount", WRONG)
    begun = calm.clock.now()
    await calm.settle(600.0)
    if dies:
        await calm.die_and_return()
        await calm.settle(300.0)
    assert calm.said(pull) == ""
    await calm.later(1_900.0 - (calm.clock.now() - begun))
    only_once(calm, pull)


async def test_a_fifth_of_the_hour_is_kept_for_who_commands(calm):
    """Nearly all of the hour is spent: what failres has to say waits for the next one, who commands is answered now."""
    pull = await red(calm)
    (installation,) = installations_on(calm.sandbox.github, calm.where(pull))
    for resource in ("core", "graphql"):
        calm.sandbox.limits.exhaust(f"installation {installation.id}", resource, seconds=3_700.0, left=900)
    begun = calm.clock.now()
    other = calm.people.open_pull("other", WRONG)
    await calm.settle()
    assert calm.said(other) == ""
    wrong = calm.people.comment(pull, "/failres retyr")
    stop = calm.people.comment(pull, "/failres stop")
    await calm.settle()
    assert [reaction.content for one in (wrong, stop) for reaction in one.reactions] == ["confused", "+1"]
    assert (pull.labels, "did you mean `/failres retry`?" in calm.said(pull)) == (["failres:stop"], True)
    await calm.later(3_800.0 - (calm.clock.now() - begun))
    only_once(calm, other)


async def test_a_fifth_of_the_writes_is_kept_for_who_commands(calm):
    """Reports have used their part of an hour's writes: the last comments wait, who commands is answered now."""
    calm.failres.service._workers._pacing = Pacing(replace(Pace(), writes_an_hour=10))
    pull = await red(calm)
    begun = calm.clock.now()
    others = [calm.people.open_pull(f"other-{number}", WRONG) for number in range(4)]
    await calm.settle()
    waiting = [other for other in others if "failres:sticky" not in calm.said(other)]
    assert waiting
    assert all("✔ failres" in calm.said(other) for other in others)
    wrong = calm.people.comment(pull, "/failres retyr")
    await calm.settle()
    assert [reaction.content for reaction in wrong.reactions] == ["confused"]
    assert "did you mean `/failres retry`?" in calm.said(pull)
    assert not any("failres:sticky" in calm.said(other) for other in waiting)
    await calm.later(3_800.0 - (calm.clock.now() - begun))
    for other in others:
        only_once(calm, other)


async def test_trap_26_a_missing_permission_costs_only_what_needs_it(calm):
    """Without `checks: write` there is no check run; the comment is written all the same."""
    calm.sandbox.app.permissions["checks"] = "read"
    await shop(calm)
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle()
    said = calm.said(pull)
    assert "✔ failres" not in said
    assert said.count("failres:sticky") == 1


async def test_h1_deliveries_that_failed_while_the_server_was_down_are_asked_for(calm):
    """The endpoint was down for a while: GitHub never sends again by itself, so failres asks."""
    await shop(calm)
    calm.sandbox.hooks.down = True
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle(0.0)
    calm.sandbox.hooks.down = False
    await calm.settle(1_000.0)
    only_once(calm, pull)
    again = [one for one in calm.sandbox.hooks.log.of_app(calm.sandbox.app.id, calm.clock.now()) if one.redelivery]
    assert again, "nothing was asked for again"


async def test_the_process_wide_switch_stops_every_write_and_loses_none(calm):
    """A stop file in the state directory: nothing is written; taken away, what was due is done."""
    await shop(calm)
    (calm.root / "state" / "STOP").touch()
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle()
    assert calm.said(pull) == ""
    (calm.root / "state" / "STOP").unlink()
    await calm.settle()
    only_once(calm, pull)


async def test_one_repository_is_paused_and_the_others_go_on(calm):
    """The operator names it in a file: nothing is written there until the line is taken out again."""
    await shop(calm)
    (calm.root / "state" / "PAUSED").write_text("octo/shop  # while it is moved\n")
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle()
    assert calm.said(pull) == ""
    (calm.root / "state" / "PAUSED").write_text("octo/another\n")
    await calm.settle()
    only_once(calm, pull)


async def test_a_suspended_installation_is_left_alone(calm):
    """Suspended: no more calls for its repositories."""
    pull = await red(calm)
    (installation,) = installations_on(calm.sandbox.github, calm.where(pull))
    suspend(calm.sandbox.github, installation)
    await calm.settle()
    before = calm.said(pull)
    with calm.people.quietly():
        calm.people.push("discount", {"shop.py": WRONG["shop.py"] + "# more\n"})
    await calm.settle()
    assert calm.said(pull).count("failres:sticky") == before.count("failres:sticky")


async def test_trap_26_without_the_right_to_read_files_nothing_is_written(calm):
    """The last look cannot read the repository's own kill switch: fail closed, and the refusal names the permission."""
    calm.sandbox.app.permissions.pop("contents", None)
    await shop(calm)
    pull = calm.people.open_pull("discount", WRONG)
    await calm.settle()
    assert calm.said(pull) == ""
    refused = [row.data["reason"] for row in await calm.journal() if row.kind == "action.refused"]
    assert any("contents=read" in reason for reason in refused), refused
