"""The process while its store fails, or something fails that nobody foresaw: that is told, and everything goes on."""

import asyncio
import sqlite3

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.clock import ManualClock, SystemClock
from bot.github import GitHub, open_session
from bot.github.identity import AppSettings
from bot.orders import order_for
from bot.service import Rhythm, Service
from bot.store import StoreUnavailable, open_store
from bot.work.workers import Workers
from resolver.actions import ReadPull
from resolver.actions.talk import SetLabel
from tests.chaos.test_turns import DELIVERIES, KEY
from tests.core.made import repo

NOWHERE = "http://127.0.0.1:9"
"""Nobody listens on the port `discard`."""


@pytest.fixture
async def github():
    """A GitHub that cannot be reached."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    async with open_session() as session:
        yield GitHub(session, AppSettings(app_id="1", private_key=pem, base_url=NOWHERE), SystemClock())


def order(action, ticket):
    """An order of a repository whose installation nobody knows: whoever carries it out meets what nobody foresaw."""
    return order_for(KEY, repo(installation_id=None), action, ticket, 0.0)


def failing(left, problem):
    """Raise that after the first commit of each of these transactions; those that are `left` have not failed yet."""

    def after_commit(label):
        if label in left:
            left.remove(label)
            raise problem

    return after_commit


async def test_a_store_that_fails_ends_one_order_and_is_told_as_that(github):
    """Two orders at once, the store fails at the end of one: it is the store's error that comes out, and the other ends."""
    store = await open_store("sqlite://", ManualClock())
    async with store.unit() as unit:
        await unit.enqueue([order(ReadPull(number=n), f"pull:{n}#1") for n in (7, 8)])
    store.after_commit = failing(["retry_order"], StoreUnavailable("The store", "it is away", "wait"))
    workers = Workers(store, github, ManualClock(), lambda *_: None, web_url="")
    with pytest.raises(StoreUnavailable):
        await workers.run_ready()
    assert (await store.counts())["orders_leased"] == 0
    await store.close()


async def test_an_order_that_was_taken_over_while_it_failed_is_left_to_the_other(github, tmp_path, caplog):
    """Something unforeseen, and the lease is lost as well: nothing comes out, and the log says who has it now."""
    store = await open_store(f"sqlite:///{tmp_path}/failres.db", ManualClock())
    label = SetLabel(number=7, label="failres:stop", present=True, command_id="c1")
    async with store.unit() as unit:
        await unit.enqueue([order(label, "label:7#1")])

    def stopped(*_):
        with sqlite3.connect(tmp_path / "failres.db") as connection:
            connection.execute("update outbox set owner = 'another'")
        connection.close()
        raise RuntimeError("nobody foresaw this")

    workers = Workers(store, github, ManualClock(), stopped, web_url="")
    assert await workers.run_ready() == 1
    assert "was taken over by another worker" in caplog.text
    await store.close()


@pytest.mark.parametrize("problem", [StoreUnavailable("The store", "it is away", "wait"), RuntimeError("unforeseen")])
async def test_a_fault_of_one_part_is_told_and_stops_none(github, caplog, problem):
    """Turns, orders, heartbeat and housekeeping fail once each: the process goes on, and what comes then is done."""
    store = await open_store("sqlite://", SystemClock())
    service = Service(store, github, SystemClock(), stopped=lambda *_: None, web_url="")
    service._rhythm = Rhythm(poll=0.02, heartbeat=0.02, fault_rest=0.02, housekeeping=0.02)
    left = ["claim", "claim_orders", "extend", "purge_inbox"]
    store.after_commit = failing(left, problem)
    running = asyncio.create_task(service.run())
    async with asyncio.timeout(10.0):
        while left:  # noqa: ASYNC110 nobody tells when the last has failed
            await asyncio.sleep(0.02)
        await store.receive(DELIVERIES[0])
        while (await store.counts())["deliveries_open"]:  # noqa: ASYNC110 nor when a delivery was handled
            await asyncio.sleep(0.02)
    assert not running.done()
    told = [
        record.message.partition(":")[0].partition(" ")[0] for record in caplog.records if record.levelname == "ERROR"
    ]
    assert sorted(told) == ["heartbeat", "housekeeping", "orders", "turns"]
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await service.close()
    await store.close()
