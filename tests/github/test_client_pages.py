"""Paging as `Link` leads, conditional requests, and the addresses that calls are made of."""

from __future__ import annotations

import json

import pytest
from aiohttp import web
from github_double import reply

from bot.github import GitHub, Unavailable, route
from bot.github.etags import Etags
from bot.github.paths import address


async def collect(pages) -> list:
    """All items."""
    return [item async for item in pages]


def page(items, etag: str, **headers: str):
    """A handler that knows ETags, as GitHub does; a 304 has no `Link`."""

    def handler(request: web.Request) -> web.Response:
        if request.headers.get("If-None-Match") == etag:
            return web.Response(status=304, headers={"ETag": etag})
        return web.Response(text=json.dumps(items), content_type="application/json", headers={"ETag": etag, **headers})

    return handler


async def test_pages_follow_the_links_that_github_gives(real, hub):
    """GITHUB.md trap 35: they go through `/repositories/{id}`; 100 a page."""
    hub.answer(
        "GET",
        "/repos/o/r/issues/1/comments",
        reply([1, 2], Link=f'<{hub.url}/repositories/1/comments?page=2>; rel="next", <{hub.url}/x?page=3>; rel="last"'),
    )
    hub.answer("GET", "/repositories/1/comments", reply([3], Link=f'<{hub.url}/x>; rel="prev"'))
    assert await collect(real.pages("/repos/o/r/issues/1/comments", since="2026-01-01T00:00:00Z")) == [1, 2, 3]
    assert hub.asked("/repos/o/r/issues/1/comments")[0].query == {"per_page": "100", "since": "2026-01-01T00:00:00Z"}
    assert hub.asked("/repositories/1/comments")[0].query == {"page": "2"}


@pytest.mark.parametrize("key", ["jobs", None])
async def test_a_list_inside_an_object_is_found(real, hub, key):
    """Actions and checks wrap their lists."""
    hub.answer("GET", "/jobs", reply({"total_count": 2, "jobs": [1, 2]}))
    assert await collect(real.pages("/jobs", key=key)) == [1, 2]


@pytest.mark.parametrize("body", [{"total_count": 0}, {"a": [], "b": []}, "text", None, {"jobs": {}}])
async def test_a_page_without_its_list_is_unavailable(real, hub, body):
    """Never taken for an empty list: that would look like `nothing failed`."""
    hub.answer("GET", "/jobs", reply(body))
    with pytest.raises(Unavailable):
        await collect(real.pages("/jobs"))


async def test_a_link_astray_is_not_followed(real, hub, blobs):
    """Neither to another origin nor in a circle."""
    hub.answer("GET", "/a", reply([1], Link=f'<{blobs.url}/a?page=2>; rel="next"'))
    hub.answer("GET", "/b", reply([1], Link=f'<{hub.url}/b?page=2>; rel="next"'))
    for path in ("/a", "/b"):
        with pytest.raises(Unavailable):
            await collect(real.pages(path))
    assert blobs.requests == []
    assert len(hub.asked("/b")) == 2


async def test_the_app_pages_too(session, settings, hub, clock):
    """Hook deliveries page by a cursor, which is in the link."""
    github = GitHub(session, settings.model_copy(update={"base_url": hub.url}), clock)
    hub.answer("GET", "/app/hook/deliveries", reply([{"id": 1}], Link=f'<{hub.url}/app/more?cursor=v1_5>; rel="next"'))
    hub.answer("GET", "/app/more", reply([{"id": 2}]))
    assert await collect(github.app_pages("/app/hook/deliveries", status="failure")) == [{"id": 1}, {"id": 2}]
    hub.answer("POST", "/app/hook/deliveries/1/attempts", reply({}, 202))
    assert await github.app_post("/app/hook/deliveries/1/attempts") == {}
    assert all(request.headers["Authorization"].startswith("bearer ") for request in hub.requests)


async def test_what_did_not_change_comes_from_memory_as_a_value_of_its_own(real, hub):
    """GITHUB.md 7.6: a 304 counts nothing, and changing a result must not change what the next caller gets."""
    hub.answer("GET", "/x", page({"labels": ["a"]}, '"e1"'))
    first = await real.get_reply("/x")
    first.data["labels"].append("mine")
    second = await real.get_reply("/x")
    assert (second.status, second.from_cache, second.data) == (304, True, {"labels": ["a"]})
    second.data["labels"].clear()
    assert await real.get("/x") == {"labels": ["a"]}
    assert [(spent.calls, spent.unchanged) for spent in real.budget.spending()] == [(3, 2)]
    hub.answer("GET", "/x", page({"labels": ["b"]}, '"e2"'))
    assert await real.get("/x") == {"labels": ["b"]}


async def test_installations_and_media_types_do_not_share_what_they_got(session, settings, hub, clock):
    """What one installation may see is not shown to another, and a diff is no JSON."""
    github = GitHub(session, settings.model_copy(update={"base_url": hub.url}), clock)
    hub.answer("GET", "/x", page({"secret": 1}, '"e1"'))
    await github.installation(7).get("/x")
    await github.installation(8).get("/x")
    await github.installation(7).get("/x", accept="application/vnd.github.full+json")
    assert ["If-None-Match" in request.headers for request in hub.asked("/x")] == [False, False, False]


async def test_pages_come_from_memory_with_their_links(real, hub):
    """A 304 carries no `Link`; the one from before still leads on."""
    hub.answer("GET", "/a", page([1], '"a"', Link=f'<{hub.url}/b>; rel="next"'))
    hub.answer("GET", "/b", page([2], '"b"'))
    assert await collect(real.pages("/a")) == [1, 2]
    assert await collect(real.pages("/a")) == [1, 2]
    assert ["If-None-Match" in request.headers for request in hub.requests[1:]] == [False, False, True, True]


async def test_a_last_page_that_was_full_is_asked_for_anew(real, hub):
    """What was added since lies on a new page, and the full one with its ETag did not change."""
    full = list(range(100))
    hub.answer("GET", "/a", page(full, '"same"'))
    assert await collect(real.pages("/a")) == full
    hub.answer("GET", "/a", page(full, '"same"', Link=f'<{hub.url}/b>; rel="next"'))
    hub.answer("GET", "/b", page([100], '"b"'))
    assert await collect(real.pages("/a")) == [*full, 100]


def test_the_memory_is_bounded_in_bytes():
    """The least recently used go first; what is too large is not kept at all."""
    etags = Etags(max_bytes=10_000)
    view = etags.view(7, "json")
    for number in range(10):
        view[f"/{number}"] = ('"e"', None, "x" * 2000, None)
    assert sorted(view) == ["/6", "/7", "/8", "/9"]
    view["/large"] = ('"e"', None, "x" * 20_000, None)
    assert "/large" not in view
    assert len(etags.view(8, "json")) == 0
    del view["/6"]
    assert len(view) == 3


@pytest.mark.parametrize(
    ("template", "parts", "path"),
    [
        ("/repos/{owner}/{repo}", {"owner": "o", "repo": "r.js"}, "/repos/o/r.js"),
        ("/a/{name}", {"name": "x/y z?#é{b}"}, "/a/x%2Fy%20z%3F%23%C3%A9%7Bb%7D"),
        ("/git/ref/{+ref}", {"ref": "heads/feature/a b"}, "/git/ref/heads/feature/a%20b"),
        ("/compare/{+spec}", {"spec": "main...o:feat/x"}, "/compare/main...o%3Afeat/x"),
        ("/jobs/{id}", {"id": 5}, "/jobs/5"),
    ],
)
def test_a_route_is_filled_with_escaped_names(template, parts, path):
    """GITHUB.md trap 26: an unescaped slash asks for something else."""
    assert route(template, **parts) == path
    assert address("https://h", path, {}) == f"https://h{path}"


@pytest.mark.parametrize("value", ["", ".", "..", "a/../b", "a//b", "/a", "a/"])
def test_a_name_that_climbs_is_no_part_of_a_route(value):
    """A branch cannot reach another endpoint."""
    with pytest.raises(ValueError, match="cannot stand for"):
        route("/git/ref/{+ref}", ref=value)


@pytest.mark.parametrize("path", ["", "x", "//evil.example/x", "https://evil.example/x", "/a/../b", "/a/."])
async def test_a_path_is_never_another_host(installation, path):
    """A path comes from our own code, and still it is looked at."""
    with pytest.raises(ValueError, match="not a path"):
        await installation.get(path)


def test_parameters_are_written_as_github_reads_them():
    """Booleans in small letters, None left out, everything escaped."""
    made = address("https://h/api/v3/", "/x?a=1 2", {"q": "a b&c", "yes": True, "no": None, "n": 5})
    assert made == "https://h/api/v3/x?a=1%202&q=a+b%26c&yes=true&n=5"
