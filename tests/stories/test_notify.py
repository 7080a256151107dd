"""Who is told of a question outside of GitHub: once, to the names that the configuration has, and nobody waits for it."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from pydantic import SecretStr

from bot.cli.scenarios import team
from resolver.facts import ActionRefused
from resolver.journal import from_json
from tests.stories.test_decisions import question
from tests.world import Killed

CONFIG = 'managed: {branches: ["**"]}\nmode: {rerun: act}\nnotifications: {destinations: [team]}\n'
NOBODY_ASKED = team.ON_PUSH.replace("  push:\n    branches: [main]\n", "")
SECRET = "T0PSECRET"


class Receiver:
    """A real HTTP server that keeps what it is sent. `answers` are statuses to give first; then all goes well."""

    def __init__(self):
        self.got, self.answers, self.headers, self.hang = [], [], {}, None
        self.asked = 0

    async def take(self, request):
        """Take one notification."""
        self.asked += 1
        if self.hang is not None:
            await self.hang.wait()
        status = self.answers.pop(0) if self.answers else 200
        if status == 200:
            self.got.append((request.headers.get("Idempotency-Key"), await request.json()))
        return web.Response(status=status, headers=self.headers.get(status, {}))


@asynccontextmanager
async def receiving(port=0):
    """A receiver on loopback, and its address, whose path is a secret."""
    receiver = Receiver()
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", receiver.take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, reuse_address=True).start()
    receiver.port = runner.addresses[0][1]
    receiver.address = f"http://127.0.0.1:{receiver.port}/services/{SECRET}"
    try:
        yield receiver
    finally:
        await runner.cleanup()


async def told(world, **addresses):
    """Start failres anew with those destinations in its settings."""
    usual = world.settings
    secrets = {name: SecretStr(address) for name, address in addresses.items()}
    world.settings = lambda: usual().model_copy(update={"destinations": secrets})
    await world.die_and_return()


async def shop(world, config=CONFIG):
    """A managed repository whose base nobody can ask, so that a red check ends in a question."""
    world.sandbox.ci.job("unit", team.unit)
    world.repo("shop", team.files(config=config), {"ci.yml": NOBODY_ASKED})
    await world.settle()


async def escalate(world, branch="discount"):
    """A pull request that ends in a question."""
    pull = world.people.open_pull(branch, {"shop.py": team.WRONG, f"{branch}.md": "more"})
    await world.settle()
    return pull


async def refusals(world):
    """Why notifications were not sent, as the journal has it."""
    facts = [from_json(row.kind, row.data) for row in await world.journal()]
    return [each.reason for each in facts if isinstance(each, ActionRefused) and each.target.startswith("notify:")]


async def nothing_has_the_secret(world):
    """No record, no page and no text has the address."""
    kept = json.dumps([row.data for row in await world.journal()])
    assert SECRET not in kept
    assert all(
        SECRET not in comment.body
        for repo in world.sandbox.github.repositories.values()
        for comment in repo.comments.values()
    )


async def test_a_question_is_told_once_with_a_link_to_its_comment(world):
    """Slack's form, the question's id as its mark, and nothing more however long it stays open."""
    async with receiving() as receiver:
        await told(world, team=receiver.address)
        await shop(world)
        pull = await escalate(world)
        decision = question(world, pull)
        comment = next(c for c in world.where(pull).comments.values() if "failres:decision" in c.body)
        await world.later(1_200.0)
        marks = {mark for mark, _ in receiver.got}
        assert marks == {f"notify:{decision}:team"}
        if world.weather != "restart":  # there it may come twice, with the same mark
            assert len(receiver.got) == 1
        body = receiver.got[0][1]
        text = body["text"].replace(world.sandbox.web_url, "https://github.test")
        assert text == (
            "*How should this go on?* `octo/shop#1` `Discount`\n"
            "The check failed on the code: `tests/test_shop.py::test_discount`\n"
            f"<https://github.test/octo/shop/pull/1#issuecomment-{comment.id}|Answer on the pull request>. "
            f"Nothing automatic follows there until then. ({decision})"
        )
        assert body["blocks"] == [{"type": "section", "text": {"type": "mrkdwn", "text": body["text"]}}]
        await nothing_has_the_secret(world)


async def test_a_receiver_that_is_down_gets_it_when_it_is_up_again(calm):
    """Nobody listens, then it answers 503, then 429 with its time, then it takes it; all else went on meanwhile."""
    async with receiving() as receiver:
        port = receiver.port
    await told(calm, team=f"http://127.0.0.1:{port}/services/{SECRET}")
    await shop(calm)
    pull = await escalate(calm)
    assert "How should this go on?" in calm.said(pull)
    await calm.later(600.0)
    async with receiving(port) as receiver:
        receiver.answers, receiver.headers = [503, 429], {429: {"Retry-After": "1800"}}
        await calm.later(1_300.0)
        assert (receiver.asked, receiver.got) == (2, [])  # its own time is waited for
        await calm.later(1_900.0)
        assert len(receiver.got) == 1
    assert await refusals(calm) == []
    await nothing_has_the_secret(calm)
    calm.said(pull)


async def test_killed_between_sending_and_recording_it_is_sent_again_with_the_same_mark(calm):
    """At least once: the receiver sees the question's id twice, and nothing is lost."""
    async with receiving() as receiver:
        await told(calm, team=receiver.address)
        await shop(calm)
        finish, deaths = calm.failres.store.finish_order, []

        async def die_once(leased, *rest, **how):
            if leased.order.target.startswith("notify:") and not deaths:
                deaths.append(leased)
                raise Killed
            await finish(leased, *rest, **how)

        calm.failres.store.finish_order = die_once
        pull = await escalate(calm)
        assert len(deaths) == 1
        (first, one), (second, two) = receiver.got
        assert (first, one) == (second, two)
        calm.said(pull)


@pytest.mark.parametrize(
    ("status", "reason"),
    [(302, "the receiver redirects (302), which is not followed"), (404, "the receiver refused it (404)")],
)
async def test_a_redirect_is_not_followed_and_a_refusal_is_final(calm, status, reason):
    """Nothing is sent to an address that the operator did not name; the journal has the reason without the address."""
    async with receiving() as receiver, receiving() as elsewhere:
        receiver.answers, receiver.headers = [status], {302: {"Location": elsewhere.address}}
        await told(calm, team=receiver.address)
        await shop(calm)
        pull = await escalate(calm)
        await calm.later(1_200.0)
        assert (receiver.asked, elsewhere.asked) == (1, 0)
        (why,) = await refusals(calm)
        assert why.startswith(reason)
        await nothing_has_the_secret(calm)
        calm.said(pull)


async def test_a_name_that_the_server_does_not_have_is_told_in_the_journal(calm):
    """A repository can name what it likes: only the operator's addresses exist."""
    await shop(calm)
    pull = await escalate(calm)
    assert await refusals(calm) == ["the server's settings have no destination of that name"]
    calm.said(pull)


async def test_a_receiver_that_hangs_holds_nobody_up(calm):
    """As the process is served, nothing waits for a receiver: the next pull request is explained meanwhile."""
    async with receiving() as receiver:
        receiver.hang = asyncio.Event()
        await told(calm, team=receiver.address)
        await shop(calm)
        workers = calm.failres.service._workers
        wait, workers.settled = workers.settled, _nobody_waits
        first = await escalate(calm)
        second = await escalate(calm, "second")
        assert (receiver.asked, receiver.got) == (1, [])
        assert "failres:decision" in calm.said(second)
        workers.settled = wait
        receiver.hang.set()
        await calm.settle()
        assert len(receiver.got) == 2
        calm.said(first)


async def _nobody_waits():
    """What `run` does where `step` waits for notifications."""
    await asyncio.sleep(0.05)
