"""The regular look: one delivery that GitHub refuses, or one installation that cannot be read, keeps no other waiting."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from github_double import reply

from bot.github import GitHub
from bot.github.identity import AppSettings
from bot.installations import repository_key
from bot.lookout import Lookout
from bot.store import Entry, open_store


@pytest.fixture
async def looking(session, pem, hub, clock):
    """A lookout over that GitHub, and its store."""
    store = await open_store("sqlite://", clock)
    github = GitHub(session, AppSettings(app_id="123456", private_key=pem, base_url=hub.url), clock)
    yield Lookout(store, github, clock), store
    await store.close()


def delivery(clock, number, guid, status=500):
    """A delivery as GitHub lists it."""
    at = datetime.fromtimestamp(clock.now(), UTC).isoformat()
    return {"id": number, "guid": guid, "status_code": status, "delivered_at": at}


async def test_h1_a_delivery_that_github_does_not_send_again_keeps_no_other(looking, hub, clock):
    """Refused for one, which is too old; the others are asked for, each once, and what was delivered since is not."""
    lookout, _ = looking
    listed = [delivery(clock, 1, "a"), delivery(clock, 2, "b"), delivery(clock, 3, "c"), delivery(clock, 4, "c", 200)]
    hub.answer("GET", "/app/hook/deliveries", reply(listed))
    hub.answer("GET", "/app/installations", reply([]))
    hub.answer("POST", "/app/hook/deliveries/1/attempts", reply({"message": "too old"}, 422))
    hub.answer("POST", "/app/hook/deliveries/2/attempts", reply({}, 202))
    await lookout.look()
    await lookout.look()
    asked = [request.path for request in hub.requests if request.method == "POST"]
    assert asked == ["/app/hook/deliveries/1/attempts", "/app/hook/deliveries/2/attempts"]
    hub.answer("GET", "/app/hook/deliveries", reply([delivery(clock, 5, "b"), *listed]))
    hub.answer("POST", "/app/hook/deliveries/5/attempts", reply({}, 202))
    await lookout.look()
    assert [request.path for request in hub.requests if request.method == "POST"][2:] == [
        "/app/hook/deliveries/5/attempts"
    ]
    hub.answer("GET", "/app/hook/deliveries", reply([delivery(clock, 6, "d", 200)]))
    await lookout.look()
    assert lookout._asked == set()


@pytest.mark.parametrize("status", [403, 404, 500])
async def test_an_installation_that_cannot_be_read_keeps_no_other(looking, hub, status):
    """The first is refused whatever is asked of it; the second one's repositories are told all the same."""
    lookout, store = looking
    shop = {"id": 42, "full_name": "acme/shop", "default_branch": "main"}
    hub.answer("GET", "/app/hook/deliveries", reply([]))
    hub.answer("GET", "/app/installations", reply([{"id": 7}, {"id": 8}]))
    refused, told = reply({"message": "no"}, status), reply({"repositories": [shop]})

    def by_token(request):
        return (told if any(asked.path.startswith("/app/installations/8/") for asked in hub.requests) else refused)(
            request
        )

    hub.answer("GET", "/installation/repositories", by_token)
    await lookout.look()
    async with store.unit() as unit:
        (first,) = await unit.deliveries(repository_key(42), 10)
    assert json.loads(first.body)["facts"][0]["data"]["fullName"] == "acme/shop"


async def tellings(store, repo=42):
    """What a repository was told, oldest first."""
    async with store.unit() as unit:
        bodies = [json.loads(each.body)["facts"][0] for each in await unit.deliveries(repository_key(repo), 10)]
    return [each["data"].get("active", each["data"].get("fullName")) for each in bodies]


async def test_a_repository_that_two_looks_miss_is_told_that_it_is_gone(looking, hub, clock):
    """One look may be a blip, and one that could not list all tells of nothing; listed again, it is told again."""
    lookout, store = looking
    shop = {"id": 42, "full_name": "acme/shop", "default_branch": "main"}
    hub.answer("GET", "/app/hook/deliveries", reply([]))
    hub.answer("GET", "/app/installations", reply([{"id": 7}]))
    whole, none, refused = reply({"repositories": [shop]}), reply({"repositories": []}), reply({}, 404)
    for answer, expected in (
        (whole, ["acme/shop"]),
        (none, ["acme/shop"]),
        (whole, ["acme/shop"]),
        (none, ["acme/shop"]),
        (refused, ["acme/shop"]),
        (none, ["acme/shop", False]),
        (none, ["acme/shop", False]),
        (whole, ["acme/shop", False, "acme/shop"]),
    ):
        hub.answer("GET", "/installation/repositories", answer)
        clock.advance(300.0)
        await lookout.look()
        assert await tellings(store) == expected


async def test_after_a_start_what_the_journal_knows_is_missed_too(looking, hub, clock):
    """Access may have been lost while failres was down."""
    lookout, store = looking
    async with store.unit() as unit:
        await unit.append(repository_key(42), [Entry("repo.observed", {"v": 1}, None)])
    hub.answer("GET", "/app/hook/deliveries", reply([]))
    hub.answer("GET", "/app/installations", reply([]))
    for _ in range(3):
        clock.advance(300.0)
        await lookout.look()
    assert await tellings(store) == [False]
