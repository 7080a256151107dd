"""What GitHub sends is taken, once; what is spoilt in any way is refused and leaves no trace."""

from __future__ import annotations

import json
import random

import pytest
from deliveries import SECRET, examples, headers, sign
from mutations import MUTATIONS

from bot.intake import EVENTS, Ignored, IntakeRules, read_body, read_headers, signed

PULL = next(payload for event, payload in examples() if event == "pull_request")
BODY = json.dumps(PULL).encode()


def test_the_published_signature_is_known():
    """GITHUB.md 3.1: GitHub's own vector."""
    vector = b"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signed(vector, b"Hello, World!", [b"It's a Secret to Everybody"])
    assert not signed(vector, b"Hello, World", [b"It's a Secret to Everybody"])
    assert not signed(vector, b"Hello, World!", [])


def test_there_are_examples_for_every_event_in_use():
    """Otherwise the test below would pass by saying nothing."""
    assert {event for event, _ in examples()} == {*EVENTS, "ping"}
    assert len(examples()) == 96


def stored_as(event, payload):
    """The event's name in the inbox."""
    pressed = event == "check_run" and payload["action"] == "requested_action"
    return "check_run.requested_action" if pressed else event


def whose(payload):
    """The key in the inbox."""
    return f"repo:{payload['repository']['id']}" if "repository" in payload else "app"


async def test_every_published_example_is_accepted(client, store):
    """Old but real payloads: each is stored under its repository's number, a press under its own name; ping passes."""
    for event, payload in examples():
        body = json.dumps(payload).encode()
        response = await client.post("/webhook", data=body, headers=headers(event, body))
        assert response.status == 202, (event, await response.text())
    expected = {
        (stored_as(event, payload), whose(payload), json.dumps(payload))
        for event, payload in examples()
        if event != "ping"
    }
    assert "check_run.requested_action" in {event for event, _, _ in expected}
    async with store.unit() as unit:
        found = {
            (row.event, row.key, row.body)
            for key in {key for _, key, _ in expected}
            for row in await unit.deliveries(key, 1000)
        }
    assert found == expected
    assert await store.next_due() is not None


async def test_a_thousand_spoilt_deliveries_leave_the_store_untouched(client, store, intake):
    """Each gets a 4xx that says why; none is stored, none ends in a 500."""
    chance = random.Random(20_260_427)
    good = [(event, payload) for event, payload in examples() if event != "ping"]
    answers: dict[str, int] = {}
    for number in range(1_200):
        mutate = MUTATIONS[number % len(MUTATIONS)]
        post = mutate(chance, *chance.choice(good))
        response = await client.post(
            "/webhook", data=post.body, headers=post.headers, skip_auto_headers=["Content-Type"]
        )
        assert 400 <= response.status < 500, (mutate.__name__, post.headers, post.body[:200])
        reason = (await response.json())["message"]
        answers[reason] = answers.get(reason, 0) + 1
    assert (await store.counts())["deliveries"] == 0
    assert await store.next_due() is None
    assert dict(intake.seen) == {"refused": 1_200}
    assert len(answers) > 30  # the chance did reach every field and header


async def test_h3_a_delivery_is_stored_once(client, store, intake):
    """GITHUB.md trap 12: a redelivery keeps its GUID and is thanked for all the same."""
    for _ in range(3):
        response = await client.post(
            "/webhook", data=BODY, headers=headers("pull_request", BODY, guid="72d3162e-cc78-11e3-81ab-4c9367dc0958")
        )
        assert response.status == 202
    assert (await store.counts())["deliveries"] == 1
    assert dict(intake.seen) == {"stored": 1, "duplicate": 2}


async def test_the_guid_of_a_refused_delivery_can_still_come(client, store):
    """GITHUB.md trap 12: what was not stored must stay redeliverable."""
    sent = headers("pull_request", BODY, guid="72d3162e-cc78-11e3-81ab-4c9367dc0958")
    assert (await client.post("/webhook", data=BODY, headers=sent | {"X-Hub-Signature-256": sign(b"x")})).status == 401
    assert (await client.post("/webhook", data=BODY, headers=sent)).status == 202
    assert (await store.counts())["deliveries"] == 1


@pytest.mark.parametrize(
    ("secret", "status"), [(SECRET, 202), (b"the old secret", 202), (b"a third one", 401), (b"", 401)]
)
async def test_either_of_two_secrets_will_do(client, secret, status):
    """So that the secret can be changed without losing a delivery."""
    response = await client.post("/webhook", data=BODY, headers=headers("pull_request", BODY, secret=secret))
    assert response.status == status


async def test_sha1_alone_is_refused(client):
    """Gidgethub would accept it."""
    sent = headers("pull_request", BODY)
    del sent["X-Hub-Signature-256"]
    assert (await client.post("/webhook", data=BODY, headers=sent)).status == 401


@pytest.mark.parametrize(
    "event", ["ping", "star", "pull_request_review", "repository_dispatch", "outcome", "a_new_event"]
)
async def test_events_that_are_not_in_use_are_let_pass(client, store, intake, event):
    """Thanked for, so that GitHub shows no failure, and not stored; `outcome` is the workers' own name."""
    response = await client.post("/webhook", data=BODY, headers=headers(event, BODY))
    assert response.status == 202
    assert (await store.counts())["deliveries"] == 0
    assert dict(intake.seen) == {"ignored": 1}


def test_the_cap_does_not_rest_on_the_web_framework():
    """The rules themselves refuse a body that is too large, whoever read it."""
    rules = IntakeRules((SECRET,), max_bytes=len(BODY) - 1)
    envelope = read_headers({k: v for k, v in headers("pull_request", BODY).items() if k != "Content-Length"}, rules)
    assert read_body(envelope, BODY, rules).status == 413


def test_the_events_in_use_can_be_fewer():
    """`app.yml` says which; the others are let pass."""
    rules = IntakeRules((SECRET,), events=frozenset({"push"}))
    envelope = read_headers(headers("pull_request", BODY), rules)
    assert read_body(envelope, BODY, rules) == Ignored("pull_request")


def test_a_secret_is_not_shown():
    """`repr` is what ends up in logs by accident."""
    assert "Secret" not in repr(IntakeRules((SECRET,)))


def test_a_body_that_hides_a_second_repository_goes_by_the_last():
    """Twice the same name: the store's key and the text that is read later must agree, and JSON's readers take the last."""
    body = b'{"repository": {"id": 1}, ' + BODY[1:-1] + b', "repository": {"id": 5}}'
    rules = IntakeRules((SECRET,))
    delivery = read_body(read_headers(headers("pull_request", body), rules), body, rules)
    assert delivery.key == "repo:5"
    assert json.loads(delivery.body)["repository"]["id"] == 5
