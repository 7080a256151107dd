"""Redirects, by a real server: a write never turns into a read, and a credential never leaves its origin."""

from __future__ import annotations

import pytest
from aiohttp import web
from github_double import reply

from bot.github import Refused, Unavailable


def moved(status: int, location: str):
    """A handler that redirects; the address may lie at another origin."""
    return lambda _: web.Response(status=status, headers={"Location": location})


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_read_follows_a_renamed_repository(real, hub, status):
    """GITHUB.md trap 35: GitHub answers 301 for a GET; the token goes along within the origin."""
    hub.answer("GET", "/repos/o/old", moved(status, f"{hub.url}/repositories/1"))
    hub.answer("GET", "/repositories/1", reply({"id": 1}))
    assert await real.get("/repos/o/old") == {"id": 1}
    assert "Content-Length" not in hub.asked("/repositories/1")[0].headers
    assert hub.asked("/repositories/1")[0].headers["Authorization"].startswith("token ghs_")


@pytest.mark.parametrize("status", [307, 308])
@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])
async def test_a_write_follows_307_with_its_method_and_body(real, hub, status, method):
    """GITHUB.md trap 35: a renamed repository answers 307 for writes."""
    hub.answer(method, "/repos/o/old/x", moved(status, "/repositories/1/x"))
    hub.answer(method, "/repositories/1/x", reply({"id": 5}))
    assert await getattr(real, method.lower())("/repos/o/old/x", {"title": "t"}) == {"id": 5}
    request = hub.asked("/repositories/1/x")[0]
    assert (request.method, hub.bodies[-1]) == (method, b'{"title": "t"}')
    assert request.headers["Authorization"].startswith("token ghs_")


@pytest.mark.parametrize("status", [301, 302, 303])
async def test_a_write_never_becomes_a_read(real, hub, status):
    """Aiohttp would send a GET without a body to the new place; here it is a refusal."""
    hub.answer("POST", "/repos/o/old/x", moved(status, f"{hub.url}/repositories/1/x"))
    hub.answer("GET", "/repositories/1/x", reply({"id": 5}))
    with pytest.raises(Refused) as caught:
        await real.post("/repos/o/old/x", {"title": "t"})
    assert caught.value.status == status
    assert hub.asked("/repositories/1/x") == []


async def test_a_write_does_not_follow_to_another_origin(real, hub, blobs):
    """Its body belongs to GitHub alone."""
    hub.answer("POST", "/x", moved(307, f"{blobs.url}/x"))
    with pytest.raises(Refused):
        await real.post("/x", {"title": "t"})
    assert blobs.requests == []


async def test_a_read_leaves_its_credential_behind_at_another_origin(real, hub, blobs):
    """Another port is another origin."""
    hub.answer("GET", "/x", moved(302, f"{blobs.url}/y"))
    blobs.answer("GET", "/y", reply({"id": 5}))
    assert await real.get("/x") == {"id": 5}
    assert "Authorization" not in blobs.requests[0].headers


async def test_redirects_end(real, hub):
    """A loop is no answer."""
    hub.answer("GET", "/x", moved(301, f"{hub.url}/x"))
    with pytest.raises(Unavailable):
        await real.get("/x")
    assert len(hub.asked("/x")) == 3 * 5  # five hops, and the read is tried three times


async def test_each_hop_counts_against_the_budget(real, hub):
    """Every request to GitHub is one, redirected or not."""
    hub.answer("GET", "/x", moved(301, "/y"))
    hub.answer("GET", "/y", reply({}))
    await real.get("/x")
    assert [spent.calls for spent in real.budget.spending()] == [2]


@pytest.mark.parametrize(
    "location", ["ftp://127.0.0.1/x", "file:///etc/passwd", "javascript:alert(1)", "http://[bad", "//"]
)
async def test_a_redirect_to_nonsense_is_not_followed(real, hub, location):
    """Only HTTP, and an address that can be read."""
    hub.answer("GET", "/x", moved(302, location))
    with pytest.raises((Refused, Unavailable)):
        await real.get("/x")
