"""The turn against a real store: killed at every commit, fed with unreadable records, told things twice."""

import json
import sqlite3

import pytest
from sqlalchemy import text

from bot.clock import ManualClock
from bot.installations import repository_key
from bot.intake import PRESSED
from bot.loop import Loop, LoopLimits
from bot.orders import assignment_of
from bot.store import Delivery, Entry, StoreUnavailable, open_store
from bot.translate import OUTCOME
from bot.work.outcome import Outcome, deliveries_of
from resolver.journal import kind_of, to_json
from tests.core.made import HEAD, NEXT, config, files, job, pull, repo, run, triaged

KEY = repository_key(1)
FOREVER = 1e9
ANA = {"id": 5, "login": "ana", "type": "User"}
ASKED = {
    "issue_comment": {
        "action": "created",
        "issue": {"number": 7, "pull_request": {"url": "https://github.test/7"}},
        "comment": {"id": 1, "body": "/failres retry", "user": ANA, "created_at": "2026-09-21T00:00:00Z"},
    },
    PRESSED: {
        "action": "requested_action",
        "check_run": {"external_id": f"failres:7:{HEAD}"},
        "requested_action": {"identifier": "rerun"},
        "sender": ANA,
    },
}
"""What GitHub sends of a comment with a command, and of a pressed button."""


class Killed(BaseException):
    """The process died."""


def told(name, *facts):
    """A delivery that brings facts."""
    body = {"facts": [{"kind": kind_of(fact), "data": to_json(fact)} for fact in facts]}
    return Delivery(guid=name, event=OUTCOME, key=KEY, body=json.dumps(body))


DELIVERIES = [
    told("d1", repo(), pull()),
    told("d2", config(), files()),
    told("d3", job(), run()),
    told("d4", triaged()),
    told("d5", pull(8, head_sha=NEXT), files(8, NEXT)),
]


async def records(store):
    """What the journal holds, without times and tickets' numbers."""
    return [(row.kind, json.dumps(row.data, sort_keys=True)) async for row in store.records(KEY)]


async def play(url, kill_at=None):
    """Deliver everything, one turn after each; die at the k-th commit and start again. Returns journal, orders, commits."""
    clock, commits, deaths = ManualClock(), 0, 0

    def count(_):
        nonlocal commits, deaths
        commits += 1
        if commits == kill_at:
            deaths += 1
            raise Killed

    async def live():
        """One life of the process: take up, take in what GitHub still has to send, run what is due."""
        store = await open_store(url, clock)
        try:
            store.after_commit = count
            await store.forget_leases()
            await store.rebuild_due()
            loop = Loop(store, clock)
            for delivery in DELIVERIES:
                await store.receive(delivery)
                await loop.run_due()
            while await loop.run_due():
                pass
            store.after_commit = None
            orders = await store.claim_orders(100, FOREVER)
            return await records(store), sorted(leased.order.action_key for leased in orders), commits
        finally:
            store.after_commit = None
            await store.close()

    while True:
        try:
            return await live()
        except Killed:
            continue


async def test_a_process_killed_at_every_commit_ends_with_the_same_journal(tmp_path):
    """Nothing is lost and nothing is doubled, wherever the process dies."""
    calm, orders, commits = await play(f"sqlite:///{tmp_path}/calm/failres.db")
    assert [kind for kind, _ in calm].count("job.finished") == 1
    assert commits > 15
    for moment in range(1, commits + 1):
        journal, again, _ = await play(f"sqlite:///{tmp_path}/{moment}/failres.db", moment)
        assert journal == calm, f"killed at commit {moment}"
        assert again == orders, f"killed at commit {moment}"


async def opened(clock):
    """A store in memory and a loop over it."""
    store = await open_store("sqlite://", clock)
    return store, Loop(store, clock)


async def orders_of(store):
    """The actions that wait for a worker."""
    return [assignment_of(leased.order).action for leased in await store.claim_orders(100, FOREVER)]


async def test_a_record_of_an_unknown_version_parks_its_pull_request_and_no_other():
    """Pull request 7 has a record that this version cannot read; 8 is looked after all the same."""
    store, loop = await opened(ManualClock())
    await store.receive(DELIVERIES[0])
    await loop.run_due()
    await orders_of(store)
    async with store.unit() as unit:
        await unit.append(KEY, [Entry("pull.observed", {"v": 99, "number": 7}, None)])
    for delivery in DELIVERIES[1:]:
        await store.receive(delivery)
    await Loop(store, ManualClock()).run_due()
    assert {action.number for action in await orders_of(store)} <= {8, None}
    await store.close()


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "7",
        "null",
        "{",
        '{"repository": 7}',
        '{"facts": 7}',
        '{"facts": [7]}',
        '{"facts": [{"kind": "pull.observed"}]}',
    ],
)
@pytest.mark.parametrize("event", [OUTCOME, "pull_request", "workflow_job", "check_run", "issue_comment", "push"])
async def test_a_delivery_that_nobody_foresaw_stops_no_turn(event, body):
    """What cannot be understood is left out; the repository's other deliveries are taken in."""
    store, loop = await opened(ManualClock())
    await store.receive(told("d1", repo(), pull()))
    await store.receive(Delivery(guid="odd", event=event, key=KEY, body=body))
    await store.receive(told("d2", pull(8, head_sha=NEXT)))
    await loop.run_due()
    assert [kind for kind, _ in await records(store)].count("pull.observed") == 2
    await store.close()


async def test_of_an_outcome_what_can_be_read_is_kept(caplog):
    """Another version's fact beside one of ours takes only itself along, and the log names it."""
    store, loop = await opened(ManualClock())
    body = {"facts": [{"kind": kind_of(fact), "data": to_json(fact)} for fact in (repo(), pull())]}
    body["facts"].insert(1, {"kind": "pull.dreamt", "data": {"v": 9}})
    await store.receive(Delivery(guid="mixed", event=OUTCOME, key=KEY, body=json.dumps(body)))
    with caplog.at_level("INFO"):
        await loop.run_due()
    kinds = [kind for kind, _ in await records(store)]
    assert (kinds.count("repo.observed"), kinds.count("pull.observed")) == (1, 1)
    assert "pull.dreamt" in caplog.text
    await store.close()


async def test_told_twice_is_recorded_once():
    """The same facts under another GUID change nothing."""
    store, loop = await opened(ManualClock())
    for delivery in (*DELIVERIES, *(d._replace(guid=d.guid + "-again") for d in DELIVERIES)):
        await store.receive(delivery)
        await loop.run_due()
    kinds = [kind for kind, _ in await records(store) if kind != "action.started"]
    assert sorted(kinds) == [
        "config.read",
        "job.finished",
        "job.triaged",
        "pull.files",
        "pull.files",
        "pull.observed",
        "pull.observed",
        "repo.observed",
        "run.observed",
    ]
    await store.close()


@pytest.mark.parametrize(("limits", "turns"), [(LoopLimits(batch=2), 3), (LoopLimits(facts=3), 3)])
async def test_a_turn_takes_no_more_than_its_batch_and_comes_back_at_once(limits, turns):
    """A flood is worked off in bounded turns, by deliveries and by the facts that they bring; nothing is left over."""
    store, clock = await open_store("sqlite://", ManualClock()), ManualClock()
    loop = Loop(store, clock, loop_limits=limits)
    for delivery in DELIVERIES:
        await store.receive(delivery)
    taken = 0
    while await loop.run_due():
        taken += 1
    assert taken == turns
    assert (await store.counts())["deliveries_open"] == 0
    assert [kind for kind, _ in await records(store)].count("pull.files") == 2
    await store.close()


async def test_a_damaged_journal_stops_its_repository_and_says_what_to_do(tmp_path, caplog):
    """A record that somebody changed: nothing is decided, recorded or ordered, and the log says where and what now."""
    url, clock = f"sqlite:///{tmp_path}/failres.db", ManualClock()
    store = await open_store(url, clock)
    for delivery in DELIVERIES[:2]:
        await store.receive(delivery)
        await Loop(store, clock).run_due()
    await orders_of(store)
    await store.close()
    with sqlite3.connect(tmp_path / "failres.db") as connection:
        connection.execute("update journal set data = replace(data, 'open', 'shut') where kind = 'pull.observed'")
        (before,) = connection.execute("select count(*) from journal").fetchone()
    connection.close()
    store = await open_store(url, clock)
    await store.receive(DELIVERIES[2])
    loop = Loop(store, clock)
    assert await loop.run_due() == 1
    (said,) = [record.message for record in caplog.records if record.levelname == "ERROR"]
    assert said.startswith("The journal is damaged (journal-corrupt, escalate): The journal of repo:1 is corrupt at")
    assert "`failres journal --verify` shows the place" in said
    assert await orders_of(store) == []
    clock.advance(60.0)
    assert await loop.run_due() == 0
    await store.close()
    with sqlite3.connect(tmp_path / "failres.db") as connection:
        assert connection.execute("select count(*) from journal").fetchone() == (before,)
    connection.close()


@pytest.mark.parametrize("event", ["issue_comment", PRESSED])
async def test_what_people_wait_for_overtakes_a_backlog(event):
    """Jobs, lists of jobs and forty pull requests wait; the first turn takes a comment or a press in and asks for the
    right.
    """
    store, loop = await opened(ManualClock())
    await store.receive(
        told("d0", repo(), config(), *(pull(number, head_sha=NEXT) for number in range(8, 48)), pull(7))
    )
    while await loop.run_due():
        pass
    before = await orders_of(store)
    assert not any(action.type == "read-standing" for action in before)
    for n in range(200):
        await store.receive(told(f"jobs-{n}", job(1_000 + n, head=NEXT, run_id=n)))
        await store.receive(Delivery(f"queued-{n}", "workflow_job", KEY, json.dumps({"action": "queued"})))
    await store.receive(Delivery("asked", event, KEY, json.dumps(ASKED[event])))
    await loop.run_due()
    async with store.unit() as unit:
        assert "asked" not in {row.guid for row in await unit.deliveries(KEY, 500)}
    (first, *_) = await orders_of(store)
    assert first.type == "read-standing"
    await store.close()


async def test_a_turn_decides_on_few_pull_requests_and_comes_back_for_the_rest():
    """Forty that are met at once take several turns, and each is asked about once."""
    store = await open_store("sqlite://", ManualClock())
    loop = Loop(store, ManualClock(), loop_limits=LoopLimits(pulls=15))
    await store.receive(told("d0", repo(), config(), *(pull(number, head_sha=NEXT) for number in range(1, 41))))
    turns = 0
    while await loop.run_due():
        turns += 1
    assert turns == 3
    asked = [action.number for action in await orders_of(store) if action.type == "read-files"]
    assert sorted(asked) == list(range(1, 41))
    await store.close()


async def test_without_an_installation_nothing_is_ordered():
    """A repository whose installation is not known is observed, not acted on."""
    store, loop = await opened(ManualClock())
    await store.receive(told("d1", repo(installation_id=None), pull()))
    await loop.run_due()
    assert await orders_of(store) == []
    await store.close()


async def pages(store, most):
    """Let the database have no more than so many pages, as on a full disk; None: no more than it has now."""

    def limit(tx):
        used = tx.run(text("PRAGMA page_count")).scalar_one()
        tx.run(text(f"PRAGMA max_page_count = {used if most is None else most}")).close()

    await store._database.look(limit)


async def test_a_turn_that_cannot_be_written_is_run_again(tmp_path):
    """The disk is full and has room again: nothing was lost, and nobody goes on renewing the lease of what failed."""
    clock = ManualClock()
    store = await open_store(f"sqlite:///{tmp_path}/failres.db", clock)
    loop = Loop(store, clock)
    await store.receive(told("d0", *(pull(number, head_sha=NEXT) for number in range(1, 400))))
    await store.receive(DELIVERIES[0]._replace(key="repo:2"))
    await pages(store, None)
    with pytest.raises(StoreUnavailable, match="full"):
        await loop.run_due()
    assert await records(store) == []
    await pages(store, 1_000_000)
    for _ in range(8):
        clock.advance(10.0)
        await store.extend(60.0)
        await loop.run_due()
    assert len(await records(store)) >= 399
    assert [row async for row in store.records("repo:2")]
    await store.close()


async def test_a_list_of_hundreds_of_jobs_is_taken_in_by_several_turns():
    """One read brings them all: each turn takes some, and that the read has ended is known after the last of them."""
    store, loop = await opened(ManualClock())
    await store.receive(DELIVERIES[0])
    await loop.run_due()
    (leased, *_) = await store.claim_orders(100, FOREVER)
    outcome = Outcome(facts=tuple(job(1_000 + n, name=f"job {n}") for n in range(170)))
    *ahead, last = deliveries_of(leased, assignment_of(leased.order), outcome)
    await store.finish_order(leased, last, ahead=ahead)
    seen = []
    while await loop.run_due():
        kinds = [kind for kind, _ in await records(store)]
        seen.append((kinds.count("job.finished"), kinds.count("action.done")))
    assert seen[:6] == [(30, 0), (60, 0), (90, 0), (120, 0), (150, 0), (170, 1)]
    assert seen[-1] == (170, 1)
    await store.close()
